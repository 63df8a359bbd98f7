#!/usr/bin/env bash
# The evaluation of docs/evaluation.md, after Mantis (Chun et al. 2010, section 6). Called by `make evaluate`, which builds first.
#   scripts/evaluation.sh [OPTION] [PROGRAM ...]     all programs without names
#   --count    makes inputs and counts, but measures no times: what may run on a busy machine
#   --record   makes inputs, counts and times, but does not learn: what wants a quiet machine, shorter after --count
#   --learn    only learns anew from what is recorded
#   --curves   only learns from other shares and follows λ: up to thirty fits more for each model (EVAL_CURVES=sparse: for the sparse one alone)
#   --splits   only learns from ten different tenths, as one split's error and coverage depend on its luck (EVAL_SPLITS=10)
#   --weights  sparse polynomials from five splits, errors weighed relative to the cost and to its root
#   --values   records with first values of variables, in a place of its own, and learns with and without them (docs/evaluation.md)
#   --table    only writes docs/evaluation/ anew from what was learnt
# Whatever is finished is kept in .cache/evaluation/work and not repeated: interrupt it and call it again. EVAL_REPEAT is the number of timing
# runs (7), EVAL_SHARE the share of the observations (1). A program is done again after its folder there is removed.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PRICETAG_CACHE=${PRICETAG_CACHE:-$PWD/.cache/classes}
pricetag=${PRICETAG:-${CARGO_TARGET_DIR:-target}/release/pricetag}
work=${EVAL_WORK:-.cache/evaluation/work}
repeat=${EVAL_REPEAT:-7}
share=${EVAL_SHARE:-1}
everything="lucene-7 lucene-8 lucene-9 lucene-9-threads maxima smooth edges fft unsharp bzip2 h2 svg"
step=all
case ${1:-} in --count | --record | --learn | --curves | --splits | --values | --weights | --table) step=${1#--} && shift ;; esac
programs=${*:-$everything}
# Untouched pages would make the first pass over the young generation slower than all later ones.
jvm="-Xms1g -Xmx1g -XX:+AlwaysPreTouch -XX:+UseSerialGC -Djava.awt.headless=true"
mkdir -p "$work"

jars() { # jars NAME...: class path of pinned jars
    for name in "$@"; do find .cache/evaluation/ .cache/subjects/ -maxdepth 1 -name "$name.jar"; done | LC_ALL=C sort | paste -sd: -
}

scaled() { awk -v n="$1" -v s="$share" 'BEGIN { n = int(n * s); print n < 40 ? 40 : n }'; }

# once DIRECTORY COMMAND...: runs the command unless it has been run for this directory
once() {
    local directory=$1
    shift
    [ -f "$directory/.done" ] && return 0
    rm -rf "$directory"
    mkdir -p "$directory"
    "$@"
    touch "$directory/.done"
}

compiled() { # compiled FOLDER CLASSPATH NAME: classes of subjects/evaluation/FOLDER in $work/classes/NAME
    local to=$work/classes/$3
    mkdir -p "$to"
    javac -nowarn -Xlint:none -g -d "$to" -cp "$2" subjects/evaluation/"$1"/*.java >&2
    echo "$to"
}

# record NAME SCOPE 'RECORD-OPTIONS' COMMAND...: leaves $work/NAME/data. With --count it stops when the counts are there.
record() {
    local name=$1 scope=$2 options=$3 data=$work/$1/data
    shift 3
    [ -f "$work/$name/.recorded" ] && return 0
    mkdir -p "$work/$name"
    if [ "$step" = count ] && [ -f "$data/.recording/00000-count-0.json" ]; then return 0; fi
    local how=--force
    if [ -d "$data/.recording" ]; then how=--resume; fi
    # shellcheck disable=SC2086
    set -- "$pricetag" --quiet record -o "$data" $how --repeat "$repeat" --warmup 0 --check-determinism none \
        --scope "$scope" $options ${EVAL_FEATURES:+--features "$EVAL_FEATURES"} -- ${launcher:-} java $jvm "$@"
    echo "recording $name" >&2
    if [ "$step" = count ]; then
        "$@" >&2 &
        local pid=$!
        while kill -0 "$pid" 2>/dev/null; do
            if [ -f "$data/.recording/00000-count-0.json" ]; then
                kill -INT "$pid" 2>/dev/null || true
                break
            fi
            sleep 0.2
        done
        wait "$pid" || true
        return 0
    fi
    "$@" >&2
    touch "$work/$name/.recorded"
}

text() { # the King James Bible, one verse a line, from Debian's package; elsewhere there is none, and the workload makes more plays
    local to=$work/text
    [ -f "$to/.done" ] && return 0
    mkdir -p "$to"
    if command -v apt-get >/dev/null && command -v dpkg >/dev/null; then
        (
            cd "$to"
            apt-get download -qq bible-kjv-text bible-kjv >&2 && for deb in *.deb; do dpkg -x "$deb" .; done
            usr/bin/bible -p usr/lib -f gen1:1-rev22:21 >kjv.part
            echo "cd45f0c9cedab8e4439bd6486c8952c77cc8b0ecc5d1f6ae3513f2039f47229d  kjv.part" | sha256sum -c --quiet && mv kjv.part kjv.txt
        ) || echo "evaluation: the King James Bible is not to be had here now; plays are made instead" >&2
    fi
    if [ -f "$to/kjv.txt" ]; then touch "$to/.done"; fi
}

# lucene MAJOR VERSION [threads]: with the third word its threads are side by side, and take turns on one processor: on two, what one costs
# depends on what the other does to the memory they share, which no count sees.
lucene() {
    local classpath classes name=lucene-$1${3:+-threads} scope=Search#search${3:++threads} launcher=${3:+taskset -c 1}
    classpath=$(jars "lucene-core-$2" "lucene-queryparser-$2")
    classes=$(compiled lucene "$classpath" "lucene-$1")
    text
    once "$work/lucene" java -cp "$classes" Workload "$work/lucene" 3840 "$(find "$work/text" -name kjv.txt)"
    record "$name" "$scope" '--include org.apache.lucene.** --include Search --include Search$Processor' \
        -Dtests.seed=1 ${3:+-Dthreads=side-by-side} -cp "$classes:$classpath" Search "$work/lucene" "$work/index-$1" "$(scaled 3840)" "$(scaled 3840)"
}

imagej() { # imagej OPERATION
    local classpath classes
    classpath=$(jars 'ij-*')
    classes=$(compiled imagej "$classpath" imagej)
    once "$work/images" java -cp "$classes" Images "$work/images" 3045
    record "$1" 'Operate#operate' '--include ij.** --include Operate --count-jdk --include java.util.DualPivotQuicksort' \
        -cp "$classes:$classpath" Operate "$1" "$work/images" "$(scaled 3045)" "$(scaled 3045)"
}

bzip2() {
    local classpath classes=$work/classes/bzip2
    classpath=$(jars 'commons-compress-*' 'commons-io-*' 'commons-codec-*' 'commons-lang3-*')
    mkdir -p "$classes"
    javac -nowarn -g -d "$classes" -cp "$classpath" subjects/compress/*.java
    once "$work/corpus" java -cp "$classes" Corpus "$work/corpus" .cache/subjects/src .cache/subjects >&2
    record bzip2 'Driver#compress' '--include org.apache.commons.compress.** --include Driver' \
        -cp "$classes:$classpath" Driver bzip2 "$work/corpus/list.txt"
}

h2() {
    local classpath classes
    classpath=$(jars 'h2-*')
    classes=$(compiled h2 "$classpath" h2)
    record h2 'Queries#report' '--include org.h2.** --include Queries' -cp "$classes:$classpath" Queries "$(scaled 1200)" "$(scaled 3600)"
}

svg() {
    local classpath classes
    classpath=$(jars 'batik-all-*' 'xmlgraphics-commons-*' 'xml-apis-ext-*')
    classes=$(compiled svg "$classpath" svg)
    record svg 'Render#render' '--include org.apache.batik.** --include Render --include Render$Painter --count-jdk --include sun.java2d.** --include java.awt.** --include com.sun.org.apache.xerces.**' \
        -cp "$classes:$classpath" Render "$(scaled 1200)" "$(scaled 6000)"
}

learn() { # learn NAME: the models of one program
    local data=$work/$1/data out=$work/results/$1
    [ -f "$work/$1/.recorded" ] || return 0
    mkdir -p "$out"
    fit() { # fit MODEL OPTIONS...
        local model=$out/$1.json
        shift
        if [ "$step" != learn ] && [ "$model" -nt "$work/${out##*/}/.recorded" ]; then return 0; fi
        echo "learning ${out##*/}: $*" >&2
        local begun=$EPOCHREALTIME
        "$pricetag" --quiet fit "$data" -o "$model" --target cpu --train 10% "$@" >"${model%.json}.txt" || {
            rm -f "$model"
            echo "evaluation: no model $model" >&2
            return 0
        }
        awk -v a="$begun" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }' >"${model%.json}.seconds"
    }
    # By how much counting slowed it down, as `record` found it.
    "$pricetag" --quiet inspect "$data" | sed -n 's/.*counting slowed .* by \([0-9.]* %\).*/\1/p' | head -1 >"$out/overhead.txt"
    fit best
    fit sparse --method poly --level loop,branch,method
    fit few --method poly --terms 5 --degree 1
}

