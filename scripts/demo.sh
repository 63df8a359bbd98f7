#!/usr/bin/env bash
# The main job on a real program: what makes the JDK's own compiler take as long as it does?
# Mines javac over 40 real source files and leaves demo/report.html. Called by `make demo`, which builds first.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PRICETAG_CACHE=${PRICETAG_CACHE:-$PWD/.cache/classes}
target=${CARGO_TARGET_DIR:-target}
pricetag=${PRICETAG:-$target/release/pricetag}
files=${DEMO_FILES:-40}

scripts/fetch-subjects.sh || echo "demo: going on without the pinned sources" >&2
subjects/javac/select.sh "$files" .cache/javac-inputs/demo
classpath=$(find .cache/subjects -name '*.jar' ! -name '*-sources.jar' 2>/dev/null | LC_ALL=C sort | paste -sd: -)
rm -rf demo
mkdir -p demo/classes

"$pricetag" mine -o demo/data --report demo/report.html --repeat 2 \
    --inputs '.cache/javac-inputs/demo/*.java' \
    --include 'com.sun.tools.javac.**' \
    -- javac -nowarn -proc:none -d demo/classes -cp "${classpath:-.}" '{}'

echo "demo: the report is demo/report.html" >&2
