#!/usr/bin/env bash
# How long a browser takes to draw the calls of a large recording: the table of docs/benchmarks.md.
#   scripts/picture-speed.sh [EVENTS [THREADS]]     100 million invented calls of four threads by default; some minutes and 2 GB of disk
# The page measures itself; a script that is added to it zooms and prints. Chromium runs without a window, in real time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=${CARGO_TARGET_DIR:-target}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo build -q --release --locked -p pricetag-cli
cargo build -q --release --locked -p pricetag-pattern --example recording
"$target/release/examples/recording" "$work/calls.events" "${1:-100000000}" "${2:-4}"
begun=$(date +%s)
"$target/release/pricetag" -q report --patterns "$work/calls.events" -o "$work/page.html"
python3 - "$work" $(($(date +%s) - begun)) "${PRICETAG_CHROMIUM:-chromium}" <<'PYTHON'
import os, re, subprocess, sys, time

work, took, browser = sys.argv[1:]
page = open(os.path.join(work, "page.html"), encoding="utf-8").read()
measure = """<script>(async () => {
const root = document.documentElement;
while (!root.dataset.ready) await new Promise((go) => setTimeout(go, 20));
const glass = document.querySelector(".glass"), times = [];
for (let turn = 0; turn < 24; turn++) {
  const before = glass.dataset.drawn, key = turn < 12 ? "+" : turn < 18 ? "ArrowRight" : "-", at = performance.now();
  glass.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  while (glass.dataset.drawn === before && performance.now() - at < 20000) await new Promise((go) => setTimeout(go, 1));
  times.push([performance.now() - at, glass.dataset.mode]);
}
const sorted = times.map((one) => one[0]).sort((a, b) => a - b), round = (ms) => ms.toFixed(0);
console.log("MEASURED first " + root.dataset.first + " median " + round(sorted[12]) + " worst " + round(sorted[23]) + " modes " + [...new Set(times.map((one) => one[1]))].join("+"));
})();</script>"""
# The page's policy names its own script by digest.
page = re.sub(r"script-src 'sha256-[^']*'", "script-src 'unsafe-inline'", page, count=1).replace("</body>", measure + "</body>")
path = os.path.join(work, "measured.html")
open(path, "w", encoding="utf-8").write(page)
print("| calls' page | made in | first picture | zoom or move: median | worst |\n|---|---|---|---|---|")
for _ in range(3):
    log = os.path.join(work, "log")
    with open(log, "wb") as out:
        child = subprocess.Popen([browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--enable-logging=stderr", "--remote-debugging-port=0",
                                  "--window-size=1600,1000", "--user-data-dir=" + os.path.join(work, "profile"), "file://" + path], stdout=out, stderr=out)
    end, found = time.time() + 120, None
    while time.time() < end and not found:
        time.sleep(0.2)
        found = re.search(r"MEASURED first (\d+) median (\d+) worst (\d+)", open(log, errors="replace").read())
    child.terminate()
    child.wait()
    if not found:
        sys.exit("nothing was measured: " + open(log, errors="replace").read()[-500:])
    first, median, worst = found.groups()
    print(f"| {os.path.getsize(path) / 1e6:.1f} MB | {took} s | {first} ms | {median} ms | {worst} ms |")
PYTHON
