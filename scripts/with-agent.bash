# Sourced by scripts that run a JVM with the agent. Goes to the root of the repository and leaves
#   $target       the build folder, absolute
#   $agent        the agent's library: $PRICETAG_AGENT, else the release build
#   built_agent   builds it unless $PRICETAG_AGENT names one
#   counting_options [JAVA [timed=MS] [MS ...]]   prints the JVM options with which `record` runs what is only counted, after such runs that took MS milliseconds each,
#                 and one without counters
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=${CARGO_TARGET_DIR:-target}
case $target in /*) ;; *) target=$PWD/$target ;; esac
agent=${PRICETAG_AGENT:-$target/release/libpricetag_agent.so}

built_agent() { [ -n "${PRICETAG_AGENT:-}" ] || cargo build --release --locked -q -p pricetag-agent; }

counting_options() { cargo run --release --locked -q -p pricetag-runner --example counting_options -- "$@"; }
