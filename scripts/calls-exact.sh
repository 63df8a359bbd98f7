#!/usr/bin/env bash
# Are there as many events as invocations? Real programs run once with every invocation written down, then once more with the calls that leave them. Prints a table.
#   scripts/calls-exact.sh [PROGRAM ...]     names of scripts/attribution-programs.bash
# Compared method by method (crates/dev/testkit/examples/calls_exact.rs); fails where they differ.
# shellcheck disable=SC2034  # `given` and `inputs` are read by what is sourced
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/fetch-subjects.sh attribution
cache=$PWD/.cache/attribution work=$PWD/.cache/calls/exact inputs=3
given=$work/in
# shellcheck source=scripts/attribution-programs.bash
source scripts/attribution-programs.bash
target=$(realpath "${CARGO_TARGET_DIR:-target}")
profile=${CALLS_PROFILE:-release}
if [ -z "${CALLS_BUILT:-}" ]; then
    cargo build -q --release --locked -p pricetag-agent
    cargo build -q --release --locked -p pricetag-testkit --example calls_exact
fi
mkdir -p "$given" "$cache/out"
status=0

run() { # run PROGRAM WHICH: writes to $work/PROGRAM-WHICH
    local to=$work/$1-$2 words=() word input
    rm -rf "$to" && mkdir -p "$to"
    choose "$1" "$to"
    # shellcheck disable=SC2086  # a pattern
    input=$(printf '%s\n' $pattern | head -1)
    printf '%s\n' mode=count "trace=$to/trace" "plans=$to/plans" "calls=$to/events" "calls-which=$2" >"$to/options"
    for word in "${command[@]}"; do
        words+=("${word//\{\}/$input}")
        [ "$word" != java ] || words+=("-agentpath:$target/$profile/libpricetag_agent.so=$to/options")
    done
    "${words[@]}" >"$to/out" 2>"$to/err" || { tail -3 "$to/err" >&2 && echo "calls-exact: $1 failed" >&2 && return 1; }
    "$target/$profile/examples/calls_exact" "$to/trace" "$to/plans" "$to/events" "$1" >"$to/row" || status=1
}

echo "| program | threads | methods | events of counted methods | invocations | methods that differ | of native methods | with \`leaving\`: calls that leave | bytes per event |"
echo "|---|---|---|---|---|---|---|---|---|"
[ $# -gt 0 ] || set -- antlr4 ecj rhino saxon sat4j
for program in "$@"; do
    run "$program" all && run "$program" leaving || { status=1 && continue; }
    # The first run's figures, and of the second what leaves: the JDK's native methods are among it.
    awk -F' [|] ' 'NR == FNR { split($0, all, " [|] "); next } {
        printf "| %s | %s | %s | %s | %s | %s | %s | %d | %s |\n", substr(all[1], 3), all[2], all[3], all[4], all[5], all[6] + $6, all[7], $7 + $8 - all[7], substr(all[9], 1, 5) }' \
        "$work/$program-all/row" "$work/$program-leaving/row"
done
exit $status
