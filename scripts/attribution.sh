#!/usr/bin/env bash
# Where does the time go: Pricetag's answer beside an independent profiler's, on programs that nobody tuned on.
#   scripts/attribution.sh [PROGRAM ...]
#   scripts/attribution.sh saxon@net.sf.saxon.Transform#processFile    inside that method only (`--scope`)
# Every program is mined as a user would (`pricetag mine --samples all --target cpu`), then run twice more over the same inputs under
# async-profiler (CPU, 1 ms). docs/attribution.md explains the table, which goes to .cache/attribution/table.md.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=${CARGO_TARGET_DIR:-target}
case $target in /*) ;; *) target=$PWD/$target ;; esac
pricetag=$target/release/pricetag
inputs=${ATTRIBUTION_INPUTS:-12}
export PRICETAG_CACHE=none

scripts/fetch-subjects.sh subjects attribution
[ -n "${ATTRIBUTION_BUILT:-}" ] || cargo build -q --release -p pricetag-testkit --example attribution
cache=$PWD/.cache/attribution
profiler=$cache/linux-x64/libasyncProfiler.so
[ -f "$profiler" ] || (cd "$cache" && unzip -qo async-profiler-*.jar 'linux-x64/*')
given=$cache/in
. scripts/attribution-programs.bash

programs=("$@")
[ $# -gt 0 ] || programs=("${every[@]}" "${fresh[@]}")
for program in "${programs[@]}"; do
    scope=()
    [ "${program#*@}" = "$program" ] || scope=("${program#*@}")
    work=$cache/runs/$program
    rm -rf "$work"
    mkdir -p "$work"
    choose "${program%%@*}" "$work"
    echo "attribution: $program" >&2
    "$pricetag" mine -o "$work/data" --report "$work/report.html" --samples all --target cpu --repeat 2 \
        "${scope[@]/#/--scope=}" --inputs "$pattern" -- "${command[@]}" >"$work/mine.txt" 2>"$work/mine.err" || { tail -3 "$work/mine.err" >&2 && continue; }
    "$pricetag" explain "$work/data/model.json" --json --limit 100000 >"$work/explained.json"
    for pass in a b; do
        number=0
        for input in $pattern; do
            number=$((number + 1))
            options="start,event=cpu,interval=1000000,threads,collapsed,file=$work/$pass-$number.collapsed"
            JAVA_TOOL_OPTIONS="-agentpath:$profiler=$options" \
                "${command[@]/\{\}/$input}" >/dev/null 2>&1 || true
        done
    done
    "$target/release/examples/attribution" "${program%%@*}" "$work" "${scope[@]}" >"$work/row.md"
    cat "$work/row.md"
done
table=$cache/table.md
"$target/release/examples/attribution" --header >"$table"
for program in "${programs[@]}"; do cat "$cache/runs/$program/row.md" >>"$table" 2>/dev/null || true; done
echo
cat "$table"
