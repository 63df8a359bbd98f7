#!/usr/bin/env bash
# What the agent costs beside slower code: starting up, and memory. Markdown on standard output.
#   scripts/agent-cost.sh [PAIRS] [startup|empty|memory|values|late|calls|sharing ...]     15 rounds of all unless told otherwise
# startup: javac on one source file, alternating without the agent, with the agent counting nothing, counting the compiler, the same with the classes that an earlier run rewrote (`kept`), the same as `record` has its
#          runs of a program that it never met: the timed one that goes ahead and rewrites classes when it is over, the first counting run, that of another recording of the same program, and the
#          later ones; and under JaCoCo. `alone` is a first counting run that finds no classes. Whole process. STARTUP_FILE names another file of commons-lang3.
# empty:   a JVM that runs next to nothing (`java -version`): without the agent, without the JVM's shared archive of classes, which the agent switches off, and with an agent that has nothing to count.
# memory:  a generated program of 100,000 counters run by 100 threads that all stay alive. The heap is fixed and touched beforehand, so growth of the
#          resident set is what lies outside the heap; growth of the live heap beyond 8 bytes per counter and thread is added.
# values:  memory with 10,000 values (40 classes of 50 variables, five values each) assigned by 1,000 threads that stay alive, of whole runs and of six
#          invocations a thread (--scope), the last of which have ended or all go on. Heap and stacks are touched beforehand; the largest resident set counts, and all
#          that the live heap grew by, counters included.
# late:    three programs (subjects/bench) into which the agent is loaded while they run: CPU time of an iteration before that, meanwhile, and when it has left
#          again, beside programs that start with it. A round is a process.
# calls:   what observing a call (--scope) adds to one that does nothing, in timing and in counting runs.
# sharing: two threads that call one small method all the time, behind a collection that puts their counters side by side, under three collectors.
# shellcheck source=scripts/with-agent.bash
source "$(dirname "${BASH_SOURCE[0]}")/with-agent.bash"
built_agent
work=$PWD/.cache/agent-cost
pairs=15
case ${1:-} in [0-9]*)
    pairs=$1
    shift
    ;;
esac
parts=${*:-startup empty memory values late calls sharing}
mkdir -p "$work"

die() {
    echo "agent-cost: $*" >&2
    exit 1
}

agent_option() { # agent_option NAME LINE...: the JVM option of an agent with those option lines; it counts unless $mode says otherwise, plans are in $plans
    local name=$1
    shift
    rm -f "$work/$name.trace"
    printf '%s\n' "mode=${mode:-count}" "trace=$work/$name.trace" "plans=${plans:-$work/plans}" "$@" >"$work/$name.options"
    echo "-agentpath:$agent=$work/$name.options"
}

