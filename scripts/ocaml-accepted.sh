#!/usr/bin/env bash
# How much of other people's OCaml is accepted? Prints a row for each folder: files that `ocamlc` accepts alone (80 at most, in the order of their
# names, no tests), how many of these Pricetag types, and, with --refused, why the others are refused. With a price list it also tells how many
# of the accepted compute something as they are, and how many of those are predicted, as they are and with little fuel.
#   scripts/ocaml-accepted.sh [--refused] [--predict LIST] FOLDER ...
set -euo pipefail
pricetag=${PRICETAG:-${CARGO_TARGET_DIR:-target}/release/pricetag}
pricetag=$(realpath "$pricetag")
refused=no
if [ "${1:-}" = --refused ]; then refused=yes && shift; fi
list=
if [ "${1:-}" = --predict ]; then list=$(realpath "$2") && shift 2; fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ -z "$list" ]; then
    printf '| folder | files | accepted |\n|---|---|---|\n'
else
    printf '| folder | files | accepted | compute something | predicted |\n|---|---|---|---|---|\n'
fi
for folder in "$@"; do
    files=0 accepted=0 computing=0 predicted=0
    while IFS= read -r -d '' file; do
        [ "$files" -lt 80 ] || break
        [ -f "$file" ] || continue # a link to nothing
        cp "$file" "$scratch/program.ml"
        (cd "$scratch" && timeout 20 ocamlc -w -a -c program.ml) >/dev/null 2>&1 || continue
        files=$((files + 1))
        # What it computes is of no concern here: little fuel.
        code=0
        timeout 60 "$pricetag" ocaml count --fuel 1000 "$scratch/program.ml" </dev/null >/dev/null 2>"$scratch/told" || code=$?
        # 124 and above: it took too long (timeout), could not be run, or was ended by a signal.
        if [ "$code" -ge 124 ]; then
            [ "$refused" = no ] || echo "$file: ended with code $code" >&2
        elif grep -q -e 'in the program$' -e '^Error:' -e 'cannot read' "$scratch/told"; then
            [ "$refused" = no ] || echo "$file: $(grep -m 1 -e '^Error:' -e 'cannot read' "$scratch/told")" >&2
        else
            accepted=$((accepted + 1))
            [ -n "$list" ] || continue
            if timeout 60 "$pricetag" ocaml predict --fuel 100000000 "$list" "$scratch/program.ml" </dev/null >/dev/null 2>"$scratch/told"; then
                predicted=$((predicted + 1)) computing=$((computing + 1))
            elif ! grep -q 'computes anything' "$scratch/told"; then
                computing=$((computing + 1))
                [ "$refused" = no ] || echo "$file: not predicted: $(grep -v -e '^warning' -e '^ ' "$scratch/told" | head -n 2 | tr '\n' ' ')" >&2
            fi
        fi
    done < <(find "$folder" -name '*.ml' -not -ipath '*test*' -not -path '*/.git/*' -print0 | LC_ALL=C sort -z)
    echo "| $(basename "$folder") | $files | $accepted |${list:+ $computing | $predicted |}"
done
