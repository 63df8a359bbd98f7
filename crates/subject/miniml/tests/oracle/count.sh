#!/usr/bin/env bash
# Freezes the paper's constructs of the corpus's programs as `count.ml` counts them on OCaml's typed tree. Needs OCaml 4.13 (its typed tree
# differs between versions); the tests do not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../corpus"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp ../oracle/count.ml "$work"
(cd "$work" && ocamlopt -w -a -I +compiler-libs ocamlcommon.cmxa count.ml -o count)
[ $# -gt 0 ] || set -- lists.ml arithmetic.ml order.ml data.ml whole.ml
for file in "$@"; do
    # Programs it cannot interpret are left out.
    "$work/count" "$file" ../../src/library.ml >"${file%.ml}.counts" 2>/dev/null
done