startup() {
    scripts/fetch-subjects.sh subjects bench
    cargo build --release --locked -q -p pricetag-quantity --example ratios
    local one jacoco variant round options=() order figures TIMEFORMAT='%U %S %R' results=$work/startup.jsonl
    one=$(find .cache/subjects/src/commons-lang3-3.14.0 -name "${STARTUP_FILE:-StringUtils}.java")
    jacoco=$(find "$PWD/.cache/bench" -name 'org.jacoco.agent-*-runtime.jar')
    local first later="" begun count=include=com.sun.tools.javac.** kept=""
    compile() { # compile OPTION...: javac on the file, with options of its JVM
        javac "${@/#/-J}" -J-XX:+UseSerialGC -nowarn -proc:none -d "$work/out" -cp "$(find .cache/subjects -name 'commons-lang3-[0-9]*.jar' ! -name '*-sources.jar')" "$one" >"$work/javac.log" 2>&1
    }
    # Of a program of which nothing is known a recording times one run first.
    begun=$(date +%s%3N)
    compile -Dnothing
    first=$(counting_options java "timed=$(($(date +%s%3N) - begun))")
    rm -rf "$work/plans" "$work/kept"
    sync
    : >"$results"
    for ((round = 0; round < pairs; round++)); do
        order="plain idle pricetag kept alone ahead first again recorded jacoco"
        if ((round % 2)); then order="jacoco ahead first again recorded alone kept pricetag idle plain"; fi
        for variant in $order; do
            case $variant in
                plain) options=(-Dnothing) ;;
                idle) options=("$(agent_option idle 'include=no.such.Thing')") ;;
                pricetag) options=("$(agent_option javac "$count")") ;;
                kept) options=("$(plans=$work/kept/plans agent_option javac "$count" "rewritten=$work/kept/rewritten")") ;;
                # shellcheck disable=SC2206 # several JVM options
                alone) options=("$(plans=$work/kept/$round-alone/plans agent_option javac "$count" "rewritten=$work/kept/$round-alone/rewritten")" $first) ;;
                ahead)
                    # Nothing is kept yet.
                    kept=$work/kept/$round
                    mkdir -p "$kept"
                    options=("$(mode=time plans=$kept/plans agent_option javac "$count" "rewritten=$kept/rewritten")")
                    ;;
                first)
                    # shellcheck disable=SC2206 # several JVM options
                    options=("$(plans=$kept/plans agent_option javac "$count" "rewritten=$kept/rewritten")" $first)
                    begun=$(date +%s%3N)
                    ;;
                # Its length is remembered, and its classes are kept.
                # shellcheck disable=SC2206 # several JVM options
                again) options=("$(plans=$kept/others agent_option javac "$count" "rewritten=$kept/rewritten")" $later) ;;
                # shellcheck disable=SC2206 # several JVM options
                recorded) options=("$(plans=$kept/plans agent_option javac "$count" "rewritten=$kept/rewritten")" $later) ;;
                jacoco) options=("-javaagent:$jacoco=destfile=$work/javac.exec,append=false,includes=com.sun.tools.javac.*") ;;
            esac
            rm -f "$work/javac.exec"
            figures=$({ time compile "${options[@]}"; } 2>&1) ||
                die "javac fails with $variant: $(head -c 1000 "$work/javac.log")"
            case $variant in
                ahead) ls "$kept"/rewritten/*.classes >/dev/null || die "nothing was rewritten beforehand" ;;
                pricetag | kept | alone | first | again | recorded) [ -s "$work/javac.trace" ] || die "javac was not counted" ;;
                jacoco) [ -s "$work/javac.exec" ] || die "javac was not covered" ;;
            esac
            if [ "$variant" = first ]; then later=$(counting_options java $(($(date +%s%3N) - begun))); fi
            # shellcheck disable=SC2086 # three figures
            set -- $figures
            printf '{"huge":"skipped","program":"javac-one-file","variant":"%s","round":%d,"steady":null,"whole":%s,"wall":%s,"instructions":null}\n' \
                "$variant" "$round" "$(awk "BEGIN { print $1 + $2 }")" "$3" >>"$results"
        done
    done
    rm -rf "$work/kept"
    "$target/release/examples/ratios" "$results"
}

empty() {
    local variant round options figures TIMEFORMAT='%U %S'
    rm -f "$work"/empty-*.txt
    for ((round = 0; round < pairs; round++)); do
        for variant in plain unshared agent; do
            case $variant in
                plain) options=-Xshare:auto ;;
                unshared) options=-Xshare:off ;;
                agent) options=$(agent_option empty 'include=no.such.Thing') ;;
            esac
            figures=$({ time java "$options" -XX:+UseSerialGC -version >"$work/empty.log" 2>&1; } 2>&1) || die "java fails with $variant: $(head -c 1000 "$work/empty.log")"
            awk '{ print 1000 * ($1 + $2) }' <<<"$figures" >>"$work/empty-$variant.txt"
        done
        [ -s "$work/empty.trace" ] || die "the agent was not there"
    done
    printf '| a JVM that runs next to nothing, ms of processor time | plain | without shared archive | agent, nothing to count |\n|---|---|---|---|\n| |'
    for variant in plain unshared agent; do printf ' %.0f |' "$(median <"$work/empty-$variant.txt")"; done
    echo
}

memory() {
    cargo build --release --locked -q -p pricetag-instrument --example rewrite_tree
    rm -rf "$work/wide" "$work/plans"
    mkdir -p "$work/wide"
    java subjects/agent-cost/Generate.java "$work/wide/src" 100 50 "${WIDE_BRANCHES:-19}"
    javac -nowarn -d "$work/wide/classes" "$work/wide/src"/*.java subjects/agent-cost/Wide.java
    local counters threads=100 common plain counted
    counters=$("$target/release/examples/rewrite_tree" "$work/wide/classes" "$work/wide/rewritten" | awk '/^[0-9]/ { sum += $3 } END { print sum }')
    common=(-Xms512m -Xmx512m -XX:+AlwaysPreTouch -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$work/wide/classes" Wide "$threads")
    : >"$work/memory"
    for ((round = 0; round < 3; round++)); do
        plain=$(java "${common[@]}")
        counted=$(java "$(agent_option wide 'include=Part*' 'include=Wide*')" "${common[@]}")
        echo "$plain $counted" >>"$work/memory"
    done
    awk '$3 != $6 { bad = 1 } END { exit bad }' "$work/memory" || die "the counted program computes something else"
    sort -n "$work/memory" | awk -v counters="$counters" -v threads="$threads" '
        { resident[NR] = $4 - $1; heap[NR] = $5 - $2 - 8 * counters * threads; size[NR] = $5 - $2 }
        END { m = int((NR + 1) / 2)
            printf "| counters | threads | live heap grew by | of which counters | outside the heap | agent beyond counters |\n|---|---|---|---|---|---|\n"
            printf "| %d | %d | %.1f MB | %.1f MB | %.1f MB | **%.1f MB** |\n", counters, threads, size[m] / 1e6, 8 * counters * threads / 1e6, resident[m] / 1e6, (resident[m] + heap[m]) / 1e6 }'
}

values() {
    rm -rf "$work/values"
    mkdir -p "$work/values"
    local c v shape kind option round figures
    {
        for ((c = 0; c < 40; c++)); do
            echo "class C$c {"
            for ((v = 0; v < 50; v++)); do echo "    static int v$v;"; done
            echo "    static void run(int n) {"
            for ((v = 0; v < 50; v++)); do echo "        v$v = n + v$v;"; done
            echo "    }"
            echo "}"
        done
        echo "class All { static void run(int n) {"
        for ((c = 0; c < 40; c++)); do echo "C$c.run(n);"; done
        echo "} }"
    } >"$work/values/All.java"
    javac -g -d "$work/values" "$work/values/All.java" subjects/agent-cost/Served.java
    echo "| 10,000 values, 1,000 threads | live heap grew by | resident set outside the heap | together |"
    echo "|---|---|---|---|"
    for shape in after inside; do
        : >"$work/values.txt"
        for ((round = 0; round < 3; round++)); do
            for kind in plain whole scope; do
                case $kind in
                    plain) option=-Dnothing ;;
                    whole) option=$(agent_option values 'values=5' "exclude=Served\$Stack") ;;
                    scope) option=$(agent_option values 'values=5' "exclude=Served\$Stack" 'scope=Served#request') ;;
                esac
                figures=$(java "$option" -cp "$work/values" -XX:+UseSerialGC -Xms768m -Xmx768m -Xmn128m -XX:+AlwaysPreTouch -XX:TieredStopAtLevel=1 Served 1000 $shape)
                [ "$kind" = plain ] || [ -s "$work/values.trace" ] || die "no values were taken"
                echo "$kind $figures" >>"$work/values.txt"
            done
        done
        rm -f "$work/values.trace"
        for kind in whole scope; do
            sort -k3n "$work/values.txt" | awk -v kind=$kind -v shape=$shape '
                $1 == "plain" { heap = $2; resident[++p] = $3 }
                $1 == kind { h = $2; r[++n] = $3 }
                END { h -= heap; o = r[n] - resident[1]
                    name = kind == "whole" ? "whole run" : shape == "inside" ? "1,000 invocations going on" : "6,000 invocations"
                    printf "| %s | %.1f MB | %.1f MB | **%.1f MB** |\n", name, h * 1.024e-3, o * 1.024e-3, (h + o) * 1.024e-3 }'
        done
    done
}

median() { sort -g | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }

bench() { # bench PROGRAM OUT OPTION...: as overhead.sh runs it, for as long as it is let
    local program=$1 out=$2
    shift 2
    : >"$out"
    exec java -Xms1g -Xmx1g -XX:+UseSerialGC -Dsun.net.httpserver.nodelay=true "$@" -cp "$work/late/classes:$jars" Bench "$program" "$sources" 40 1000000 >"$out" 2>"$work/late/err"
}

iterations() { # iterations OUT COUNT: waits for so many more lines and prints the median CPU time of the second half
    local seen
    seen=$(wc -l <"$1")
    until [ "$(wc -l <"$1")" -ge $((seen + $2)) ]; do sleep 0.05; done
    tail -n +$((seen + $2 / 2)) "$1" | head -n $(($2 / 2)) | cut -d' ' -f1 | median
}

late() {
    scripts/fetch-subjects.sh subjects bench
    cargo build --release --locked -q -p pricetag-cli
    local jars sources=$PWD/.cache/subjects/src/commons-math3-3.6.1 program package round pid out=$work/late/out before meanwhile after started count recorder
    rm -rf "$work/late"
    mkdir -p "$work/late/classes"
    jars=$(find "$PWD/.cache/bench" -name '*.jar' ! -name 'org.jacoco*' | LC_ALL=C sort | paste -sd:)
    for name in compress io codec lang3; do
        jars+=:$(find "$PWD/.cache/subjects" -name "commons-$name-[0-9]*.jar" ! -name '*-sources.jar')
    done
    javac -g -nowarn -d "$work/late/classes" -cp "$jars" subjects/bench/*.java
    echo "| program | threads | loaded while it runs / before | when it has left / before | there from the start / before |"
    echo "|---|---|---|---|---|"
    for program in bzip2 json http; do
        case $program in
            bzip2) package=org.apache.commons.compress count=24 ;;
            *) package=com.fasterxml.jackson count=60 ;;
        esac
        : >"$work/late/$program"
        for ((round = 0; round < pairs; round++)); do
            bench $program "$out" &
            pid=$!
            iterations "$out" $count >"$work/late/figure"
            before=$(iterations "$out" $count)
            rm -rf "$work/late/data"
            "$target/release/pricetag" record --attach $pid -o "$work/late/data" --include "$package.**" --every 1h --quiet &
            recorder=$!
            until compgen -G "$work/late/data/.agent/*.snapshot-1" >"$work/late/figure"; do sleep 0.05; done
            iterations "$out" $count >"$work/late/figure"
            meanwhile=$(iterations "$out" $count)
            kill -INT $recorder
            wait $recorder || true
            iterations "$out" $count >"$work/late/figure"
            after=$(iterations "$out" $count)
            kill -9 $pid
            wait $pid 2>"$work/late/figure" || true
            bench $program "$out" "$(agent_option late "include=$package.**")" &
            pid=$!
            iterations "$out" $count >"$work/late/figure"
            iterations "$out" $count >"$work/late/figure"
            started=$(iterations "$out" $count)
            kill -9 $pid
            wait $pid 2>"$work/late/figure" || true
            echo "$meanwhile $after $started $before" >>"$work/late/$program"
        done
        printf '| %s | %s |' "$program" "$(if [ $program = http ]; then echo 4; else echo 1; fi)"
        for column in 1 2 3; do printf ' %.2f |' "$(awk -v c=$column '{ print $c / $4 }' "$work/late/$program" | median)"; done
        echo
    done
}

calls() {
    mkdir -p "$work/calls"
    javac -nowarn -d "$work/calls" subjects/agent-cost/Calls.java
    local round plain timed counted
    : >"$work/calls.txt"
    for ((round = 0; round < pairs; round++)); do
        plain=$(java -cp "$work/calls" Calls 200000)
        timed=$(java "$(mode=time agent_option calls-time 'scope=Calls#call')" -cp "$work/calls" Calls 200000)
        counted=$(java "$(agent_option calls-count 'include=Calls' 'scope=Calls#call')" -cp "$work/calls" Calls 200000)
        [ -s "$work/calls-time.trace" ] && [ -s "$work/calls-count.trace" ] || die "no calls were observed"
        echo "$plain $timed $counted" >>"$work/calls.txt"
    done
    printf '| a call that does nothing, ns | observed in a timing run | observed in a counting run |\n|---|---|---|\n'
    local column
    for column in 1 2 3; do
        awk -v c="$column" '{ print $c }' "$work/calls.txt" | sort -g | awk '{ x[NR] = $1 } END { printf "| %.0f ", x[int((NR + 1) / 2)] }'
    done
    echo '|'
}

sharing() {
    mkdir -p "$work/sharing"
    javac -nowarn -d "$work/sharing" subjects/agent-cost/Sharing.java
    local collector round plain counted
    printf '| two threads, ns of processor time per call: collector | plain | counted | ratio |\n|---|---|---|---|\n'
    for collector in Serial Parallel G1; do
        : >"$work/sharing.txt"
        for ((round = 0; round < pairs; round++)); do
            plain=$(java "-XX:+Use${collector}GC" -cp "$work/sharing" Sharing 2 200000000)
            counted=$(java "$(agent_option sharing)" "-XX:+Use${collector}GC" -cp "$work/sharing" Sharing 2 200000000)
            [ -s "$work/sharing.trace" ] || die "nothing was counted"
            echo "$plain $counted" >>"$work/sharing.txt"
        done
        plain=$(cut -d' ' -f1 "$work/sharing.txt" | median)
        counted=$(cut -d' ' -f2 "$work/sharing.txt" | median)
        printf '| %s | %.2f | %.2f | %.2f |\n' "$collector" "$plain" "$counted" "$(awk "BEGIN { print $counted / $plain }")"
    done
}

for part in $parts; do
    case $part in
        startup) startup ;;
        empty) empty ;;
        memory) memory ;;
        values) values ;;
        late) late ;;
        calls) calls ;;
        sharing) sharing ;;
        *) die "no part named $part" ;;
    esac
done
