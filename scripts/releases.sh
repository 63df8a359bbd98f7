#!/usr/bin/env bash
# What did a release of a library change? Records one program with two releases of each of three libraries (subjects/releases.lock) and prints what `diff` says.
#   scripts/releases.sh [LIBRARY ...]     commons-codec, commons-lang3 and jsoup
# The answers are kept in .cache/releases/LIBRARY.txt. Counts do not depend on the machine; of times none are told.
# shellcheck source=scripts/with-agent.bash
source "$(dirname "${BASH_SOURCE[0]}")/with-agent.bash"
export PRICETAG_CACHE=none
libraries=("$@")
[ $# -gt 0 ] || libraries=(commons-codec commons-lang3 jsoup)
scripts/fetch-subjects.sh releases
if [ -z "${RELEASES_PRICETAG:-}" ]; then cargo build -q --release --locked -p pricetag-cli -p pricetag-agent; fi
pricetag=${RELEASES_PRICETAG:-$target/release/pricetag}
work=$PWD/.cache/releases
mkdir -p "$work/in" "$work/classes"
names="Anderson Bauer Christiansen Delacroix Eriksen Fernandez Grossmann Hernandez Ivanchenko Jankowski Kaufmann Lehmann Martinelli Nakamura Ostermann Petersen Quintana Rosenberg Steinhauer Tannenbaum"
for times in 1 2 4 8 16; do
    for _ in $(seq "$times"); do echo "$names"; done >"$work/in/$(printf %02d "$times")"
done

describe() { # describe LIBRARY: sets `before`, `after`, `program`, `packages`
    case $1 in
        commons-codec) before=1.8 after=1.9 program=Names packages='org.apache.commons.codec.**' ;;
        commons-lang3) before=3.6 after=3.7 program=Replaces packages='org.apache.commons.lang3.**' ;;
        jsoup) before=1.18.3 after=1.19.1 program=Selects packages='org.jsoup.**' ;;
        *) echo "releases: there is no library $1" >&2 && exit 2 ;;
    esac
}

for library in "${libraries[@]}"; do
    describe "$library"
    for release in "$before" "$after"; do
        jar=$work/$library-$release.jar
        javac -nowarn -d "$work/classes" -cp "$jar" "subjects/releases/$program.java"
        "$pricetag" --quiet record -o "$work/$library-$release" --force --repeat 1 --samples off --include "$packages" \
            --inputs "$work/in/*" -- java -cp "$work/classes:$jar" "$program" '{}'
    done
    echo "== $library $before → $after"
    "$pricetag" diff "$work/$library-$before" "$work/$library-$after" --limit 8 | tee "$work/$library.txt"
done
