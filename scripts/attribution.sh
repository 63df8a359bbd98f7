#!/usr/bin/env bash
# Where does the time go: Pricetag's answer beside an independent profiler's, on programs that nobody tuned on.
#   scripts/attribution.sh [PROGRAM ...]
# Every program is mined as a user would (`pricetag mine --samples all --target cpu`), then run twice more over the same inputs under
# async-profiler (CPU, 1 ms). docs/attribution.md explains the table, which goes to .cache/attribution/table.md.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=${CARGO_TARGET_DIR:-target}
pricetag=$PWD/$target/release/pricetag
inputs=${ATTRIBUTION_INPUTS:-12}
export PRICETAG_CACHE=none

scripts/fetch-subjects.sh subjects attribution
cargo build -q --release -p pricetag-testkit --example attribution
cache=$PWD/.cache/attribution
profiler=$cache/linux-x64/libasyncProfiler.so
[ -f "$profiler" ] || (cd "$cache" && unzip -qo async-profiler-*.jar 'linux-x64/*')
jar() { find "$cache" -maxdepth 1 -name "$1*.jar" | head -1; }
made() { # made KIND: inputs written by subjects/attribution/Inputs.java
    [ -d "$cache/in/$1" ] || java subjects/attribution/Inputs.java "$1" "$inputs" "$cache/in/$1"
    echo "$cache/in/$1/*.$1"
}
sources() { # real source files
    [ -d "$cache/in/java" ] || subjects/javac/select.sh "$inputs" "$cache/in/java" 2>/dev/null
    echo "$cache/in/java/*.java"
}
pdfs() {
    if [ ! -d "$cache/in/pdf" ]; then
        made txt >/dev/null
        mkdir -p "$cache/in/pdf"
        for text in "$cache"/in/txt/*.txt; do
            java -jar "$(jar pdfbox-app)" TextToPDF "$cache/in/pdf/$(basename "$text" .txt).pdf" "$text" >/dev/null 2>&1
        done
    fi
    echo "$cache/in/pdf/*.pdf"
}

command=() # what runs an input, `{}`
pattern=   # the inputs
choose() {
    case $1 in
        antlr4) pattern=$(made g4) command=(java -cp "$(jar antlr4)" org.antlr.v4.Tool -o "$cache/out" '{}') ;;
        closure) pattern=$(made js) command=(java -jar "$(jar closure-compiler)" --js '{}' --js_output_file /dev/null) ;;
        ecj) pattern=$(sources) command=(java -jar "$(jar ecj)" -proceedOnError -nowarn -17 -d none '{}') ;;
        google-java-format)
            pattern=$(sources)
            local opens=()
            for package in api code file parser tree util; do
                opens+=("--add-exports=jdk.compiler/com.sun.tools.javac.$package=ALL-UNNAMED")
            done
            command=(java "${opens[@]}" -jar "$(jar google-java-format)" '{}')
            ;;
        groovy) pattern=$(made groovy) command=(java -cp "$(jar groovy-all)" groovy.ui.GroovyMain '{}') ;;
        jython) pattern=$(made py) command=(java -jar "$(jar jython)" -S '{}') ;;
        pdfbox) pattern=$(pdfs) command=(java -jar "$(jar pdfbox-app)" ExtractText -console '{}') ;;
        plantuml) pattern=$(made puml) command=(java -Djava.awt.headless=true -jar "$(jar plantuml)" -tsvg -o "$cache/out" '{}') ;;
        sat4j) pattern=$(made cnf) command=(java -cp "$(jar org.ow2.sat4j.core)" org.sat4j.BasicLauncher '{}') ;;
        saxon)
            pattern=$(made xml)
            command=(java -cp "$(jar Saxon-HE):$(jar xmlresolver)" net.sf.saxon.Transform "-s:{}" -xsl:subjects/attribution/report.xsl -o:/dev/null)
            ;;
        *) echo "attribution: no program is called $1" >&2 && exit 2 ;;
    esac
}

programs=("$@")
[ $# -gt 0 ] || programs=(antlr4 closure ecj google-java-format groovy jython pdfbox plantuml sat4j saxon)
table=$cache/table.md
for program in "${programs[@]}"; do
    choose "$program"
    work=$cache/work/$program
    rm -rf "$work"
    mkdir -p "$work"
    if [ "$program" = sat4j ]; then
        # It says by its exit code whether there is a solution.
        printf '#!/bin/sh\n"$@"\ncase $? in 0|10|20) exit 0 ;; *) exit 1 ;; esac\n' >"$work/run" && chmod +x "$work/run"
        command=("$work/run" "${command[@]}")
    fi
    echo "attribution: $program" >&2
    "$pricetag" mine -o "$work/data" --report "$work/report.html" --samples all --target cpu --repeat 2 \
        --inputs "$pattern" -- "${command[@]}" >"$work/mine.txt" 2>"$work/mine.err" || { tail -3 "$work/mine.err" >&2 && continue; }
    "$pricetag" explain "$work/data/model.json" --json --limit 100000 >"$work/explained.json"
    for pass in a b; do
        number=0
        for input in $pattern; do
            number=$((number + 1))
            options="start,event=cpu,interval=1000000,threads,collapsed,file=$work/$pass-$number.collapsed"
            JAVA_TOOL_OPTIONS="-agentpath:$profiler=$options -XX:-DontCompileHugeMethods" \
                "${command[@]/\{\}/$input}" >/dev/null 2>&1 || true
        done
    done
    "$target/release/examples/attribution" "$program" "$work" >>"$work/row.md"
    cat "$work/row.md"
done
"$target/release/examples/attribution" --header >"$table"
for program in "${programs[@]}"; do cat "$cache/work/$program/row.md" >>"$table" 2>/dev/null || true; done
cat "$table"
