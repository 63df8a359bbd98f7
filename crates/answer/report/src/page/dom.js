// Elements without markup strings: every text goes through a text node, so no name can become markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false && child !== "") node.append(child);
  }
  return node;
}
const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const byId = (id) => document.getElementById(id);

// A method's name with its package and parameters set back.
function nameNode(name) {
  const open = name.indexOf("(");
  const head = open < 0 ? name : name.slice(0, open);
  const cut = /^[\w$.<>]+$/.test(head) ? head.split(".") : [head];
  const tail = cut.splice(Math.max(0, cut.length - 2)).join(".");
  const pack = cut.length ? cut.join(".") + "." : "";
  return h("span", {}, pack && h("span", { class: "dim" }, pack), tail, open < 0 ? null : h("span", { class: "soft" }, name.slice(open)));
}
function meter(share, kind) {
  const bar = h("i");
  bar.style.width = Math.max(0, Math.min(100, share * 100)).toFixed(2) + "%";
  return h("span", { class: "meter " + (kind || ""), "aria-hidden": "true" }, bar);
}

const tip = byId("tip");
function showTip(lines, x, y) {
  tip.replaceChildren(h("b", {}, lines[0]), ...lines.slice(1).map((line) => h("div", {}, line)));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(6, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
  tip.style.top = (y + box.height + 20 > innerHeight ? Math.max(6, y - box.height - 12) : y + 14) + "px";
}
function hideTip() { tip.hidden = true; }

// The page's state lives in the fragment, so that a link shows what its sender saw: #q=…&prices.sort=-share&theme=dark
const state = new URLSearchParams(location.hash.slice(1));
function remember(key, value) {
  if (value === null || value === "" || value === undefined) state.delete(key);
  else state.set(key, value);
  state.delete("at");
  try { history.replaceState(null, "", "#" + state.toString()); } catch { /* some viewers forbid it */ }
}
