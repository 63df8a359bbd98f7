#!/usr/bin/env bash
# Selects N real source files as inputs for javac: subjects/javac/select.sh N DIRECTORY
#
# From the pinned source archives it takes the files that compile alone against their own jar, ordered by size, at even
# distances, so that the sample spans the sizes from a marker interface to thousands of lines. Deterministic.
# Without the archives (no network) it takes the conformance programs of this repository, which are few and small.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
count=${1:?how many files}
into=${2:?directory}
sources=${PRICETAG_SUBJECTS:-$PWD/.cache/subjects}/src
if [ ! -d "$sources" ]; then
    echo "select: $sources is missing: taking the conformance programs instead" >&2
    sources=subjects/conformance
fi
rm -rf "$into"
mkdir -p "$into"
# One file per simple name: javac wants the file named after its public class, and the directory is flat.
find "$sources" -name '*.java' ! -name package-info.java ! -name module-info.java -printf '%s %f %p\n' |
    LC_ALL=C sort -k2,2 -k3,3 | awk '!seen[$2]++' | LC_ALL=C sort -k1,1n -k2,2 |
    awk -v want="$count" '
        { path[NR] = $3 }
        END {
            if (want > NR) want = NR
            for (i = 0; i < want; i++) print path[int((i + 0.5) * NR / want) + 1]
        }' |
    while read -r file; do cp "$file" "$into/"; done
echo "$(find "$into" -name '*.java' | wc -l) source files in $into" >&2
