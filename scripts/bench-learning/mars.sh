#!/usr/bin/env bash
# MARS beside R's earth on the same data, one thread, full search: prints a Markdown table.
#   scripts/bench-learning/mars.sh [REPEATS]
# shellcheck source=scripts/bench-learning/peers.bash
source "$(dirname "${BASH_SOURCE[0]}")/peers.bash"
repeats=${1:-3}
r_peers earth
bench=$(example pricetag-regress bench_mars)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
script=scripts/bench-learning/mars.R

version=$(Rscript -e 'cat(as.character(packageVersion("earth")))')
echo "| rows × columns, degree, nk, thresh | weights | Pricetag | earth $version | ratio | GRSq, Pricetag | GRSq, earth |"
echo "|---|---|---|---|---|---|---|"

# rows columns degree nk threshold; earth's weighted search is only timed where it ends within minutes
while read -r rows columns degree places threshold weighted; do
    data="$work/$rows-$columns.csv"
    [ -f "$data" ] || Rscript "$script" make "$data" "$rows" "$columns" 1
    ours=$("${pin[@]}" "$bench" "$data" "$degree" "$places" "$threshold" "$repeats")
    for kind in unweighted weighted; do
        read -r _ seconds _ _ grsq < <(grep "^$kind" <<<"$ours")
        flag=$([ "$kind" = weighted ] && echo 1 || echo 0)
        if [ "$kind" = weighted ] && [ "$weighted" = no ]; then
            theirs="- - - -"
        else
            theirs=$("${pin[@]}" Rscript "$script" "time" "$data" "$degree" "$places" "$threshold" "$((flag ? 1 : repeats))" "$flag" 2>/dev/null)
        fi
        read -r peer _ _ peer_grsq <<<"$theirs"
        awk -v what="$rows × $columns, $degree, $places, $threshold" -v kind="$kind" -v a="$seconds" -v b="$peer" \
            -v ga="$grsq" -v gb="$peer_grsq" 'BEGIN {
                ratio = b == "-" ? "-" : sprintf("%.1f", b / a)
                peer = b == "-" ? "not run" : sprintf("%.3f s", b)
                printf "| %s | %s | %.3f s | %s | %s | %s | %s |\n", what, kind, a, peer, ratio, ga, gb
            }'
    done
done <<'CASES'
300 10 2 21 0.001 yes
3000 10 2 21 0.001 no
3000 10 2 100 0 no
20000 10 1 21 0.001 no
3000 50 2 60 0 no
CASES
