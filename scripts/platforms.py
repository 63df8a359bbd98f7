#!/usr/bin/env python3
"""Judges price lists and moved predictions; called by platforms.sh.

  platforms.py repeat FIRST.json SECOND.json      how many times and prices of two lists of one platform agree within 5 %
  platforms.py evaluate WORK LISTS                errors of all routes for each program and platform in WORK, lists in LISTS

Every row of the table compares predictions of a model learnt on one platform with medians of the same calls measured on another. "nothing" predicts that
nothing changes, "one run" scales by one call measured there, "rerun" compares two recordings of one platform.
"""
import json
import math
import os
import re
import statistics
import subprocess
import sys

PROGRAM = os.environ["PRICETAG"]
# Sizes in Programs.java, and files that the case study compresses.
SIZES = 12
FILES = 33
PROGRAM_NOW = ""
# How names of lists begin.
MACHINE = os.environ.get("PLATFORMS_MACHINE", "")
MACHINE += "-" if MACHINE else ""


def pricetag(*words):
    ran = subprocess.run([PROGRAM, "--json", *words], capture_output=True, text=True)
    if ran.returncode != 0:
        print(f"<!-- {' '.join(words)}: {ran.stderr.strip()} -->")
        return None
    return json.loads(ran.stdout)


def repeat(first, second):
    lists = [json.load(open(path)) for path in (first, second)]
    for what, key in (("benchmarks", "ns"), ("prices", "ns")):
        values = [{x["name"]: x.get(key) for x in found[what]} for found in lists]
        off = sorted(
            (abs(math.log(values[1][name] / ns)), name)
            for name, ns in values[0].items()
            if ns and values[1].get(name)
        )
        within = sum(error <= math.log(1.05) for error, _ in off)
        median = statistics.median(error for error, _ in off)
        ninth = off[int(0.9 * (len(off) - 1))][0]
        print(
            f"{os.path.basename(first)} {what}: {within} of {len(off)} within 5 %, median {median:.1%}, 90th percentile {ninth:.1%}; "
            f"farthest {off[-1][1]} {off[-1][0]:.0%}; load {lists[0]['measuring']['load']} and {lists[1]['measuring']['load']}"
        )


def by_size(answer, key):
    """Median of a column over the calls of one size: labels are numbered, and programs take their sizes in turn."""
    found = {}
    sizes = FILES if PROGRAM_NOW in ("lzw", "blocks") else SIZES
    for row in answer["rows"]:
        number = int(re.search(r" #(\d+)", row["label"]).group(1))
        value = row.get(key)
        if value:
            found.setdefault((number - 1) % sizes, []).append(value)
    return {size: statistics.median(values) for size, values in found.items()}


def errors(predicted, measured):
    return [abs(predicted[k] / measured[k] - 1) for k in measured if k in predicted]


def told(found):
    if not found:
        return "–"
    found = sorted(found)
    return f"{statistics.median(found):.0%}/{found[int(0.9 * (len(found) - 1))]:.0%}"


def evaluate(work, lists):
    routes = ["auto", "ratio", "mixture", "sum", "paper"]
    table, sums = [], {}
    global PROGRAM_NOW
    for program in sorted(os.listdir(work)):
        PROGRAM_NOW = program
        here = os.path.join(work, program, "17")
        if not os.path.isfile(os.path.join(here, "meta.json")):
            continue
        model = os.path.join(here, "model.json")
        if not os.path.isfile(model):
            subprocess.run([PROGRAM, "--quiet", "fit", here, "--target", "cpu", "--train", "60%"], stdout=subprocess.DEVNULL, check=True)
        plain = pricetag("predict", model, "--dataset", here)
        nothing = by_size(plain, "value")
        for name in sorted(os.listdir(os.path.join(work, program))):
            there = os.path.join(work, program, name)
            if name == "17" or not os.path.isfile(os.path.join(there, "meta.json")):
                continue
            # The measured cost stands beside predictions of the same model on that dataset.
            measured = by_size(pricetag("predict", model, "--dataset", there), "measured")
            row = {"nothing": errors(nothing, measured)}
            middle = sorted(measured, key=measured.get)[len(measured) // 2]
            scale = measured[middle] / nothing[middle]
            row["one run"] = errors({k: v * scale for k, v in nothing.items() if k != middle}, measured)
            chosen = ""
            if name != "17again":
                target = os.path.join(lists, f"{MACHINE}jdk{name}.json")
                for route in routes:
                    moved = pricetag(
                        "predict", model, "--dataset", here, "--platform", target,
                        "--here", os.path.join(lists, f"{MACHINE}jdk17.json"), "--route", route,
                    )
                    if moved is None:
                        continue
                    row[route] = errors(by_size(moved, "value"), measured)
                    if route == "auto":
                        chosen = moved["moved"]["route"]
                        inside = [
                            low <= measured[label] <= high
                            for label, (low, high) in (
                                (k, v) for k, v in intervals(moved).items() if k in measured
                            )
                        ]
                        row["held"] = [sum(inside) / len(inside)] if inside else []
            table.append((program, name, chosen, row))
            kind = "rerun" if name == "17again" else name
            for column, found in row.items():
                sums.setdefault(kind, {}).setdefault(column, []).extend(found)
    columns = ["nothing", *routes, "one run"]
    print("| program | to | route | " + " | ".join(columns) + " | intervals held |")
    print("|---|---|---|" + "---|" * (len(columns) + 1))
    for program, name, chosen, row in table:
        held = f"{row['held'][0]:.0%}" if row.get("held") else "–"
        print(f"| {program} | {name} | {chosen} | " + " | ".join(told(row.get(c)) for c in columns) + f" | {held} |")
    for kind, row in sorted(sums.items()):
        held = f"{statistics.mean(row['held']):.0%}" if row.get("held") else "–"
        print(f"| **all** | {kind} | | " + " | ".join(told(row.get(c)) for c in columns) + f" | {held} |")


def intervals(answer):
    found = {}
    low, high = by_end(answer, 0), by_end(answer, 1)
    for label in low:
        found[label] = (low[label], high[label])
    return found


def by_end(answer, end):
    rows = [{"label": r["label"], "value": (r["interval"] or [None, None])[end]} for r in answer["rows"]]
    return by_size({"rows": rows}, "value")


if __name__ == "__main__":
    {"repeat": repeat, "evaluate": evaluate}[sys.argv[1]](*sys.argv[2:])
