// A point of the picture in words: which call it is, and what stands before and after it in its thread.
const BESIDE = 8, AHEAD = 40;

function points(data, called, kept, root) {
  let picture = null, current = null;
  const box = h("div", { class: "point", id: "point", role: "status" });
  root.append(h("h3", {}, "Point"), box);
  const hint = () => box.replaceChildren(h("p", { class: "small" }, "Click a mark or a place: its name and its neighbours in the sequence stand here."));
  hint();

  const threadName = (thread) => data.threads[thread][1] || "thread " + data.threads[thread][0];
  const methodOf = (kind) => called.methods[data.invoked[kind]];
  function nodeOf(kind) {
    const receiver = data.receivers[kind], owner = data.methods[data.invoked[kind]][0];
    return [nameNode(methodOf(kind)), receiver === owner ? null : h("span", { class: "soft" }, " on " + called.classes[receiver])];
  }
  const timeOf = (run, event) => (run.ns === null ? null : run.ns + (run.ends - run.ns) * (event - run.at) / (run.end - run.at));

  // Calls of the same thread around one, in order; a gap of the recording stands among them as its number of calls.
  async function around(runs, index, event) {
    const thread = runs[index].thread, before = [], after = [];
    const walk = async (out, step) => {
      let run = index, at = event;
      while (out.length < BESIDE) {
        at += step;
        if (at < runs[run].at || at >= runs[run].end) {
          const last = runs[run];
          do run += step; while (run >= 0 && run < runs.length && runs[run].thread !== thread);
          if (run < 0 || run >= runs.length) return;
          const missing = step > 0 ? runs[run].first - last.first - (last.end - last.at) : last.first - runs[run].first - (runs[run].end - runs[run].at);
          if (missing > 0) { out.push({ missing }); return; }
          at = step > 0 ? runs[run].at : runs[run].end - 1;
        }
        out.push({ event: at, kind: await kept.kind(at) });
      }
    };
    await walk(before, -1);
    await walk(after, 1);
    return [before.reverse(), after];
  }

  // What the analysis says of a method's neighbours in the whole run.
  function usual(kind) {
    const method = data.methods[data.invoked[kind]], raw = (data.classes[method[0]] || ["?"])[0] + "." + method[1];
    const ranked = ((data.analysis && data.analysis.neighbours) || []).filter((one) => one.dimension === "method").flatMap((one) => one.ranked);
    const found = ranked.find((one) => one.name === raw);
    if (!found) return null;
    const side = (one) => (one.most.length ? `${shortName(one.most[0].name)} (${percent(one.most[0].probability)})` : "nothing");
    return h("p", { class: "small" }, `In the whole run most often after ${side(found.before)} and before ${side(found.after)}.`);
  }

  async function call(event, move) {
    if (!kept.holds(event, event + 1)) { picture.choose(null); return; }
    const runs = await kept.waitRuns(), index = lastBelow(runs.length, (i) => runs[i].at, event), run = runs[index];
    const kind = await kept.kind(event), [before, after] = await around(runs, index, event);
    const axis = [event, timeOf(run, event)];
    current = { event, thread: run.thread };
    const line = (one, place) => h("li", { value: place }, "missing" in one ? h("span", { class: "soft" }, thousands(one.missing) + " calls left out") : h("button", { type: "button", class: one.event === event ? "link now" : "link", "aria-current": one.event === event ? "true" : null, onclick: () => call(one.event, true) }, nodeOf(one.kind)));
    const number = run.first + event - run.at;
    box.replaceChildren(
      h("p", { class: "named" }, nameNode(methodOf(kind))),
      h("dl", { class: "pairs" }, ...[["Call", thousands(event) + (data.threads.length > 1 ? ` (${thousands(number)} of ${threadName(run.thread)})` : "")], ["Receiver", called.classes[data.receivers[kind]]], ["Declared in", called.classes[data.methods[data.invoked[kind]][0]]], ["Time", axis[1] === null ? null : "about " + moment(axis[1], 1000)], ["Called", thousands(data.counts[kind]) + " times in all"]].filter(([, value]) => value !== null).map(([key, value]) => [h("dt", {}, key), h("dd", {}, value)])),
      h("ol", { class: "sequence" }, before.map((one, i) => line(one, i - before.length)), line({ event, kind }, 0), after.map((one, i) => line(one, i + 1))),
      usual(kind) || "",
    );
    box.dataset.event = String(event);
    picture.choose({ event, kind, lane: data.threads[run.thread][2], axis });
    if (move && axis[picture.view.axis] !== null) picture.reveal(axis[picture.view.axis]);
  }

  // The first call of a row from a place on, among the single calls of the page; -1 if there is none soon.
  async function firstOf(spot) {
    const { plan, rows, row } = spot, runs = await kept.waitRuns();
    let looked = 0;
    for (const run of runs) {
      if (!spot.ahead && !spot.lane.inside.includes(data.threads[run.thread][2])) continue;
      const [begin, end] = plan.axis === 0 ? [run.at, run.end] : [run.ns, run.ends];
      if (begin === null || end <= spot.position || begin >= plan.to) continue;
      let event = plan.axis === 0 ? Math.max(run.at, Math.floor(spot.position)) : run.at + Math.max(0, Math.floor((spot.position - begin) / Math.max(end - begin, 1e-9) * (run.end - run.at)));
      while (event < run.end && looked < AHEAD * data.calls.size) {
        const chunk = Math.floor((event - data.calls.from) / data.calls.size), until = Math.min(run.end, data.calls.from + (chunk + 1) * data.calls.size);
        const kinds = await kept.chunk(chunk), first = data.calls.from + chunk * data.calls.size;
        for (looked += until - event; event < until; event++) if (rows.of[kinds[event - first]] === row) return event;
      }
    }
    return -1;
  }

  function density(spot) {
    const { plan, rows, row } = spot, kinds = data.counts.length, level = kept.level(plan.axis, (plan.to - plan.from) / plan.columns), { width } = data.axes[plan.axis].levels[level];
    const bin = Math.floor(spot.position / width), tiles = kept.tiles(plan.axis, level, bin * width, bin * width + width) || [];
    let sum = 0;
    for (const [first, tile] of tiles) {
      for (let at = tile.starts[bin - first]; at < tile.starts[bin - first + 1]; at++) {
        if (rows.of[tile.cells[at] % kinds] === row && (spot.ahead || spot.lane.inside.includes(Math.floor(tile.cells[at] / kinds)))) sum += tile.counts[at];
      }
    }
    const word = (value) => (plan.axis === 1 ? moment(value, width) : thousands(value));
    box.replaceChildren(h("p", { class: "named" }, nameNode(rows.list[row].name)), h("p", {}, `${thousands(sum)} calls of it between ${word(bin * width)} and ${word((bin + 1) * width)}. `, h("button", { type: "button", onclick: () => picture.go(bin * width, (bin + 1) * width) }, "Show this part")),
      h("p", { class: "small" }, "Single calls of this part are not in the page, so what stands before and after is not known here."));
    delete box.dataset.event;
    current = null;
    picture.choose(null);
  }

  return {
    connect(graph) { picture = graph; },
    call,
    async point(spot) {
      if (spot.nearest !== null) { await call(spot.nearest, false); return; }
      const exact = spot.plan.mode === "calls" || spot.plan.mode === "counted";
      const event = exact || (spot.plan.axis === 0 && kept.holds(Math.floor(spot.position), Math.floor(spot.position) + 1)) ? await firstOf(spot) : -1;
      if (event >= 0) await call(event, spot.ahead === true);
      else if (spot.plan.mode === "density") density(spot);
      else box.replaceChildren(h("p", { class: "named" }, nameNode(spot.rows.list[spot.row].name)), h("p", {}, "It is not called from here to the end of what is shown."));
    },
    // To the next or the previous call of the same thread.
    async step(by) {
      if (!current) return;
      const runs = await kept.waitRuns();
      let run = lastBelow(runs.length, (i) => runs[i].at, current.event), event = current.event + by;
      if (event < runs[run].at || event >= runs[run].end) {
        do run += by; while (run >= 0 && run < runs.length && runs[run].thread !== current.thread);
        if (run < 0 || run >= runs.length) return;
        event = by > 0 ? runs[run].at : runs[run].end - 1;
      }
      await call(event, true);
    },
    clear() { current = null; delete box.dataset.event; hint(); picture.choose(null); },
  };
}
