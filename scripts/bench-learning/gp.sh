#!/usr/bin/env bash
# Benchmark of genetic programming: success and time on the six targets, and evaluation speed, as Markdown tables; beside
# it Operon (pyoperon).
#   scripts/bench-learning/gp.sh [SEEDS]
# shellcheck source=scripts/bench-learning/peers.bash
source "$(dirname "${BASH_SOURCE[0]}")/peers.bash"
seeds=${1:-20}
bench=$(example pricetag-evolve bench_gp)
"${pin[@]}" "$bench" "$seeds"
python_peers numpy==2.2.6 pyoperon==0.5.0
"${pin[@]}" "$python" scripts/bench-learning/gp.py
