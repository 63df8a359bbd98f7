// The graph: what is shown of it, how it is drawn, and how a reader moves in it.
const GUTTER = 216, NARROW = 92, TALL = 500, LANE = 96, SOME = 15, HEAD = 16, FOOT = 26, EDGE = 6;
const SHORTEST = [4, 20];

const whole = (value) => Math.max(0, Math.round(value));

// A typed position: `1,200,000`, `1.2M`, `3.5 ms`.
function typed(text, axis) {
  const found = /^\s*([\d.,_\s]+)\s*(k|m|g|ns|us|µs|ms|s)?\s*$/i.exec(text);
  if (!found) return null;
  const unit = (found[2] || "").toLowerCase();
  const factor = axis === 1 ? { "": 1, ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9 }[unit] : { "": 1, k: 1e3, m: 1e6, g: 1e9 }[unit];
  const value = Number(found[1].replace(/[,_\s]/g, "")) * factor;
  return Number.isFinite(value) ? value : null;
}
// Ticks at round places.
function places(from, to, wanted) {
  const rough = (to - from) / Math.max(1, wanted), power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max([1, 2, 5, 10].find((m) => m * power >= rough) * power, 1), out = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) out.push(at);
  return { out, step };
}
function moment(ns, step) {
  if (ns === 0) return "0";
  const [factor, name] = TIME.find(([factor]) => Math.max(ns, step) >= factor) || TIME[3];
  const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step / factor) - 1e-9)));
  return (ns / factor).toFixed(digits) + "\u00a0" + name;
}

