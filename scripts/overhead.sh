#!/usr/bin/env bash
# What counting costs: eleven real programs without probes, with Pricetag's exact counters, with JaCoCo's agent and with naive counters per
# basic block, strictly alternating. Prints Markdown tables; every run is a JSON line in .cache/overhead/runs-*.jsonl.
#   scripts/overhead.sh [PAIRS] [PROGRAM ...]     15 rounds of all programs unless told otherwise
#   scripts/overhead.sh table                     the tables of what was measured so far
# A program's earlier runs are replaced. About 30 s a round and program on an idle machine: 11 programs in 15 rounds take an hour and a half.
#   OVERHEAD_HUGE=skipped      leave methods over 8,000 bytes to the interpreter, as the JVM does by itself; `compiled` is the default and
#                              what pricetag itself chooses (-XX:-DontCompileHugeMethods)
#   OVERHEAD_VARIANTS          some of "plain pricetag recorded budget jacoco naive atomic threadlocal"; `recorded` is pricetag as `record` runs what is only counted:
#                              after a plain and two counted runs that do not count here, by whose length the JVM gets its options and whose rewritten classes are taken
#                              (docs/decisions/021-late-optimising.md, 023-kept-classes.md). `budget` is what `record --overhead` leaves, by which it is preceded: some minutes; `said` in its folder tells what each comparison showed
#   OVERHEAD_BUDGET            how much `budget` may cost: 5%
#   OVERHEAD_FITTED=1          `budget` is what an earlier measurement was left with
#   OVERHEAD_TOGETHER=1        `plain budget` or `plain recorded` at the same time, as `record --overhead --jobs 2` compares its runs, in tables of their own: what
#                              disturbs one disturbs the other. Wall time says little
#   OVERHEAD_ALTERNATIVES=1    where counters could live (docs/decisions/001-exact-counting.md), in tables of their own:
#                              plain, pricetag, and naive counters in one shared array, in atomics and in an array per thread
#   OVERHEAD_OPTIONS           further lines for the agent's options file
#   OVERHEAD_JVM               further options for the JVM in all variants: -Xbatch makes the compilers finish in time on a loaded machine
# Steady state is the median CPU time of the iterations behind the warm-up, of the threads that do the work; whole process is user + system
# time with compilers, collector, class loading and warm-up. A ratio is the median over rounds of (variant / plain) in the same round.
# shellcheck source=scripts/with-agent.bash
source "$(dirname "${BASH_SOURCE[0]}")/with-agent.bash"
work=$PWD/.cache/overhead
huge=${OVERHEAD_HUGE:-compiled}
alternatives=${OVERHEAD_ALTERNATIVES:+-alternatives}
if [ -n "$alternatives" ]; then variants="plain pricetag naive atomic threadlocal"; else variants="plain pricetag recorded jacoco naive"; fi
variants=${OVERHEAD_VARIANTS:-$variants}
all="bzip2 xz lzw h2 lucene-index lucene-search javac imagej rhino json http"
case $variants in *budget*) budgeted=-budget ;; *) budgeted="" ;; esac
together=${OVERHEAD_TOGETHER:+-together}
results=$work/runs-$huge$alternatives$budgeted$together.jsonl

die() {
    echo "overhead: $*" >&2
    exit 1
}

tables() {
    cargo build --release --locked -q -p pricetag-quantity --example ratios
    for file in "$work"/runs-*.jsonl; do
        [ -s "$file" ] || continue
        "$target/release/examples/ratios" "$file"
    done
}

if [ "${1:-}" = table ]; then
    tables
    exit
fi
pairs=15
case ${1:-} in [0-9]*)
    pairs=$1
    shift
    ;;
esac
programs=${*:-$all}
case $huge in
    compiled) huge_option=-XX:-DontCompileHugeMethods ;;
    skipped) huge_option=-XX:+DontCompileHugeMethods ;;
    *) die "OVERHEAD_HUGE is compiled or skipped, not $huge" ;;
esac

