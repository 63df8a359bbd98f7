#!/usr/bin/env bash
# Lata's experiments: records, fits and prints "paper | ours" as a Markdown table. Needs a built pricetag (make demo builds it).
#   scripts/lata.sh [PART]     PART restricts it to experiments whose name contains it
# LATA_SCALE=0.1 shortens every workload to a tenth, for a quick look.
# LATA_REPEAT=3 takes the median of three timing runs (1). LATA_WORK is where recordings go (.cache/lata).
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PRICETAG_CACHE=${PRICETAG_CACHE:-$PWD/.cache/classes}
part=${1:-}
scale=${LATA_SCALE:-1}
pricetag=${PRICETAG:-${CARGO_TARGET_DIR:-target}/release/pricetag}
work=${LATA_WORK:-.cache/lata}
# What the subjects sleep is exact by itself (Exactly.java); with the usual 50 µs of slack less of it would be asleep. Inherited by every run below.
if [ -w /proc/self/timerslack_ns ]; then echo 1 >/proc/self/timerslack_ns; fi
mkdir -p "$work/classes"
javac -g -d "$work/classes" subjects/lata/*.java

# record NAME PROGRAM SCOPE CALLS JVM-OPTIONS: leaves $work/NAME
record() {
    local name=$1 program=$2 scope=$3 calls=$4
    shift 4
    calls=$(awk -v n="$calls" -v s="$scale" 'BEGIN { n = int(n * s); print n < 24 ? 24 : n }')
    subjects/lata/workloads.sh "${workload:-$program}" "$calls" >"$work/$name.txt"
    "$pricetag" --quiet record -o "$work/$name" --force --repeat "${LATA_REPEAT:-1}" --warmup 0 --check-determinism none \
        --scope "$scope" --exclude Exactly -- java "$@" -cp "$work/classes" "$program" "$work/$name.txt" >&2
}

# prices NAME MODEL FIT-OPTIONS: fits and prints the price list
prices() {
    local name=$1 model=$2
    shift 2
    "$pricetag" --quiet fit "$work/$name" -o "$work/$model.json" --target wall --train 80% "$@" | tee "$work/$model.summary.txt"
}

section() {
    printf '\n## %s\n\n' "$1"
}

wanted() { [[ $1 == *"$part"* ]]; }

if wanted ThreeBlocks; then
    section "ThreeBlocks (2.1): prices of three blocks"
    echo "Paper, ms: block 1 0.2227 (sd 0.0149), block 2 0.00926 (sd 0.0004), block 3 1.2201 (sd 0.0057), over 800, 1600, 2400, 3200 inputs."
    for calls in 800 1600 2400 3200; do
        record "three-$calls" ThreeBlocks 'ThreeBlocks#worker' "$calls"
        echo; echo "### Ours, $calls calls"; echo; echo '```'
        prices "three-$calls" "three-$calls" --level block --method nnls
        echo '```'
    done
    echo; echo "### Fine-grained timing of the same program: eight fresh virtual machines, one call with 8 and one with 56 each"
    echo "Paper: block 1 0.34247 (sd 0.06613), block 2 first iteration about 0.33 and then about 0.001, block 3 1.09533 (sd 0.01053)."
    echo "Lines: block 1 is 15–18, block 2 is 21–25 (the last column has its first execution), block 3 is 28–31."
    printf '8\n56\n' >"$work/two.txt"
    echo; echo '```'
    "$pricetag" --quiet time-blocks --repeat 8 --method 'ThreeBlocks#worker' -- java -cp "$work/classes" ThreeBlocks "$work/two.txt"
    echo '```'
fi

if wanted FiveMethods; then
    section "FiveMethods (2.3.1): methods that sleep 1, 10, 500, 100, 0 ms"
    echo "Paper, ms: 1.131, 10.14, 500.2, 100.2, 0.02807."
    record five FiveMethods 'FiveMethods#run' 60
    echo; echo '```'; prices five five --level method --method nnls; echo '```'
fi

if wanted ControlFlow; then
    section "ControlFlow (2.3.3): a branch inside a method"
    echo "Paper, method level, ms: 21.3, 39.6, 500.6, 5.4, -0.9 (the first, third and fourth sleep 20, 500, 100; the second 5 or, with n > 6, 105)."
    record control ControlFlow 'ControlFlow#run' 90
    echo; echo "### Method level"; echo; echo '```'; prices control control-method --level method --method ols; echo '```'
    echo; echo "### Block level"; echo; echo '```'; prices control control-block --level block --method nnls; echo '```'
fi

if wanted ModExp; then
    section "ModExp (2.4.1): two blocks that always run together"
    echo "Paper, ms: block 1 0.01217, block 2 10.109, block 3 NA."
    record modexp ModExp 'ModExp#squareMultiply' 400
    echo; echo '```'; prices modexp modexp --level block --method nnls; echo '```'
fi

if wanted Sorting; then
    section "Sorting (3.1.1): sorting, writing a file, sleeping"
    echo "Paper, ms: bubbleSort 0.518, quickSort 0.0464, func7 20.10, func3 1.378, func6 20.21, func5 NA (with func4: 100.17)."
    record sorting Sorting 'Sorting#run' 200
    echo; echo "### Method level"; echo; echo '```'; prices sorting sorting-method --level method --method nnls; echo '```'
    echo; echo "### Block level"; echo; echo '```'; prices sorting sorting-block --level block; echo '```'
fi

if wanted Arithmetic; then
    section "Arithmetic (2.2.2): interpreter only"
    echo "Paper, ns: ADD 7.14, SUB 7.48, MUL 6.90, DIV 9.24; a mixed program predicted 0.07424 ms, measured 0.07612 ms."
    record arithmetic Arithmetic 'Arithmetic#run' 1000 -Xint
    echo; echo "### A round of each loop: the report's prices include the loop around the instruction"; echo; echo '```'
    prices arithmetic arithmetic-block --level block --method nnls
    echo '```'; echo; echo "### Opcodes"; echo; echo '```'
    prices arithmetic arithmetic --level opcode
    echo '```'
    workload=Mixed record mixed Arithmetic 'Arithmetic#mixed' 200 -Xint
    echo; echo "### The mixed loop, predicted from these prices"; echo; echo '```'
    "$pricetag" --quiet predict "$work/arithmetic.json" --dataset "$work/mixed" 2>/dev/null | head -30
    echo '```'
fi
