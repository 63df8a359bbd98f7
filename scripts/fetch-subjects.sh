#!/usr/bin/env bash
# Fetches pinned third-party programs and checks their SHA-256. Idempotent: what is there and has the right sum is not fetched again.
#   scripts/fetch-subjects.sh [LIST ...]
# LIST is `subjects` (subjects/artifacts.lock, the default; sources are unpacked too), `attribution`, `bench`, `corpus`, `gates`, `library-tests` or `releases`
# (subjects/LIST.lock). Each goes to .cache/LIST; PRICETAG_SUBJECTS is another place for `subjects`.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy

intact() { # intact SUM FILE
    [ -f "$2" ] && [ "$(sha256sum "$2" | cut -d' ' -f1)" = "$1" ]
}

# The Maven project whose only purpose is to copy artifacts to DIRECTORY. Standard input: coordinates and file on each line.
project() { # project DIRECTORY
    echo '<project><modelVersion>4.0.0</modelVersion>'
    echo '<groupId>pricetag</groupId><artifactId>subjects</artifactId><version>1</version><packaging>pom</packaging>'
    echo '<build><plugins><plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-dependency-plugin</artifactId>'
    echo '<version>3.6.1</version><configuration><artifactItems>'
    local coordinates file group artifact version type classifier
    while read -r coordinates file; do
        IFS=: read -r group artifact version type classifier <<<"$coordinates"
        echo "<artifactItem><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version>"
        echo "<type>${type:-jar}</type>${classifier:+<classifier>$classifier</classifier>}"
        echo "<outputDirectory>$1</outputDirectory><destFileName>$file</destFileName></artifactItem>"
    done
    echo '</artifactItems></configuration></plugin></plugins></build></project>'
}

fetch() { # fetch LOCK DIRECTORY
    local lock=$1 cache=$2 sum coordinates file wanted="" pom
    mkdir -p "$cache"
    while read -r sum coordinates file; do
        case $sum in '' | '#'*) continue ;; esac
        intact "$sum" "$cache/$file" || wanted+="$coordinates $file"$'\n'
    done <"$lock"
    [ -n "$wanted" ] || return 0
    echo "fetching $(printf '%s' "$wanted" | wc -l) files of $lock" >&2
    pom=$cache/pom.xml
    printf '%s' "$wanted" | project "$cache" >"$pom"
    mvn -q -B -ntp -Dstyle.color=never -f "$pom" "$plugin" >&2 || {
        echo "fetch-subjects: Maven could not fetch everything of $lock: is there a network?" >&2
        exit 1
    }
    rm -f "$pom"
    while read -r sum coordinates file; do
        case $sum in '' | '#'*) continue ;; esac
        intact "$sum" "$cache/$file" || {
            echo "fetch-subjects: $cache/$file has not the pinned SHA-256 $sum; not used" >&2
            rm -f "$cache/$file"
            exit 1
        }
    done <"$lock"
}

unpack_sources() { # unpack_sources DIRECTORY
    local jar name
    for jar in "$1"/*-sources.jar; do
        name=$(basename "$jar" -sources.jar)
        [ -f "$1/src/$name/.complete" ] && continue
        rm -rf "$1/src/$name"
        mkdir -p "$1/src/$name"
        unzip -q "$jar" '*.java' -d "$1/src/$name"
        touch "$1/src/$name/.complete"
    done
}

for list in "${@:-subjects}"; do
    case $list in
        subjects)
            cache=${PRICETAG_SUBJECTS:-$PWD/.cache/subjects}
            fetch subjects/artifacts.lock "$cache"
            unpack_sources "$cache"
            ;;
        *)
            cache=$PWD/.cache/$list
            fetch "subjects/$list.lock" "$cache"
            ;;
    esac
    echo "$list ready in $cache" >&2
done
