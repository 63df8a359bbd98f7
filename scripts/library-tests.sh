#!/usr/bin/env bash
# Runs the published test suites of real libraries without and with the counting agent: the same tests must pass, fail and be skipped.
#   scripts/library-tests.sh [LIBRARY ...]     commons-lang3, commons-collections4, commons-math3, commons-codec, commons-compress
# Library and tests are both counted. Results are compared per test class; a class that differs is run again both ways (some suites draw random
# numbers or depend on the clock), and only one that differs again is reported. Prints a Markdown table; status 1 on a difference.
# shellcheck source=scripts/with-agent.bash
source "$(dirname "${BASH_SOURCE[0]}")/with-agent.bash"
work=$PWD/.cache/library-tests
libraries=(commons-lang3 commons-collections4 commons-math3 commons-codec commons-compress)
[ $# = 0 ] || libraries=("$@")
scripts/fetch-subjects.sh subjects library-tests
built_agent
cargo build --release --locked -q -p pricetag-testkit --example trace_summary
console=$(find "$work" -name 'junit-platform-console-standalone-*.jar')

# Packages that are counted, and tests that are left out with the reason.
describe() { # describe LIBRARY: sets package, skip
    skip='^$'
    case $1 in
        commons-lang3) package=org.apache.commons.lang3 ;;
        commons-collections4) package=org.apache.commons.collections4 ;;
        commons-math3) package=org.apache.commons.math3 ;;
        # Encodes a gigabyte, more than the heap given here.
        commons-codec) package=org.apache.commons.codec skip='.*\.Base64Test#testCodec265' ;;
        commons-compress) package=org.apache.commons.compress ;;
        *) echo "library-tests: no library $1" >&2 && exit 2 ;;
    esac
}

tests() { # tests LIBRARY REPORT SELECTION... [-- JVM-OPTION...]: runs and writes a line per test class and outcome to REPORT
    local library=$1 report=$2 jar tests selection=() path
    shift 2
    while [ $# -gt 0 ] && [ "$1" != -- ]; do selection+=("$1") && shift; done
    [ $# = 0 ] || shift
    tests=$(find "$work" -name "$library-*-tests.jar")
    jar=$(find "$PWD/.cache/subjects" -name "$library-[0-9]*.jar" ! -name '*-sources.jar')
    path=$tests:$jar:$(find "$PWD/.cache/subjects" "$work" -maxdepth 1 -name '*.jar' ! -name '*-sources.jar' ! -name '*-tests.jar' ! -name 'junit-platform*' | LC_ALL=C sort | paste -sd:)
    rm -rf "$work/run" "$report.xml"
    mkdir -p "$work/run/src/test" "$report.xml"
    # Some tests read their data as files of the source tree.
    (cd "$work/run" && mkdir -p target/test-classes && unzip -q -o "$tests" -x '*.class' 'META-INF/*' -d src/test/resources && cp -r src/test/resources/. target/test-classes)
    (cd "$work/run" && java "$@" "${opens[@]}" -Xmx2g -XX:+UseSerialGC -Djava.awt.headless=true -Duser.language=en -Duser.country=US -jar "$console" execute \
        -cp "$path" "${selection[@]}" --exclude-methodname "$skip" --include-classname '.*Tests?$' --details=none --disable-banner --reports-dir "$report.xml" \
        >"$report.log" 2>&1) || true
    # A test case that is neither skipped nor failed nor broken has passed.
    cat "$report.xml"/TEST-*.xml | awk '
        function done() { if (class != "") count[class " " state]++ }
        /<testcase / { done(); match($0, /classname="[^"]*"/); class = substr($0, RSTART + 11, RLENGTH - 12); state = "passed" }
        /<skipped/ { state = "skipped" }
        /<failure/ { state = "failed" }
        /<error/ { state = "failed" }
        END { done(); for (key in count) print key, count[key] }' | LC_ALL=C sort >"$report"
    [ -s "$report" ] || { echo "library-tests: $library ran no tests: $(tail -c 800 "$report.log")" >&2 && exit 1; }
}

counted() { # counted LIBRARY REPORT SELECTION...: the same under the agent
    local library=$1 report=$2
    shift 2
    rm -rf "$report.trace" "$report.plans"
    printf 'mode=count\ntrace=%s\nplans=%s\ninclude=%s.**\n' "$report.trace" "$report.plans" "$package" >"$report.options"
    tests "$library" "$report" "$@" -- "-agentpath:$agent=$report.options" -XX:-DontCompileHugeMethods
    classes=$("$target/release/examples/trace_summary" "$report.trace" 2>/dev/null | sed -n 's/ counted classes//p')
    "$target/release/examples/trace_summary" "$report.trace" >"$report.summary" 2>&1
    rm -rf "$report.plans" "$report.trace"
}

total() { # total REPORT STATE
    awk -v state="$2" '$2 == state { n += $3 } END { print n + 0 }' "$1"
}

differing() { # differing PLAIN COUNTED: classes whose outcomes differ
    diff "$1" "$2" | sed -n 's/^[<>] \([^ ]*\) .*/\1/p' | LC_ALL=C sort -u
}

# What the libraries' own builds open for reflection; a test that is refused leaves state behind which fails all later ones.
opens=()
for name in java.lang java.lang.reflect java.util java.util.concurrent java.util.stream java.time java.time.chrono java.net java.text java.io; do
    opens+=("--add-opens=java.base/$name=ALL-UNNAMED")
done
status=0
echo "| library | passed plain / counted | failed plain / counted | skipped plain / counted | classes counted | test classes that differ |"
echo "|---|---|---|---|---|---|"
for library in "${libraries[@]}"; do
    describe "$library"
    tests "$library" "$work/$library.plain" "--scan-classpath=$(find "$work" -name "$library-*-tests.jar")"
    counted "$library" "$work/$library.counted" "--scan-classpath=$(find "$work" -name "$library-*-tests.jar")"
    all=$classes differ=()
    for class in $(differing "$work/$library.plain" "$work/$library.counted"); do
        tests "$library" "$work/again.plain" "--select-class=$class"
        counted "$library" "$work/again.counted" "--select-class=$class"
        if [ -n "$(differing "$work/again.plain" "$work/again.counted")" ]; then
            differ+=("$class")
            status=1
        fi
    done
    cells=""
    for state in passed failed skipped; do cells+=" $(total "$work/$library.plain" "$state") / $(total "$work/$library.counted" "$state") |"; done
    echo "| $library |$cells $all | ${differ[*]:-none} |"
done
exit "$status"
