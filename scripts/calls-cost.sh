#!/usr/bin/env bash
# What it costs to write every invocation down, beside JVMTI's own event for it. Prints a table.
#   scripts/calls-cost.sh [ROUNDS]
# Programs: subjects/calls/Calls.java, next to nothing but calls, and javac on one file of this repository. In each round every variant runs once; figures are medians.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rounds=${1:-5}
target=${CARGO_TARGET_DIR:-target}
work=$PWD/.cache/calls
export LC_ALL=C TIMEFORMAT=%R
[ -n "${CALLS_BUILT:-}" ] || cargo build -q --release -p pricetag-agent -p pricetag-cli
home=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.home = //p')
mkdir -p "$work/classes"
javac -d "$work/classes" subjects/calls/Calls.java
cc -O2 -shared -fPIC -o "$work/libentries.so" -I"$home/include" -I"$home/include/linux" subjects/agents/entries.c

agent() { # agent CALLS INCLUDE
    rm -rf "$work/trace" "$work/plans" "$work/events"
    printf '%s\n' mode=count "trace=$work/trace" "plans=$work/plans" "include=$2" >"$work/options"
    [ "$1" = no ] || echo "calls=$work/events" >>"$work/options"
    options=("-agentpath:$PWD/$target/release/libpricetag_agent.so=$work/options")
}
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

echo "| program | events | plain, s | counted, s | written, s | million events/s | bytes per event | JVMTI MethodEntry: events | s | million events/s |"
echo "|---|---|---|---|---|---|---|---|---|---|"
for program in calls javac; do
    case $program in
        calls) command=(-cp "$work/classes" Calls 400) include='Calls*' ;;
        javac) command=(-m jdk.compiler/com.sun.tools.javac.Main -d "$work/out" subjects/threads/Second.java) include='com.sun.tools.javac.**' ;;
    esac
    rm -f "$work"/times-*
    for ((round = 0; round < rounds; round++)); do
        for variant in plain counted written entries; do
            options=(-Dnothing)
            case $variant in
                counted) agent no "$include" ;;
                written) agent yes "$include" ;;
                entries) options=("-agentpath:$work/libentries.so=$work/entries") ;;
            esac
            { time java "${options[@]}" "${command[@]}" >/dev/null 2>"$work/err"; } 2>>"$work/times-$variant"
            case $variant in
                written) cp "$work/events" "$work/kept" && bytes=$(stat -c %s "$work/events") ;;
                entries) seen=$(sed -n 's/^entries //p' "$work/err") ;;
            esac
        done
    done
    "$target/release/pricetag" patterns "$work/kept" --json >"$work/patterns.json"
    events=$(grep -m 1 -o '"events": *[0-9]*' "$work/patterns.json" | grep -o '[0-9]*$')
    figures=()
    for variant in plain counted written entries; do figures+=("$(median <"$work/times-$variant")"); done
    awk -v p="$program" -v e="$events" -v y="$bytes" -v n="$seen" -v a="${figures[0]}" -v b="${figures[1]}" -v c="${figures[2]}" -v d="${figures[3]}" 'BEGIN {
        printf "| %s | %d | %.2f | %.2f | %.2f | %.1f | %.2f | %d | %.2f | %.2f |\n", p, e, a, b, c, e / c / 1e6, y / e, n, d, n / d / 1e6 }'
done
