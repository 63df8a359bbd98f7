#!/usr/bin/env bash
# Fetches the pinned third-party subjects of subjects/artifacts.lock into .cache/subjects, checks their SHA-256, and
# unpacks the source archives. Idempotent: what is there and has the right sum is not fetched again.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cache=${PRICETAG_SUBJECTS:-$PWD/.cache/subjects}
mkdir -p "$cache"
plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy

intact() { # intact SUM FILE
    [ -f "$2" ] && [ "$(sha256sum "$2" | cut -d' ' -f1)" = "$1" ]
}

while read -r sum coordinates file; do
    case $sum in '' | '#'*) continue ;; esac
    if ! intact "$sum" "$cache/$file"; then
        echo "fetching $file" >&2
        rm -f "$cache/$file"
        mvn -q -B -ntp -Dstyle.color=never "$plugin" -Dartifact="$coordinates" -DoutputDirectory="$cache" >&2 || {
            echo "fetch-subjects: Maven could not fetch $coordinates: is there a network?" >&2
            exit 1
        }
        intact "$sum" "$cache/$file" || {
            echo "fetch-subjects: $cache/$file has not the pinned SHA-256 $sum; not used" >&2
            rm -f "$cache/$file"
            exit 1
        }
    fi
    case $file in
        *-sources.jar)
            if [ ! -f "$cache/src/${file%-sources.jar}/.complete" ]; then
                rm -rf "$cache/src/${file%-sources.jar}"
                mkdir -p "$cache/src/${file%-sources.jar}"
                unzip -q "$cache/$file" '*.java' -d "$cache/src/${file%-sources.jar}"
                touch "$cache/src/${file%-sources.jar}/.complete"
            fi
            ;;
    esac
done <subjects/artifacts.lock
echo "subjects ready in $cache" >&2