# What is under test in each program: package or class names, iterations before and while timing.
describe() { # describe PROGRAM: sets packages, classes, modules, warm, timed
    packages="" classes="" modules="" warm=12 timed=9
    case $1 in
        bzip2) packages=org.apache.commons.compress ;;
        xz) packages=org.tukaani.xz ;;
        lzw) classes=LzwProgram ;;
        h2) packages=org.h2 warm=25 ;;
        lucene-*) packages=org.apache.lucene warm=40 ;;
        javac) packages=com.sun.tools.javac modules=jdk.compiler warm=20 timed=7 ;;
        imagej) packages=ij ;;
        rhino) packages=org.mozilla warm=25 ;;
        json) packages=com.fasterxml.jackson warm=30 ;;
        http) packages="com.fasterxml.jackson sun.net.httpserver com.sun.net.httpserver" classes=HttpProgram modules=jdk.httpserver warm=20 ;;
        *) die "no program named $1 (known: $all)" ;;
    esac
}

prepare() {
    # Two measurements at once would spoil each other, and share their files.
    mkdir -p "$work"
    exec 9>"$work/lock"
    flock -n 9 || die "another measurement is running"
    scripts/fetch-subjects.sh subjects bench
    built_agent
    cargo build --release --locked -q -p pricetag-instrument --example naive
    cargo build --release --locked -q -p pricetag-testkit --example trace_summary
    rm -rf "$work/classes" "$work/helper" "$work/unpacked" "$work"/naive-*
    mkdir -p "$work/classes" "$work/helper" "$work/unpacked" "$work/plans" "$work/log"
    jars=$(find "$PWD/.cache/bench" -name '*.jar' ! -name 'org.jacoco*' | LC_ALL=C sort | paste -sd:)
    for name in compress io codec lang3; do
        jars+=:$(find "$PWD/.cache/subjects" -name "commons-$name-[0-9]*.jar" ! -name '*-sources.jar')
    done
    jacoco=$(find "$PWD/.cache/bench" -name 'org.jacoco.agent-*-runtime.jar')
    javac -g -nowarn -d "$work/classes" -cp "$jars" subjects/bench/*.java
    javac -g -d "$work/helper" subjects/bench/naive/NaiveCounters.java
    local jar IFS=:
    for jar in $jars; do unzip -q -o "$jar" '*.class' -x 'META-INF/*' -d "$work/unpacked/all" 2>/dev/null || true; done
}

extract() { # extract PROGRAM: the classes under test, as they are
    local package class module in=$work/unpacked/$1 path home
    mkdir -p "$in/path"
    for package in $packages; do
        path=${package//./\/}
        if [ -d "$work/unpacked/all/$path" ]; then
            mkdir -p "$in/path/$path"
            cp -r "$work/unpacked/all/$path/." "$in/path/$path"
        fi
    done
    for class in $classes; do cp "$work/classes/$class"*.class "$in/path"; done
    home=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.home = //p')
    for module in $modules; do
        for package in $packages; do
            "$home/bin/jimage" extract --dir "$in" --include "regex:/$module/${package//./\/}/.*" "$home/lib/modules"
        done
    done
}

naive_classes() { # naive_classes PROGRAM VARIANT: instruments what is under test, leaves the JVM's options in naive_options
    local module in=$work/unpacked/$1 out=$work/naive-$2/$1 counters variant=$2
    if [ "$variant" = naive ]; then variant=shared; fi
    if [ ! -d "$out" ]; then
        mkdir -p "$out"
        "$target/release/examples/naive" --variant "$variant" "$in" "$out" >"$out/counters" 2>>"$work/log/naive.txt"
    fi
    counters=$(<"$out/counters")
    naive_options=("-Xbootclasspath/a:$work/helper" "-Dnaive.counters=$counters" "-Dnaive.variant=$variant")
    for module in $modules; do naive_options+=("--patch-module=$module=$out/$module" "--add-reads=$module=ALL-UNNAMED"); done
}

agent_options() { # agent_options PROGRAM: writes the agent's options
    local package class
    printf 'mode=count\ntrace=%s\nplans=%s\ncount-jdk=true\n' "$work/log/$1.trace" "$work/plans"
    for package in $packages; do printf 'include=%s.**\n' "$package"; done
    for class in $classes; do printf 'include=%s\ninclude=%s$*\n' "$class" "$class"; done
    if [ -n "${OVERHEAD_OPTIONS:-}" ]; then printf '%s\n' "$OVERHEAD_OPTIONS"; fi
}

counts_instructions=$(perf stat -x, -e instructions:u true 2>&1 | grep -E '^[0-9]+,' >/dev/null && echo yes || echo no)

command_line() { # command_line PROGRAM CLASS_PATH: leaves what follows `java` in command_line
    # shellcheck disable=SC2206 # several JVM options
    command_line=(-Xms1g -Xmx1g -XX:+UseSerialGC "$huge_option" ${OVERHEAD_JVM:-} -Djava.awt.headless=true -Dsun.net.httpserver.nodelay=true
        "-Dbench.javac.classpath=$PWD/.cache/subjects/commons-math3-3.6.1.jar" -cp "$2" Bench "$1" "$sources" "$warm" "$timed")
}

run() { # run PROGRAM VARIANT ROUND: one process, one JSON line
    local program=$1 variant=$2 round=$3 class_path=$work/classes:$jars options=() out=$work/log/$1-$2.out err=$work/log/$1-$2.err proof counting=()
    case $variant in
        plain) ;;
        pricetag | recorded | budget)
            proof=$work/log/$program.trace
            options=("-agentpath:$agent=$work/log/$program.options")
            case $variant in
                # shellcheck disable=SC2206 # several JVM options
                recorded) options=("-agentpath:$agent=$work/log/$program.kept" $recorded) ;;
                budget) options=("-agentpath:$agent=$work/log/$program.fits") ;;
            esac
            ;;
        jacoco)
            proof=$work/log/$program.exec
            options=("-javaagent:$jacoco=destfile=$proof,append=false,includes=$(includes)")
            ;;
        naive | atomic | threadlocal)
            naive_classes "$program" "$variant"
            class_path=$work/naive-$variant/$program/path:$class_path
            options=("${naive_options[@]}")
            ;;
        *) die "no variant named $variant" ;;
    esac
    [ -z "${proof:-}" ] || rm -f "$proof"
    if [ "$counts_instructions" = yes ]; then counting=(perf stat -x, -e instructions:u -o "$work/log/$variant.perf"); fi
    local TIMEFORMAT='%U %S %R' figures instructions=null
    command_line "$program" "$class_path"
    figures=$({ time "${counting[@]}" java "${options[@]}" "${command_line[@]}" >"$out" 2>"$err"; } 2>&1) ||
        die "$program failed with $variant: $(head -c 2000 "$err")"
    if [ "$counts_instructions" = yes ]; then instructions=$(grep -oE '^[0-9]+,' "$work/log/$variant.perf" | tr -d ,); fi
    case $variant in
        naive | atomic | threadlocal) grep -q '^naive counts: [1-9]' "$err" || die "$program was not counted by $variant: $(head -c 1000 "$err")" ;;
        pricetag | recorded | budget) "$target/release/examples/trace_summary" "$proof" 2>/dev/null | grep '^[1-9][0-9]* counted' >/dev/null || die "$program was not counted by $variant: $(head -c 1000 "$err")" ;;
        jacoco) grep -qaF "$(sed 's/ .*//; s/\./\//g' <<<"${packages:-$classes}")" "$proof" || die "$program was not covered by $variant: $(head -c 1000 "$err")" ;;
    esac
    [ "$(awk '{ print $4 }' "$out" | sort -u | wc -l)" = 1 ] || die "$program: checksums differ between iterations ($variant)"
    local sum cpu
    sum=$(awk 'NR == 1 { print $4 }' "$out")
    [ "${checksum:=$sum}" = "$sum" ] || die "$program computed something else with $variant: $sum instead of $checksum"
    cpu=$(sort -n "$out" | awk '{ cpu[NR] = $1 } END { print NR % 2 ? cpu[(NR + 1) / 2] : (cpu[NR / 2] + cpu[NR / 2 + 1]) / 2 }')
    # shellcheck disable=SC2086 # three figures
    set -- $figures
    printf '{"huge":"%s","program":"%s","variant":"%s","round":%d,"steady":%.0f,"whole":%.3f,"wall":%.3f,"instructions":%s,"checksum":"%s"}\n' \
        "$huge" "$program" "$variant" "$round" "$cpu" "$(awk "BEGIN { print $1 + $2 }")" "$3" "$instructions" "$sum" >>"$results.part"
}

