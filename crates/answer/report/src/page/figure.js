// Numbers as people read them; the same rules as `pricetag-finding`'s `figure` module.
const TIME = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
const BYTES = [[1073741824, "GiB"], [1048576, "MiB"], [1024, "KiB"], [1, "B"]];
const COUNTS = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"]];

// The cost in words.
const words = (target) => ({ wall: "wall time", cpu: "CPU time", alloc: "bytes allocated" })[target] || target;

function thousands(value) {
  const digits = Math.abs(value).toFixed(0);
  return (value < 0 && digits !== "0" ? "-" : "") + digits.replace(/\B(?=(\d{3})+$)/g, ",");
}
function significant(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 999.5) return thousands(Math.round(value));
  if (size >= 99.95) return value.toFixed(0);
  if (size >= 9.995) return value.toFixed(1);
  if (size >= 0.01) return value.toFixed(2);
  if (size >= 0.001) return value.toFixed(4);
  return value.toExponential(1);
}
function scaled(value, prefixes) {
  const size = Math.abs(value);
  const [factor, name] = prefixes.find(([factor]) => size >= factor * 0.9995) || prefixes[prefixes.length - 1];
  return significant(value / factor) + "\u00a0" + name;
}
function count(value) {
  if (value === null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e6) return scaled(value, COUNTS);
  if (Number.isInteger(value)) return thousands(value);
  if (size < 1e-3) return value.toExponential(2);
  return significant(value);
}
function quantity(value, unit) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (unit === "ns") return scaled(value, TIME);
  if (unit === "byte" || unit === "bytes") return scaled(value, BYTES);
  if (unit === "" || unit === "1") return count(value);
  return count(value) + "\u00a0" + unit;
}
function percent(share) {
  if (share === null || share === undefined || !Number.isFinite(share)) return "–";
  const value = share * 100, size = Math.abs(value);
  if (size >= 99.95) return value.toFixed(0) + "\u00a0%";
  if (size >= 0.095 || size === 0) return value.toFixed(1) + "\u00a0%";
  if (size >= 0.0095) return value.toFixed(2) + "\u00a0%";
  return (value < 0 ? "−" : "") + "<\u00a00.01\u00a0%";
}
