#!/usr/bin/env bash
# Price lists of all JDKs of the testbed, and how well predictions move between them.
#   scripts/platforms.sh lists [NAME …]         writes docs/platforms/*.json (--fast; PLATFORMS_FULL=1 for full lists; PLATFORMS_MACHINE=NAME begins their names, also in the other steps)
#   scripts/platforms.sh repeat                 measures two of them again: how many prices and times agree within 5 %
#   scripts/platforms.sh evaluate [PROGRAM …]   records subjects/platform and the case study's compressors on each platform and judges all routes (Markdown)
# Wants a quiet machine, the testbed (scripts/fetch-testbed.sh) and Python 3. PLATFORMS_WORK is where recordings go (.cache/platforms).
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PRICETAG=${PRICETAG:-${CARGO_TARGET_DIR:-target}/release/pricetag}
testbed=${PRICETAG_TESTBED:-$PWD/.cache/testbed}
work=${PLATFORMS_WORK:-.cache/platforms}
fast=--fast
[ -z "${PLATFORMS_FULL:-}" ] || fast=
step=${1:-evaluate}
[ $# = 0 ] || shift
mkdir -p "$work" docs/platforms

# platform NAME: sets java and flags
platform() {
    java=$testbed/runtime-${1%%-*}/bin/java
    flags=(-XX:+UseSerialGC)
    case $1 in
        *-c1) flags+=(-XX:TieredStopAtLevel=1) ;;
        *-int) flags+=(-Xint) ;;
        *-g1) flags=(-XX:+UseG1GC) ;;
        *-parallel) flags=(-XX:+UseParallelGC) ;;
    esac
}

all="17 17-c1 17-int 17-g1 17-parallel 11 21 25 11-c1 21-c1 25-c1 11-int 21-int 25-int 25-g1 25-parallel 11-g1 21-g1 11-parallel 21-parallel"

case $step in
    lists)
        for name in ${*:-$all}; do
            list=docs/platforms/${PLATFORMS_MACHINE:+$PLATFORMS_MACHINE-}jdk$name.json
            [ -f "$list" ] && continue
            platform "$name"
            "$PRICETAG" platform measure $fast -o "$list" -- "$java" "${flags[@]}"
        done
        ;;
    repeat)
        for name in ${*:-17 17-int}; do
            platform "$name"
            "$PRICETAG" platform measure $fast -o "$work/again-$name.json" -- "$java" "${flags[@]}"
            python3 scripts/platforms.py repeat "docs/platforms/${PLATFORMS_MACHINE:+$PLATFORMS_MACHINE-}jdk$name.json" "$work/again-$name.json"
        done
        ;;
    evaluate)
        mkdir -p "$work/classes"
        javac --release 11 -g -d "$work/classes" subjects/platform/Programs.java $(find subjects/fileshare -name '*.java')
        rounds=${PLATFORMS_ROUNDS:-12}
        for program in ${*:-matrix words bytes queens logs objects lzw blocks}; do
            scope='Programs#work'
            main=(Programs "$program")
            case $program in
                lzw) scope='fileshare.compress.Lzw#compress' main=(fileshare.Main lzw compress) ;;
                blocks) scope='fileshare.compress.Blocks#compress' main=(fileshare.Main blocks compress) ;;
            esac
            for name in ${PLATFORMS:-17 17again 11 21 25 17-c1 17-g1 17-int}; do
                data=$work/$program/$name
                [ -f "$data/meta.json" ] && continue
                rm -rf "$data"
                platform "${name%again}"
                mine=$rounds
                [[ $name != *-int ]] || mine=3
                "$PRICETAG" --quiet record -o "$data" --scope "$scope" --repeat 3 --samples off --check-determinism none \
                    -- "$java" "${flags[@]}" -cp "$work/classes" "${main[@]}" "$mine" >&2
            done
        done
        python3 scripts/platforms.py evaluate "$work" docs/platforms
        ;;
    *) sed -n '2,6p' "$0" ;;
esac
