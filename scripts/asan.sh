#!/usr/bin/env bash
# Runs the conformance suite, the tests of threads, of a server and of other agents with an agent built under the address sanitizer: reads and writes outside of what is allocated, and uses after free,
# in the agent's own code and at its border to the JVM. Needs a nightly Rust toolchain and GCC's libasan (with gcc on Debian).
#   scripts/asan.sh [PART]      of the suite only programs whose names contain PART
# PRICETAG_EXACTNESS=full for all programs of all compilers.
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
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
tests=(-p pricetag-testkit --test conformance --test threads --test agents --test server)
cargo test --locked "${tests[@]}" --no-run
# Everything runs under the sanitizer's runtime, so that each JVM does, whatever its release. JVMs have their own handler of SIGSEGV, keep
# what they allocate for good, and lay their stacks out by themselves.
status=0
ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:allow_user_segv_handler=1:detect_leaks=0:use_sigaltstack=0:detect_stack_use_after_return=0:abort_on_error=0:exitcode=99:log_path=$logs/report \
    LD_PRELOAD=$(readlink -f "$runtime") PRICETAG_AGENT=$agent PRICETAG_CONFORMANCE=${1:-} \
    cargo test --locked "${tests[@]}" -- --nocapture || status=$?
reports=$(find "$logs" -type f | wc -l)
echo "asan: $reports reports"
find "$logs" -type f -exec cat {} +
[ "$status" = 0 ] && [ "$reports" = 0 ]
