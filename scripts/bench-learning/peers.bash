# Sourced by the scripts beside it: the folder, one thread on one core, and the peers, installed on first use.
# shellcheck shell=bash
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export RAYON_NUM_THREADS=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

pin=() # words before a command that is timed; CORE chooses another core than the second
if command -v taskset >/dev/null && taskset -c "${CORE:-1}" true 2>/dev/null; then pin=(taskset -c "${CORE:-1}"); fi

# example CRATE NAME: builds an example and prints where it is
example() {
    cargo build --quiet --release --locked -p "$1" --example "$2" >&2
    echo "${CARGO_TARGET_DIR:-target}/release/examples/$2"
}

# r_peers PACKAGE...: R with these packages, of the versions the distribution has; the tables name those
r_peers() {
    local missing=() package
    command -v Rscript >/dev/null || missing+=(r-base-core)
    for package in "$@"; do
        Rscript -e "quit(status = !requireNamespace('$package', quietly = TRUE))" >/dev/null 2>&1 || missing+=("r-cran-${package,,}")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get install -y -q --no-install-recommends "${missing[@]}" >&2 || {
            apt-get update -q >&2
            apt-get install -y -q --no-install-recommends "${missing[@]}" >&2
        }
    else
        echo "$0: nothing to compare with. As root on Debian or Ubuntu:  apt-get install --no-install-recommends ${missing[*]}" >&2
        exit 1
    fi
}

# python_peers PACKAGE==VERSION...: sets `python` to an interpreter with these, in the cache
python_peers() {
    local home=.cache/peers/python
    python=$home/bin/python
    [ -x "$python" ] || {
        python3 -m venv "$home" 2>/dev/null || { rm -rf "$home" && python3 -m venv --without-pip "$home" >&2; }
    }
    "$python" -m pip --version >/dev/null 2>&1 || python3 -m pip --python "$python" install --quiet pip >&2
    "$python" -m pip install --quiet --disable-pip-version-check "$@" >&2 || {
        echo "$0: nothing to compare with: $* could not be installed into $home (python3-venv or python3-pip and a package index are needed)" >&2
        exit 1
    }
}
