#!/usr/bin/env bash
# Prices of OCaml's constructs on this machine: measures the training programs, the control programs and three sets of fresh ones (which judge a
# model that was settled before they were looked at), learns, compares.
#
#   scripts/measure-ocaml.sh           measures (some minutes; leave the machine alone) into subjects/ocaml/measurements/new, going on
#                                      there if it was interrupted; when all is measured, the samples replace those kept in
#                                      subjects/ocaml/measurements, and the tables are made
#   scripts/measure-ocaml.sh tables    makes the tables again from the samples kept: needs no OCaml
#   EFFORT=--fast scripts/measure-ocaml.sh
#                                      tries the whole way out in about two minutes and keeps nothing: neither samples nor tables
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
# Measures all five sets into a folder, going on with what is there.
measure() { # measure FOLDER [OPTION]
    "$PRICETAG" ocaml learn -o "$1/prices.json" --keep "$1/training" --resume ${2:-} >/dev/null
    "$PRICETAG" ocaml evaluate "$1/prices.json" --keep "$1/controls" --resume ${2:-} >/dev/null
    for set in fresh second third; do
        "$PRICETAG" ocaml evaluate "$1/prices.json" --controls "subjects/ocaml/$set" --keep "$1/$set" --resume ${2:-} >/dev/null
    done
    rm "$1/prices.json"
}
if [ -n "${EFFORT:-}" ]; then
    tried=$(mktemp -d)
    trap 'rm -rf "$tried"' EXIT
    measure "$tried" "$EFFORT"
    echo "measured with $EFFORT: the whole way works; nothing was kept"
    exit
fi
if [ "${1:-}" != tables ]; then
    new=$data/new
    mkdir -p "$new"
    measure "$new"
    for set in training controls fresh second third; do
        rm -rf "${data:?}/$set"
        mv "$new/$set" "$data"
    done
    rmdir "$new"
fi
"$PRICETAG" ocaml learn -o "$out/prices.json" --from "$data/training" >"$out/prices.txt"
"$PRICETAG" ocaml evaluate "$out/prices.json" --from "$data/controls" --plots "$out/plots" >"$out/evaluation.txt"
for set in fresh second third; do
    "$PRICETAG" ocaml evaluate "$out/prices.json" --controls "subjects/ocaml/$set" --from "$data/$set" >"$out/evaluation-$set.txt"
done
rm -f "$out/prices.json" # made again by the line above whenever it is needed
for table in "$out"/evaluation*.txt; do
    sed -n '1,/^$/p' "$table"
done
