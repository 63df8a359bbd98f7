#!/usr/bin/env bash
# Runs the conformance suite with an agent built under the address sanitizer: reads and writes outside of what is allocated, and uses after free,
# in the agent's own code and at its border to the JVM. Needs a nightly Rust toolchain and GCC's libasan (with gcc on Debian).
#   scripts/asan.sh [PART]      only programs whose names contain PART
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
triple=$(rustc -vV | sed -n 's/^host: //p')
target=${PRICETAG_ASAN_TARGET:-${CARGO_TARGET_DIR:-$PWD/target}/asan}
runtime=$(gcc -print-file-name=libasan.so)
[ -f "$runtime" ] || {
    echo "asan: GCC's libasan is missing" >&2
    exit 1
}
# The sanitizer's runtime comes with the process, not with the library: a cdylib leaves its symbols open.
RUSTFLAGS="-Zsanitizer=address" cargo +nightly build --locked -p pricetag-agent --target "$triple" --target-dir "$target"
agent=$target/$triple/debug/libpricetag_agent.so
nm -D --undefined-only "$agent" | grep __asan_report_load >/dev/null || {
    echo "asan: the agent was built without the sanitizer" >&2
    exit 1
}
launcher=$(mktemp -d)
trap 'rm -rf "$launcher"' EXIT
logs=$launcher/logs
mkdir -p "$logs" "$launcher/bin"
# A JAVA_HOME whose java runs under the sanitizer; the compiler does not need it. The JVM has its own handler of SIGSEGV, keeps
# what it allocates for good, and lays its stacks out by itself.
home=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.home = //p')
cat >"$launcher/bin/java" <<JAVA
#!/usr/bin/env bash
export LD_PRELOAD=$(readlink -f "$runtime")
export ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:allow_user_segv_handler=1:detect_leaks=0:use_sigaltstack=0:detect_stack_use_after_return=0:abort_on_error=0:exitcode=99:log_path=$logs/report
exec $home/bin/java "\$@"
JAVA
chmod +x "$launcher/bin/java"
for tool in javac jar; do ln -s "$home/bin/$tool" "$launcher/bin/$tool"; done
status=0
JAVA_HOME=$launcher PRICETAG_AGENT=$agent PRICETAG_CONFORMANCE=${1:-} \
    cargo test --locked -p pricetag-testkit --test conformance java_at_release_17 -- --nocapture || status=$?
reports=$(find "$logs" -type f | wc -l)
echo "asan: $reports reports"
find "$logs" -type f -exec cat {} +
[ "$status" = 0 ] && [ "$reports" = 0 ]
