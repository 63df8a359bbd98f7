#!/usr/bin/env bash
# Mutates classes of many libraries, counts each mutant, and has a JVM link both under full verification: what verified before must verify after.
#   scripts/mutants.sh [MUTANTS [SEED [JAVA]]]      100000 of seed 1 by the java on the path unless told otherwise
# Rounds of 10,000 mutants, each of forty small classes of one library, by the seeds from SEED on; of each mutant two twins are linked, one with counters
# alone and one with everything that can be recorded. Pairs that break are left in .cache/mutants/broken; then the exit status is 1.
# shellcheck source=scripts/with-agent.bash
source "$(dirname "${BASH_SOURCE[0]}")/with-agent.bash"
total=${1:-100000} seed=${2:-1} java=${3:-java}
round=10000
work=$PWD/.cache/mutants
mkdir -p "$work/broken" "$work/classes"
scripts/fetch-subjects.sh subjects bench corpus >/dev/null
cargo build --release --locked -q -p pricetag-fuzzing --example mutants
javac --release 17 -nowarn -d "$work/verify" crates/dev/fuzzing/tests/Verify.java
# Large libraries take longer to be read for each round than to be mutated.
mapfile -t jars < <(find .cache/bench .cache/subjects .cache/corpus -name '*.jar' -size -6M ! -name '*-sources.jar' ! -name 'org.jacoco*' | LC_ALL=C sort)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkfifo "$scratch/pairs"
status=0 pairs=0 verified=0 broken=0
for ((done = 0; done < total; done += round, seed++)); do
    jar=${jars[$((seed % ${#jars[@]}))]}
    name=$(basename "$jar" .jar)
    folder=$work/classes/$name
    if [ ! -d "$folder" ]; then
        rm -rf "$folder.part"
        unzip -qq -o "$jar" '*.class' -d "$folder.part"
        rm -rf "$folder.part/META-INF" "$folder.part/module-info.class"
        mv "$folder.part" "$folder"
    fi
    mapfile -t classes < <(find "$folder" -name '*.class' -size +1k -size -9k | LC_ALL=C sort | shuf -n 40 --random-source=<(yes "$seed"))
    "$target/release/examples/mutants" "$scratch/pairs" "$((total - done < round ? total - done : round))" "$seed" "${classes[@]}" >"$scratch/written" &
    summary=$(cd "$work/broken" && "$java" -Xverify:all -XX:TieredStopAtLevel=1 -Xmx2g -cp "$work/verify" Verify "$scratch/pairs" "$folder" 2>&1) || status=1
    wait $!
    read -r p v b < <(sed -n 's/^\([0-9]*\) pairs, \([0-9]*\) verified before, \([0-9]*\) of them.*/\1 \2 \3/p' <<<"$summary") || {
        echo "mutants: seed $seed, $name: $summary" >&2
        exit 1
    }
    [ "$b" = 0 ] || echo "mutants: seed $seed, $name: $summary" >&2
    pairs=$((pairs + p)) verified=$((verified + v)) broken=$((broken + b))
    echo "$(date +%T) seed $seed, $name: $pairs pairs so far, $verified verified before, $broken of them not after" >&2
done
echo "$pairs pairs, $verified verified before, $broken of them not after"
exit $status
