// Where the cost goes: methods with their blocks and listings, and the price list.
const BLOCK = { NAME: 0, KIND: 1, NUMBER: 2, PCS: 3, LINES: 4, COUNT: 5, COST: 6, PRICE: 7, LOW: 8, HIGH: 9, PRIOR: 10, EVIDENCE: 11, SUPPORT: 12, SPLIT: 13, VARIATION: 14, RISK: 15, TEXT: 16, NOTES: 17 };

// What sampled stacks say of a method: [lower, upper, own, callees, caused, inclusive].
const part = (key, at, title, hint) => ({ key, title, hint, num: true, value: (r) => r.sampled && r.sampled[at], cell: (r) => (r.sampled && r.sampled[at] !== null ? percent(r.sampled[at]) : "") });
const SAMPLED = [
  { key: "interval", title: "95 % interval", hint: "where the true share lies, by the sampling alone", num: true, value: (r) => r.sampled && r.sampled[0], cell: (r) => (r.sampled ? percent(r.sampled[0]) + " … " + percent(r.sampled[1]) : "") },
  part("own", 2, "own code", "the method's own instructions"),
  part("callees", 3, "callees", "what it calls outside the program, and the JVM on its behalf"),
  part("caused", 4, "caused", "loading, compiling and collecting on other lines that it set off"),
  part("inclusive", 5, "inclusive", "on the stack, with all it calls"),
];

function methods(data, root) {
  const text = (id) => data.strings[id];
  const total = data.whole || 1;
  const rows = data.methods.map(([name, cost, members, listing, code, sampled]) => {
    const blocks = members.map((index) => data.blocks[index]);
    return { name: text(name), cost, blocks, listing, code, sampled, variation: blocks.reduce((sum, b) => sum + (b[BLOCK.VARIATION] || 0), 0), risks: blocks.filter((b) => b[BLOCK.RISK] !== null) };
  });
  const largest = rows.length ? rows[0].cost : 1;
  root.append(h("p", { class: "about" }, `${data.measured ? "Measured" : "Predicted"} ${words(data.target)} over ${thousands(data.observations)} inputs, ${quantity(data.whole, data.unit)} in all. Variation is how much of the difference between inputs a method carries: whoever chooses the input decides there.`));
  if (data.notes.length) root.append(h("ul", { class: "list small" }, data.notes.map((note) => h("li", {}, note))));
  dataTable(root, {
    id: "methods", caption: "methods by cost", noun: "methods and features", rows, sort: "cost", page: 25, placeholder: "Search methods, code",
    text: (r) => r.name + " " + r.blocks.map((b) => (b[BLOCK.TEXT] === null ? "" : text(b[BLOCK.TEXT]))).join(" "),
    filters: [{ key: "risk", title: "input decides", test: (r) => r.risks.length }, { key: "code", title: "code only", test: (r) => r.code }],
    name: (r) => r.name,
    canExpand: (r) => r.code || r.blocks.length > 1 || r.blocks.some((b) => b[BLOCK.NOTES].length),
    expand: (r) => methodDetail(data, r),
    columns: [
      { key: "name", title: "method", kind: "name", sort: "asc", value: (r) => r.name.toLowerCase(), cell: (r) => [nameNode(r.name), r.risks.length ? h("span", { class: "tag warn", title: text(r.risks[0][BLOCK.RISK]) }, "input decides") : null] },
      { key: "bar", title: "", cell: (r) => meter(r.cost / largest) },
      { key: "cost", title: data.target, num: true, value: (r) => r.cost, cell: (r) => quantity(r.cost, data.unit) },
      { key: "share", title: "share", num: true, value: (r) => r.cost, cell: (r) => percent(r.cost / total) },
      ...(rows.some((r) => r.sampled) ? SAMPLED : []),
      { key: "variation", title: "variation", num: true, value: (r) => r.variation, cell: (r) => percent(Math.abs(r.variation) < 0.0005 ? 0 : r.variation) },
      { key: "blocks", title: "blocks", num: true, value: (r) => r.blocks.length, cell: (r) => (r.code ? thousands(r.blocks.length) : h("span", { class: "dim" }, text(r.blocks[0][BLOCK.KIND]))) },
    ],
  });
}

