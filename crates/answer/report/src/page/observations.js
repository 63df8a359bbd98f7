// Accuracy: predicted against measured, residuals, and every held-out row.
function accuracy(data, root) {
  const points = data.points.map(([label, measured, predicted, low, high], index) => ({
    index, label, measured, predicted, low, high,
    error: measured ? (predicted - measured) / measured : null,
    out: low !== null && (measured < low || measured > high),
  }));
  if (!points.length) {
    root.append(h("p", { class: "note" }, "The model was not tested on rows it had not seen, so there is nothing to compare."));
    return;
  }
  const level = data.interval ? percent(data.interval.level) : null;
  root.append(h("p", { class: "about" }, "Every dot is an input that was not used for learning. ", data.interval ? `The band is the ${level} interval; inputs outside of it are orange.` : "The model has no interval."));
  const charts = h("div", { class: "charts" });
  root.append(charts);
  const amount = (v) => quantity(v, data.unit);
  const lines = (p) => [p.label, "measured " + amount(p.measured), "predicted " + amount(p.predicted) + " (" + signed(p.error) + ")", ...(p.low !== null ? ["interval " + amount(p.low) + " … " + amount(p.high)] : [])];
  predictedChart(data, points, charts, amount, lines);
  residualChart(data, points, charts, amount, lines);
  observationTable(data, points, root, amount);
}
function signed(error) { return (error > 0 ? "+" : "") + percent(error); }

function predictedChart(data, points, parent, amount, lines) {
  const chart = h("div", { class: "chart" }, h("h3", {}, "Predicted against measured"));
  parent.append(chart);
  const tools = h("div", { class: "tools" });
  chart.append(tools);
  const plot = scatter(chart, "Predicted against measured " + data.target);
  const positive = points.every((p) => p.measured > 0 && p.predicted > 0);
  const spread = extent(points.map((p) => p.measured), false);
  const smallest = Math.min(...points.map((p) => p.measured));
  let log = positive && state.get("scale") !== "linear" && (state.get("scale") === "log" || spread[1] / smallest > 12);
  const buttons = [["linear", false], ["log", true]].map(([name, value]) => h("button", { type: "button", disabled: value && !positive, onclick: () => { log = value; remember("scale", name); show(); } }, name));
  tools.append(...buttons, plot.reset);
  chart.append(h("p", { class: "legend" }, "Drag to zoom, double-click to reset."));
  function show() {
    buttons[0].setAttribute("aria-pressed", String(!log));
    buttons[1].setAttribute("aria-pressed", String(log));
    plot.show({
      same: true,
      points: points.map((p) => ({ x: p.measured, y: p.predicted, out: p.out, lines: lines(p), whisker: p.low !== null ? [p.low, p.high] : null })),
      x: { title: "measured " + words(data.target), unit: data.unit, log, format: amount },
      y: { title: "predicted " + words(data.target), unit: data.unit, log, format: amount },
      shapes: (sx, sy, add) => {
        const low = log ? Math.min(sx.low, sy.low) : Math.max(0, Math.min(sx.low, sy.low)), high = Math.max(sx.high, sy.high);
        if (data.interval && data.interval.lower > 0) {
          const { lower, upper } = data.interval;
          const corner = (factor, v) => [sx.at(v * factor), sy.at(v)].map((n) => n.toFixed(1)).join(",");
          const from = log ? low : Math.max(low, 0);
          add.append(s("polygon", { class: "band", points: [[lower, from], [lower, high], [upper, high], [upper, from]].map(([f, v]) => (log || v > 0 ? corner(f, v) : corner(1, 0))).join(" ") }));
        }
        add.append(s("line", { class: "line", x1: sx.at(low), y1: sy.at(low), x2: sx.at(high), y2: sy.at(high) }));
      },
    });
  }
  show();
}

