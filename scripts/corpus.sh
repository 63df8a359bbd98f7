#!/usr/bin/env bash
# Loads and links every class of the corpus under full verification, without and with the counting agent, and compares class by class.
#   scripts/corpus.sh [UNIT ...]    a unit is a jar's name without .jar, or `jdk` (the java on the path), or jdk-HOME for another JDK's
#                                   home directory, written with the path behind the dash; everything without arguments
# "Counted" are classes with code, those that others pulled in included; never counted are a few of the JDK that probes need themselves
# (java.lang.Object, java.lang.Thread, java.lang.invoke, jdk.internal.reflect). Finished units are kept in .cache/corpus-results and not
# repeated; delete the directory to start anew. CORPUS_NICE is the niceness of the JVMs (19). Prints a Markdown table; exits with status 1 if
# a class links without the agent and does not link with it.
# shellcheck source=scripts/with-agent.bash
source "$(dirname "${BASH_SOURCE[0]}")/with-agent.bash"
results=$PWD/.cache/corpus-results
mkdir -p "$results"
scripts/fetch-subjects.sh subjects bench corpus
built_agent
cargo build --release --locked -q -p pricetag-testkit --example trace_summary
mkdir -p "$results/classes"
javac --release 17 -nowarn -d "$results/classes" subjects/corpus/Link.java

jars=$(find "$PWD/.cache/bench" "$PWD/.cache/subjects" "$PWD/.cache/corpus" -name '*.jar' ! -name '*-sources.jar' ! -name 'org.jacoco*' | LC_ALL=C sort)
rest=$(paste -sd: <<<"$jars")

unit() { # unit NAME JAVA [JAR]: links twice, leaves NAME.plain, NAME.counted and NAME.left
    local name=$1 java=$2 jar=${3:-} out=$results/$1 common
    [ -f "$out.done" ] && return 0
    echo "corpus: $name" >&2
    rm -rf "$out".* "$results/plans"
    local modules=()
    [ -n "$jar" ] || modules=(--add-modules ALL-SYSTEM)
    common=("${modules[@]}" -Xmx3g -XX:+UnlockDiagnosticVMOptions -XX:+BytecodeVerificationLocal -XX:+BytecodeVerificationRemote -XX:TieredStopAtLevel=1 -Djava.awt.headless=true
        -cp "$results/classes${jar:+:$jar:$rest}")
    printf 'mode=count\ntrace=%s\nplans=%s\ncount-jdk=%s\ninclude=**\nexclude=Link\n' "$out.trace" "$results/plans" \
        "$([ -n "$jar" ] && echo false || echo true)" >"$out.options"
    nice -n "${CORPUS_NICE:-19}" "$java" "${common[@]}" Link "$out.plain" ${jar:+"$jar"} >"$out.log" 2>&1 || {
        echo "corpus: $name fails without the agent: $(tail -c 500 "$out.log")" >&2
        return 1
    }
    nice -n "${CORPUS_NICE:-19}" "$java" "-agentpath:$agent=$out.options" "${common[@]}" Link "$out.counted" ${jar:+"$jar"} >>"$out.log" 2>&1 || {
        echo "corpus: $name fails with the agent: $(tail -c 1500 "$out.log")" >&2
        return 1
    }
    "$target/release/examples/trace_summary" "$out.trace" >"$out.left" 2>"$out.methods"
    rm -rf "$out.trace" "$results/plans"
    touch "$out.done"
}

row() { # row NAME: classes, linked, counted, left, and those that only link without the agent
    local out=$results/$1
    awk -v name="$1" -v left="$out.left" '
        FNR == NR { plain[$1] = $2; n++; if ($2 == "linked") linked++; next }
        plain[$1] == "linked" && $2 != "linked" { broken++ }
        plain[$1] != "linked" && plain[$1] != $2 { other++ }
        END {
            while ((getline line < left) > 0) {
                split(line, word, " ")
                if (word[2] == "counted") counted = word[1]
                if (word[2] == "left" && word[3] == "method:") methods += word[1]
                if (word[2] == "left" && word[3] == "class:") classes += word[1]
            }
            printf "| %s | %d | %d | %d | %d | %d | %d |\n", name, n, linked, counted, classes, methods, broken + other
        }' "$out.plain" "$out.counted"
}

units=("$@")
if [ ${#units[@]} = 0 ]; then
    units=(jdk)
    for home in /usr/lib/jvm/*; do
        [ -x "$home/bin/java" ] && [ ! -L "$home" ] && [ "$(readlink -f "$(command -v java)")" != "$(readlink -f "$home/bin/java")" ] && units+=("jdk-$home")
    done
    for jar in $jars; do units+=("$(basename "$jar" .jar)"); done
fi
names=() failed=0
for name in "${units[@]}"; do
    case $name in
        jdk)
            names+=("jdk-$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.version = //p')")
            unit "${names[-1]}" java || failed=1
            ;;
        jdk-/*)
            names+=("jdk-$("${name#jdk-}/bin/java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.version = //p')")
            unit "${names[-1]}" "${name#jdk-}/bin/java" || failed=1
            ;;
        *)
            names+=("$name")
            unit "$name" java "$(grep "/$name\.jar$" <<<"$jars")" || failed=1
            ;;
    esac
done
echo "| | classes | link unchanged | counted | classes left | methods left | differ when counted |"
echo "|---|---|---|---|---|---|---|"
for name in "${names[@]}"; do if [ -f "$results/$name.done" ]; then row "$name"; fi; done | tee "$results/table"
awk -F'|' '{ for (i = 3; i <= 8; i++) sum[i] += $i } END {
    printf "| **all** | **%d** | %d | %d | %d | %d | **%d** |\n", sum[3], sum[4], sum[5], sum[6], sum[7], sum[8]; exit sum[8] > 0 }' "$results/table" || failed=1
echo
echo "Left as they were (N stands for any number):"
cat "$results"/*.left | { grep -E '^[0-9]+ (left|trace)' || true; } | awk 'NF { n = $1; $1 = ""; gsub(/[0-9]+/, "N"); count[$0] += n } END { for (text in count) print "- " count[text] ":" text }' | LC_ALL=C sort
exit "$failed"
