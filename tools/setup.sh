#!/usr/bin/env bash
# Set-up steps of the Makefile: env | core | browser | adb | postgres | rust-tools | valgrind | bench.
#
# Each step does nothing when everything is in place. It uses apt only as root, or through sudo without a password. When
# something is missing and cannot be installed, it fails with one sentence that names it and says how to get it.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly VENV=.venv
readonly RIVALS=(bench/settle/rivals bench/locators) # installed with npm, for benchmarks
readonly PYTHON_MIN=11                       # requires-python in pyproject.toml
readonly RUST_MIN=88                         # rust-version in Cargo.toml
export PIP_DISABLE_PIP_VERSION_CHECK=1

say() { printf 'stillframe: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# Runs a command without output; if it fails, shows the last lines of its output.
quietly() {
    local lines=$1 log status=0
    shift
    log=$(mktemp)
    "$@" >"$log" 2>&1 || status=$?
    [ "$status" = 0 ] || tail -n "$lines" "$log" >&2
    rm -f "$log"
    return "$status"
}

# -- apt -------------------------------------------------------------------------------------------

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_apt() {
    command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
}

apt_install() {
    may_apt || return 1
    say "installing $* with apt"
    quietly 5 apt_commands "$@"
}

apt_commands() {
    as_root apt-get update -q \
        && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

# -- the virtual environment -----------------------------------------------------------------------

# A name on PATH may be a stub of a version manager that does not run, so each candidate is run, not looked up.
find_python() {
    local name
    for name in ${PYTHON:-} python3 python3.13 python3.12 python3.11 python3.14; do
        if "$name" -c "import sys; sys.exit(sys.version_info < (3, $PYTHON_MIN))" 2>/dev/null; then
            echo "$name"
            return
        fi
    done
    return 1
}

make_venv() {
    local python
    python=$(find_python) || die "Python 3.$PYTHON_MIN or newer is needed and none was found; install it" \
        "(Debian: apt install python3 python3-venv) or name one: make PYTHON=/path/to/python3 ..."
    "$python" -c 'import ensurepip, venv' 2>/dev/null || apt_install python3-venv \
        || die "$python has no venv module; install it (Debian: apt install python3-venv)"
    say "making $VENV with $("$python" --version)"
    "$python" -m venv --clear "$VENV"
}

step_env() {
    need_cargo # first, because the environment is useless without the core
    "$VENV/bin/python" -c 'import pip' 2>/dev/null || make_venv
    "$VENV/bin/python" -m pip install --quiet --requirement requirements-dev.lock \
        || die "the Python packages of requirements-dev.lock could not be installed; pip's message is above"
}

# -- the native core -------------------------------------------------------------------------------

need_cargo() {
    local version minor
    command -v cargo >/dev/null || die "Rust is needed to build the native core and cargo was not found;" \
        "install it from https://rustup.rs and run make again"
    version=$(cargo --version) || die "cargo does not run, and its message is above; if the toolchain of" \
        "rust-toolchain.toml is missing, install it with: rustup toolchain install"
    minor=$(sed -E 's/^cargo 1\.([0-9]+)\..*/\1/' <<<"$version")
    [ "$minor" -ge "$RUST_MIN" ] || die "Rust 1.$RUST_MIN or newer is needed and this is $version;" \
        "update it with: rustup update stable"
    command -v cc >/dev/null || apt_install gcc libc6-dev \
        || die "Rust needs a C linker and cc was not found; install one (Debian: apt install gcc libc6-dev)"
}

step_core() {
    need_cargo
    say "building the native core, which takes a minute or two"
    VIRTUAL_ENV="$PWD/$VENV" quietly 40 "$VENV/bin/maturin" develop --release --locked --features python,testing --extras agent,cli,crawl,mcp,metrics,parquet,ray,scrapy \
        || die "the native core did not build; the compiler's message is above"
}

step_rust_tools() {
    need_cargo
    { cargo fmt --version && cargo clippy --version; } >/dev/null 2>&1 && return
    { command -v rustup >/dev/null && rustup component add rustfmt clippy; } \
        || die "rustfmt and clippy are needed to lint; install them with: rustup component add rustfmt clippy"
}

# Without valgrind the build and all tests still work.
step_valgrind() {
    command -v valgrind >/dev/null || apt_install valgrind \
        || say "valgrind was not found and apt could not install it, so instructions are not counted"
}

# -- the browser -----------------------------------------------------------------------------------

have_browser() { "$VENV/bin/python" -c 'from stillframe.chrome import find_executable; find_executable()' 2>/dev/null; }

step_browser() {
    have_browser && return
    [ -z "${STILLFRAME_CHROME:-}" ] || die "STILLFRAME_CHROME names no browser that can be run: $STILLFRAME_CHROME"
    apt_install chromium chromium-sandbox fonts-liberation || true
    have_browser || die "no Chrome or Chromium was found and apt could not install one;" \
        "install one, or set STILLFRAME_CHROME to the path of its executable"
}

# -- adb -------------------------------------------------------------------------------------------

have_adb() {
    "$VENV/bin/python" -c 'import os; from stillframe.adb.adb_program import find_adb; find_adb(None, os.environ)' \
        2>/dev/null
}

# Only what reaches Android devices needs it, the tests among them.
step_adb() {
    have_adb && return
    apt_install adb || true
    have_adb || die "adb was not found and apt could not install it; install it (Debian: apt install adb," \
        "others: the Android SDK Platform-Tools), or set ANDROID_HOME to the folder of the Android SDK"
}

# -- PostgreSQL -----------------------------------------------------------------------------------

# Debian keeps the server's programs out of PATH, a folder per version.
have_postgres() { command -v initdb >/dev/null || compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null; }

# Only the tests of crawls on many machines need it; they start a server of their own.
step_postgres() {
    have_postgres && return
    apt_install postgresql || true
    have_postgres || die "PostgreSQL was not found and apt could not install it; install its server" \
        "(Debian: apt install postgresql) and put the folder of initdb into PATH"
}

# -- a display ------------------------------------------------------------------------------------

# Only the tests of the recorder need it: they open a browser with a window.
step_display() {
    command -v Xvfb >/dev/null && return
    apt_install xvfb || true
    command -v Xvfb >/dev/null || die "Xvfb was not found and apt could not install it;" \
        "install it (Debian: apt install xvfb)"
}

# -- the competitors in the benchmarks -------------------------------------------------------------

# They have their own environment, because some of them need older versions of packages that we use.
step_bench() {
    [ -x "$VENV-bench/bin/python" ] || "$VENV/bin/python" -m venv "$VENV-bench" \
        || die "the environment for the benchmarks could not be made; Python's message is above"
    "$VENV-bench/bin/python" -m pip install --quiet --requirement bench/requirements.txt \
        || die "the peers of bench/requirements.txt could not be installed; pip's message is above"
    install_rivals
}

# Programs and pages from npm; without them the benchmarks run and name what is missing.
install_rivals() {
    local folder
    for folder in "${RIVALS[@]}"; do
        install_from_npm "$folder"
    done
}

install_from_npm() {
    local folder=$1 log="$1/install.log"
    [ -d "$folder" ] || return 0
    [ "$folder/node_modules/.package-lock.json" -nt "$folder/package-lock.json" ] && return
    command -v npm >/dev/null || { say "npm was not found, so the benchmarks run without the rivals that need it;" \
        "install Node 20.19 or newer with npm and run make bench again"; return; }
    say "installing what $folder/package.json names with npm, about 90 MB"
    # Without scripts, which would download browsers.
    if (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier) >"$log" 2>&1; then
        rm -f "$log"
        touch "$folder/node_modules/.package-lock.json"
    else
        say "npm could not install the rivals of $folder, and the benchmarks run without them; npm's message is in $log"
    fi
}

case "${1:-}" in
    env | core | browser | adb | postgres | display | valgrind | bench) "step_$1" ;;
    rust-tools) step_rust_tools ;;
    *) die "usage: tools/setup.sh env|core|browser|adb|postgres|display|rust-tools|valgrind|bench" ;;
esac