case $step in all | count | record) scripts/fetch-subjects.sh subjects evaluation ;; esac
[ "$step" = table ] && programs=
# How the errors depend on the share learnt from and on λ: up to thirty fits more for each model, so after all others.
sensitivity() { # sensitivity NAME
    local data=$work/$1/data model out=$work/results/$1
    for model in ${EVAL_CURVES:-sparse best}; do
        [ -f "$out/$model.json" ] && [ ! "$out/$model.curves" -nt "$out/$model.json" ] || continue
        echo "learning $1 from larger and smaller shares: $model" >&2
        local options=()
        [ "$model" = best ] || options=(--method poly --level loop,branch,method)
        "$pricetag" --quiet fit "$data" -o "$out/$model.part" --target cpu --train 10% --sensitivity "${options[@]}" >/dev/null || continue
        mv "$out/$model.part" "$out/$model.json"
        touch "$out/$model.curves"
    done
}

# Median relative error and coverage of the 95 % intervals, one line for each of several splits.
splits() { # splits NAME
    local seed figures out=$work/results/$1
    [ -f "$work/$1/.recorded" ] || return 0
    mkdir -p "$out"
    touch "$out/splits.txt"
    for ((seed = 1; seed <= ${EVAL_SPLITS:-10}; seed++)); do
        ! grep -q "^$seed " "$out/splits.txt" || continue
        echo "learning $1 from split $seed" >&2
        figures=$("$pricetag" --quiet fit "$work/$1/data" -o "$out/split.json" --seed "$seed" --target cpu --train 10% | awk '
            /\(this model\)/ { for (i = 1; i <= NF && error == ""; i++) if ($i == "%") error = $(i - 1) }
            /^intervals: nominal coverage .* measured/ { for (i = 1; i <= NF; i++) if ($i == "measured") print error, $(i + 1) }')
        [ -n "$figures" ] && echo "$seed $figures" >>"$out/splits.txt"
    done
    rm -f "$out/split.json"
}

# Errors of sparse polynomials of five splits, with the first values of variables among the features and without.
with_values() { # with_values NAME
    local level terms seed data=$work/values/$1/data
    EVAL_WORK=$work/values EVAL_FEATURES=opcodes,loops,branches,methods,exceptions,values "$0" --record "$1"
    printf '\n%s\n' "$1"
    for terms in "" ",opcode --terms 5"; do
        for level in loop,branch,method loop,branch,method,exception,value; do
            printf '  %-58s' "$level$terms"
            for seed in 1 2 3 4 5; do
                # shellcheck disable=SC2086 # several words
                "$pricetag" --quiet fit "$data" -o "$work/values/$1.json" --seed "$seed" --target cpu --train 10% --method poly \
                    --level $level$terms | awk '/\(this model\)/ { for (i = 1; i <= NF; i++) if ($i == "%") { printf " %s %%", $(i - 1); exit } }'
            done
            echo
        done
    done
}

# Errors of sparse polynomials of five splits by how errors are weighed.
by_weights() { # by_weights NAME
    local chosen weights seed data=$work/$1/data
    [ -f "$work/$1/.recorded" ] || return 0
    for chosen in "--level loop,branch,method" "--terms 5 --degree 1"; do
        for weights in relative root; do
            printf '%-18s %-9s %-27s' "$1" "$weights" "$chosen"
            for seed in 1 2 3 4 5; do
                # shellcheck disable=SC2086 # two words
                "$pricetag" --quiet fit "$data" -o "$work/results/weights.json" --seed "$seed" --target cpu --train 10% --method poly \
                    --weights "$weights" $chosen |
                    awk '/\(this model\)/ { for (i = 1; i <= NF; i++) if ($i == "%") { printf " %s %%", $(i - 1); exit } }'
            done
            echo
        done
    done
    rm -f "$work/results/weights.json"
}

if [ "$step" = weights ]; then
    for program in $programs; do by_weights "$program"; done
    exit 0
fi
if [ "$step" = values ]; then
    mkdir -p "$work/values"
    for part in text lucene images corpus; do [ ! -d "$work/$part" ] || ln -sfn "../$part" "$work/values/$part"; done
    for program in ${*:-maxima h2}; do with_values "$program"; done
    exit 0
fi

for program in $programs; do
    if [ "$step" = all ] || [ "$step" = count ] || [ "$step" = record ]; then
        case $program in
            lucene-7) lucene 7 7.7.3 ;;
            lucene-8) lucene 8 8.11.4 ;;
            lucene-9) lucene 9 9.9.2 ;;
            lucene-9-threads) lucene 9 9.9.2 threads ;;
            bzip2 | h2 | svg) "$program" ;;
            maxima | smooth | edges | fft | unsharp) imagej "$program" ;;
            *)
                echo "evaluation: no program named $program" >&2
                exit 2
                ;;
        esac
    fi
    case $step in all | learn) learn "$program" ;; esac
done
for program in $programs; do
    case $step in all | curves) sensitivity "$program" ;; esac
    case $step in all | splits) splits "$program" ;; esac
done
case $step in all | learn | curves | splits | table)
    if [ -d "$work/results" ]; then
        cargo run --quiet --release --locked -p pricetag-report --example evaluation -- "$work/results" "${EVAL_TO:-docs/evaluation}"
    fi
    ;;
esac