includes() { # JaCoCo's patterns
    local package class list=()
    for package in $packages; do list+=("$package.*"); done
    for class in $classes; do list+=("$class" "$class\$*"); done
    local IFS=:
    echo "${list[*]}"
}

first_recorded() { # first_recorded PROGRAM: the first two runs of a recording; sets the options of the others
    { cat "$work/log/$1.options" && echo "rewritten=$work/rewritten"; } >"$work/log/$1.kept"
    local begun took=()
    # Of a program of which nothing is known a recording times one run first.
    begun=$(date +%s%3N)
    run "$1" plain 0
    took=("timed=$(($(date +%s%3N) - begun))")
    recorded=$(counting_options java "${took[@]}")
    for _ in 1 2; do
        begun=$(date +%s%3N)
        run "$1" recorded 0
        took+=($(($(date +%s%3N) - begun)))
        recorded=$(counting_options java "${took[@]}")
    done
}

fit_budget() { # fit_budget PROGRAM: has `record` find what is left uncounted, and keeps the options of a run that fitted
    local folder=$work/budget/$1 package class include=()
    if [ -n "${OVERHEAD_FITTED:-}" ]; then
        [ -s "$work/log/$1.fits" ] || die "$1 was not fitted before"
        # Another build may have rewritten what is there.
        rm -rf "$folder/plans" "$folder/rewritten"
        run "$1" budget 0
        return
    fi
    for package in $packages; do include+=(--include "$package.**"); done
    for class in $classes; do include+=(--include "$class" --include "$class\$*"); done
    rm -rf "$folder"
    mkdir -p "$folder"
    # A launcher of this name takes the agent first; its options are removed when the run is over.
    printf '#!/bin/sh\noptions=${1#*=}\ncase $1 in -agentpath:*) grep -q mode=count "$options" && cp "$options" "%s/options" ;; esac\nexec "%s" "$@"\n' \
        "$folder" "$(command -v java)" >"$folder/java"
    chmod +x "$folder/java"
    command_line "$1" "$work/classes:$jars"
    "$target/release/pricetag" --verbose record -o "$folder/data" --force --jobs 2 --overhead "${OVERHEAD_BUDGET:-5%}" --timing same --repeat 1 --check-determinism none --agent "$agent" \
        --cache none --count-jdk "${include[@]}" -- "$folder/java" "${command_line[@]}" >"$folder/said" 2>&1 || die "$1 does not fit: $(tail -c 1000 "$folder/said")"
    { grep -E '^skip' "$folder/options" || true; sed "s#^plans=.*#plans=$folder/plans#" "$work/log/$1.options"; echo "rewritten=$folder/rewritten"; } >"$work/log/$1.fits"
    # A recording's first run does not count.
    run "$1" budget 0
    echo "overhead: $1 fits without $(grep -c '^skip=' "$work/log/$1.fits") groups" >&2
}

