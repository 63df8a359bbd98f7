// A table that shows as many rows as are asked for, sorted and searched over all of them.
//
// columns: {key, title, value(row), cell(row), num, kind, sort: "desc"|"asc"|null}
// filters: {key, title, test(row)}; expand(row) gives a node, name(row) names it in the address; text(row) is what is searched.
const PAGE = 50;

function dataTable(parent, options) {
  const { id, columns, rows, caption } = options;
  const view = { q: "", sort: options.sort || null, desc: true, filter: null, limit: options.page || PAGE, open: new Set() };
  const texts = rows.map((row) => (options.text ? options.text(row) : "").toLowerCase());
  const search = h("input", { type: "search", placeholder: options.placeholder || "Search", "aria-label": "Search " + caption, id: id + "-q" });
  const amount = h("span", { class: "count", role: "status" });
  const filterButtons = (options.filters || []).map((filter) => h("button", { type: "button", "aria-pressed": "false", onclick: () => {
    view.filter = view.filter === filter.key ? null : filter.key;
    remember(id + ".filter", view.filter);
    update();
  } }, filter.title));
  const heads = columns.map((column) => {
    const sortable = column.value;
    const inner = sortable ? h("button", { type: "button", onclick: () => sortBy(column) }, column.title) : h("span", {}, column.title);
    return h("th", { scope: "col", class: column.num ? "num" : null, title: column.hint }, inner);
  });
  const body = h("tbody");
  const pager = h("div", { class: "pager" });
  if (options.plain !== true) parent.append(h("div", { class: "tools" }, search, filterButtons, amount));
  const table = h("table", { id: id + "-table" }, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads)), body);
  parent.append(h("div", { class: "scroll" }, table, pager));

  function sortBy(column) {
    if (view.sort === column.key) view.desc = !view.desc;
    else { view.sort = column.key; view.desc = column.sort !== "asc"; }
    remember(id + ".sort", (view.desc ? "-" : "") + view.sort);
    update();
  }
  function compare(a, b) {
    if (a === b) return 0;
    if (a === null || a === undefined) return 1;
    if (b === null || b === undefined) return -1;
    const order = a < b ? -1 : 1;
    return view.desc ? -order : order;
  }
  function selected() {
    const words = view.q.toLowerCase().split(/\s+/).filter(Boolean);
    const filter = (options.filters || []).find((filter) => filter.key === view.filter);
    let found = [];
    for (let i = 0; i < rows.length; i++) {
      if (words.every((word) => texts[i].includes(word)) && (!filter || filter.test(rows[i]))) found.push(i);
    }
    const column = columns.find((column) => column.key === view.sort && column.value);
    if (column) {
      const keys = new Map(found.map((i) => [i, column.value(rows[i])]));
      found.sort((a, b) => compare(keys.get(a), keys.get(b)) || a - b);
    }
    return found;
  }
  function rowNodes(index) {
    const row = rows[index];
    const expandable = options.expand && (!options.canExpand || options.canExpand(row));
    const open = expandable && view.open.has(index);
    const cells = columns.map((column, position) => {
      const cell = h("td", { class: [column.num ? "num" : "", column.kind || ""].join(" ").trim() || null }, column.cell(row));
      if (position === 0 && options.expand) {
        cell.prepend(expandable ? h("button", { type: "button", class: "toggle", "aria-expanded": String(open), "aria-label": "Details", onclick: () => {
          if (open) view.open.delete(index); else view.open.add(index);
          remember(id + ".open", open ? null : options.name(row));
          update();
          const again = body.querySelector(`[data-row="${index}"] .toggle`);
          if (again) again.focus();
        } }, open ? "▼" : "▶") : h("span", { class: "none" }));
      }
      return cell;
    });
    const main = h("tr", { "data-row": index, class: open ? "open" : null }, cells);
    return open ? [main, h("tr", { class: "more" }, h("td", { colspan: columns.length }, options.expand(row)))] : [main];
  }
  function update() {
    const found = selected();
    body.replaceChildren(...found.slice(0, view.limit).flatMap(rowNodes));
    if (!found.length) body.append(h("tr", {}, h("td", { class: "empty", colspan: columns.length }, rows.length ? "Nothing matches." : options.empty || "There are none.")));
    amount.textContent = found.length === rows.length ? thousands(rows.length) + " " + options.noun : thousands(found.length) + " of " + thousands(rows.length) + " " + options.noun;
    const rest = found.length - view.limit;
    pager.hidden = rest <= 0;
    pager.style.display = rest <= 0 ? "none" : "";
    pager.replaceChildren(...(rest > 0 ? [thousands(rest) + " more", h("button", { type: "button", onclick: () => { view.limit += 200; update(); } }, "Show " + Math.min(200, rest))] : []));
    heads.forEach((head, position) => {
      if (columns[position].key === view.sort && columns[position].value) head.setAttribute("aria-sort", view.desc ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    filterButtons.forEach((button, position) => button.setAttribute("aria-pressed", String(options.filters[position].key === view.filter)));
  }
  search.addEventListener("input", () => {
    view.q = search.value;
    view.limit = options.page || PAGE;
    remember(id + ".q", view.q);
    update();
  });
  // `q` and `sort` without a table's name apply to every table that can follow them.
  function restore() {
    view.q = state.get(id + ".q") ?? (options.plain ? "" : state.get("q") ?? "");
    search.value = view.q;
    const wanted = state.get(id + ".sort") ?? state.get("sort");
    const key = wanted ? wanted.replace(/^-/, "") : null;
    if (key && columns.some((column) => column.key === key && column.value)) { view.sort = key; view.desc = wanted.startsWith("-"); }
    const filter = state.get(id + ".filter");
    if ((options.filters || []).some((known) => known.key === filter)) view.filter = filter;
    const open = state.get(id + ".open");
    const opened = open === null || !options.name ? -1 : rows.findIndex((row) => options.name(row) === open);
    if (opened >= 0) view.open.add(opened);
    update();
  }
  restore();
}
