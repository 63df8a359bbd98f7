#!/usr/bin/env bash
# Times the lasso path, its cross-validation and NNLS against glmnet, scikit-learn and R's nnls, all in one run on one
# thread and on the same generated counts, and prints one Markdown table.
# shellcheck source=scripts/bench-learning/peers.bash
source "$(dirname "${BASH_SOURCE[0]}")/peers.bash"
r_peers glmnet nnls
python_peers numpy==2.2.6 scikit-learn==1.7.2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

bench=$(example pricetag-regress bench_lasso)
"$bench" write "$folder"
"${pin[@]}" "$bench" run "$folder" >"$folder/ours"
"${pin[@]}" Rscript scripts/bench-learning/lasso.R "$folder" >"$folder/r"
"${pin[@]}" "$python" scripts/bench-learning/lasso.py "$folder" >"$folder/python"

# ROW NAME-OF-OURS FILE NAME-OF-PEER LABEL TARGET
row() {
    ours=$(awk -v n="$1" '$1 == n { print $2 }' "$folder/ours")
    peer=$(awk -v n="$3" '$1 == n { print $2 }' "$folder/$2" 2> /dev/null)
    what=$(awk -v n="$1" '$1 == n { $1 = $2 = ""; sub(/^ +/, ""); print }' "$folder/ours")
    theirs=$(awk -v n="$3" '$1 == n { $1 = $2 = ""; sub(/^ +/, ""); print }' "$folder/$2" 2> /dev/null)
    ratio=$(awk -v a="$ours" -v b="$peer" 'BEGIN { if (a > 0 && b != "") printf "%.1f", b / a }')
    echo "| $1 | $ours | $what | $4 | $peer | $theirs | $ratio | $5 |"
}
echo "| work | Pricetag, s | | peer | s | | ratio | target |"
echo "|---|---|---|---|---|---|---|---|"
for set in small large; do
    row $set-path r $set-default "glmnet, its defaults" "≥ 2"
    row $set-path r $set-grid "glmnet, all 100 λ at its tolerance" "≥ 2"
    row $set-path r $set-tight "glmnet at equal accuracy (1e-12)" "≥ 6"
    row $set-path python $set-lars "scikit-learn lars_path, standardising included" "> 1"
    row $set-cv r $set-cv "cv.glmnet, 10 folds" "≥ 3"
done
row small-nnls r small-nnls "R nnls" "≥ 4"
