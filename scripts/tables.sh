#!/usr/bin/env bash
# How well `auto` predicts tables of other people's programs: median relative error on the test half, and its ratio to the best peer's.
#   scripts/tables.sh FOLDER [METHOD]
# FOLDER holds NAME.train.csv and NAME.test.csv with the cost in the column `y`, and PROVENANCE.md with a table
# whose lines begin `| NAME |` and end in the best peer's error, as in `| 2.4 % |`. Markdown on standard output.
set -euo pipefail
folder=${1:?usage: scripts/tables.sh FOLDER [METHOD]}
method=${2:-auto}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo build --release --locked --quiet -p pricetag-cli
pricetag=$PWD/target/release/pricetag
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "| table | method | median error | best peer | ratio |"
echo "|---|---|---|---|---|"
for train in "$folder"/*.train.csv; do
    name=$(basename "$train" .train.csv)
    "$pricetag" fit "$train" --target y --train 100% --method "$method" -o "$work/model.json" >/dev/null 2>&1
    "$pricetag" predict "$work/model.json" --features "$folder/$name.test.csv" --json >"$work/predicted.json"
    python3 - "$name" "$work" "$folder/PROVENANCE.md" <<'P'
import json, re, statistics, sys
name, work, provenance = sys.argv[1:]
rows = json.load(open(work + "/predicted.json"))["rows"]
method = json.load(open(work + "/model.json"))["method"]
error = 100 * statistics.median(abs(r["value"] / r["measured"] - 1) for r in rows if r.get("measured"))
peers = [l for l in open(provenance) if l.startswith(f"| {name} |")]
best = float(re.findall(r"([0-9.]+) %", peers[0])[-1]) if peers else float("nan")
print(f"| {name} | {method} | {error:.2f} % | {best:.2f} % | {error / best:.2f} |")
P
done | tee "$work/table"
awk -F'|' '{ if ($6 > 0) { sum += log($6); n++ } } END { if (n) printf "\ngeometric mean of the ratios: %.2f\n", exp(sum / n) }' "$work/table"