case $together$variants in
    "-togetherplain budget" | "-togetherplain recorded" | [!-]*) ;;
    *) die "at the same time are 'plain budget' and 'plain recorded', not '$variants'" ;;
esac
prepare
[ -z "$budgeted" ] || [ -z "${OVERHEAD_OPTIONS:-}" ] || die "a budget is not fitted to OVERHEAD_OPTIONS"
[ -z "$budgeted" ] || cargo build --release --locked -q -p pricetag-cli
rm -rf "$work/rewritten"
sources=$PWD/.cache/subjects/src/commons-math3-3.6.1
[ "$counts_instructions" = yes ] || echo "overhead: no instruction counts here (perf is missing, or the machine does not offer the event); times only" >&2
for program in $programs; do
    describe "$program"
    agent_options "$program" >"$work/log/$program.options"
    extract "$program"
    checksum=
    case $variants in *recorded*) first_recorded "$program" ;; esac
    [ -z "$budgeted" ] || fit_budget "$program"
    : >"$results.part"
    for ((round = 0; round < pairs; round++)); do
        # Every other round goes backwards, so that no variant always follows the same one.
        order=$variants
        if ((round % 2)); then order=$(tr ' ' '\n' <<<"$variants" | tac | paste -sd' '); fi
        if [ -n "$together" ]; then
            running=()
            for variant in $order; do
                run "$program" "$variant" "$round" &
                running+=($!)
            done
            failed=
            for one in "${running[@]}"; do wait "$one" || failed=1; done
            [ -z "$failed" ] || exit 1
        else
            for variant in $order; do run "$program" "$variant" "$round"; done
        fi
        echo "overhead: $program, round $((round + 1)) of $pairs" >&2
    done
    touch "$results"
    { grep -v "\"program\":\"$program\"" "$results" || true; cat "$results.part"; } >"$results.new"
    mv "$results.new" "$results"
    rm -f "$results.part"
done
tables
