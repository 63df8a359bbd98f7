// Which calls a part of an axis has, counted into grids: from single calls where the page has them and they are few, else from density.
const SINGLE = 250000, SCATTERED = 150, DOT = 2;

// plan: {axis, from, to, columns, lanes: [{grid, has(lane)}], rows, mark: number or -1}. Gives what was counted, or null if that is still being read.
function filler(data, kept) {
  const whole = data.calls.from === 0 && data.calls.to === data.total;

  // Stretches of single calls between two positions, as {at, end, thread, x(event)}; null if there are none in the page, or too many.
  function stretches(plan) {
    const { axis, from, to } = plan;
    const runs = data.calls.to > data.calls.from ? kept.runs() : [];
    if (!runs) return undefined;
    if (axis === 0) {
      const low = Math.max(0, Math.floor(from)), high = Math.min(data.total, Math.ceil(to));
      if (high - low > SINGLE || !kept.holds(low, high)) return null;
      const found = [];
      for (let i = lastBelow(runs.length, (i) => runs[i].at, low); i < runs.length && runs[i].at < high; i++) {
        const run = runs[i];
        found.push({ at: Math.max(low, run.at), end: Math.min(high, run.end), thread: run.thread, x: (event) => event });
      }
      return found;
    }
    if (!whole) return null;
    const found = [], chunks = new Set();
    let count = 0;
    for (const run of runs) {
      if (run.ns === null || run.ns >= to || run.ends < from) continue;
      const lasts = Math.max(run.ends - run.ns, 1e-9), calls = run.end - run.at;
      const at = run.at + Math.max(0, Math.floor((from - run.ns) / lasts * calls)), end = run.at + Math.min(calls, Math.ceil((to - run.ns) / lasts * calls));
      if (end <= at) continue;
      count += end - at;
      for (let chunk = Math.floor(at / data.calls.size); chunk <= (end - 1) / data.calls.size; chunk++) chunks.add(chunk);
      if (count > SINGLE || chunks.size > SCATTERED) return null;
      found.push({ at, end, thread: run.thread, x: (event) => run.ns + (run.ends - run.ns) * (event - run.at) / calls });
    }
    return found;
  }

  function fromCalls(plan, found, marks) {
    const scale = plan.columns / (plan.to - plan.from), rows = plan.rows.of;
    const ready = found.map((one) => kept.calls(one.at, one.end));
    if (ready.some((chunks) => !chunks)) return null;
    const calls = found.reduce((sum, one) => sum + one.end - one.at, 0);
    const near = calls * DOT * 2 <= plan.columns;
    const marked = plan.lanes.map(() => []);
    const seen = new Set();
    found.forEach((one, number) => {
      const lane = data.threads[one.thread][2];
      const index = plan.lanes.findIndex((shown) => shown.has(lane));
      if (index < 0) return;
      let mark = marks ? lastBelow(marks.from.length, (i) => marks.from[i], one.at) : -1;
      for (const [first, kinds] of ready[number]) {
        const end = Math.min(one.end, first + kinds.length);
        for (let event = Math.max(one.at, first); event < end; event++) {
          const row = rows[kinds[event - first]];
          if (row < 0) continue;
          seen.add(row);
          let hot = false;
          if (marks) {
            while (mark + 1 < marks.from.length && marks.from[mark + 1] <= event) mark++;
            hot = mark >= 0 && event < marks.to[mark];
          }
          const x = (one.x(event) - plan.from) * scale;
          if (near) marked[index].push([x, row, hot, event]);
          else addTo(plan.lanes[index].grid, row, x, plan.axis === 0 ? x + scale : x, 1, hot);
        }
      }
    });
    return { mode: near ? "calls" : "counted", calls, marked, rows: seen.size, width: 1 };
  }

  function fromDensity(plan, marks) {
    const { axis, from, to, columns, rows } = plan;
    if (!data.axes[axis]) return { mode: "none", calls: 0, rows: 0, width: 1 };
    const scale = columns / (to - from), kinds = data.counts.length;
    const level = kept.level(axis, (to - from) / columns), width = data.axes[axis].levels[level].width;
    const tiles = kept.tiles(axis, level, from, to);
    if (!tiles) return null;
    const indexOf = Array.from({ length: data.lanes }, (_, lane) => plan.lanes.findIndex((shown) => shown.has(lane)));
    const inPattern = new Uint8Array(kinds);
    if (marks) for (const kind of data.marks[plan.mark].kinds) inPattern[kind] = 1;
    const coarse = data.markWidths[axis], seen = new Set();
    let calls = 0;
    for (const [first, tile] of tiles) {
      for (let bin = 0; bin + 1 < tile.starts.length; bin++) {
        const low = (first + bin) * width, high = Math.min(low + width, data.axes[axis].length);
        if (high <= from || low >= to) continue;
        const left = (low - from) * scale, right = (high - from) * scale;
        for (let at = tile.starts[bin]; at < tile.starts[bin + 1]; at++) {
          const cell = tile.cells[at], lane = Math.floor(cell / kinds), kind = cell - lane * kinds, row = rows.of[kind];
          if (row < 0 || indexOf[lane] < 0) continue;
          seen.add(row);
          calls += tile.counts[at];
          // Marks are told by coarser bins than these, at worst.
          const hot = marks !== null && inPattern[kind] === 1 && covers(marks.covered[axis], lane, low, high, coarse);
          addTo(plan.lanes[indexOf[lane]].grid, row, left, right, tile.counts[at], hot);
        }
      }
    }
    return { mode: "density", calls, rows: seen.size, width };
  }
  function covers(covered, lane, low, high, coarse) {
    const from = lane * data.markBins;
    for (let bin = Math.floor(low / coarse); bin * coarse < high && bin < data.markBins; bin++) if (covered[from + bin]) return true;
    return false;
  }

  return (plan) => {
    const marks = plan.mark >= 0 ? kept.marks(plan.mark) : null;
    if (plan.mark >= 0 && !marks) return null;
    const found = stretches(plan);
    if (found === undefined) return null;
    return found && (plan.mark < 0 || data.marks[plan.mark].whole) ? fromCalls(plan, found, marks) : fromDensity(plan, marks);
  };
}
