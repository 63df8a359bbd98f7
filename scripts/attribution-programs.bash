# The programs of scripts/attribution.sh and scripts/planted.sh, their inputs and command lines. To be sourced in the repository's root, with
# `cache` (.cache/attribution), `inputs` (how many) and `given` (where they are or come) set; `choose PROGRAM WORK` sets `command`, `pattern` and `subject`.
# shellcheck shell=bash disable=SC2034,SC2154
jar() { find "$cache" -maxdepth 1 -name "$1*.jar" | head -1; }
made() { # made KIND: inputs written by subjects/attribution/Inputs.java
    [ -d "$given/$1" ] || java subjects/attribution/Inputs.java "$1" "$inputs" "$given/$1"
    echo "$given/$1/*.$1"
}
sources() { # real source files
    [ -d "$given/java" ] || subjects/javac/select.sh "$inputs" "$given/java" 2>/dev/null
    echo "$given/java/*.java"
}
pdfs() {
    if [ ! -d "$given/pdf" ]; then
        made txt >/dev/null
        mkdir -p "$given/pdf"
        for text in "$given"/txt/*.txt; do
            java -jar "$(jar pdfbox-app)" TextToPDF "$given/pdf/$(basename "$text" .txt).pdf" "$text" >/dev/null 2>&1
        done
    fi
    echo "$given/pdf/*.pdf"
}

accepting() { # accepting CODE ...: a script that runs its arguments and takes these exit codes for success
    local codes=$*
    printf '#!/bin/sh\n"$@"\ncase $? in %s) exit 0 ;; *) exit 1 ;; esac\n' "${codes// /|}"
}

every=(antlr4 closure ecj google-java-format groovy jython pdfbox plantuml sat4j saxon)
# Chosen when sampling was as it is: nothing was mended by them.
fresh=(beanshell jruby rhino)
command=() # what runs an input, `{}`
pattern=   # the inputs
subject=   # the program's own jar
choose() { # choose PROGRAM WORK
    case $1 in
        beanshell) subject=$(jar bsh) ;;
        jruby) subject=$(jar jruby-complete) ;;
        closure) subject=$(jar closure-compiler) ;;
        groovy) subject=$(jar groovy-all) ;;
        pdfbox) subject=$(jar pdfbox-app) ;;
        sat4j) subject=$(jar org.ow2.sat4j.core) ;;
        saxon) subject=$(jar Saxon-HE) ;;
        *) subject=$(jar "$1") ;;
    esac
    case $1 in
        antlr4) pattern=$(made g4) command=(java -cp "$subject" org.antlr.v4.Tool -o "$cache/out" '{}') ;;
        beanshell) pattern=$(made bsh) command=(java -cp "$subject" bsh.Interpreter '{}') ;;
        jruby) pattern=$(made rb) command=(java -jar "$subject" '{}') ;;
        rhino) pattern=$(made rhino) command=(java -cp "$subject" org.mozilla.javascript.tools.shell.Main '{}') ;;
        closure) pattern=$(made js) command=(java -jar "$subject" --js '{}' --js_output_file /dev/null) ;;
        ecj)
            # Files that need others do not compile alone; it goes on and says so.
            accepting 0 255 >"$2/run" && chmod +x "$2/run"
            pattern=$(sources) command=("$2/run" java -jar "$subject" -proceedOnError -nowarn -17 -d none '{}')
            ;;
        google-java-format)
            pattern=$(sources)
            local opens=()
            for package in api code file parser tree util; do
                opens+=("--add-exports=jdk.compiler/com.sun.tools.javac.$package=ALL-UNNAMED")
            done
            command=(java "${opens[@]}" -jar "$subject" '{}')
            ;;
        groovy) pattern=$(made groovy) command=(java -cp "$subject" groovy.ui.GroovyMain '{}') ;;
        jython) pattern=$(made py) command=(java -jar "$subject" -S '{}') ;;
        pdfbox) pattern=$(pdfs) command=(java -jar "$subject" ExtractText -console '{}') ;;
        plantuml) pattern=$(made puml) command=(java -Djava.awt.headless=true -jar "$subject" -tsvg -o "$cache/out" '{}') ;;
        sat4j)
            # It says by its exit code whether there is a solution.
            accepting 0 10 20 >"$2/run" && chmod +x "$2/run"
            pattern=$(made cnf) command=("$2/run" java -cp "$subject" org.sat4j.BasicLauncher '{}')
            ;;
        saxon)
            pattern=$(made xml)
            command=(java -cp "$subject:$(jar xmlresolver)" net.sf.saxon.Transform "-s:{}" -xsl:subjects/attribution/report.xsl -o:/dev/null)
            ;;
        *) echo "attribution: no program is called $1" >&2 && exit 2 ;;
    esac
}
