#!/usr/bin/env bash
# Prices of OCaml's constructs on this machine: measures the training and the control programs, learns, compares.
#
#   scripts/measure-ocaml.sh           measures (some minutes; leave the machine alone), keeps the raw samples in
#                                      subjects/ocaml/measurements, then makes the tables
#   scripts/measure-ocaml.sh tables    makes the tables again from the samples kept: needs no OCaml
#
# PRICETAG names the program; by default it is built here, optimised.
set -euo pipefail
cd "$(dirname "$0")/.."
data=subjects/ocaml/measurements
out=docs/ocaml
if [ -z "${PRICETAG:-}" ]; then
    cargo build --release --locked -p pricetag-cli
    PRICETAG=${CARGO_TARGET_DIR:-target}/release/pricetag
fi
mkdir -p "$data" "$out"
if [ "${1:-}" != tables ]; then
    rm -rf "$data/training" "$data/controls"
    "$PRICETAG" ocaml learn -o "$out/prices.json" --keep "$data/training" >/dev/null
    "$PRICETAG" ocaml evaluate "$out/prices.json" --keep "$data/controls" >/dev/null
fi
"$PRICETAG" ocaml learn -o "$out/prices.json" --from "$data/training" >"$out/prices.txt"
"$PRICETAG" ocaml evaluate "$out/prices.json" --from "$data/controls" --plots "$out/plots" >"$out/evaluation.txt"
rm -f "$out/prices.json" # made again by the line above whenever it is needed
sed -n '1,/^$/p' "$out/evaluation.txt"
