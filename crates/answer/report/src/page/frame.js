// What ties a page together, whatever is on it: its data, its theme, its links.
// Large data are packed: base 64 of gzip.
async function load() {
  const element = byId("data");
  if (element.type === "application/json") return JSON.parse(element.textContent);
  const bytes = Uint8Array.from(atob(element.textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const theme = byId("theme");
function dark() {
  const chosen = state.get("theme");
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
function paint() {
  const chosen = state.get("theme");
  document.documentElement.style.colorScheme = chosen === "dark" || chosen === "light" ? chosen : "";
  theme.textContent = dark() ? "Light" : "Dark";
}
theme.addEventListener("click", () => { remember("theme", dark() ? "light" : "dark"); paint(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
paint();
// Links of the form #at=section leave the rest of the state alone.
function jump() {
  const wanted = new URLSearchParams(location.hash.slice(1)).get("at");
  const section = wanted && byId(wanted);
  if (section) { section.scrollIntoView({ behavior: "instant" }); section.focus({ preventScroll: true }); }
}
document.addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest('a[href^="#at="]');
  if (!link) return;
  event.preventDefault();
  const section = byId(link.getAttribute("href").slice(4));
  if (section) { section.scrollIntoView(); section.focus({ preventScroll: true }); }
});
addEventListener("hashchange", () => location.reload());
function start(show) {
  load().then(show, (problem) => {
    const why = typeof DecompressionStream === "undefined" ? "This browser is too old to unpack the data: use one of 2023 or later." : "The data cannot be read: " + problem;
    document.querySelector("main").append(h("p", { class: "note" }, why));
  });
}
