// The remaining sections.
function rivals(data, root) {
  if (!data.evaluations.length) {
    root.append(h("p", { class: "note" }, "No method was tested on unseen rows."));
    return;
  }
  const [own] = data.evaluations;
  root.append(h("p", { class: "about" }, `Errors on inputs that were not used for learning, all on the same split. ${own.noise === null ? "" : "Repeated measurements of one input differ by " + percent(own.noise) + "."}`));
  const largest = Math.max(...data.evaluations.map((e) => e.median));
  dataTable(root, {
    id: "rivals", plain: true, caption: "methods compared", noun: "methods", rows: data.evaluations, sort: null,
    columns: [
      { key: "method", title: "method", kind: "name", sort: "asc", value: (e) => e.name, cell: (e) => [e.name, e.role === "model" ? h("span", { class: "tag" }, "this model") : e.role === "baseline" ? h("span", { class: "tag" }, "baseline") : null] },
      { key: "bar", title: "", cell: (e) => meter(largest ? e.median / largest : 0, e.role === "model" ? "" : "soft") },
      { key: "median", title: "median error", num: true, sort: "asc", value: (e) => e.median, cell: (e) => percent(e.median) },
      { key: "p90", title: "90th percentile", num: true, sort: "asc", value: (e) => e.p90, cell: (e) => percent(e.p90) },
      { key: "mean", title: "mean", num: true, sort: "asc", value: (e) => e.mean, cell: (e) => percent(e.mean) },
      { key: "signed", title: "signed median", num: true, value: (e) => e.signed, cell: (e) => signed(e.signed) },
      { key: "under", title: "predicted too low", num: true, value: (e) => e.under, cell: (e) => percent(e.under) },
      { key: "train", title: "learnt from", num: true, value: (e) => e.train, cell: (e) => thousands(e.train) },
      { key: "test", title: "tested on", num: true, value: (e) => e.test, cell: (e) => thousands(e.test) },
    ],
  });
}

function doubts(data, root) {
  const d = data.doubts;
  root.append(h("p", { class: "about" }, "What failed, what does not repeat itself, what was not counted, and what these inputs cannot determine."));
  const words = { error: "bad", warning: "warn", note: "" };
  if (d.diagnostics.length) {
    root.append(h("h3", {}, "Of the fit"), h("ul", { class: "list" }, d.diagnostics.map(([severity, message, advice]) => h("li", {}, message, advice && h("span", { class: "soft" }, " " + advice), severity === "note" ? null : h("span", { class: "tag " + words[severity] }, severity)))));
  }
  if (d.design) {
    const x = d.design;
    root.append(h("h3", {}, "What the inputs determine"), h("p", {}, `${thousands(x.rows)} rows and ${thousands(x.columns)} columns; ${thousands(x.empty)} columns are never reached and ${thousands(x.constant)} never change. `
      + `${thousands(x.buckets)} buckets remain, of which ${thousands(x.merged)} are merged; rank ${thousands(x.rank)}, condition ${x.condition === null ? "infinite" : x.condition.toExponential(1)}.`));
  }
  if (d.advice.length) root.append(h("h3", {}, "To learn more"), h("ul", { class: "list" }, d.advice.map((line) => h("li", {}, line))));
  const table = (id, title, found, heads, empty) => {
    root.append(h("h3", {}, title));
    if (!found.rows.length) { root.append(h("p", { class: "note" }, empty)); return; }
    dataTable(root, { id, caption: title, noun: "entries", page: 8, rows: found.rows, plain: found.rows.length <= 8, placeholder: "Search", text: (r) => r.join(" "),
      columns: heads.map((head, i) => ({ key: head, title: head, sort: "asc", num: typeof found.rows[0][i] === "number", kind: i ? "text" : "name", value: (r) => r[i], cell: (r) => (typeof r[i] === "number" ? thousands(r[i]) : r[i]) })) });
    if (found.more) root.append(h("p", { class: "small" }, thousands(found.more) + " more are in the dataset."));
  };
  table("failed", "Failed inputs", d.failed, ["input", "reason"], "None failed.");
  table("uncertain", "Inputs with doubtful counts", d.uncertain, ["input", "doubt"], "None.");
  table("unstable", "Counts that differ between two runs of one input", d.nondeterministic, ["feature", "observations"], "None: every count repeated exactly, or it was not checked.");
  const uncounted = { rows: d.uncounted.rows.map((line) => [line]), more: d.uncounted.more };
  table("uncounted", "Running uncounted", uncounted, ["class or method"], "Every class that ran was counted.");
  if (d.notes.length) root.append(h("h3", {}, "Notes of the recording"), h("ul", { class: "list" }, d.notes.map((line) => h("li", {}, line))));
}

function provenance(data, root) {
  const costs = data.doubts.costs.map((c) => [c.name, `${thousands(c.observations)} rows` + (c.range ? `, ${quantity(c.range[0], c.unit)} … ${quantity(c.range[2], c.unit)}, median ${quantity(c.range[1], c.unit)}` : "") + `; ${c.repeats} repeats` + (c.noise === null ? "" : `, spread ${percent(c.noise)}`)]);
  for (const [title, pairs] of [...data.provenance, ["Costs measured", costs]]) {
    const known = pairs.filter(([, value]) => value !== "" && value !== 0 && value !== null);
    if (!known.length) continue;
    root.append(h("h3", {}, title), h("dl", { class: "pairs" }, known.map(([key, value]) => [h("dt", {}, key), h("dd", {}, key === "recorded" ? new Date(value * 1000).toISOString().replace("T", " ").slice(0, 16) + " UTC" : value)])));
  }
  if (data.formula) root.append(h("details", {}, h("summary", {}, "Formula"), h("pre", { class: "r" }, data.formula)));
}

function show(data) {
  accuracy(data, byId("accuracy"));
  methods(data, byId("methods"));
  prices(data, byId("prices"));
  rivals(data, byId("rivals"));
  doubts(data, byId("doubts"));
  provenance(data, byId("provenance"));
  document.querySelector("main").append(h("footer", {}, "Made by Pricetag. This file needs no network. The address keeps what you search and sort, so a link shows what you see."));
  jump();
  document.documentElement.dataset.ready = "yes";
}

start(show);