function methodDetail(data, method) {
  const text = (id) => data.strings[id];
  const detail = h("div");
  for (const risk of method.risks.slice(0, 3)) detail.append(h("p", { class: "small" }, h("span", { class: "tag warn" }, "input decides"), " ", text(risk[BLOCK.RISK])));
  const head = ["block", "lines", "count", "price", "interval", "evidence", data.target, "share"];
  const rows = method.blocks.map((b) => h("tr", {},
    h("td", { class: "name" }, b[BLOCK.NUMBER] === null ? text(b[BLOCK.NAME]) : "block " + b[BLOCK.NUMBER], b[BLOCK.SPLIT] !== null ? h("span", { class: "tag", title: "shares the price of " + text(b[BLOCK.SPLIT]) }, "merged") : null,
      b[BLOCK.NOTES].filter(() => b[BLOCK.SPLIT] === null).map((note) => h("div", { class: "small" }, text(note)))),
    h("td", { class: "num" }, range(b[BLOCK.LINES])),
    h("td", { class: "num" }, count(b[BLOCK.COUNT])),
    h("td", { class: "num" }, quantity(b[BLOCK.PRICE], data.unit)),
    h("td", { class: "num soft" }, b[BLOCK.LOW] === null ? "" : quantity(b[BLOCK.LOW], data.unit) + " … " + quantity(b[BLOCK.HIGH], data.unit)),
    h("td", { class: "num" }, evidence(b[BLOCK.EVIDENCE])),
    h("td", { class: "num" }, quantity(b[BLOCK.COST], data.unit)),
    h("td", { class: "num" }, percent(b[BLOCK.COST] / (data.whole || 1)))));
  detail.append(h("div", { class: "scroll" }, h("table", {}, h("caption", {}, "blocks of " + method.name), h("thead", {}, h("tr", {}, head.map((title, i) => h("th", { scope: "col", class: i ? "num" : null }, h("span", {}, title))))), h("tbody", {}, rows))));
  const lines = method.listing !== null && method.listing !== undefined ? data.listings[method.listing] : bytecode(data, method);
  if (lines && lines.lines.length) detail.append(listing(data, lines, method.cost));
  return detail;
}
function range(lines) { return !lines ? "" : lines[0] === lines[1] ? String(lines[0]) : lines[0] + "–" + lines[1]; }
function evidence(weight) { return weight === null || weight === undefined ? "–" : [meter(weight, "slim"), h("span", { class: "fixed" }, Math.round(weight * 100) + "\u00a0%")]; }

// Disassembly of the blocks that brought their text along; figures stand on the first line of each.
function bytecode(data, method) {
  const lines = [];
  for (const b of method.blocks) {
    if (b[BLOCK.NUMBER] === null || b[BLOCK.TEXT] === null) continue;
    data.strings[b[BLOCK.TEXT]].split("\n").forEach((line, i) => lines.push([null, line, i ? null : b[BLOCK.COUNT], i ? null : b[BLOCK.COST]]));
  }
  return { path: null, lines: lines.map(([n, t, c, k]) => [n, t, c, k]), raw: true };
}
function listing(data, source, whole) {
  const line = (id) => (source.raw ? id : data.strings[id]);
  let cost = null;
  const rows = source.lines.map(([number, id, executed, price]) => {
    const begins = executed !== null;
    if (begins || number !== null) cost = price;
    const edge = h("td", { class: "num" }, executed === null ? "" : count(executed));
    const heat = cost > 0 && whole > 0 ? Math.min(1, cost / whole * 1.6) : 0;
    if (heat > 0.01) {
      edge.style.borderLeftColor = `color-mix(in srgb, var(--heat) ${Math.round(25 + heat * 75)}%, transparent)`;
    }
    const row = h("tr", { class: begins && number === null ? "begin" : null }, edge, h("td", { class: "num" }, price ? quantity(price, data.unit) : ""), h("td", { class: "num" }, price ? percent(price / (data.whole || 1)) : ""), h("td", { class: "at" }, number === null ? "" : number), h("td", {}, line(id)));
    if (heat > 0.01) row.style.background = `color-mix(in srgb, var(--heat) ${(heat * 16).toFixed(1)}%, transparent)`;
    return row;
  });
  return h("div", {}, h("p", { class: "path" }, source.path || "bytecode"), h("div", { class: "code", tabindex: "0" }, h("table", {}, h("caption", {}, "annotated listing"), h("tbody", {}, rows))));
}

