#!/usr/bin/env bash
# Freezes what OCaml says of every program here: verdict, values and output (`oracle/toplevel.ml`), and principal types as `ocamlc -i`
# prints them. Programs stand in a file one after the other, each after a line `(*** NAME ***)`. Needs OCaml 4.13 or later with its
# compiler libraries; the tests of the frozen answers do not. With arguments: only these files.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp ../oracle/toplevel.ml "$work"
(cd "$work" && ocamlc -w -a -I +compiler-libs -linkall ocamlcommon.cma ocamlbytecomp.cma ocamltoplevel.cma toplevel.ml -o toplevel)
[ $# -gt 0 ] || set -- *.ml
for file in "$@"; do
    name=${file%.ml}
    "$work/toplevel" "$file" >"$name.expected" 2>/dev/null
    # One file for each program, for the compiler.
    rm -rf "$work/split" && mkdir "$work/split"
    awk -v dir="$work/split" '/^\(\*\*\* .* \*\*\*\)$/ { n++; file = sprintf("%s/p%04d.ml", dir, n); name = substr($0, 6, length($0) - 10); print name > (file ".name"); next } { print > file }' "$file"
    : >"$name.types"
    for program in "$work"/split/*.ml; do
        if types=$(cd "$work/split" && ocamlc -w -a -i "$program" 2>/dev/null); then
            printf '(*** %s ***)\n%s\n' "$(cat "$program.name")" "$types" >>"$name.types"
        fi
    done
done
cd "$here" && ocamlc -version >version
