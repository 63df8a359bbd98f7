#!/usr/bin/env bash
# Workloads of Lata's experiments: subjects/lata/workloads.sh PROGRAM CALLS [SEED], one call per line on standard output.
# The same seed gives the same bytes everywhere: the generator is Park and Miller's (1988), in exact double arithmetic.
set -euo pipefail
program=${1:?ThreeBlocks, FiveMethods, ControlFlow, ModExp, Sorting, Arithmetic or Mixed}
calls=${2:?how many calls}
seed=${3:-2016}
exec awk -v program="$program" -v calls="$calls" -v seed="$seed" '
    function draw(n) { # uniform in 0 .. n-1
        state = (state * 16807) % 2147483647
        return int(state / 2147483647 * n)
    }
    function exponent(  bits, e, k) { # few set bits: each costs 10 ms
        e = 0
        for (k = 0; k < 8; k++) if (draw(2)) e += 2 ^ (k * 3)
        return e + 2 ^ (draw(7) + 24)
    }
    BEGIN {
        state = seed
        for (k = 0; k < 20; k++) draw(2)
        for (c = 0; c < calls; c++) {
            if (program == "ThreeBlocks") print draw(100) + 1
            else if (program == "FiveMethods") print c % 6 + 1
            else if (program == "ControlFlow") print draw(12) + 1, draw(3), draw(4), draw(2), draw(3), draw(4)
            else if (program == "ModExp") print draw(1000) + 2, exponent(), draw(40000) + 3
            else if (program == "Sorting") print draw(10) + 1, draw(3), draw(6), draw(6), draw(2)
            else if (program == "Arithmetic") print draw(90000) + 1000, draw(900) + 1, draw(4000), draw(4000), draw(4000), draw(4000), draw(2000), draw(2000), draw(2000), draw(2000)
            else if (program == "Mixed") print draw(90000) + 1000, draw(900) + 1, draw(3000) + 500
            else { print "unknown program " program > "/dev/stderr"; exit 2 }
        }
    }'
