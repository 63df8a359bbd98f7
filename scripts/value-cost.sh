#!/usr/bin/env bash
# What recording values costs: memory with 10,000 versions of variables on 1,000 threads, and time in a loop that does nothing but assign. Markdown on standard output.
#   scripts/value-cost.sh [ROUNDS]     5 rounds of the loop unless told otherwise
# memory: 40 classes of 50 variables, five values each; 1,000 threads assign all of them six times and stay alive. The heap is fixed and touched beforehand, so
#         growth of the resident set lies outside of it; the live heap is measured by the program after a collection.
# time:   10^9 assignments of one local variable and 10^8 of a field, whole process, smallest of the rounds.
# shellcheck source=scripts/with-agent.bash
source "$(dirname "${BASH_SOURCE[0]}")/with-agent.bash"
built_agent
rounds=${1:-5}
work=$PWD/.cache/value-cost
rm -rf "$work"
mkdir -p "$work"

for ((c = 0; c < 40; c++)); do
    echo "class C$c {"
    for ((v = 0; v < 50; v++)); do echo "    static int v$v;"; done
    echo "    static void run(int n) {"
    for ((v = 0; v < 50; v++)); do echo "        v$v = n + v$v;"; done
    echo "    }"
    echo "}"
done >"$work/Classes.java"
cat >"$work/Many.java" <<'JAVA'
import java.util.concurrent.CountDownLatch;

public class Many {
    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        CountDownLatch done = new CountDownLatch(threads), end = new CountDownLatch(1);
        for (int t = 0; t < threads; t++) {
            int n = t;
            Thread thread = new Thread(null, () -> {
                for (int round = 0; round < 6; round++) {
                    All.run(n);
                }
                done.countDown();
                try {
                    end.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }, "t" + t, 256 << 10);
            thread.setDaemon(true);
            thread.start();
        }
        done.await();
        System.gc();
        System.gc();
        Runtime r = Runtime.getRuntime();
        long resident = 0;
        for (String line : java.nio.file.Files.readAllLines(java.nio.file.Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                resident = Long.parseLong(line.replaceAll("[^0-9]", "")) >> 10;
            }
        }
        System.out.println((r.totalMemory() - r.freeMemory() >> 20) + " " + resident);
        end.countDown();
    }
}
JAVA
{
    echo "class All { static void run(int n) {"
    for ((c = 0; c < 40; c++)); do echo "C$c.run(n);"; done
    echo "} }"
} >"$work/All.java"
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
(cd "$work" && javac -g Classes.java Many.java All.java Assign.java)

option() { # option NAME LINE...
    local name=$1
    shift
    rm -f "$work/$name.trace"
    printf '%s\n' mode=count "trace=$work/$name.trace" "plans=$work/plans-$name" "$@" >"$work/$name.options"
    echo "-agentpath:$agent=$work/$name.options"
}

echo "| 1,000 threads, 10,000 versions | live heap, MiB | resident set, MiB |"
echo "|---|---|---|"
for variant in plain counts values; do
    case $variant in
        plain) extra=-Dnothing ;;
        counts) extra=$(option counts) ;;
        values) extra=$(option values values=5) ;;
    esac
    read -r heap resident < <(java "$extra" -cp "$work" -XX:+UseSerialGC -Xms768m -Xmx768m -Xmn128m -XX:+AlwaysPreTouch Many 1000)
    echo "| $variant | $heap | $resident |"
done
echo
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
