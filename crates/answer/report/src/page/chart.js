// A scatter plot in SVG: linear or logarithmic axes, drag to zoom, hover or arrow keys to read points.
const W = 600, H = 430, LEFT = 74, RIGHT = 14, TOP = 12, BOTTOM = 46;
const DOTS = 4000;
let clips = 0;

function axis(low, high, log, from, to) {
  if (log) { low = Math.log10(low); high = Math.log10(high); }
  if (!(high > low)) { low -= 0.5; high += 0.5; }
  const at = (value) => from + ((log ? Math.log10(value) : value) - low) / (high - low) * (to - from);
  const back = (place) => { const v = low + (place - from) / (to - from) * (high - low); return log ? 10 ** v : v; };
  return { at, back, low: log ? 10 ** low : low, high: log ? 10 ** high : high, log };
}
// Ticks that fit their unit: bytes step by powers of two.
function ticks(axis, unit, wanted) {
  const out = [];
  if (axis.log) {
    const decades = Math.log10(axis.high / axis.low);
    const steps = decades > 5 ? [1] : decades > 2 ? [1, 3] : decades > 0.8 ? [1, 2, 5] : null;
    if (steps) {
      for (let e = Math.floor(Math.log10(axis.low)); e <= Math.log10(axis.high); e++) {
        for (const step of steps) { const v = step * 10 ** e; if (v >= axis.low && v <= axis.high) out.push(v); }
      }
      const keep = Math.ceil(out.length / (wanted + 2));
      return out.filter((_, i) => i % keep === 0);
    }
  }
  const base = unit === "byte" ? 2 : 10;
  const rough = (axis.high - axis.low) / wanted;
  if (!(rough > 1e-290 && rough * 1e12 > Math.abs(axis.high))) return [axis.low];
  let step = base ** Math.floor(Math.log(rough) / Math.log(base));
  if (base === 10) step *= rough / step > 5 ? 10 : rough / step > 2 ? 5 : rough / step > 1 ? 2 : 1; else step *= 2;
  for (let v = Math.ceil(axis.low / step) * step; v <= axis.high; v += step) out.push(Math.abs(v) < step / 1e6 ? 0 : v);
  return out;
}
function extent(values, log) {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (Number.isFinite(v) && (!log || v > 0)) { if (v < low) low = v; if (v > high) high = v; }
  if (low > high) return log ? [1, 10] : [0, 1];
  const pad = log ? Math.max((high / low) ** 0.04, 1.02) : (high - low) * 0.05 || Math.abs(high) * 0.1 || 1;
  return log ? [low / pad, high * pad] : [low - pad, high + pad];
}

