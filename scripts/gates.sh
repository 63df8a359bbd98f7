#!/usr/bin/env bash
# Does a gate alarm on unchanged code? Records a baseline of each suite, then checks the same build again and again. Prints a table; fails if a check alarms.
#   scripts/gates.sh [CHECKS [SUITE ...]]     40 checks of jmh (JMH's own samples), javac (on one source file), h2, json and rhino (subjects/bench)
# What an alarm said is kept in .cache/gates/alarms. A busy machine is welcome: counts must not depend on it.
# shellcheck source=scripts/with-agent.bash
source "$(dirname "${BASH_SOURCE[0]}")/with-agent.bash"
export PRICETAG_CACHE=none
checks=${1:-40}
shift || true
suites=("$@")
[ $# -gt 0 ] || suites=(jmh javac h2 json rhino)
scripts/fetch-subjects.sh subjects bench gates
if [ -z "${GATES_BUILT:-}" ]; then cargo build -q --release --locked -p pricetag-cli -p pricetag-agent; fi
pricetag=$target/release/pricetag
work=$PWD/.cache/gates
rm -rf "$work/alarms" "$work/out"
mkdir -p "$work/alarms" "$work/out" "$work/classes"
paths() { find "$@" -name '*.jar' ! -name 'org.jacoco*' ! -name '*-sources.jar' | LC_ALL=C sort | paste -sd:; }
jars=$(paths "$PWD/.cache/bench" "$PWD/.cache/subjects")
javac -g -nowarn -d "$work/classes" -cp "$jars" subjects/bench/*.java
sources=$PWD/.cache/subjects/src

describe() { # describe SUITE: sets `options` of `gate record`, and `command`
    options=()
    command=(java -Djava.awt.headless=true -cp "$work/classes:$jars" Bench "$1" "$sources/commons-math3-3.6.1" 0 1)
    case $1 in
        jmh)
            options=(--tests "$work/jmh-samples-1.37.jar" --include 'org.openjdk.jmh.samples.**')
            command=(java -cp "$(paths "$work" "$PWD/.cache/subjects")" org.openjdk.jmh.Main 'JMHSample_(01|03|09|11|24|34)' -f 0 -bm ss -wi 0 -i 1)
            ;;
        javac)
            options=(--include 'com.sun.tools.javac.**' --count-jdk)
            command=(javac -proc:none -nowarn -d "$work/out" -cp "$PWD/.cache/subjects/commons-lang3-3.14.0.jar"
                "$sources/commons-lang3-3.14.0/org/apache/commons/lang3/StringUtils.java")
            ;;
        h2) options=(--include 'org.h2.**') ;;
        json) options=(--include 'com.fasterxml.**') ;;
        rhino) options=(--include 'org.mozilla.**') ;;
    esac
}

status=0
echo "| suite | benchmarks | repeat | checks | alarms |"
echo "|---|---|---|---|---|"
for suite in "${suites[@]}"; do
    describe "$suite"
    baseline=$work/$suite.json alarms=0
    "$pricetag" --quiet --json gate record -o "$baseline" --force "${options[@]}" -- "${command[@]}" >"$work/$suite.recorded" 2>"$work/$suite.err" || {
        echo "gates: $suite: $(tail -2 "$work/$suite.err")" >&2
        status=1
        continue
    }
    for check in $(seq "$checks"); do
        "$pricetag" --quiet gate check "$baseline" -- "${command[@]}" >"$work/told" 2>&1 || {
            alarms=$((alarms + 1))
            status=1
            cp "$work/told" "$work/alarms/$suite-$check"
        }
    done
    python3 - "$baseline" "$suite" "$checks" "$alarms" <<'PYTHON'
import json, sys

benchmarks = json.load(open(sys.argv[1]))["benchmarks"].values()
repeat = sum(isinstance(b["instructions"], int) for b in benchmarks)
print(f"| {sys.argv[2]} | {len(benchmarks)} | {repeat} | {sys.argv[3]} | {sys.argv[4]} |")
PYTHON
done
exit $status
