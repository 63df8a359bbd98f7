// What the page holds packed: tiles of density, chunks of single calls, occurrences of patterns. Each is unpacked when it is first looked at.
const KEPT_TILES = 200, KEPT_CHUNKS = 200;

// LEB128 numbers, one a call.
function numbers(bytes) {
  let at = 0;
  return () => {
    let value = 0, factor = 1, byte;
    do { byte = bytes[at++]; value += (byte & 127) * factor; factor *= 128; } while (byte > 127);
    return value;
  };
}
async function unpack(part) {
  const text = byId("part" + part).textContent;
  let bytes;
  if (Uint8Array.fromBase64) bytes = Uint8Array.fromBase64(text);
  else {
    const plain = atob(text);
    bytes = new Uint8Array(plain.length);
    for (let i = 0; i < plain.length; i++) bytes[i] = plain.charCodeAt(i);
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Values that are read once and forgotten when many others were used since. `get` gives the value, or null and begins to read it; `changed` is then called.
function keeper(most, read, changed) {
  const kept = new Map(), coming = new Map();
  function ask(key) {
    if (!coming.has(key)) {
      coming.set(key, read(key).then((value) => {
        kept.set(key, value);
        coming.delete(key);
        if (kept.size > most) kept.delete(kept.keys().next().value);
        changed();
        return value;
      }));
    }
    return coming.get(key);
  }
  return {
    get(key) {
      const value = kept.get(key);
      if (value === undefined) { ask(key); return null; }
      kept.delete(key);
      kept.set(key, value);
      return value;
    },
    async wait(key) { return kept.get(key) ?? await ask(key); },
  };
}

function tileOf(bytes, bins) {
  const next = numbers(bytes), starts = new Uint32Array(bins + 1);
  // An entry takes two bytes or more.
  const cells = new Uint32Array(bytes.length >> 1), counts = new Float64Array(bytes.length >> 1);
  let at = 0;
  for (let bin = 0; bin < bins; bin++) {
    let cell = 0;
    for (let left = next(); left > 0; left--) {
      cell += next();
      cells[at] = cell;
      counts[at++] = next();
    }
    starts[bin + 1] = at;
  }
  return { starts, cells: cells.slice(0, at), counts: counts.slice(0, at) };
}
function kindsOf(bytes, planes) {
  const size = bytes.length / planes, kinds = new Uint32Array(size);
  for (let plane = 0; plane < planes; plane++) {
    for (let i = 0, from = plane * size, shift = 8 * plane; i < size; i++) kinds[i] |= bytes[from + i] << shift;
  }
  return kinds;
}
// Calls of a thread in a row: {at, end} in the file, thread, first number there, ns.
function runsOf(bytes, from, to) {
  const next = numbers(bytes), runs = [];
  for (let at = from; at < to;) {
    const thread = next(), first = next(), count = next(), begin = next(), lasts = next();
    runs.push({ at, end: at + count, thread, first, ns: begin ? begin - 1 : null, ends: begin ? begin - 1 + lasts : null });
    at += count;
  }
  return runs;
}
function marksOf(bytes, lanes, bins) {
  const next = numbers(bytes);
  const covered = [0, 1].map(() => {
    const sums = new Float64Array(lanes * bins);
    let place = 0;
    for (let left = next(); left > 0; left--) { place += next(); sums[place] = next(); }
    return sums;
  });
  const count = next(), from = new Float64Array(count), to = new Float64Array(count);
  for (let i = 0, at = 0; i < count; i++) { at += next(); from[i] = at; at += next(); to[i] = at; }
  return { covered, from, to };
}

function store(data, changed) {
  const tiles = keeper(KEPT_TILES, async (key) => {
    const [part, bins] = key.split(" ").map(Number);
    return tileOf(await unpack(part), bins);
  }, changed);
  const chunks = keeper(KEPT_CHUNKS, async (chunk) => kindsOf(await unpack(data.calls.chunks[chunk]), data.calls.planes), changed);
  const marks = keeper(40, async (mark) => marksOf(await unpack(data.marks[mark].part), data.lanes, data.markBins), changed);
  const runs = keeper(1, async () => runsOf(await unpack(data.calls.runs), data.calls.from, data.calls.to), changed);
  const { from, to, size } = data.calls;
  return {
    // The coarsest level whose bins are no wider than `wanted`, or the finest.
    level(axis, wanted) {
      const levels = data.axes[axis].levels;
      const found = levels.findIndex((level) => level.width <= wanted);
      return found < 0 ? levels.length - 1 : found;
    },
    // Tiles of a level between two positions, as [first bin, tile]; null if one is not there yet.
    tiles(axis, level, low, high) {
      const { width, tiles: all } = data.axes[axis].levels[level];
      const first = Math.floor(low / width), last = Math.ceil(high / width);
      const wanted = all.filter(([bin, bins]) => bin < last && bin + bins > first);
      const found = wanted.map(([bin, bins, part]) => [bin, tiles.get(part + " " + bins)]);
      return found.every(([, tile]) => tile) ? found : null;
    },
    // Whether single calls from `low` to before `high` are in the page.
    holds: (low, high) => low >= from && high <= to && high > low,
    // Chunks of them as [number of the first call, kinds]; null if one is not there yet.
    calls(low, high) {
      const found = [];
      for (let chunk = Math.floor((low - from) / size); from + chunk * size < high; chunk++) found.push([from + chunk * size, chunks.get(chunk)]);
      return found.every(([, kinds]) => kinds) ? found : null;
    },
    chunk: (chunk) => chunks.wait(chunk),
    // The kind of a single call.
    async kind(event) {
      const chunk = Math.floor((event - from) / size);
      return (await chunks.wait(chunk))[event - from - chunk * size];
    },
    runs: () => runs.get(0),
    waitRuns: () => runs.wait(0),
    marks: (mark) => marks.get(mark),
    waitMarks: (mark) => marks.wait(mark),
  };
}
// Index of the last of sorted values that is not above `value`, by `of`; -1 if there is none.
function lastBelow(length, of, value) {
  let low = 0, high = length;
  while (low < high) { const middle = (low + high) >> 1; if (of(middle) <= value) low = middle + 1; else high = middle; }
  return low - 1;
}
