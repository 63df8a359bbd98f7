#!/bin/bash
# Attacks the release build: damaged files, full disks, hostile names, script in pages, kills. Some thirty minutes on two cores; PART … runs some of it.
#   scripts/campaign.sh [damage|disk|names|pages|kills …]
set -eu -o pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
javac -g -d "$classes" crates/app/cli/tests/subjects/Sums.java
cargo build --release --locked -p pricetag-cli -p pricetag-agent --bins --lib --example campaign
"$target/release/examples/campaign" "$target/release/pricetag" "$classes" "$@"
