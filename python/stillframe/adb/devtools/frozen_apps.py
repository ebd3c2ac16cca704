"""Apps that Android has frozen: they accept connections and never answer, so nothing connects to them. No I/O."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stillframe.adb.errors import AppFrozen

if TYPE_CHECKING:
    from stillframe.adb.devtools.socket_listing import FoundSocket

_RESUMED = re.compile(r"ResumedActivity[:=]\s*ActivityRecord\{\S+ +u\d+ +([\w.]+)/")


def parse_resumed(text: str) -> frozenset[str]:
    """Return the packages whose activities are resumed, from what `dumpsys activity activities` prints.

    The line starts with `mResumedActivity`, `ResumedActivity` or `topResumedActivity`, depending on the version.
    """
    return frozenset(_RESUMED.findall(text))


def frozen(serial: str, found: FoundSocket, why: str) -> AppFrozen:
    """Return the error for a socket behind which nothing answers; `why` says how that is known."""
    who = found.package or f"the app behind {found.name!r}"
    start = f"adb -s {serial} shell monkey -p {found.package} 1" if found.package else ""
    return AppFrozen(
        f"{who} on {serial} {_facts(found)}does not answer: {why}; bring the app to the front and leave the screen on"
        + (f", for example with `{start}`" if start else ""),
        package=found.package,
        pid=found.pid,
        oom_score_adj=found.oom_score_adj,
    )


def _facts(found: FoundSocket) -> str:
    known = {"pid": found.pid, "oom_score_adj": found.oom_score_adj}
    texts = [f"{name} {value}" for name, value in known.items() if value is not None]
    return f"({', '.join(texts)}) " if texts else ""
