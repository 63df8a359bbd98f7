#!/usr/bin/env bash
# Least squares, backward elimination and streaming against R, one thread each, in one run; prints a Markdown table.
#   scripts/bench-learning/ols.sh [ROWS [STREAMED]]     default: 1000000 rows for lm, 10000000 rows streamed
# Times are seconds of wall clock and of processor.
# shellcheck source=scripts/bench-learning/peers.bash
source "$(dirname "${BASH_SOURCE[0]}")/peers.bash"
rows=${1:-1000000}
streamed=${2:-10000000}
r_peers
bench=$(example pricetag-regress bench_ols)
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-ols.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$bench" write "$work" "$rows"
{
    "${pin[@]}" "$bench" run "$work"
    "${pin[@]}" Rscript scripts/bench-learning/ols.R "$work" ols
    "${pin[@]}" Rscript scripts/bench-learning/ols.R "$work" step
} | tee "$work/log" >&2
"$bench" stream "$work" "$streamed" >/dev/null
stream=$("${pin[@]}" "$bench" stream "$work" "$streamed")
awk -v rows="$rows" '
    $1 == "ours" { wall[$2] = $3; cpu[$2] = $4 }
    $1 == "R" { rwall[$2] = $3; rcpu[$2] = $4 }
    $1 == "agree" { name = $2; $1 = $2 = ""; agree[name] = $0 }
    function line(key, what) {
        printf "| %s | %.3f (%.3f) | %.1f (%.1f) | %.0f× (%.0f×) |%s |\n", what, wall[key], cpu[key], rwall[key], rcpu[key],
            rwall[key] / wall[key], rcpu[key] / cpu[key], agree[key]
    }
    END {
        print "| work | Pricetag, s (processor) | R, s (processor) | ratio | difference |"
        print "|---|---|---|---|---|"
        line("ols", "least squares with summary, " rows " × 100")
        line("step", "backward elimination, 3840 × 126")
    }' "$work/log"
echo
echo "Streaming $streamed rows × 16 columns from Parquet ($(du -m "$work"/stream-*.parquet | cut -f1) MiB): $stream"
