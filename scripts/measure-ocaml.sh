#!/usr/bin/env bash
# Prices of OCaml's constructs on this machine: measures the training programs, the control programs and the fresh ones (which judge a model
# that was settled before they were looked at), learns, compares.
#
#   scripts/measure-ocaml.sh           measures (some minutes; leave the machine alone) into subjects/ocaml/measurements/new, going on
#                                      there if it was interrupted; when all is measured, the samples replace those kept in
#                                      subjects/ocaml/measurements, and the tables are made
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
# EFFORT=--fast tries the whole way out in about two minutes; its samples are not worth keeping.
if [ "${1:-}" != tables ]; then
    new=$data/new
    "$PRICETAG" ocaml learn -o "$out/prices.json" --keep "$new/training" --resume ${EFFORT:-} >/dev/null
    "$PRICETAG" ocaml evaluate "$out/prices.json" --keep "$new/controls" --resume ${EFFORT:-} >/dev/null
    "$PRICETAG" ocaml evaluate "$out/prices.json" --controls subjects/ocaml/fresh --keep "$new/fresh" --resume ${EFFORT:-} >/dev/null
    rm -rf "$data/training" "$data/controls" "$data/fresh"
    mv "$new/training" "$new/controls" "$new/fresh" "$data"
    rmdir "$new"
fi
"$PRICETAG" ocaml learn -o "$out/prices.json" --from "$data/training" >"$out/prices.txt"
"$PRICETAG" ocaml evaluate "$out/prices.json" --from "$data/controls" --plots "$out/plots" >"$out/evaluation.txt"
"$PRICETAG" ocaml evaluate "$out/prices.json" --controls subjects/ocaml/fresh --from "$data/fresh" >"$out/evaluation-fresh.txt"
rm -f "$out/prices.json" # made again by the line above whenever it is needed
sed -n '1,/^$/p' "$out/evaluation.txt" "$out/evaluation-fresh.txt"
