#!/usr/bin/env bash
# Freezes what native code allocates: words in the minor heap for every item of every program of the corpus, as `ocamlopt -inline 0`
# compiles it. Needs OCaml 4.13 or later without flambda; the tests do not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../corpus"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp ../oracle/allocation.ml "$work"
(cd "$work" && ocamlc -w -a -I +compiler-libs ocamlcommon.cma allocation.ml -o allocation)
[ $# -gt 0 ] || set -- *.ml
for file in "$@"; do
    name=${file%.ml}
    rm -rf "$work/split" && mkdir "$work/split"
    "$work/allocation" "$file" "$work/split"
    : >"$name.words"
    for program in "$work"/split/*.ml; do
        (cd "$work/split" && ocamlopt -w -a -inline 0 "$program" -o program 2>/dev/null) || continue
        printf '(*** %s ***)\n' "$(cat "$program.name")" >>"$name.words"
        { (ulimit -s unlimited; "$work/split/program" 2>&1 >/dev/null) || true; } | grep -E '^[0-9]+$' >>"$name.words" || true
    done
done
