// Beside the picture: recurrent sequences, which light up in it when chosen, and what else was measured.
// `a/b/C.name(I)V` as `C.name`.
function shortName(raw) {
  const head = raw.split("(")[0], dot = head.lastIndexOf(".");
  return dot < 0 ? head : simple(head.slice(0, dot).replaceAll("/", ".")) + head.slice(dot);
}
const turns = (value) => (Math.abs(value - Math.round(value)) < 0.05 ? value.toFixed(0) : value.toFixed(1));
function stepNodes(steps) {
  return steps.map((step, at) => [at ? ", " : "",
    step.call ? h("span", { title: step.call.method }, shortName(step.call.method), step.call.receiver ? h("span", { class: "soft" }, " on " + simple(step.call.receiver.replaceAll("/", "."))) : null)
      : step.loop ? h("span", { class: "loop" }, "(", stepNodes(step.loop.steps), ")", h("b", {}, "×" + turns(step.loop.turns)))
        : h("span", { class: "soft" }, `… ${thousands(step.more)} more`)]);
}

function sequences(data, root, picture) {
  const found = (data.analysis && data.analysis.recurrent) || [];
  root.append(h("h3", {}, "Recurrent sequences"));
  if (!found.length) { root.append(h("p", { class: "note" }, "No sequence of calls recurs.")); return; }
  root.append(h("p", { class: "small" }, "Calls that come again in the same order. Choose one to see where it stands: within other sequences, too, so that it may stand more often than its share tells."));
  const buttons = found.map((one, number) => {
    const mark = data.marks[number], lost = !mark || !mark.kinds.length;
    const shares = [one.ns === undefined ? null : `${quantity(one.ns, "ns")} (${percent(one.ns_share)})`, `${percent(one.covered.share)} of calls`, lost ? "too long to be marked" : mark.count === 1 ? "stands once" : `stands ${thousands(mark.count)} times`];
    return h("button", { type: "button", class: "sequence", disabled: lost, "aria-pressed": "false", onclick: () => choose(picture.view.mark === number ? -1 : number) },
      h("span", { class: "share" }, meter(one.ns_share ?? one.covered.share), " ", shares.filter(Boolean).join(", ")), h("span", { class: "steps" }, stepNodes(one.steps)));
  });
  const show = () => buttons.forEach((button, number) => button.setAttribute("aria-pressed", String(picture.view.mark === number)));
  function choose(number) { picture.mark(number); show(); }
  root.append(h("div", { class: "sequences", id: "sequences" }, buttons));
  show();
}

function plainTable(heads, rows, caption) {
  const cell = (tag, value, at) => h(tag, { class: at && typeof value !== "object" ? "num" : null, scope: tag === "th" ? "col" : null }, tag === "th" ? h("span", {}, value) : value);
  return h("div", { class: "scroll" }, h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads.map((head, at) => cell("th", head, at)))), h("tbody", {}, rows.map((row) => h("tr", {}, row.map((value, at) => cell("td", value, at)))))));
}
function measures(data, root) {
  const found = data.analysis;
  if (!found || !found.whole) { root.append(h("p", { class: "note" }, "Nothing was measured.")); return; }
  const words = { receiver: PARTS[0], "receiver-class": PARTS[0], "method-class": PARTS[1], method: PARTS[2] };
  const named = (dimension) => words[dimension] || dimension;
  const digits = (value) => (value === null || value === undefined ? "–" : value.toFixed(3));
  root.append(h("p", { class: "about" }, "Locality: different classes or methods in a window, divided by its size, on average; small means that few are in use at a time. Loop-N: the call equals the one N calls before; consecutive is loop-1. Hierarchy: of the classes of two calls in a row, one is or extends the other."));
  root.append(plainTable(["", "window", "locality", "consecutive", "hierarchy", "other loops"], found.whole.dimensions.map((one, at) => {
    const loops = one.loops.slice(1).filter((l) => l.predicted.events > 0).sort((a, b) => b.predicted.events - a.predicted.events || a.length - b.length).slice(0, 3);
    return [named(one.dimension), thousands(found.windows[at]), digits(one.locality), one.loops.length ? percent(one.loops[0].predicted.share) : "–", one.hierarchy_consecutive ? percent(one.hierarchy_consecutive.predicted.share) : "–", loops.map((l) => `loop-${l.length}: ${percent(l.predicted.share)}`).join(", ") || "–"];
  }), "localities and control patterns"));
  const { sizes, natives, distances } = found;
  root.append(h("dl", { class: "pairs other" }, ...[
    ["Distance", `from receiver's class up to the method's class, on average ${digits(distances.mean)}`],
    ["Sizes", sizes.mean_bytes === null ? "unknown" : `${significant(sizes.mean_bytes)} bytes of bytecode a method, ${significant(sizes.mean_bytes_invoked ?? 0)} a call`],
    ["Native methods", `${thousands(natives.methods)}, called ${thousands(natives.invocations.events)} times`],
  ].flatMap(([key, value]) => [h("dt", {}, key), h("dd", {}, value)])));
  const blocks = (found.neighbours.find((one) => one.dimension === "method") || { ranked: [] }).ranked.filter((one) => one.score > 0).slice(0, 10);
  if (!blocks.length) return;
  const likeliest = (side) => (side.most.length ? `${shortName(side.most[0].name)} (${percent(side.most[0].probability)})` : "–");
  root.append(h("h3", {}, "Building blocks"), h("p", { class: "about" }, "Methods that are called often, between many and unlikely neighbours. Entropy says how unlikely these are, in bits."),
    plainTable(["method", "calls", "entropy before", "after", "likeliest before", "after"], blocks.map((one) => [h("span", { title: one.name }, shortName(one.name)), thousands(one.invocations), significant(one.before.entropy_bits), significant(one.after.entropy_bits), likeliest(one.before), likeliest(one.after)]), "building blocks"));
}
