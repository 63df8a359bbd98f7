#!/usr/bin/env bash
# The step of action.yml: its inputs come in the environment. Run it locally with the same variables.
set -uo pipefail
: "${GATE_BASELINE:?names the baseline}" "${GATE_COMMAND:?is the command that runs the benchmarks}"
outputs=${GATE_OUTPUTS:-pricetag-gate}
mkdir -p "$outputs" || exit 1
# Options are words of a shell, as the command is.
eval "options=(${GATE_OPTIONS:-})"
eval "command=($GATE_COMMAND)"
"${GATE_PROGRAM:-pricetag}" gate check "$GATE_BASELINE" --annotations \
    --markdown "${GITHUB_STEP_SUMMARY:-$outputs/summary.md}" --junit "$outputs/junit.xml" \
    --bencher "$outputs/bencher.json" --benchmark-action "$outputs/benchmark-action.json" \
    ${options[@]+"${options[@]}"} -- "${command[@]}"
code=$?
if [ "$code" = 0 ]; then passed=true; else passed=false; fi
echo "passed=$passed" >> "${GITHUB_OUTPUT:-/dev/null}"
exit "$code"
