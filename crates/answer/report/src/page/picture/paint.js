// From counts to pixels. Every pixel column has, per lane and row, how many calls there are; a row may be many pixels high, or many rows share one.
const BANDS = [0.22, 1];

// A ramp from the page's colour to a strong one, as 256 colours in the order of canvas bytes.
function ramp(weak, strong) {
  const colours = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    const share = BANDS[0] + (BANDS[1] - BANDS[0]) * i / 255;
    const mixed = [0, 1, 2].map((c) => Math.round(weak[c] + (strong[c] - weak[c]) * share));
    colours[i] = 0xff000000 | mixed[2] << 16 | mixed[1] << 8 | mixed[0];
  }
  return colours;
}
const LIGHT = { back: [255, 255, 255], cold: ramp([255, 255, 255], [13, 62, 138]), pale: ramp([255, 255, 255], [150, 160, 172]), hot: ramp([255, 226, 205], [205, 62, 6]), ink: "#1c2024", soft: "#59626b", line: "#e5e2dc", hair: "#f3f1ed", accent: "#1d5fb8", heat: "#d9480f", panel: "#ffffff" };
const DARK = { back: [26, 30, 34], cold: ramp([26, 30, 34], [150, 196, 255]), pale: ramp([26, 30, 34], [105, 116, 127]), hot: ramp([70, 40, 22], [255, 160, 96]), ink: "#e6e8ea", soft: "#a2abb4", line: "#2b3137", hair: "#20252a", accent: "#7cb0f5", heat: "#ff9a5c", panel: "#1a1e22" };

// A grid of counts for one lane.
function makeGrid(columns, rows, height) {
  const lines = Math.max(1, Math.min(rows, height));
  return { columns, rows, height, lines, sums: new Float32Array(columns * lines), hot: new Uint8Array(columns * lines), lineOf: (row) => Math.floor(row * lines / rows) };
}
// `count` calls of a row lie evenly between two columns, which need not be whole.
function addTo(lane, row, from, to, count, hot) {
  const first = Math.max(0, Math.floor(from)), last = Math.min(lane.columns - 1, Math.max(first, Math.ceil(to) - 1));
  const each = count / Math.max(1, to - from);
  const line = lane.lineOf(row) * lane.columns;
  for (let column = first; column <= last; column++) {
    lane.sums[line + column] += each;
    if (hot) lane.hot[line + column] = 1;
  }
}
// Draws a grid into an image of the same width; `lit` says that a pattern is chosen, so that what is not in it is set back.
function shade(image, lane, top, theme, most, lit) {
  const pixels = new Uint32Array(image.data.buffer), scale = 255 / Math.log1p(Math.max(most, 1e-9));
  const { columns, lines, height, sums, hot } = lane;
  for (let line = 0; line < lines; line++) {
    const from = top + Math.floor(line * height / lines);
    let to = top + Math.floor((line + 1) * height / lines);
    if (to - from > 5) to -= 1;
    for (let column = 0, at = line * columns; column < columns; column++, at++) {
      if (!sums[at]) continue;
      const strength = Math.min(255, Math.log1p(sums[at]) * scale) | 0;
      const colour = lit ? (hot[at] ? theme.hot[strength] : theme.pale[strength]) : theme.cold[strength];
      for (let y = from, place = from * image.width + column; y < to; y++, place += image.width) pixels[place] = colour;
    }
  }
}
// Single calls, as marks of a width: a mark is never lighter for being alone.
function dots(image, lane, top, theme, calls, width, lit) {
  const pixels = new Uint32Array(image.data.buffer), { columns, lines, height } = lane;
  for (const [x, row, hot] of calls) {
    const line = lane.lineOf(row);
    const from = top + Math.floor(line * height / lines);
    let to = Math.max(from + 1, top + Math.floor((line + 1) * height / lines));
    if (to - from > 5) to -= 1;
    const colour = lit ? (hot ? theme.hot[220] : theme.pale[200]) : theme.cold[215];
    const left = Math.max(0, Math.floor(x)), right = Math.min(columns, Math.max(left + 1, Math.floor(x + width)));
    for (let y = from; y < to; y++) for (let column = left; column < right; column++) pixels[y * image.width + column] = colour;
  }
}
