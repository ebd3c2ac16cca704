"""Record a green run of `make test-all` in tests/last_green.json: when, of which commit, how long, how many tests.

Called by the Makefile after everything has passed, with the time at which the run began (seconds since 1970) and the
file of counts that the runs of pytest have written.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
RECORD = ROOT / "tests" / "last_green.json"


def totals(text: str) -> dict[str, int]:
    """Add up the counts of several runs, one JSON object a line."""
    total: Counter[str] = Counter()
    for line in text.splitlines():
        total.update(json.loads(line))
    return dict(total)


def commit() -> str:
    """Return the commit that was tested; a `+` says that the tree had changes of its own."""
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty=+", "--abbrev=12"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return described.stdout.strip()


def main(began: str, counts: str) -> None:
    """Write the record."""
    now = time.time()
    record = {
        "date": time.strftime("%Y-%m-%d", time.gmtime(now)),
        "commit": commit(),
        "minutes": round((now - float(began)) / 60, 1),
        "tests": totals(Path(counts).read_text()),
        "python": platform.python_version(),
        "cores": len(os.sched_getaffinity(0)),
    }
    RECORD.write_text(json.dumps(record, indent=2) + "\n")
    print(f"all green in {record['minutes']} minutes; recorded in {RECORD.relative_to(ROOT)}: commit it")


if __name__ == "__main__":
    main(*sys.argv[1:])
