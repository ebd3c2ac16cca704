#!/usr/bin/env bash
# Runs the Python tests: those marked `serial` one at a time with nothing beside them, then all others side by side.
#
# With STILLFRAME_LOAD=3 three busy loops run beside the tests (tests/machine_load.py); the serial tests, which measure
# short times, are left out then. No failure runs a second time. Tests marked `slow` run with --all only, those marked
# `wheel` in `make wheel-test`. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly PY=.venv/bin/python
readonly WORKERS=${STILLFRAME_WORKERS:-3} # on two cores a third worker uses what the others leave while they wait
readonly NONE_SELECTED=5                  # pytest's exit status

# Under root, Chrome gives its threads a higher priority than Python has, and a busy machine then keeps the tests from
# the CPU for seconds. Without the right to do that, it behaves as under any other user.
ORDINARY=(setpriv "--bounding-set=-sys_nice" "--inh-caps=-sys_nice" --)
"${ORDINARY[@]}" true 2>/dev/null || ORDINARY=()
readonly ORDINARY

status=$NONE_SELECTED
group() {
    local code=0
    "${ORDINARY[@]}" "$PY" -m pytest "$@" || code=$?
    case $code in
        0) [ "$status" != "$NONE_SELECTED" ] || status=0 ;;
        1) status=1 ;;                  # tests failed; the other group still runs
        "$NONE_SELECTED") ;;
        *) exit "$code" ;;              # pytest itself was stopped
    esac
}

# Collecting all files takes 13 s more than collecting those that hold a serial test (conftest.py checks that a file with
# one says so). Paths of the caller go first.
serial_files() {
    local argument
    for argument; do
        [ ! -e "${argument%%::*}" ] || return 0
    done
    grep -rl --include="test_*.py" "pytest.mark.serial" tests bench/tests | LC_ALL=C sort
}

if [ "${STILLFRAME_LOAD:-0}" = 0 ]; then
    mapfile -t FILES < <(serial_files "$@")
    group -m "serial and not wheel" "${FILES[@]}" "$@"
else
    echo "left out: the tests marked serial measure short times, and $STILLFRAME_LOAD busy loops run beside these" >&2
fi
group -m "not serial and not wheel" -n "$WORKERS" --dist worksteal "$@"
exit "$status"
