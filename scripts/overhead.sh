#!/usr/bin/env bash
# What counting costs: the same program without and with the counting agent, strictly alternating, as a Markdown table of whole-process ratios.
#   scripts/overhead.sh [PAIRS]     15 pairs unless told otherwise
# Both sides run with -XX:-DontCompileHugeMethods, as pricetag itself runs them. A ratio is the median over pairs of (counted / plain); the
# range in brackets is the pairs' interquartile range. CPU is user + system time of the whole process: compilers, collector and class loading included.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
pairs=${1:-15}
agent=$PWD/${CARGO_TARGET_DIR:-target}/release/libpricetag_agent.so
work=$PWD/.cache/overhead
scripts/fetch-subjects.sh
mkdir -p "$work/classes" "$work/out"

classpath=$(find "$PWD/.cache/subjects" -name '*.jar' ! -name '*-sources.jar' | LC_ALL=C sort | paste -sd:)
javac -g -nowarn -d "$work/classes" -cp "$classpath" subjects/compress/*.java
[ -f "$work/corpus/list.txt" ] || java -cp "$work/classes" Corpus "$work/corpus" .cache/subjects/src .cache/subjects >&2
sed -n '1~6p' "$work/corpus/list.txt" >"$work/some.txt"
find .cache/subjects/src/commons-math3-3.6.1/org/apache/commons/math3/{linear,util,analysis} -name '*.java' | LC_ALL=C sort >"$work/sources.txt"
one=$(find .cache/subjects/src/commons-lang3-3.14.0 -name StringUtils.java)

agent_option() { # agent_option NAME INCLUDE...: writes options for a counting run and prints the JVM option
    local name=$1 options=$work/$1.options
    shift
    mkdir -p "$work/plans"
    {
        printf 'mode=count\ntrace=%s\nplans=%s\n' "$work/$name.trace" "$work/plans"
        for pattern in "$@"; do printf 'include=%s\n' "$pattern"; done
    } >"$options"
    echo "-agentpath:$agent=$options"
}

timed() { # timed COMMAND...: prints "cpu wall" in seconds
    local TIMEFORMAT='%U %S %R' figures
    figures=$({ time "$@" >/dev/null 2>&1; } 2>&1)
    awk '{ print $1 + $2, $3 }' <<<"$figures"
}

row() { # row NAME LAUNCHER-PREFIX INCLUDES COMMAND...: one line of the table; PREFIX is -J for JDK tools
    local name=$1 prefix=$2 includes=$3
    shift 3
    local program=$1 option
    shift
    # shellcheck disable=SC2086 # several patterns
    option=$(agent_option "$name" $includes)
    for ((i = 0; i < pairs; i++)); do
        rm -f "$work/$name.trace"
        echo "$(timed "$program" "$prefix-XX:-DontCompileHugeMethods" "$@") $(
            timed "$program" "$prefix$option" "$prefix-XX:-DontCompileHugeMethods" "$@")"
    done | awk -v name="$name" '
        { plain[NR] = $1; cpu[NR] = $3 / $1; wall[NR] = $4 / $2 }
        function at(a, q,    i, j, t, b) {
            for (i = 1; i <= NR; i++) b[i] = a[i]
            for (i = 2; i <= NR; i++) { t = b[i]; for (j = i - 1; j > 0 && b[j] > t; j--) b[j + 1] = b[j]; b[j + 1] = t }
            return b[int(q * (NR - 1) + 0.5) + 1]
        }
        END { printf "| %s | %.2f s | %.2f [%.2f–%.2f] | %.2f [%.2f–%.2f] |\n", name, at(plain, 0.5),
              at(cpu, 0.5), at(cpu, 0.25), at(cpu, 0.75), at(wall, 0.5), at(wall, 0.25), at(wall, 0.75) }'
    [ -s "$work/$name.trace" ] || { echo "overhead: $name left no trace: it was not counted" >&2; exit 1; }
}

echo "| program ($pairs pairs) | plain CPU | counted / plain, CPU | counted / plain, wall |"
echo "|---|---|---|---|"
row bzip2 '' 'org.apache.commons.compress.** Driver' java -Xmx1g -XX:+UseSerialGC -cp "$work/classes:$classpath" Driver bzip2 "$work/some.txt"
row snappy '' 'org.apache.commons.compress.** Driver' java -Xmx1g -XX:+UseSerialGC -cp "$work/classes:$classpath" Driver snappy "$work/some.txt"
row javac-many -J 'com.sun.tools.javac.**' javac -J-XX:+UseSerialGC -nowarn -proc:none -d "$work/out" -cp "$classpath" @"$work/sources.txt"
row javac-one -J 'com.sun.tools.javac.**' javac -J-XX:+UseSerialGC -nowarn -proc:none -d "$work/out" -cp "$classpath" "$one"
