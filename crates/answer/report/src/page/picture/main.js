// Puts the page together.
function show(data) {
  const called = names(data), section = byId("graph");
  const left = h("div", { class: "left" }), right = h("aside", { class: "right", "aria-label": "Analyses" });
  section.append(h("div", { class: "columns" }, left, right));
  let picture = null;
  const kept = store(data, () => picture && picture.changed());
  const pointBox = h("div"), sequenceBox = h("div");
  right.append(pointBox, sequenceBox);
  const say = points(data, called, kept, pointBox);
  picture = graph(data, called, kept, left, say);
  say.connect(picture);
  sequences(data, sequenceBox, picture);
  measures(data, byId("measures"));
  document.querySelector("main").append(h("footer", {}, "Made by Pricetag. This file needs no network. The address keeps what is shown, so a link shows what you see."));
  picture.begin();
  jump();
  // Ready when the first picture is drawn.
  const glass = left.querySelector(".glass"), root = document.documentElement;
  const wait = () => {
    if (!glass.dataset.drawn) { setTimeout(wait, 5); return; }
    root.dataset.first = performance.now().toFixed(0);
    root.dataset.ready = "yes";
  };
  wait();
}
start(show);
