#!/usr/bin/env python3
"""Check that a tag names the version of this commit, and that the changelog has it.

    tools/check_release.py v0.1.0

Exit code 0 if all is well, 1 with a line for every problem otherwise.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RELEASE = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$", re.MULTILINE)


def version() -> str:
    """Return the version in Cargo.toml, which is that of the package."""
    return str(tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["version"])


def newest_release(changelog: str) -> str | None:
    """Return the version of the first heading of a changelog that is a release."""
    found = RELEASE.search(changelog)
    return found[1] if found else None


def problems(tag: str, version: str, released: str | None) -> Iterator[str]:
    """Yield what keeps a tag from being released."""
    if tag != f"v{version}":
        yield f"the tag is {tag}, but Cargo.toml has the version {version}: tag v{version}, or change Cargo.toml first"
    if released != version:
        yield (
            f"the newest release in CHANGELOG.md is {released or 'missing'}, but Cargo.toml has the version {version}: "
            f"give `## [Unreleased]` the heading `## [{version}] - YYYY-MM-DD`"
        )


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: tools/check_release.py TAG", file=sys.stderr)
        return 2
    found = [*problems(sys.argv[1], version(), newest_release((ROOT / "CHANGELOG.md").read_text("utf-8")))]
    for problem in found:
        print(f"release: {problem}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
