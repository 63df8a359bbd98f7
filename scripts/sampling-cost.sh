#!/usr/bin/env bash
# What sampling costs a program: processor time of sampled runs over that of plain ones, in turns, on the programs of scripts/attribution.sh.
#   scripts/sampling-cost.sh [ROUNDS [PROGRAM ...]]
# Prints a row per program for docs/benchmarks.md: medians, and the least and the largest ratio of a round.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rounds=${1:-7}
shift || true
target=${CARGO_TARGET_DIR:-target}
inputs=1
scripts/fetch-subjects.sh subjects attribution >&2
cache=$PWD/.cache/attribution
given=$cache/in-1
. scripts/attribution-programs.bash
programs=("$@")
[ $# -gt 0 ] || programs=("${every[@]}")
all=$cache/cost
mkdir -p "$all"
TIMEFORMAT='%U %S'
export LC_ALL=C

echo "| program | plain, s of CPU | sampled | ratio | least and largest of a round |"
echo "|---|---|---|---|---|"
for program in "${programs[@]}"; do
    mkdir -p "$all/$program"
    choose "$program" "$all/$program"
    files=($pattern)
    run() { # run OPTIONS: user and system time of one run, in seconds
        { time JAVA_TOOL_OPTIONS=$1 "${command[@]/\{\}/${files[0]}}" >/dev/null 2>/dev/null || true; } 2>&1 | awk 'END { print $1 + $2 }'
    }
    printf 'mode=sample\ntrace=%s\n' "$all/$program/trace" >"$all/$program/options"
    sampled="-agentpath:$PWD/$target/release/libpricetag_agent.so=$all/$program/options"
    run "" >/dev/null
    for ((round = 0; round < rounds; round++)); do
        rm -f "$all/$program/trace"
        echo "$(run "") $(run "$sampled")"
    done | awk -v program="$program" '
        { plain[NR] = $1; with[NR] = $2; ratio[NR] = $2 / $1 }
        function middle(list, n,    i, j, t) {
            for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (list[j] < list[i]) { t = list[i]; list[i] = list[j]; list[j] = t }
            return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
        }
        END {
            m = middle(ratio, NR)
            printf "| %s | %.2f | %.2f | %.3f | %.2f–%.2f |\n", program, middle(plain, NR), middle(with, NR), m, ratio[1], ratio[NR]
        }'
done
