#!/usr/bin/env bash
# How often signals meet a thread at a call of the system that takes a known share of its time (docs/attribution.md).
# Usage: scripts/late-signals.sh [ROUNDS ...]; a round of computing is about a nanosecond. Takes a quarter of a minute each.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O1 -pthread -o "$work/late" subjects/attribution/late.c -lrt
[ $# -gt 0 ] || set -- 1500 4800 20000 50000
echo "load: $(cut -d' ' -f1 /proc/loadavg)"
echo "| rounds between calls | a call takes | told, a signal alone | told, a timer | delay of a signal |"
echo "|---|---|---|---|---|"
for rounds in "$@"; do
    printf '| %s ' "$rounds"
    "$work/late" "$rounds"
done
