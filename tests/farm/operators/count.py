"""How many cases the tables have: `python tests/farm/operators/count.py` prints the table of docs/farm.md."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1])]

from operators import documents, identity, politeness, robots, sitemaps

AREAS = {
    "robots": (robots.CASES, 25, "what a server answers for robots.txt, and what becomes of a page"),
    "sitemaps": (sitemaps.CASES, 15, "the files of a host, and the pages in the queue"),
    "documents": (documents.CASES, 20, "an answer, and its record"),
    "politeness": (politeness.CASES, 10, "what a host asks for, and how long it is left alone"),
    "identity": (identity.CASES, 10, "two URLs, or two workers, and whether they are one"),
}
"""The cases of each area, how many there are at least, and what one is."""


def table() -> str:
    """Return the counts as a table of Markdown."""
    rows = [
        f"| [{area}](https://github.com/stillframe/stillframe/blob/main/tests/farm/operators/{area}.py) "
        f"| {len(cases)} | {what} |"
        for area, (cases, _, what) in AREAS.items()
    ]
    total = sum(len(cases) for cases, _, _ in AREAS.values())
    return "\n".join(("| area | cases | given, and expected |", "|---|---|---|", *rows, f"| together | {total} | |"))


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
