# Entry points. Everything here also works by hand: see CONTRIBUTING.md.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup demo test check lint doc bench attribution planted evaluate campaign clean

TARGET := $(or $(CARGO_TARGET_DIR),target)

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-8s %s\n", $$1, $$2 }'

setup: ## install what is missing (as root on Debian or Ubuntu), or say what to install
	@scripts/setup.sh

demo: ## build, mine the JDK's own javac on real source files, leave demo/report.html
	@scripts/setup.sh subjects
	cargo build --release -p pricetag-cli -p pricetag-agent
	@scripts/demo.sh

lint: ## formatting, clippy and documentation, warnings are errors
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

test: setup lint ## everything CI runs
	cargo build --workspace --locked
	cargo test --workspace --locked --no-fail-fast

check: ## while you work: formatting, clippy, unit tests, the repository's own rules (two minutes from a warm build)
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo test --workspace --locked --lib --test repository

bench: ## exactness, corpora, overhead, throughput and accuracy on real programs (hours; scripts/evaluate.sh PART for one part)
	@scripts/setup.sh
	cargo build --release --workspace --locked
	@scripts/evaluate.sh

attribution: ## where the time goes, beside an independent profiler, on programs nobody tuned on (hours)
	@scripts/setup.sh subjects
	cargo build --release -p pricetag-cli -p pricetag-agent --locked
	@scripts/attribution.sh

planted: ## are costs found that we planted in such programs? (half a day; PLANTED_PLACES=1: an hour)
	@scripts/setup.sh subjects
	cargo build --release -p pricetag-cli -p pricetag-agent --locked
	@scripts/planted.sh

evaluate: ## how well unseen inputs are predicted: Lucene, ImageJ and three more, as in the Mantis paper (two hours; resumable)
	@scripts/setup.sh subjects
	cargo build --release -p pricetag-cli -p pricetag-agent --locked
	@scripts/evaluation.sh

campaign: ## attack the program: damaged files, kills, full disks, script in pages, hostile names (half an hour)
	@scripts/setup.sh
	@scripts/campaign.sh

clean: ## remove build products, fetched subjects and the demo
	cargo clean
	rm -rf .cache demo
