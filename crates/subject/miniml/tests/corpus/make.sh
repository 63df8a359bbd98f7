#!/usr/bin/env bash
# Freezes what the OCaml compiler says of every program here: principal types as `ocamlc -i` prints them. Needs OCaml 4.13 or later; the tests do not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
for program in *.ml; do
    ocamlc -i "$program" >"${program%.ml}.types"
done
ocamlc -version >version
