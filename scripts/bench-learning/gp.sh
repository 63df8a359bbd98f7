#!/bin/sh
# Benchmark of genetic programming: success and time on the six targets, and evaluation speed, as Markdown tables; beside
# it Operon (pyoperon), if PYTHON (default python3) has it: `pip install pyoperon numpy`.
#   scripts/bench-learning/gp.sh [SEEDS]
set -eu
cd "$(dirname "$0")/../.."
seeds=${1:-20}
python=${PYTHON:-python3}
export RAYON_NUM_THREADS=1 OMP_NUM_THREADS=1
pin=
command -v taskset > /dev/null && pin="taskset -c ${CORE:-1}"
cargo build --quiet --release -p pricetag-evolve --example bench_gp
$pin "${CARGO_TARGET_DIR:-target}/release/examples/bench_gp" "$seeds"
$pin "$python" scripts/bench-learning/gp.py || echo "no pyoperon: no peer" >&2