function graph(data, called, kept, root, say) {
  const fill = filler(data, kept);
  const lengths = [data.total, data.time === null ? 0 : data.time + 1];
  const number = (key, fallback) => { const value = Number(state.get(key)); return state.has(key) && Number.isFinite(value) ? value : fallback; };
  const view = { axis: state.get("x") === "time" && data.axes[1] ? 1 : 0, part: Math.max(0, Math.min(2, number("part", 2))), order: ORDERS.some(([key]) => key === state.get("order")) ? state.get("order") : "first", q: state.get("rows") ?? "", lanes: state.get("lanes") ?? "each", mark: number("pattern", 0) - 1, row: -1, from: 0, to: 1 };
  if (!data.marks[view.mark]) view.mark = -1;
  let chosen = null, printing = false;
  let rows, past = [], plan = null, event = state.has("call") ? number("call", null) : null, waiting = false;

  const canvas = h("canvas", { class: "paper" }), glass = h("canvas", { class: "glass", tabindex: "0", role: "application", "aria-label": "Calls over time. Drag to choose a range. Left and right move, plus and minus zoom, Home shows all, Backspace goes back, up and down choose a row, Enter names the first call of it, n and p step from call to call." });
  const overview = h("canvas", { class: "overview", "aria-hidden": "true" });
  const status = h("p", { class: "small reading", role: "status" });
  const choice = (label, options, value, change) => {
    const select = h("select", { onchange: () => change(select.value) }, options.map(([key, title]) => h("option", { value: key }, title)));
    select.value = value;
    return [h("label", {}, label, select), select];
  };
  const [partLabel] = choice("Rows", PARTS.map((title, i) => [String(i), title]), String(view.part), (value) => { view.part = Number(value); remember("part", value === "2" ? null : value); order(); draw(); });
  const [orderLabel] = choice("ordered by", ORDERS.map(([key, title]) => [key, key === "cost" && !data.prices ? "number of calls" : title]), view.order, (value) => { view.order = value; remember("order", value === "first" ? null : value); order(); draw(); });
  const [axisLabel, axisSelect] = choice("Time in", [["0", "calls"], ...(data.axes[1] ? [["1", "seconds"]] : [])], String(view.axis), (value) => { view.axis = Number(value); remember("x", value === "1" ? "time" : null); past = []; go(0, lengths[view.axis], false); });
  const laneName = (lane) => { const inside = data.threads.filter((thread) => thread[2] === lane); return inside.length === 1 ? inside[0][1] || "thread " + inside[0][0] : inside.length + " other threads"; };
  const [laneLabel] = choice("Threads", [["each", "in lanes"], ["one", "together"], ...Array.from({ length: data.lanes }, (_, lane) => [String(lane), laneName(lane)])], view.lanes, (value) => { view.lanes = value; remember("lanes", value === "each" ? null : value); draw(); });
  const search = h("input", { type: "search", placeholder: "Only rows with …", "aria-label": "Only rows with these words", value: view.q, oninput: () => { view.q = search.value; remember("rows", view.q); order(); draw(); } });
  const ends = ["From", "to"].map((label) => h("input", { type: "text", class: "end", "aria-label": label + " call or time", inputmode: "decimal", spellcheck: "false" }));
  const read = () => { const [from, to] = ends.map((input) => typed(input.value, view.axis)); const end = Math.min(to, lengths[view.axis]); if (from !== null && to !== null && end > from) go(from, end); else put(); };
  ends.forEach((input) => input.addEventListener("change", read));
  const button = (title, hint, act) => h("button", { type: "button", title: hint, "aria-label": hint, onclick: act }, title);
  const back = button("Back", "Back to the range before", () => { const last = past.pop(); if (last) go(...last, false); });
  root.append(
    h("div", { class: "tools" }, partLabel, orderLabel, data.axes[1] ? axisLabel : null, data.lanes > 1 ? laneLabel : null, search),
    h("div", { class: "tools" }, h("label", {}, "From", ends[0]), h("label", {}, "to", ends[1]), button("+", "Zoom in", () => zoom(0.5)), button("−", "Zoom out", () => zoom(2)), button("◀", "Earlier", () => pan(-0.25)), button("▶", "Later", () => pan(0.25)), button("Whole", "Show all", () => go(0, lengths[view.axis])), back),
    h("div", { class: "stage" }, canvas, glass), overview, status);

  function order() { rows = rowsOf(data, called, view.part, view.order, view.q); view.row = -1; }
  function put() {
    const text = (value) => (view.axis === 1 ? moment(value, (view.to - view.from) / 1000) : thousands(Math.round(value)));
    [ends[0].value, ends[1].value] = [text(view.from), text(view.to)];
    back.disabled = !past.length;
  }
  function go(from, to, note = true) {
    const length = lengths[view.axis];
    const span = Math.min(length, Math.max(Math.min(SHORTEST[view.axis], length), to - from));
    from = Math.max(0, Math.min(length - span, to - from < span ? (from + to - span) / 2 : from));
    if (view.axis === 0) from = Math.round(from);
    if (note && (from !== view.from || from + span !== view.to)) past.push([view.from, view.to]);
    view.from = from;
    view.to = view.axis === 0 ? Math.min(length, Math.round(from + span)) : from + span;
    const all = view.from === 0 && view.to === length;
    remember("from", all ? null : String(whole(view.from)));
    remember("to", all ? null : String(whole(view.to)));
    put();
    draw();
  }
  const zoom = (factor, at = 0.5) => { const centre = view.from + (view.to - view.from) * at, span = (view.to - view.from) * factor; go(centre - span * at, centre + span * (1 - at)); };
  const pan = (share) => { const by = (view.to - view.from) * share; go(view.from + by, view.to + by); };

  // What is drawn where: pixels of the canvas are `ratio` to one of the page.
  function layout() {
    const width = Math.max(240, Math.floor(root.clientWidth)), gutter = width > 640 ? GUTTER : NARROW;
    const shown = view.lanes === "each" ? Array.from({ length: data.lanes }, (_, lane) => [lane]) : view.lanes === "one" ? [Array.from({ length: data.lanes }, (_, lane) => lane)] : [[Number(view.lanes)]];
    const ratio = Math.min(2, window.devicePixelRatio || 1), named = data.lanes > 1;
    const tall = Math.max(40, Math.floor(Math.max(shown.length > 1 ? LANE : TALL, TALL / shown.length - HEAD)));
    const head = named ? HEAD : EDGE;
    const lanes = shown.map((inside, at) => ({ inside, top: head + at * (tall + head), height: tall, name: named ? (inside.length > 1 && view.lanes === "one" ? "all threads" : laneName(inside[0])) : "" }));
    return { width, gutter, ratio, plot: width - gutter - EDGE, lanes, height: head + shown.length * (tall + head) - head + FOOT };
  }
  const inks = () => (printing || !dark() ? LIGHT : DARK);

  function draw() {
    const started = performance.now(), at = layout(), columns = Math.round(at.plot * at.ratio);
    const next = { axis: view.axis, from: view.from, to: view.to, columns, rows, mark: view.mark, lanes: at.lanes.map((lane) => ({ grid: makeGrid(columns, Math.max(1, rows.list.length), Math.round(lane.height * at.ratio)), has: (other) => lane.inside.includes(other) })) };
    const got = data.total ? fill(next) : { mode: "none", calls: 0, rows: 0, width: 1 };
    waiting = !got;
    if (!got) return;
    plan = { ...next, ...got, at };
    paper(plan, got);
    lens();
    tell(plan, performance.now() - started);
  }

  function paper(plan, got) {
    const { at } = plan, colours = inks(), pen = canvas.getContext("2d");
    for (const sheet of [canvas, glass]) {
      sheet.width = Math.round(at.width * at.ratio);
      sheet.height = Math.round(at.height * at.ratio);
      sheet.style.width = at.width + "px";
      sheet.style.height = at.height + "px";
    }
    const left = Math.round(at.gutter * at.ratio);
    let most = 0;
    for (const lane of plan.lanes) for (const sum of lane.grid.sums) if (sum > most) most = sum;
    plan.lanes.forEach((lane, number) => {
      const top = Math.round(at.lanes[number].top * at.ratio), image = pen.createImageData(plan.columns, lane.grid.height);
      new Uint32Array(image.data.buffer).fill(0xff000000 | colours.back[2] << 16 | colours.back[1] << 8 | colours.back[0]);
      if (got.mode === "calls") dots(image, lane.grid, 0, colours, got.marked[number], Math.max(DOT * at.ratio, Math.min(14 * at.ratio, plan.axis === 0 ? plan.columns / (plan.to - plan.from) * 0.8 : 0)), plan.mark >= 0);
      else shade(image, lane.grid, 0, colours, most, plan.mark >= 0);
      pen.putImageData(image, left, top);
    });
    pen.setTransform(at.ratio, 0, 0, at.ratio, 0, 0);
    frame(pen, plan, colours);
    pen.setTransform(1, 0, 0, 1, 0, 0);
  }
  const xOf = (position) => plan.at.gutter + (position - plan.from) / (plan.to - plan.from) * plan.at.plot;
  const short = (name) => { const head = name.split("(")[0].split("."); return head.slice(view.part === 2 ? -2 : -1).join("."); };
  function clipped(pen, text, room) {
    if (pen.measureText(text).width <= room) return text;
    let kept = text.length;
    while (kept > 1 && pen.measureText("…" + text.slice(-kept)).width > room) kept -= Math.max(1, kept >> 4);
    return "…" + text.slice(-kept);
  }
  function frame(pen, plan, colours) {
    const { at } = plan, font = getComputedStyle(document.body).fontFamily;
    pen.font = "11px " + font;
    pen.textBaseline = "middle";
    for (const lane of at.lanes) {
      pen.strokeStyle = colours.line;
      pen.strokeRect(at.gutter - 0.5, lane.top - 0.5, at.plot + 1, lane.height + 1);
      pen.textAlign = "left";
      pen.fillStyle = colours.ink;
      if (lane.name) pen.fillText(clipped(pen, lane.name, at.plot), at.gutter + 2, lane.top - HEAD / 2);
      const each = lane.height / Math.max(1, rows.list.length), step = Math.max(1, Math.ceil(SOME / each));
      pen.textAlign = "right";
      pen.fillStyle = colours.soft;
      for (let row = 0; row < rows.list.length; row += step) pen.fillText(clipped(pen, short(rows.list[row].name), at.gutter - 12), at.gutter - 8, lane.top + (row + 0.5) * each);
    }
    const { out, step } = places(plan.from, plan.to, at.plot / 120), bottom = at.height - FOOT;
    pen.textAlign = "center";
    for (const place of out) {
      const x = xOf(place);
      pen.fillStyle = colours.line;
      pen.fillRect(Math.round(x), bottom, 1, 5);
      pen.fillStyle = colours.soft;
      const text = plan.axis === 1 ? moment(place, step) : thousands(place), half = pen.measureText(text).width / 2;
      pen.fillText(text, Math.max(at.gutter + half, Math.min(at.width - half - 1, x)), bottom + 15);
    }
    for (const [thread, place, , ns] of data.gaps) {
      const position = plan.axis === 1 ? ns : place;
      if (position === null || position < plan.from || position > plan.to) continue;
      const lane = at.lanes.find((lane) => lane.inside.includes(data.threads[thread][2]));
      if (!lane) continue;
      pen.setLineDash([3, 3]);
      pen.strokeStyle = colours.heat;
      pen.beginPath();
      pen.moveTo(Math.round(xOf(position)) + 0.5, lane.top);
      pen.lineTo(Math.round(xOf(position)) + 0.5, lane.top + lane.height);
      pen.stroke();
      pen.setLineDash([]);
    }
  }

  // What lies over the picture: the chosen row, the chosen call, the range that is being dragged.
  let rubber = null;
  function lens() {
    if (!plan) return;
    const pen = glass.getContext("2d"), { at } = plan, colours = inks();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, glass.width, glass.height);
    pen.setTransform(at.ratio, 0, 0, at.ratio, 0, 0);
    const bottom = at.height - FOOT;
    if (view.row >= 0) {
      pen.strokeStyle = colours.heat;
      for (const lane of at.lanes) {
        const each = lane.height / rows.list.length;
        pen.strokeRect(at.gutter - 0.5, lane.top + view.row * each - 1, at.plot + 1, Math.max(3, each + 1));
      }
    }
    if (chosen && chosen.axis[plan.axis] !== null) {
      const x = xOf(chosen.axis[plan.axis] + (plan.axis === 0 ? Math.min(0.5, 7 * (plan.to - plan.from) / at.plot) : 0));
      const lane = at.lanes.find((lane) => lane.inside.includes(chosen.lane)), row = rows.of[chosen.kind];
      if (x >= at.gutter && x <= at.gutter + at.plot) {
        pen.fillStyle = colours.heat;
        pen.fillRect(x - 0.5, at.lanes[0].top, 1, bottom - at.lanes[0].top);
        if (lane && row >= 0) {
          const each = lane.height / rows.list.length;
          pen.lineWidth = 2;
          pen.strokeStyle = colours.heat;
          pen.beginPath();
          pen.arc(x, lane.top + (row + 0.5) * each, Math.max(6, Math.min(11, each * 0.7)), 0, 7);
          pen.stroke();
          pen.lineWidth = 1;
        }
      }
    }
    if (rubber) {
      pen.fillStyle = colours.accent;
      pen.globalAlpha = 0.18;
      pen.fillRect(Math.min(...rubber), at.lanes[0].top, Math.abs(rubber[1] - rubber[0]), bottom - at.lanes[0].top);
      pen.globalAlpha = 1;
    }
    survey();
  }

  // The whole length in little, with the range that is shown.
  let surveyed = "", small = null;
  function survey() {
    const { at } = plan, colours = inks(), height = 34;
    const key = [view.axis, view.part, view.order, view.q, view.mark, at.width, at.ratio, colours === DARK].join(" ");
    overview.width = Math.round(at.width * at.ratio);
    overview.height = Math.round(height * at.ratio);
    overview.style.height = height + "px";
    const pen = overview.getContext("2d"), columns = plan.columns;
    if (surveyed !== key) {
      const lane = { grid: makeGrid(columns, Math.max(1, rows.list.length), overview.height), has: () => true };
      const got = data.total ? fill({ axis: view.axis, from: 0, to: lengths[view.axis], columns, rows, mark: view.mark, lanes: [lane] }) : null;
      if (!got) return;
      let most = 0;
      for (const sum of lane.grid.sums) if (sum > most) most = sum;
      small = pen.createImageData(columns, overview.height);
      new Uint32Array(small.data.buffer).fill(0xff000000 | colours.back[2] << 16 | colours.back[1] << 8 | colours.back[0]);
      if (got.mode === "calls") dots(small, lane.grid, 0, colours, got.marked[0], 2, view.mark >= 0);
      else shade(small, lane.grid, 0, colours, most, view.mark >= 0);
      surveyed = key;
    }
    pen.putImageData(small, Math.round(at.gutter * at.ratio), 0);
    pen.setTransform(at.ratio, 0, 0, at.ratio, 0, 0);
    const x = (position) => at.gutter + position / lengths[view.axis] * at.plot;
    pen.fillStyle = colours.accent;
    pen.globalAlpha = 0.16;
    pen.fillRect(x(view.from), 0, Math.max(2, x(view.to) - x(view.from)), height);
    pen.globalAlpha = 1;
    pen.strokeStyle = colours.accent;
    pen.strokeRect(x(view.from) + 0.5, 0.5, Math.max(1, x(view.to) - x(view.from) - 1), height - 1);
  }

  function tell(plan, took) {
    const range = plan.axis === 1 ? `${moment(plan.from, (plan.to - plan.from) / 1000)} to ${moment(plan.to, (plan.to - plan.from) / 1000)}` : `Calls ${thousands(plan.from)} to ${thousands(plan.to)} of ${thousands(data.total)}`;
    const how = { calls: "every call is a mark", counted: "every call is counted, darker is more", density: `density, darker is more, from bins of ${plan.axis === 1 ? quantity(plan.width, "ns") : thousands(plan.width) + " calls"}`, none: "nothing was called" }[plan.mode];
    const some = rows.list.length < rows.all ? ` (of ${thousands(rows.all)}; the others are hidden)` : "";
    const wide = plan.mode === "density" && plan.width * plan.columns > 3 * (plan.to - plan.from);
    status.replaceChildren(`${range}. ${thousands(plan.rows)} of ${thousands(rows.list.length)} rows have calls here${some}; ${how}.`,
      wide ? " Finer detail is not in this page: single calls are " + (data.calls.to > data.calls.from ? `those from ${thousands(data.calls.from)} to ${thousands(data.calls.to)}` + (plan.axis === 1 ? ", on the axis of calls" : "") : "not in it") + ". " : "",
      wide && plan.axis === 0 ? h("code", {}, `--window ${whole(plan.from)}..${whole(plan.to)}`) : "", wide && plan.axis === 0 ? " puts these into a page." : "");
    Object.assign(glass.dataset, { mode: plan.mode, calls: whole(plan.calls), from: String(plan.from), to: String(plan.to), axis: String(plan.axis), took: took.toFixed(1), mark: String(plan.mark), drawn: String(Number(glass.dataset.drawn || 0) + 1),
      plot: JSON.stringify({ left: plan.at.gutter, width: plan.at.plot, ratio: plan.at.ratio, rows: rows.list.length, lanes: plan.at.lanes.map((lane) => [lane.top, lane.height]) }) });
    if (event !== null) { const wanted = event; event = null; say.call(wanted, false); }
  }

  // Where the pointer is.
  function under(e) {
    const box = glass.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
    if (!plan) return null;
    const { at } = plan, lane = at.lanes.findIndex((lane) => y >= lane.top && y < lane.top + lane.height);
    const inside = x >= at.gutter && x <= at.gutter + at.plot;
    const row = lane < 0 ? -1 : Math.min(rows.list.length - 1, Math.floor((y - at.lanes[lane].top) / at.lanes[lane].height * rows.list.length));
    return { x, y, lane, row, inside, share: (x - at.gutter) / at.plot, position: plan.from + (x - at.gutter) / at.plot * (plan.to - plan.from) };
  }
  // The mark that is nearest, where single calls are drawn.
  function nearest(spot) {
    const width = 16 * plan.at.ratio, x = (spot.x - plan.at.gutter) * plan.at.ratio;
    const each = plan.at.lanes[spot.lane].height / rows.list.length;
    let best = null, least = Infinity;
    for (const [left, row, , event] of plan.marked[spot.lane]) {
      const far = Math.hypot((left - x) / width, ((row + 0.5) * each - (spot.y - plan.at.lanes[spot.lane].top)) / Math.max(16, each));
      if (far < least) { least = far; best = event; }
    }
    return least < 1.5 ? best : null;
  }
  let pressed = null;
  glass.addEventListener("pointerdown", (e) => {
    const spot = under(e);
    if (e.button !== 0 || !spot || !spot.inside) return;
    pressed = { x: spot.x, share: spot.share, shift: e.shiftKey, from: view.from, to: view.to };
    glass.setPointerCapture(e.pointerId);
  });
  glass.addEventListener("pointermove", (e) => {
    const spot = under(e);
    if (!spot) return;
    if (pressed) {
      if (pressed.shift) { const by = (pressed.share - spot.share) * (pressed.to - pressed.from); go(pressed.from + by, pressed.to + by, false); return; }
      const clamp = (x) => Math.max(plan.at.gutter, Math.min(plan.at.gutter + plan.at.plot, x));
      rubber = [clamp(pressed.x), clamp(spot.x)];
      lens();
      return;
    }
    if (spot.row < 0) { hideTip(); return; }
    const row = rows.list[spot.row];
    const where = spot.inside ? [plan.axis === 1 ? moment(spot.position, (plan.to - plan.from) / 1000) : "call " + thousands(Math.floor(spot.position))] : [];
    showTip([row.name, thousands(row.calls) + " calls in all" + (data.prices ? ", " + quantity(row.ns, "ns") : ""), ...where], e.clientX, e.clientY);
  });
  glass.addEventListener("pointerup", (e) => {
    const spot = under(e), begun = pressed;
    pressed = rubber = null;
    if (!begun || !spot) return;
    if (begun.shift) return;
    if (Math.abs(spot.x - begun.x) > 5) {
      const [a, b] = [begun.share, Math.max(0, Math.min(1, spot.share))].sort((a, b) => a - b);
      const span = view.to - view.from;
      go(view.from + a * span, view.from + b * span);
      return;
    }
    lens();
    if (spot.row >= 0) say.point({ ...spot, lane: plan.at.lanes[spot.lane], nearest: plan.mode === "calls" ? nearest(spot) : null, plan, rows });
  });
  glass.addEventListener("pointerleave", hideTip);
  glass.addEventListener("pointercancel", () => { pressed = rubber = null; lens(); });
  glass.addEventListener("dblclick", () => go(0, lengths[view.axis]));
  glass.addEventListener("wheel", (e) => {
    const spot = under(e);
    if (!spot || !spot.inside) return;
    if (e.ctrlKey || e.metaKey) { e.preventDefault(); zoom(Math.exp(Math.max(-60, Math.min(60, e.deltaY)) / 120), spot.share); }
    else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) { e.preventDefault(); pan(e.deltaX / 800); }
  }, { passive: false });
  const keys = {
    ArrowLeft: () => pan(-0.25), ArrowRight: () => pan(0.25), "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), Home: () => go(0, lengths[view.axis]), Backspace: () => back.click(),
    ArrowUp: () => focusRow(view.row < 0 ? rows.list.length - 1 : view.row - 1), ArrowDown: () => focusRow(view.row + 1), Enter: () => { if (view.row >= 0) say.point({ row: view.row, position: view.from, ahead: true, lane: plan.at.lanes[0], nearest: null, plan, rows }); },
    n: () => say.step(1), p: () => say.step(-1), Escape: () => { view.row = -1; say.clear(); },
  };
  function focusRow(row) {
    if (!rows.list.length) return;
    view.row = Math.max(0, Math.min(rows.list.length - 1, row));
    const { name, calls } = rows.list[view.row];
    status.textContent = `${name}: ${thousands(calls)} calls in all.`;
    lens();
  }
  glass.addEventListener("keydown", (e) => {
    const act = !e.ctrlKey && !e.metaKey && !e.altKey && keys[e.key];
    if (act) { e.preventDefault(); act(); }
  });
  let sliding = false;
  const slide = (e) => {
    const box = overview.getBoundingClientRect(), { at } = plan, share = (e.clientX - box.left - at.gutter) / at.plot, half = (view.to - view.from) / 2;
    go(share * lengths[view.axis] - half, share * lengths[view.axis] + half, false);
  };
  overview.addEventListener("pointerdown", (e) => { if (!plan) return; sliding = true; past.push([view.from, view.to]); overview.setPointerCapture(e.pointerId); slide(e); });
  overview.addEventListener("pointermove", (e) => { if (sliding) slide(e); });
  overview.addEventListener("pointerup", () => { sliding = false; });

  addEventListener("beforeprint", () => { printing = true; surveyed = ""; draw(); });
  addEventListener("afterprint", () => { printing = false; surveyed = ""; draw(); });
  const repaint = () => { surveyed = ""; draw(); };
  theme.addEventListener("click", repaint);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  new ResizeObserver(() => { if (plan && Math.floor(root.clientWidth) !== plan.at.width) draw(); }).observe(root);

  order();
  return {
    view, draw, go, lens,
    begin() {
      const length = lengths[view.axis], from = number("from", 0), to = number("to", length);
      [view.from, view.to] = [0, length];
      go(Math.min(from, length), to > from ? Math.min(to, length) : length, false);
    },
    // Something that was being read is there.
    changed() { if (waiting) draw(); else if (plan) survey(); },
    mark(number) { view.mark = number; remember("pattern", number < 0 ? null : String(number + 1)); draw(); },
    choose(call) { chosen = call; remember("call", call ? String(call.event) : null); lens(); },
    // Shows a call, with room around it if it is not in view.
    reveal(position) { if (position < view.from || position >= view.to) { const half = (view.to - view.from) / 2; go(position - half, position + half); } },
  };
}
