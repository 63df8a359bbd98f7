#!/usr/bin/env bash
# Validates a Palladio model with the Eclipse Modeling Framework against Palladio's own metamodels.
#   scripts/validate-pcm.sh METAMODELS [MODEL]
# METAMODELS is a folder with pcm.ecore and the four that it refers to (Palladio-Core-PCM, Palladio-Core-Commons); they are not part of this repository. MODEL is a folder that
# `pricetag services show --palladio` wrote; by default one is made from subjects/fileshare.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
metamodels=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
model=${2:+$(realpath "$2")}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ -z "${model:-}" ]; then
    cargo build -q -p pricetag-cli -p pricetag-agent
    mkdir "$scratch/classes"
    find subjects/fileshare -name '*.java' -exec javac -g -d "$scratch/classes" {} +
    pricetag=$PWD/target/debug/pricetag
    "$pricetag" services record --component 'fileshare.logic.**' --repeat 0 -o "$scratch/services" -- java -cp "$scratch/classes" fileshare.Main lzw many
    "$pricetag" services learn "$scratch/services" -o "$scratch/behaviour.json" -q >/dev/null
    "$pricetag" services show "$scratch/behaviour.json" -q --palladio "$scratch/model" >/dev/null
    model=$scratch/model
fi
scripts/fetch-subjects.sh palladio
java -cp '.cache/palladio/*' subjects/palladio/Validate.java "$metamodels" "$model"
