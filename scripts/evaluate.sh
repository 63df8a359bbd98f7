#!/usr/bin/env bash
# The measurements of docs/benchmarks.md. Called by `make bench`, which builds first.
#   scripts/evaluate.sh [PART ...]     everything without arguments
# Parts: mantis (ten minutes of docs/evaluation.md), exactness (conformance suite against the oracle), matrix (the same over JDKs, collectors and compilers), corpus (every class of many
# libraries under full verification), library-tests (published test suites under counting), mutants (of many libraries, verified as they are and counted), rewriting (throughput), overhead (beside JaCoCo and
# naive counters; over an hour), agent-cost (start-up and memory), learning (time of estimators), learning-peers (beside other
# implementations), compress, javac (accuracy on real programs), lata (Lata's experiments).
# EVAL_FILES is the number of source files for javac (200), EVAL_REPEAT the number of timing runs (3; compress 7), EVAL_PAIRS the rounds of overhead (15),
# EVAL_CODECS what compress runs, EVAL_EVERY=10 gives it every tenth file, EVAL_MANTIS the share of mantis (0.2).
# A part that fails does not keep the others from running; it is named at the end, and the exit status is 1.
# BENCH_QUICK=1 takes the least of all of these, one unit, library or program where a part has several, and a sample for matrix: to see that every part
# works. Its figures say nothing. It leaves tables of other runs alone where a part keeps any, but those of the one program of overhead.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PRICETAG_CACHE=${PRICETAG_CACHE:-$PWD/.cache/classes}
[ $# -gt 0 ] || set -- exactness matrix corpus library-tests mutants rewriting overhead agent-cost learning learning-peers compress javac mantis lata
target=${CARGO_TARGET_DIR:-target}
pricetag=${PRICETAG:-$target/release/pricetag}
work=.cache/evaluate
quick=${BENCH_QUICK:-}
if [ -n "$quick" ]; then
    : "${EVAL_FILES:=24}" "${EVAL_REPEAT:=1}" "${EVAL_PAIRS:=1}" "${EVAL_CODECS:=deflate}" "${EVAL_EVERY:=10}" "${EVAL_MANTIS:=0.05}"
    export LATA_SCALE=${LATA_SCALE:-0.05} LATA_WORK=.cache/lata/quick
    work=$work/quick
fi
repeat=${EVAL_REPEAT:-3}
mkdir -p "$work"

section() { printf '\n## %s\n\n' "$1"; }

# judge DATASET SHARE...: fits with several shares of the observations for training, each judged on all others. A dataset that nothing can be learnt
# from is a result (deflate: everything counted is constant).
judge() {
    local dataset=$1 target said
    shift
    "$pricetag" --quiet inspect "$work/$dataset" | head -40
    for share in "$@"; do
        printf '\n### %s, %s of the observations for training\n\n' "$dataset" "$share"
        for target in wall cpu; do
            if said=$("$pricetag" --quiet fit "$work/$dataset" -o "$work/$dataset-${share%\%}-$target.json" \
                --target "$target" --train "$share" --limit 10 2>&1); then
                echo "$said"
            elif [[ $said == *'features are constant'* ]]; then
                echo "nothing to learn from: $said"
            else
                echo "$said" >&2
                return 1
            fi
        done
    done
}

jars() { # jars NAME...: class path of pinned jars
    for name in "$@"; do find .cache/subjects -name "$name-[0-9]*.jar" ! -name '*-sources.jar'; done | LC_ALL=C sort | paste -sd: -
}

exactness() {
    section "Exactness: derived counts against an oracle that stops at every bytecode"
    scripts/fetch-testbed.sh
    [ -n "$quick" ] || local -x PRICETAG_EXACTNESS=full
    cargo test --release --locked -p pricetag-testkit --test conformance -- --nocapture 2>&1 | grep -E 'runs,|test result'
}

mutants() {
    section "Mutants: what verified before verifies after"
    scripts/mutants.sh "${quick:+10000}" 2>/dev/null
}

rewriting() {
    section "Rewriting throughput"
    cargo bench --locked -p pricetag-instrument --bench rewrite 2>/dev/null | grep -E 'time:|thrpt:|^[a-z]'
    echo
    echo "Planning and rewriting, MB of classes per processor second:"
    local classes=.cache/rewriting home
    if [ ! -d "$classes" ]; then
        scripts/fetch-subjects.sh subjects evaluation
        home=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
        rm -rf "$classes.part"
        jimage extract --dir "$classes.part" --include 'regex:/(java[.]base|java[.]xml|jdk[.]compiler)/.*[.]class' "$home/lib/modules"
        unzip -q -o "$(find .cache/evaluation -maxdepth 1 -name 'h2-*.jar')" 'org/*.class' -d "$classes.part/h2"
        mv "$classes.part" "$classes"
    fi
    cargo run --release --locked -q -p pricetag-instrument --example throughput -- "$classes" ${quick:+1}
}

matrix() {
    section "Exactness on other JDKs, collectors and compilers"
    scripts/fetch-testbed.sh
    if [ -z "$quick" ]; then export PRICETAG_EXACTNESS=full; fi
    cargo test --release --locked -p pricetag-testkit --test matrix --test agents --test threads -- --nocapture 2>&1 |
        grep -vE '^$|^running|^ *(Compiling|Finished|Running)'
}

corpus() {
    section "Corpus: linked under full verification, without and with counting"
    scripts/corpus.sh ${quick:+commons-codec-1.17.0}
}

library_tests() {
    section "Published test suites, without and with counting"
    scripts/library-tests.sh ${quick:+commons-codec}
}

overhead() {
    section "Overhead of counting"
    scripts/overhead.sh "${EVAL_PAIRS:-15}" ${quick:+lzw}
}

agent_cost() {
    section "Cost of the agent itself"
    scripts/agent-cost.sh "${EVAL_PAIRS:-15}"
}

learning_peers() {
    section "Learning beside other implementations"
    local script size
    for script in scripts/bench-learning/*.sh; do
        [ -x "$script" ] || continue
        printf '\n### %s\n\n' "$(basename "$script" .sh)"
        size=()
        case $quick$script in
            ?*ols.sh) size=(10000 100000) ;;
            ?*gp.sh) size=(2) ;;
            ?*mars.sh) size=(1) ;;
        esac
        if [ -n "$quick" ]; then "$script" "${size[@]}"; else "$script"; fi
    done
}

learning() {
    section "Learning: time of the estimators"
    cargo run --release --locked -q -p pricetag-study --example speed
}

compress() {
    scripts/fetch-subjects.sh
    local classes=$work/compress-classes classpath
    classpath=$(jars commons-compress commons-io commons-codec commons-lang3)
    mkdir -p "$classes"
    javac -g -d "$classes" -cp "$classpath" subjects/compress/*.java
    java -cp "$classes" Corpus "$work/corpus" .cache/subjects/src .cache/subjects >&2
    awk -v every="${EVAL_EVERY:-1}" 'NR % every == 0' "$work/corpus/list.txt" >"$work/corpus/some.txt"
    for codec in ${EVAL_CODECS:-bzip2 snappy deflate unbzip2 unsnappy undeflate}; do
        section "commons-compress, $codec: one call, one observation"
        "$pricetag" record -o "$work/$codec" --force --repeat "${EVAL_REPEAT:-7}" --warmup 0 --scope 'Driver#compress' \
            --features opcodes,blocks,methods,loops,branches,exceptions,transitions,strides --include 'org.apache.commons.compress.**' --include Driver \
            -- java -Xms1g -Xmx1g -XX:+AlwaysPreTouch -XX:+UseSerialGC -cp "$classes:$classpath" Driver "$codec" "$work/corpus/some.txt" >&2
        judge "$codec" 10% 25% 50%
    done
}

javac_subject() {
    scripts/fetch-subjects.sh
    section "javac: one process, one observation"
    subjects/javac/select.sh "${EVAL_FILES:-200}" .cache/javac-inputs/evaluate
    mkdir -p "$work/javac-out"
    "$pricetag" record -o "$work/javac" --force --repeat "$repeat" \
        --inputs '.cache/javac-inputs/evaluate/*.java' --include 'com.sun.tools.javac.**' \
        -- javac -nowarn -proc:none -d "$work/javac-out" -cp "$(jars commons-lang3 commons-collections4 commons-math3)" '{}' >&2
    judge javac 50%
}

mantis() { # a fifth of the observations of docs/evaluation.md, in a place of its own
    local share=${EVAL_MANTIS:-0.2} programs="lucene-9 maxima h2 svg"
    if [ -n "$quick" ]; then programs=h2; fi
    section "Mantis' experiments, $share of the observations (scripts/evaluation.sh has all)"
    # What is recorded is kept, with the share it was recorded with; learning is done anew, it may have changed.
    export EVAL_REPEAT=$repeat EVAL_WORK=$work/mantis-$share EVAL_SHARE=$share EVAL_TO=$work/mantis-$share/report
    # shellcheck disable=SC2086 # several names
    scripts/evaluation.sh --record $programs
    # shellcheck disable=SC2086
    scripts/evaluation.sh --learn $programs
    cat "$EVAL_TO/tables.md"
}

if [ $# -gt 1 ]; then
    failed=()
    for part in "$@"; do scripts/evaluate.sh "$part" || failed+=("$part"); done
    if [ ${#failed[@]} -gt 0 ]; then
        echo "evaluate: failed: ${failed[*]}" >&2
        exit 1
    fi
    exit 0
fi
case $1 in
    exactness) exactness ;;
    rewriting) rewriting ;;
    matrix) matrix ;;
    corpus) corpus ;;
    library-tests) library_tests ;;
    mutants) mutants ;;
    overhead) overhead ;;
    agent-cost) agent_cost ;;
    learning-peers) learning_peers ;;
    learning) learning ;;
    compress) compress ;;
    javac) javac_subject ;;
    mantis) mantis ;;
    lata) scripts/lata.sh ;;
    *)
        echo "evaluate: no part named $1" >&2
        exit 2
        ;;
esac
