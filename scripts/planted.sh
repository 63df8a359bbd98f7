#!/usr/bin/env bash
# Are planted costs found at their place, with their size? On real programs; docs/attribution/planted.md says after whom.
#   scripts/planted.sh [PROGRAM ...]
# A spin of known length goes into a block that is drawn at random, the program is mined as a user would, and the answer is held against the
# spin's own clock. docs/attribution/planted.md explains the tables, which go to .cache/attribution/planted/table.md.
# PLANTED_PLACES, PLANTED_INPUTS and PLANTED_REPEATS are how many places per program, inputs, and timing runs of each kind. PLANTED_SEED is the
# first place's number: above 1 the places are added to those that are there. PLANTED_JVM are further options of the JVM in all runs with the
# spin's class, such as "-XX:CompileCommand=quiet -XX:CompileCommand=dontinline,PlantedSpin::spin".
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=${CARGO_TARGET_DIR:-target}
pricetag=$PWD/$target/release/pricetag
planted=$PWD/$target/release/examples/planted
places=${PLANTED_PLACES:-10}
inputs=${PLANTED_INPUTS:-6}
repeats=${PLANTED_REPEATS:-3}
seed=${PLANTED_SEED:-1}
read -ra extra <<<"${PLANTED_JVM:-}"
shares=(0.05 0.20) # of the processor time of the program with the spin in it
export PRICETAG_CACHE=none LC_ALL=C TIMEFORMAT='%U %S'

[ -n "${PLANTED_BUILT:-}" ] || {
    scripts/fetch-subjects.sh attribution
    cargo build -q --release -p pricetag-testkit --example planted
}
cache=$PWD/.cache/attribution
given=$cache/in-$inputs
. scripts/attribution-programs.bash
all=$cache/planted
mkdir -p "$all/spin"
javac -d "$all/spin" subjects/attribution/PlantedSpin.java
round=$(java -cp "$all/spin" PlantedSpin)
echo "planted: a round takes $round ns" >&2

mine() { # mine FOLDER NAME COMMAND ...: `NAMEmethods.json` and `NAMEblocks.json` in the folder
    local folder=$1 name=$2
    shift 2
    "$pricetag" mine -o "$folder/${name}data" --report "$folder/${name}report.html" --force --samples all --target cpu --repeat 1 \
        --check-determinism none --method nnls --exclude PlantedSpin --exclude 'PlantedSpin$*' \
        --inputs "$pattern" -- "$@" >"$folder/${name}mine.txt" 2>"$folder/${name}mine.err" || return 1
    local by
    for by in method block; do
        "$pricetag" explain "$folder/${name}data/model.json" --by $by --json --limit 1000000 >"$folder/${name}${by}s.json"
    done
}
with() { # with JAR OPTION ...: the command in `changed`, with that jar and these options of the JVM
    local jar=$1 word
    shift
    changed=()
    for word in "${command[@]}"; do
        changed+=("${word//"$subject"/"$jar"}")
        [ "$word" = java ] && changed+=("${extra[@]}" "$@")
    done
    return 0
}
timed() { # timed INPUT: seconds, of the user and the system
    local input=$1
    with "$jar" "${@:2}"
    { time "${changed[@]/"{}"/$input}" >/dev/null 2>&1 || true; } 2>&1
}
measure() { # measure FOLDER: runs with the spin, without, and of nothing, in turn
    local repeat input size off
    rm -f "$1"/*/times
    for input in $pattern; do
        off=$({ time java -cp "$all/spin" PlantedSpin nothing; } 2>&1)
        for size in "${!shares[@]}"; do echo "start $(basename "$input") $off" >>"$1/$size/times"; done
    done
    for ((repeat = 0; repeat < repeats; repeat++)); do
        for input in $pattern; do
            off=$(timed "$input")
            for size in "${!shares[@]}"; do
                echo "off $(basename "$input") $off" >>"$1/$size/times"
                echo "on $(basename "$input") $(timed "$input" "-Dplanted.rounds=${lengths[$size]}")" >>"$1/$size/times"
            done
        done
    done
}

programs=("$@")
[ $# -gt 0 ] || programs=("${every[@]}")
for program in "${programs[@]}"; do
    work=$all/$program
    echo "planted: $program" >&2
    [ "$seed" -gt 1 ] && [ -s "$work/base-blocks.json" ] || rm -rf "$work"
    mkdir -p "$work"
    choose "$program" "$work"
    [ -s "$work/base-blocks.json" ] || mine "$work" base- "${command[@]}" || { tail -3 "$work/base-mine.err" >&2 && continue; }
    for ((number = seed; number < seed + places; number++)); do
        place=$work/$number
        jar=$place/planted.jar
        rm -rf "$place"
        mkdir -p "$place"
        "$planted" plant "$subject" "$jar" --from "$work/base-blocks.json" --spin "$all/spin" --round "$round" --seed "$number" \
            "${shares[@]}" >"$place/place.json" || continue
        read -ra lengths <<<"$("$planted" rounds "$place/place.json")"
        for size in "${!shares[@]}"; do
            mkdir -p "$place/$size"
            ln -s "$work"/base-{methods,blocks}.json "$place/$size/"
            with "$jar" "-Dplanted.rounds=${lengths[$size]}" "-Dplanted.ledger=$place/$size/ledger"
            mine "$place/$size" "" "${changed[@]}" || tail -3 "$place/$size/mine.err" >&2
        done
        measure "$place"
        for size in "${!shares[@]}"; do
            "$planted" compare "$program" "$place/place.json" "$size" "$place/$size" | tee "$place/$size/line" || true
        done
    done
done
find "$all" -name line -size +0 | sort -V | xargs "$planted" table | tee "$all/table.md"
