#!/usr/bin/env bash
# What it costs to write every invocation down, beside JVMTI's own event for it and a naive tracer (subjects/calls/NaiveTracer.java). Prints a table.
#   scripts/calls-cost.sh [ROUNDS [TURNS]]     5 rounds of 400 turns of Calls unless told otherwise
# Programs: subjects/calls/Calls.java, next to nothing but calls, and javac on one file of this repository. In each round every variant runs once; figures are medians over rounds.
# Seconds are of the whole process, its start included: time by the clock, and CPU time of all its threads, which a loaded machine hardly changes. MethodEntry tells the JDK's methods, too: it cannot be asked for some.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rounds=${1:-5} turns=${2:-400}
target=$(realpath "${CARGO_TARGET_DIR:-target}")
work=$PWD/.cache/calls
export LC_ALL=C TIMEFORMAT='%R %U %S'
[ -n "${CALLS_BUILT:-}" ] || cargo build -q --release -p pricetag-agent -p pricetag-cli
home=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.home = //p')
mkdir -p "$work/classes"
javac -d "$work/classes" subjects/calls/Calls.java
naive=$(find "${PRICETAG_TESTBED:-.cache/testbed}" -maxdepth 1 -name 'asm-9*.jar' | head -1)
[ -n "$naive" ] || { echo "calls-cost: the naive tracer needs ASM: run scripts/fetch-testbed.sh once" >&2 && exit 1; }
mkdir -p "$work/naive"
javac -cp "$naive" -d "$work/naive" subjects/calls/NaiveTracer.java
printf 'Premain-Class: NaiveTracer\nBoot-Class-Path: %s\n' "$(realpath "$naive")" >"$work/manifest"
jar cfm "$work/naive.jar" "$work/manifest" -C "$work/naive" .
cc -O2 -shared -fPIC -o "$work/libentries.so" -I"$home/include" -I"$home/include/linux" subjects/agents/entries.c

agent() { # agent CALLS INCLUDE
    rm -rf "$work/trace" "$work/plans" "$work/events"
    printf '%s\n' mode=count "trace=$work/trace" "plans=$work/plans" "include=$2" >"$work/options"
    [ "$1" = no ] || printf '%s\n' "calls=$work/events" "calls-which=$1" >>"$work/options"
    options=("-agentpath:$target/release/libpricetag_agent.so=$work/options")
}
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

echo "| program | variant | events | s | million events/s | CPU s | CPU ns per event beyond the plain run | bytes per event |"
echo "|---|---|---|---|---|---|---|---|"
for program in calls javac; do
    case $program in
        calls) command=(-cp "$work/classes" Calls "$turns") include='Calls*' prefix=Calls ;;
        javac) command=(-m jdk.compiler/com.sun.tools.javac.Main -d "$work/out" subjects/threads/Second.java) include='com.sun.tools.javac.**' prefix=com/sun/tools/javac ;;
    esac
    rm -f "$work"/times-* "$work"/seen-* "$work"/bytes-*
    for ((round = 0; round < rounds; round++)); do
        for variant in plain counted written leaving entries naive; do
            options=(-Dnothing)
            case $variant in
                counted) agent no "$include" ;;
                written) agent all "$include" ;;
                leaving) agent leaving "$include" ;;
                entries) options=("-agentpath:$work/libentries.so=$work/entries") ;;
                naive) options=("-javaagent:$work/naive.jar=$prefix,$work/traced") ;;
            esac
            { time java "${options[@]}" "${command[@]}" >/dev/null 2>"$work/err"; } 2>>"$work/times-$variant"
            case $variant in
                written | leaving)
                    "$target/release/pricetag" patterns "$work/events" --json >"$work/patterns.json"
                    sed -n '/"recorded"/,/}/p' "$work/patterns.json" | sed -n 's/.*"events": *\([0-9]*\).*/\1/p' >"$work/seen-$variant"
                    stat -c %s "$work/events" >"$work/bytes-$variant"
                    ;;
                entries) sed -n 's/^entries //p' "$work/err" >"$work/seen-entries" && stat -c %s "$work/entries" >"$work/bytes-entries" ;;
                naive) sed -n 's/^traced //p' "$work/err" >"$work/seen-naive" && stat -c %s "$work/traced" >"$work/bytes-naive" ;;
            esac
        done
    done
    for variant in plain counted written leaving naive entries; do
        case $variant in
            plain) name="as it is" ;;
            counted) name="counted" ;;
            written) name="every invocation written" ;;
            leaving) name="and what leaves" ;;
            naive) name="a naive tracer" ;;
            entries) name="JVMTI \`MethodEntry\`" ;;
        esac
        seconds=$(cut -d' ' -f1 "$work/times-$variant" | median)
        cpu=$(awk '{ print $2 + $3 }' "$work/times-$variant" | median)
        [ "$variant" != plain ] || plain=$cpu
        awk -v p="$program" -v n="$name" -v s="$seconds" -v c="$cpu" -v plain="$plain" -v e="$(cat "$work/seen-$variant" 2>/dev/null)" -v b="$(cat "$work/bytes-$variant" 2>/dev/null)" 'BEGIN {
            if (e == "") printf "| %s | %s | | %.2f | | %.2f | | |\n", p, n, s, c
            else printf "| %s | %s | %d | %.2f | %.2f | %.2f | %.0f | %.2f |\n", p, n, e, s, e / s / 1e6, c, (c - plain) / e * 1e9, b / e }'
    done
done
