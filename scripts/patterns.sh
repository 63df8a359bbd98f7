#!/usr/bin/env bash
# What the calls of six real programs look like: the tables of docs/patterns.md.
#   scripts/patterns.sh [PROGRAM ...]     javac, lucene-search, h2, imagej, http (subjects/bench) and scala (its compiler, on a small file)
# Each is mined with every call written down, up to PATTERNS_FIRST (20M) of each thread, and then looked at by `pricetag patterns`.
# What is recorded stays in .cache/patterns; a program's folder there is replaced.
# shellcheck source=scripts/with-agent.bash
source "$(dirname "${BASH_SOURCE[0]}")/with-agent.bash"
work=$PWD/.cache/patterns
scripts/fetch-subjects.sh subjects bench corpus
if [ -z "${PATTERNS_BUILT:-}" ]; then cargo build -q --release --locked -p pricetag-cli -p pricetag-agent; fi
pricetag=$target/release/pricetag
sources=$PWD/.cache/subjects/src/commons-math3-3.6.1
jars=$(find "$PWD/.cache/bench" -name '*.jar' ! -name 'org.jacoco*' | LC_ALL=C sort | paste -sd:)
for name in compress io codec lang3; do
    jars+=:$(find "$PWD/.cache/subjects" -name "commons-$name-[0-9]*.jar" ! -name '*-sources.jar')
done
scala=$(find "$PWD/.cache/corpus" -name 'scala-*.jar' | LC_ALL=C sort | paste -sd:)
mkdir -p "$work/classes" "$work/out"
javac -g -nowarn -d "$work/classes" -cp "$jars" subjects/bench/*.java
printf 'times\n1\n2\n3\n' >"$work/times.csv"
mkdir -p "$work/words"
for program in 1 2 3; do
    cat >"$work/words/Words$program.scala" <<SCALA
object Words$program {
  final case class Word(text: String, count: Int)

  def words(text: String): List[Word] =
    text.split(' ').groupBy(identity).map { case (word, all) => Word(word, all.length) }.toList.sortBy(-_.count)

  def main(args: Array[String]): Unit = words("to be or not to be $program").foreach(w => println(s"\${w.text} \${w.count}"))
}
SCALA
done

record() { # record PROGRAM: leaves $work/PROGRAM
    local data=$work/$1 options=() command=(java -Xms1g -Xmx2g -XX:+UseSerialGC -Djava.awt.headless=true)
    case $1 in
        javac)
            options=(--include 'com.sun.tools.javac.**')
            command+=("-Dbench.javac.classpath=$PWD/.cache/subjects/commons-math3-3.6.1.jar")
            ;;
        http) options=(--include 'HttpProgram' --include 'HttpProgram$*' --include 'com.fasterxml.jackson.**' --include 'sun.net.httpserver.**' --include 'com.sun.net.httpserver.**') ;;
    esac
    if [ "$1" = scala ]; then
        command+=(-cp "$scala" scala.tools.nsc.Main -classpath "$scala" -d "$work/out" '{}')
        options+=(--inputs "$work/words/*.scala")
    else
        command+=(-cp "$work/classes:$jars" Bench "$1" "$sources" 0 '{times}')
        options+=(--workload "$work/times.csv")
    fi
    rm -rf "$data"
    "$pricetag" --quiet mine -o "$data" --report "$work/$1.html" --features calls --calls "first=${PATTERNS_FIRST:-20M}" --repeat 2 --samples all \
        --target cpu "${options[@]}" -- "${command[@]}" >"$work/$1.mined" 2>"$work/$1.err" || {
        echo "patterns: $1 failed: $(tail -3 "$work/$1.err")" >&2
        return 1
    }
}

programs=("$@")
[ $# -gt 0 ] || programs=(javac lucene-search h2 imagej scala http)
status=0
for program in "${programs[@]}"; do
    echo "patterns: $program" >&2
    record "$program" || { status=1 && continue; }
    "$pricetag" --quiet patterns "$work/$program" >"$work/$program.txt"
    "$pricetag" --quiet --json patterns "$work/$program" >"$work/$program.json"
done
python3 - "$work" "${programs[@]}" <<'PYTHON'
import json, os, sys

work, programs = sys.argv[1], sys.argv[2:]
print("| program | calls | methods | locality: receiver, class, method | consecutive: receiver, class, method | best loop by method | mean distance | mean bytes of a call's method | native |")
print("|---|---|---|---|---|---|---|---|---|")
for program in programs:
    path = os.path.join(work, program + ".json")
    if not os.path.exists(path):
        continue
    found = json.load(open(path))["files"][0]["patterns"]
    whole, recorded = found["whole"], found["recorded"]
    sides = whole["dimensions"]
    local = ", ".join("–" if s["locality"] is None else f"{s['locality']:.3f}" for s in sides)
    share = lambda loop: 100 * loop["predicted"]["share"]
    first = ", ".join(f"{share(s['loops'][0]):.1f}" for s in sides)
    best = max(sides[2]["loops"][1:], key=share)
    native = found["natives"]["invocations"]["events"]
    print(f"| {program} | {recorded['events']:,} | {recorded['methods']:,} | {local} | {first} % | loop-{best['length']}: {share(best):.1f} % "
          f"| {found['distances']['mean']:.2f} | {found['sizes']['mean_bytes_invoked']:.1f} | {native:,} |")
PYTHON
exit $status
