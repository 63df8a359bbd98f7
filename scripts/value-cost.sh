#!/usr/bin/env bash
# What recording values costs in time, in a loop that does nothing but assign (memory: scripts/agent-cost.sh values). Markdown on standard output.
#   scripts/value-cost.sh [ROUNDS]     5 rounds of the loop unless told otherwise
# 10^9 assignments of one local variable and 10^8 of a field, whole process, smallest of the rounds.
# shellcheck source=scripts/with-agent.bash
source "$(dirname "${BASH_SOURCE[0]}")/with-agent.bash"
built_agent
rounds=${1:-5}
work=$PWD/.cache/value-cost
rm -rf "$work"
mkdir -p "$work"

cat >"$work/Assign.java" <<'JAVA'
public class Assign {
    static int field;

    static long locals(long n) {
        long x = 1;
        for (long i = 0; i < n; i++) {
            x = x * 31 + i;
        }
        return x;
    }

    static void fields(int n) {
        for (int i = 0; i < n; i++) {
            field = i ^ field;
        }
    }

    public static void main(String[] args) {
        long x = locals(500_000_000L);
        fields(100_000_000);
        System.out.println(x + field);
    }
}
JAVA
(cd "$work" && javac -g Assign.java)

option() { # option NAME LINE...
    local name=$1
    shift
    rm -f "$work/$name.trace"
    printf '%s\n' mode=count "trace=$work/$name.trace" "plans=$work/plans-$name" "$@" >"$work/$name.options"
    echo "-agentpath:$agent=$work/$name.options"
}

echo "| 10^9 assignments of locals, 10^8 of a field | s, whole process |"
echo "|---|---|"
declare -A best
TIMEFORMAT=%U
for ((round = 0; round < rounds; round++)); do
    for variant in plain counts values; do
        case $variant in
            plain) extra=-Dnothing ;;
            counts) extra=$(option counts) ;;
            values) extra=$(option values values=5) ;;
        esac
        seconds=$({ time java "$extra" -cp "$work" -XX:+UseSerialGC Assign >"$work/out" 2>&1; } 2>&1)
        old=${best[$variant]:-1e9}
        best[$variant]=$(awk -v a="$seconds" -v b="$old" 'BEGIN { print (a < b) ? a : b }')
    done
done
for variant in plain counts values; do echo "| $variant | ${best[$variant]} |"; done
