// What stands on the vertical axis: classes or methods, in an order.
const PARTS = ["receiver's class", "method's class", "method"];
const ORDERS = [["first", "first use"], ["hierarchy", "hierarchy"], ["package", "package"], ["cost", "cost"]];
const simple = (name) => name.slice(name.lastIndexOf(".") + 1);
function names(data) {
  const classes = data.classes.map(([name]) => name.replaceAll("/", "."));
  const methods = data.methods.map(([owner, , name]) => (classes[owner] ?? "?") + "." + name);
  return { classes, methods };
}

// Kind → class or method, for each of the three parts.
const idOf = [
  (data, kind) => data.receivers[kind],
  (data, kind) => data.methods[data.invoked[kind]][0],
  (data, kind) => data.invoked[kind],
];

// Place of every class when the tree of classes is walked, subclasses below what they extend; interfaces come last.
function placesInTree(data, called) {
  const below = new Map(), places = new Array(data.classes.length).fill(Infinity);
  const alphabetical = (a, b) => (called.classes[a] < called.classes[b] ? -1 : 1);
  data.classes.forEach(([, above], id) => { if (!below.has(above)) below.set(above, []); below.get(above).push(id); });
  const roots = (below.get(-1) || []).sort(alphabetical).sort((a, b) => data.classes[a][2] - data.classes[b][2]);
  const pending = roots.reverse();
  for (let place = 0; pending.length;) {
    const id = pending.pop();
    places[id] = place++;
    pending.push(...(below.get(id) || []).sort(alphabetical).reverse());
  }
  return places;
}

// {ids, names, calls, ns, of: row of each kind or -1}
function rowsOf(data, called, part, order, search) {
  const kinds = data.counts.length, seen = new Map();
  for (let kind = 0; kind < kinds; kind++) {
    if (!data.counts[kind]) continue;
    const id = idOf[part](data, kind);
    const row = seen.get(id) || { id, calls: 0, ns: 0, first: Infinity };
    row.calls += data.counts[kind];
    row.ns += data.prices ? data.counts[kind] * data.prices[data.invoked[kind]] : 0;
    row.first = Math.min(row.first, data.firsts[kind]);
    seen.set(id, row);
  }
  const name = part === 2 ? (row) => called.methods[row.id] : (row) => called.classes[row.id];
  let rows = [...seen.values()];
  for (const row of rows) row.name = name(row);
  const all = rows.length;
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length) rows = rows.filter((row) => wanted.every((word) => row.name.toLowerCase().includes(word)));
  const owner = (row) => (part === 2 ? data.methods[row.id][0] : row.id);
  const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id);
  if (order === "first") rows.sort((a, b) => a.first - b.first);
  if (order === "package") rows.sort((a, b) => byName({ name: called.classes[owner(a)], id: 0 }, { name: called.classes[owner(b)], id: 0 }) || byName(a, b));
  if (order === "cost") rows.sort((a, b) => b.ns - a.ns || b.calls - a.calls || byName(a, b));
  if (order === "hierarchy") {
    const places = placesInTree(data, called);
    rows.sort((a, b) => places[owner(a)] - places[owner(b)] || byName(a, b));
  }
  const place = new Map(rows.map((row, at) => [row.id, at]));
  const of = new Int32Array(kinds).fill(-1);
  for (let kind = 0; kind < kinds; kind++) if (data.counts[kind]) of[kind] = place.get(idOf[part](data, kind)) ?? -1;
  return { list: rows, of, all };
}
