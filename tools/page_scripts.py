#!/usr/bin/env python3
"""Check, bundle and format the scripts for pages, whose sources are in js/.

    tools/page_scripts.py check     types, lint, format, tests, and whether the bundles are what the sources make
    tools/page_scripts.py build     write the bundles
    tools/page_scripts.py format    rewrite the sources the way the check wants them

`tools/setup.sh js` installs what it runs. Without Node.js or these packages it says so and checks nothing: the bundles
are committed, so that neither the wheel nor the tests need them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from needs import NEEDS, find_node

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "js"
STEPS = {
    "check": (
        ("node_modules/typescript/bin/tsc", "--project", "."),
        ("node_modules/eslint/bin/eslint.js", "."),
        ("node_modules/prettier/bin/prettier.cjs", "--check", "--log-level", "warn", "."),
        ("test.mjs",),
        ("build.mjs", "--check"),
    ),
    "build": (("build.mjs",),),
    "format": (("node_modules/prettier/bin/prettier.cjs", "--write", "--log-level", "warn", "."),),
}
"""What each command runs, in this order; all steps of a command run, so that one call shows every fault."""


def run(command: str) -> int:
    """Run the steps of a command and return the status of the process."""
    node = find_node()
    if node is None or not (FOLDER / "node_modules").is_dir():
        need = NEEDS["node"]
        print(f"left out: {need.without} (or its packages); {need.remedy}", file=sys.stderr)
        return 0 if command == "check" else 1
    return max(subprocess.run([node, *step], cwd=FOLDER, check=False).returncode for step in STEPS[command])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=STEPS)
    sys.exit(run(parser.parse_args().command))


if __name__ == "__main__":
    main()
