#!/usr/bin/env bash
# How much of other people's OCaml is accepted? Prints a row for each folder: files that `ocamlc` accepts alone (80 at most, in the order of their
# names, no tests), how many of these Pricetag types, and, with --refused, why the others are refused.
#   scripts/ocaml-accepted.sh [--refused] FOLDER ...
set -euo pipefail
pricetag=${PRICETAG:-${CARGO_TARGET_DIR:-target}/release/pricetag}
pricetag=$(realpath "$pricetag")
refused=no
if [ "${1:-}" = --refused ]; then refused=yes && shift; fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
echo "| folder | files | accepted |"
echo "|---|---|---|"
for folder in "$@"; do
    files=0 accepted=0
    while IFS= read -r -d '' file; do
        [ "$files" -lt 80 ] || break
        cp "$file" "$scratch/program.ml"
        (cd "$scratch" && timeout 20 ocamlc -w -a -c program.ml) >/dev/null 2>&1 || continue
        files=$((files + 1))
        # What it computes is of no concern here: little fuel.
        timeout 60 "$pricetag" ocaml count --fuel 1000 "$scratch/program.ml" </dev/null >/dev/null 2>"$scratch/told" || true
        if grep -q 'in the program$' "$scratch/told" || [ "$(grep -c '^Error:' "$scratch/told")" != 0 ]; then
            [ "$refused" = no ] || echo "$file: $(grep -m 1 '^Error:' "$scratch/told")" >&2
        else
            accepted=$((accepted + 1))
        fi
    done < <(find "$folder" -name '*.ml' -not -ipath '*test*' -not -path '*/.git/*' -print0 | LC_ALL=C sort -z)
    echo "| $(basename "$folder") | $files | $accepted |"
done