function prices(data, root) {
  const text = (id) => data.strings[id];
  const rows = data.prices.map(([bucket, members, ratios, price, low, high, prior, weight, support, share, note]) => ({
    bucket: text(bucket), members: members.map(text), ratios, price, low, high, prior, evidence: weight, support, share, note: note === null ? null : text(note),
  }));
  if (!rows.length) {
    root.append(h("p", { class: "note" }, "This formula is not a sum of prices: "), h("p", { class: "mono" }, data.formula));
    return;
  }
  const positive = rows.flatMap((r) => [r.price, r.low, r.high]).filter((v) => v > 0);
  const sorted = positive.sort((a, b) => a - b);
  const pick = (q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] || 1;
  const scale = axis(...extent([pick(0.01), pick(0.99)], true), true, 0, 190);
  const hasPrior = rows.some((r) => r.prior !== null), hasBounds = rows.some((r) => r.low !== null), hasEvidence = rows.some((r) => r.evidence !== null);
  root.append(h("p", { class: "about" }, `What one unit of each feature adds to the ${words(data.target)}. Features that these inputs cannot tell apart are one bucket with one price. `,
    hasBounds && "Lines are intervals. ", hasPrior && "The hollow mark is the price that a bucket's parts alone would give it; evidence is how far the observations, rather than that prior, decided. ", "The scale is logarithmic."));
  if (data.pricesAreNotShares) root.append(h("p", { class: "note" }, data.pricesAreNotShares));
  const scaleHint = "from " + quantity(scale.low, data.unit) + " to " + quantity(scale.high, data.unit);
  dataTable(root, {
    id: "prices", caption: "price list", noun: "prices", rows, sort: "share", placeholder: "Search features, buckets, notes", page: 40,
    text: (r) => r.bucket + " " + r.members.join(" ") + " " + (r.note || ""),
    filters: [{ key: "merged", title: "merged", test: (r) => r.members.length > 1 }, { key: "none", title: "no price", test: (r) => r.price === null }, { key: "zero", title: "zero", test: (r) => r.price === 0 }, { key: "weak", title: "mostly prior", test: (r) => r.evidence !== null && r.evidence < 0.5 }],
    name: (r) => r.bucket,
    canExpand: (r) => r.members.length > 1 || r.note,
    expand: (r) => h("div", {}, r.note && h("p", { class: "small" }, r.note), r.members.length > 1 && h("p", { class: "small" }, "These move together in every input, in this proportion:"),
      r.members.length > 1 && h("ul", { class: "members" }, r.members.slice(0, 300).map((name, i) => h("li", {}, count(r.ratios[i] ?? 1) + " × ", nameNode(name)))), r.members.length > 300 && h("p", { class: "small" }, thousands(r.members.length - 300) + " more")),
    columns: [
      { key: "bucket", title: "feature or bucket", kind: "name", sort: "asc", value: (r) => r.bucket.toLowerCase(), cell: (r) => [nameNode(r.bucket), r.members.length > 1 ? h("span", { class: "tag" }, thousands(r.members.length) + " merged") : null, r.price === null ? h("span", { class: "tag bad" }, "no price") : null] },
      { key: "price", title: "price", num: true, value: (r) => r.price, cell: (r) => (r.price === null ? "–" : quantity(r.price, data.unit)) },
      { key: "range", title: h("span", { title: scaleHint }, quantity(scale.low, data.unit), h("span", { class: "dim" }, " ⋯⋯ "), quantity(scale.high, data.unit)), cell: (r) => whisker(r, scale, data.unit) },
      ...(hasEvidence ? [{ key: "evidence", title: "evidence", num: true, value: (r) => r.evidence, cell: (r) => evidence(r.evidence) }] : []),
      { key: "support", title: "inputs", num: true, hint: "inputs in which it was executed and varies", value: (r) => r.support, cell: (r) => thousands(r.support) },
      { key: "share", title: data.pricesAreNotShares ? "share of the prediction" : "share", num: true, value: (r) => r.share, cell: (r) => percent(r.share) },
    ],
  });
  if (data.summaryTable) root.append(h("details", {}, h("summary", {}, "Summary as R prints it"), h("pre", { class: "r" }, data.summaryTable)));
}
function whisker(row, scale, unit) {
  if (row.price === null) return "";
  const x = (v) => Math.max(0, Math.min(190, v > 0 ? scale.at(v) : 0)).toFixed(1);
  const label = quantity(row.price, unit) + (row.low === null ? "" : ", interval " + quantity(row.low, unit) + " … " + quantity(row.high, unit)) + (row.prior === null ? "" : ", prior " + quantity(row.prior, unit));
  return s("svg", { class: "whisker", viewBox: "0 0 190 18", role: "img", "aria-label": label },
    s("title", {}, label),
    s("line", { class: "grid", x1: 0, x2: 190, y1: 9, y2: 9 }),
    row.low !== null && s("line", { x1: x(row.low), x2: x(row.high), y1: 9, y2: 9 }),
    row.prior !== null && row.prior > 0 && s("circle", { class: "prior", cx: x(row.prior), cy: 9, r: 3.5 }),
    row.price > 0 && s("circle", { cx: x(row.price), cy: 9, r: 3 }));
}
