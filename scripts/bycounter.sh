#!/usr/bin/env bash
# Krogmann's group's own data: counts, prices and times of a compressor, through the program, beside the results expected of them.
#   scripts/bycounter.sh FOLDER     FOLDER has counts.csv, counts_lzw.csv, prices.csv, prices_fig6.csv, times.csv, expected.csv
# Prints "name | expected | found" for each line of expected.csv, and fails if one is off by more than its tolerance. Wants Python 3 for tables
# and JSON; whatever is computed of counts and prices, the program computes, apart from the few quotients that compare two of its answers.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${1:?"the folder with the tables is missing"}
export PRICETAG=${PRICETAG:-${CARGO_TARGET_DIR:-target}/release/pricetag}
[ -x "$PRICETAG" ] || {
    echo "bycounter: $PRICETAG is not built: cargo build --release --workspace, or name it with PRICETAG" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - "$folder" "$work" <<'PYTHON'
import csv, json, os, statistics, subprocess, sys

folder, work = sys.argv[1:]
program = os.environ["PRICETAG"]


def table(name):
    with open(os.path.join(folder, name), newline="") as file:
        return list(csv.DictReader(file))


def pricetag(*words):
    ran = subprocess.run([program, *words], capture_output=True, text=True, cwd=work)
    if ran.returncode != 0:
        sys.exit(f"pricetag {' '.join(words)}: {ran.stderr}")
    return json.loads(ran.stdout)


def write(name, rows):
    with open(os.path.join(work, name), "w", newline="") as file:
        out = csv.DictWriter(file, rows[0].keys())
        out.writeheader()
        out.writerows(rows)


def price_list(name, prices):
    write(name + ".csv", [{"feature": f, "ns": p} for f, p in prices])
    pricetag("--json", "platform", "import", name + ".csv", "--names", "feature", "--price", "ns", "-o", name + ".json")


def dataset(name, rows, cost):
    write(name + ".csv", rows)
    pricetag("--json", "import", name + ".csv", "--target", cost, "--unit", "ns", "--label", "file", "-o", name)


def applied(prices, data, *more):
    return pricetag("--json", "platform", "apply", prices + ".json", "--dataset", data, *more)


# Price lists: as measured, with the calls that the authors set by hand, and of the instructions that were really measured.
prices = table("prices.csv")
names = [row["mnemonic"] for row in prices]
for machine in ["lg", "lenovo", "mac"]:
    raw = [(row["mnemonic"], row[machine + "_ns"]) for row in prices]
    edited = [(row["mnemonic"], row[machine + "_edited_ns"] or row[machine + "_ns"]) for row in prices]
    price_list(machine + "_raw", raw)
    price_list(machine + "_edited", edited)
    price_list(machine + "_measured", [(r["mnemonic"], r[machine + "_ns"]) for r in prices if r["kind"] == "measured"])
price_list("instr_count", [(name, 1) for name in names])
price_list("bytes", [("bytes", 1)])
for machine in ["p1", "p2"]:
    price_list("fig6_" + machine, [(row["mnemonic"], row[machine + "_ns"]) for row in table("prices_fig6.csv")])

# Counts with times: the last row of a run and file is the one after warm-up.
counts = table("counts.csv")
times = {(row["run"], row["file"]): row["median_ns"] for row in table("times.csv")}
dataset("all", [{**row, "unused": 1} for row in counts], "unused")
for mode, run in [("xint", "X50"), ("compiled", "A1000")]:
    rows = [{**row, "time": times[run, row["file"]]} for row in counts if (run, row["file"]) in times]
    dataset(mode, [row for row in rows if int(row["bytes"]) >= 9000], "time")
    dataset(mode + "_every", rows, "time")
dataset("lzw", [{**row, "unused": 1} for row in table("counts_lzw.csv")], "unused")

found = {}
sums = {}
for machine in ["lg", "lenovo", "mac"]:
    for kind in ["raw", "edited"]:
        answer = applied(f"{machine}_{kind}", "all")
        sums[machine, kind] = {row["label"]: row["sum"] for row in answer["rows"]}
        for file, value in sums[machine, kind].items():
            found[f"sum_{machine}_{kind}_{file}_ns"] = value
found["used_opcodes"] = applied("lenovo_raw", "all")["priced"]
for kind in ["raw", "edited"]:
    for mode in ["xint", "compiled"]:
        factor = applied(f"lenovo_{kind}", mode, "--cost", "time")["factor"]
        found[f"R_lenovo_{kind}_{mode}_mean33"] = factor["mean"]
        found[f"R_lenovo_{kind}_{mode}_cv33"] = factor["variation"]
for mode in ["xint", "compiled"]:
    for kind, prices_of in [("edited", "lenovo_edited"), ("raw", "lenovo_raw"), ("instr_count", "instr_count"), ("bytes", "bytes")]:
        factor = applied(prices_of, mode, "--cost", "time")["factor"]
        found[f"onefile_{kind}_{mode}_median"] = factor["one_file_median"]
        found[f"onefile_{kind}_{mode}_max"] = factor["one_file_max"]
    every = {row["label"]: row for row in applied("lenovo_edited", mode + "_every", "--cost", "time")["rows"]}
    if mode == "xint":
        tiny = min(every, key=lambda file: next(int(r["bytes"]) for r in counts if r["file"] == file))
        found["R_lenovo_edited_xint_tiny33B"] = every[tiny]["factor"]
    else:
        found["R_lenovo_edited_compiled_j0"] = every["CBSE_j0.jpg"]["factor"]
        found["R_lenovo_edited_compiled_208.tar"] = every["208.tar"]["factor"]
measured = [float(r["median_ns"]) for r in table("times.csv") if r["run"] == "M1" and r["file"] == "CBSE_j0.jpg"]
found["mac_j0_measured_ns"] = statistics.median(measured[-34:])
predicted = sums["mac", "edited"]["CBSE_j0.jpg"] / found["R_lenovo_edited_compiled_j0"]
found["mac_j0_error_with_R_of_lenovo_edited"] = predicted / found["mac_j0_measured_ns"] - 1
for a, b in [("lg", "lenovo"), ("lg", "mac"), ("lenovo", "mac")]:
    ratios = [sums[a, "edited"][file] / sums[b, "edited"][file] for file in sums[a, "edited"]]
    found[f"sumratio_{a}_{b}_edited_mean36"] = statistics.mean(ratios)
    found[f"sumratio_{a}_{b}_edited_cv36"] = statistics.stdev(ratios) / statistics.mean(ratios)
    ratio = pricetag("--json", "platform", "diff", b + "_measured.json", a + "_measured.json")["prices"]
    found[f"priceratio_{a}_{b}_median{ratio['count']}"] = ratio["median"]
    found[f"logcorr_{a}_{b}"] = ratio["correlation"]
found["rank_counts"] = applied("lenovo_raw", "all")["rank"]
for machine in ["p1", "p2"]:
    for row in applied("fig6_" + machine, "lzw")["rows"]:
        found[f"lzw_{row['label']}_fig6_{machine}_ns"] = row["sum"]

wrong = 0
print("name | expected | found\n---|---|---")
for row in table("expected.csv"):
    expected, value = float(row["value"]), found.get(row["name"])
    kind, _, tolerance = row["tolerance"].partition(" ")
    allowed = 0 if kind == "exact" else float(tolerance) * (abs(expected) if kind == "rel" else 1)
    fits = value is not None and abs(value - expected) <= allowed
    wrong += not fits
    print(f"{row['name']} | {expected:.10g} | {'none' if value is None else format(value, '.10g')}{'' if fits else ' ✗'}")
print(f"\n{wrong} of {len(table('expected.csv'))} differ by more than their tolerance")
sys.exit(wrong > 0)
PYTHON
