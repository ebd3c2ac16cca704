#!/usr/bin/env bash
# Renews requirements/*.txt: exact versions for each group of pyproject.toml, for the oldest Python that it promises.
#
# Pins that still fit stay as they are; `--upgrade`, or `--upgrade-package NAME`, looks for newer ones. The groups share
# their versions: first comes the largest one, and the others are bound to it.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly UV=.venv/bin/uv
OLDEST=$(sed -nE 's/^requires-python = ">=([0-9.]+)"$/\1.0/p' pyproject.toml)
readonly OLDEST

lock() {
    local group=$1
    shift
    "$UV" pip compile --quiet --universal --python-version "$OLDEST" --no-annotate --no-emit-index-url \
        --custom-compile-command "make lock" --group "$group" --output-file "requirements/$group.txt" "$@"
    echo "requirements/$group.txt: $(grep -c == "requirements/$group.txt") packages"
}

lock test pyproject.toml --all-extras "$@"
lock check pyproject.toml --all-extras --constraint requirements/test.txt
lock demo pyproject.toml --extra cli --constraint requirements/test.txt
lock docs --constraint requirements/test.txt "$@"
lock clients "$@"
