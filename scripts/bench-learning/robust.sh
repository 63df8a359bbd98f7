#!/usr/bin/env bash
# Times L1, Huber and non-linear least squares against quantreg, MASS and R's nls, all in one run on one thread and on the
# same generated data, and prints one Markdown table.
# shellcheck source=scripts/bench-learning/peers.bash
source "$(dirname "${BASH_SOURCE[0]}")/peers.bash"
r_peers quantreg MASS
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

bench=$(example pricetag-regress bench_robust)
"$bench" write "$folder"
"${pin[@]}" "$bench" run "$folder" >"$folder/ours"
"${pin[@]}" Rscript scripts/bench-learning/robust.R "$folder" >"$folder/r"

# ROW NAME-OF-OURS NAME-OF-PEER LABEL
row() {
    ours=$(awk -v n="$1" '$1 == n { print $2 }' "$folder/ours")
    peer=$(awk -v n="$2" '$1 == n { print $2 }' "$folder/r")
    what=$(awk -v n="$1" '$1 == n { $1 = $2 = ""; sub(/^ +/, ""); print }' "$folder/ours")
    theirs=$(awk -v n="$2" '$1 == n { $1 = $2 = ""; sub(/^ +/, ""); print }' "$folder/r")
    ratio=$(awk -v a="$ours" -v b="$peer" 'BEGIN { if (a > 0 && b != "") printf "%.1f", b / a }')
    echo "| $1 | $ours | $what | $3 | $peer | $theirs | $ratio |"
}
echo "| work | Pricetag, s | | peer | s | | ratio |"
echo "|---|---|---|---|---|---|---|"
row l1 rq-br "quantreg, method br (exact)"
row l1 rq-fn "quantreg, method fn (interior point)"
row l1-non-negative rq-fnc "quantreg, method fnc (interior point)"
row huber rlm "MASS rlm, its tolerance 1e-4"
row huber rlm-tight "MASS rlm at 1e-12"
row nls nls "R nls"