function residualChart(data, points, parent, amount, lines) {
  const chart = h("div", { class: "chart" }, h("h3", {}, "Relative error"));
  parent.append(chart);
  const tools = h("div", { class: "tools" });
  chart.append(tools);
  const plot = scatter(chart, "Relative error of the predictions");
  const choices = [
    { name: "measured " + words(data.target), values: points.map((p) => p.measured), format: amount, unit: data.unit },
    { name: "predicted " + words(data.target), values: points.map((p) => p.predicted), format: amount, unit: data.unit },
    ...data.columns.map((column) => ({ name: column.name, values: column.values, format: count, unit: "1", input: column.input })),
  ];
  const select = h("select", { "aria-label": "Draw the error against" }, choices.map((choice, i) => h("option", { value: i }, (choice.input ? "input: " : "") + choice.name)));
  const wanted = choices.findIndex((choice) => choice.name === state.get("against"));
  select.value = Math.max(0, wanted);
  select.addEventListener("change", () => { remember("against", choices[select.value].name); show(); });
  tools.append(h("label", {}, "against", select), plot.reset);
  const half = median(points.map((p) => Math.abs(p.error ?? NaN)).filter(Number.isFinite));
  chart.append(h("p", { class: "legend" }, `Band: half of the inputs, within ±${percent(half)}.`));
  function show() {
    const choice = choices[select.value];
    const known = choice.values.filter((v) => v !== null);
    const log = known.length > 0 && known.every((v) => v > 0) && Math.max(...known) / Math.min(...known) > 30;
    plot.show({
      points: points.map((p, i) => ({ x: choice.values[i] ?? NaN, y: p.error ?? NaN, out: p.out, lines: [...lines(p), ...(select.value > 1 ? [choice.name + " " + count(choice.values[i])] : [])] })),
      x: { title: shorten(choice.name, 70), unit: choice.unit, log, format: choice.format },
      y: { title: "(predicted − measured) / measured", unit: "1", log: false, format: percent },
      yInclude: [0],
      shapes: (sx, sy, add) => {
        add.append(s("rect", { class: "band", x: LEFT, width: W - LEFT - RIGHT, y: sy.at(half), height: Math.max(0, sy.at(-half) - sy.at(half)) }));
        add.append(s("line", { class: "line", x1: LEFT, x2: W - RIGHT, y1: sy.at(0), y2: sy.at(0) }));
      },
    });
  }
  show();
}
function median(values) {
  const sorted = values.slice().sort((a, b) => a - b), middle = sorted.length >> 1;
  return !sorted.length ? 0 : sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
function shorten(text, width) {
  return text.length <= width ? text : text.slice(0, width / 2) + "…" + text.slice(text.length - width / 2);
}

function observationTable(data, points, root, amount) {
  root.append(h("h3", {}, "Held-out inputs"));
  const columns = [
    { key: "label", title: "input", kind: "name", sort: "asc", value: (p) => p.label.toLowerCase(), cell: (p) => p.label },
    { key: "measured", title: "measured", num: true, value: (p) => p.measured, cell: (p) => amount(p.measured) },
    { key: "predicted", title: "predicted", num: true, value: (p) => p.predicted, cell: (p) => amount(p.predicted) },
    { key: "error", title: "error", num: true, hint: "sorted by size, without regard to sign", value: (p) => (p.error === null ? null : Math.abs(p.error)), cell: (p) => (p.error === null ? "–" : signed(p.error)) },
  ];
  if (data.interval) columns.push({ key: "interval", title: "interval", num: true, cell: (p) => (p.low === null ? "–" : [amount(p.low) + " … " + amount(p.high), p.out && h("span", { class: "tag warn" }, "outside")]) });
  dataTable(root, {
    id: "inputs", caption: "held-out inputs", noun: "inputs", rows: points, columns, sort: "error", page: 10, placeholder: "Search inputs",
    text: (p) => p.label, filters: data.interval ? [{ key: "outside", title: "outside the interval", test: (p) => p.out }] : [],
  });
}