// plot: {points: [{x, y, lines, out, whisker: [x1, x2]}], x: {title, unit, log, format}, y: …, shapes(sx, sy, add)}
function scatter(parent, describe) {
  const svg = s("svg", { viewBox: `0 0 ${W} ${H}`, tabindex: "0", role: "application", "aria-label": describe + ". Arrow keys step through the points, Escape resets the zoom." });
  const reset = h("button", { type: "button", onclick: () => { zoom = null; draw(); } }, "Reset zoom");
  reset.hidden = true;
  parent.append(svg);
  let plot = null, zoom = null, shown = [], focus = -1, sx, sy, hot;
  function place(event) {
    const box = svg.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width * W, (event.clientY - box.top) / box.height * H];
  }
  function draw() {
    const xs = zoom ? zoom.x : extent(plot.points.map((p) => p.x), plot.x.log);
    const ys = zoom ? zoom.y : plot.same ? xs : extent(plot.points.map((p) => p.y).concat(plot.yInclude || []), plot.y.log);
    const both = !zoom && plot.same ? extent(plot.points.flatMap((p) => [p.x, p.y]), plot.x.log) : null;
    sx = axis(...(both || xs), plot.x.log, LEFT, W - RIGHT);
    sy = axis(...(both || ys), plot.y.log, H - BOTTOM, TOP);
    const clip = "clip" + ++clips;
    const inside = s("g", { "clip-path": `url(#${clip})` });
    svg.replaceChildren(s("defs", {}, s("clipPath", { id: clip }, s("rect", { x: LEFT, y: TOP, width: W - LEFT - RIGHT, height: H - TOP - BOTTOM }))));
    for (const v of ticks(sx, plot.x.unit, 6)) {
      svg.append(s("line", { class: "grid", x1: sx.at(v), x2: sx.at(v), y1: TOP, y2: H - BOTTOM }), s("text", { x: sx.at(v), y: H - BOTTOM + 17, "text-anchor": "middle" }, plot.x.format(v)));
    }
    for (const v of ticks(sy, plot.y.unit, 6)) {
      svg.append(s("line", { class: "grid", x1: LEFT, x2: W - RIGHT, y1: sy.at(v), y2: sy.at(v) }), s("text", { x: LEFT - 7, y: sy.at(v) + 4, "text-anchor": "end" }, plot.y.format(v)));
    }
    svg.append(s("rect", { class: "frame", x: LEFT, y: TOP, width: W - LEFT - RIGHT, height: H - TOP - BOTTOM }));
    svg.append(s("text", { x: (LEFT + W - RIGHT) / 2, y: H - 8, "text-anchor": "middle" }, plot.x.title), s("text", { transform: `translate(12 ${(TOP + H - BOTTOM) / 2}) rotate(-90)`, "text-anchor": "middle" }, plot.y.title), inside);
    plot.shapes(sx, sy, inside);
    const stride = Math.ceil(plot.points.length / DOTS);
    shown = plot.points.filter((p, i) => i % stride === 0 || p.out).filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y) && (!sx.log || p.x > 0) && (!sy.log || p.y > 0)).map((p) => ({ p, cx: sx.at(p.x), cy: sy.at(p.y) }));
    for (const { p, cx, cy } of shown) inside.append(s("circle", { class: p.out ? "dot out" : "dot", cx: cx.toFixed(1), cy: cy.toFixed(1), r: 3 }));
    hot = s("g");
    inside.append(hot);
    shown.sort((a, b) => a.cx - b.cx);
    focus = -1;
    reset.hidden = !zoom;
  }
  function highlight(index, tipAt) {
    const { p, cx, cy } = shown[index];
    hot.replaceChildren(s("circle", { class: "hot", cx, cy, r: 6 }));
    if (p.whisker) hot.append(s("line", { class: "whisk", x1: sx.at(p.whisker[0]), x2: sx.at(p.whisker[1]), y1: cy, y2: cy }));
    const box = svg.getBoundingClientRect();
    showTip(p.lines, ...(tipAt || [box.left + cx / W * box.width, box.top + cy / H * box.height]));
  }
  let start = null, rubber = null;
  svg.addEventListener("pointerdown", (event) => { if (event.button === 0) { start = place(event); svg.setPointerCapture(event.pointerId); } });
  svg.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    if (start) {
      if (!rubber) svg.append(rubber = s("rect", { class: "drag" }));
      fill(rubber, { x: Math.min(x, start[0]), y: Math.min(y, start[1]), width: Math.abs(x - start[0]), height: Math.abs(y - start[1]) }, []);
      return;
    }
    let best = -1, near = 24 ** 2;
    shown.forEach(({ cx, cy }, i) => { const d = (cx - x) ** 2 + (cy - y) ** 2; if (d < near) { near = d; best = i; } });
    if (best < 0) { hot.replaceChildren(); hideTip(); } else { focus = best; highlight(best, [event.clientX, event.clientY]); }
  });
  svg.addEventListener("pointerup", (event) => {
    const [x, y] = place(event);
    if (start && Math.abs(x - start[0]) > 8 && Math.abs(y - start[1]) > 8) {
      const pair = (a, b) => (a < b ? [a, b] : [b, a]);
      zoom = { x: pair(sx.back(start[0]), sx.back(x)), y: pair(sy.back(start[1]), sy.back(y)) };
      draw();
    } else if (rubber) rubber.remove();
    start = rubber = null;
  });
  svg.addEventListener("pointerleave", () => { hot && hot.replaceChildren(); hideTip(); });
  svg.addEventListener("dblclick", () => { zoom = null; draw(); });
  svg.addEventListener("blur", () => { hot && hot.replaceChildren(); hideTip(); });
  svg.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { zoom = null; draw(); hideTip(); return; }
    const step = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (!step || !shown.length) return;
    event.preventDefault();
    focus = Math.max(0, Math.min(shown.length - 1, focus + step));
    highlight(focus);
  });
  return { reset, show: (next, keepZoom) => { plot = next; if (!keepZoom) zoom = null; draw(); } };
}
