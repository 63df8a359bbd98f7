#!/usr/bin/env python3
"""Do bounds tell which of two equivalent programs is faster? The pairs of subjects/ocaml that were measured to differ by more than 10 %, held against
`ocaml compare` for large sizes. Prints a row for each pair and their sums, for docs/bounds.md. Two minutes; nothing is measured.
  scripts/ocaml-pairs.py [PRICETAG]    # target/release/pricetag by default
"""

import json
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
pricetag = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else root / "target/release/pricetag").resolve()
subjects = root / "subjects/ocaml"


def ask(*words):
    """What a command answers in JSON; none if it fails."""
    done = subprocess.run([pricetag, "ocaml", *words, "--json"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def faster(program, other, measured):
    """Which one was measured to be faster at the largest size: the order is the same at all sizes that differ."""
    last = lambda name: measured[name][-1][1]
    return program if last(program) < last(other) else other


with tempfile.TemporaryDirectory() as scratch:
    prices = f"{scratch}/list.json"
    made = [pricetag, "ocaml", "learn", "-o", prices, "--from", subjects / "measurements/training"]
    subprocess.run(made, check=True, capture_output=True)
    sums = {}
    for kind in ["controls", "fresh", "second"]:
        held = ask("evaluate", prices, "--controls", subjects / kind, "--from", subjects / "measurements" / kind)
        mode = held["modes"]["extended"]
        measured = {p["name"]: [(row["size"], row["measured"]) for row in p["rows"]] for p in mode["programs"]}
        for pair in mode["rankings"]:
            if pair["apart"] == 0:
                continue
            names = pair["programs"]
            told = ask("compare", prices, *(f"{subjects / kind / name}.ml:run" for name in names))
            # The last range has no end: which program is faster from there on, none if both have the same bound.
            by_bounds = told["ranges"][-1][2] if told else None
            if told is None:
                outcome = "no bound"
            elif by_bounds is None:
                outcome = "the same"
            else:
                right = names[by_bounds] == faster(*names, measured)
                outcome = "right" if right else "wrong"
            sums[outcome] = sums.get(outcome, 0) + 1
            by_prediction = "all" if pair["right"] == pair["apart"] else "not all"
            print(f"{kind}: {names[0]}, {names[1]}: by bounds {outcome}; predictions are right at {by_prediction} sizes")
    print(", ".join(f"{outcome} {count}" for outcome, count in sorted(sums.items())))
