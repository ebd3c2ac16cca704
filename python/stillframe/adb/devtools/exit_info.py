"""Why Android says that a process ended: the records of `dumpsys activity exit-info` (Android 11 and later). No I/O."""

from __future__ import annotations

import re

HEADING = "PROCESS EXIT INFO"
"""Part of the first line on devices that keep such records; others take the word for the name of an activity."""
MAX_DESCRIPTION = 200
"""Characters of a description that are kept."""

_RECORD = re.compile(r"ApplicationExitInfo #\d+:")
_REASON = re.compile(
    r"\breason=\d+ \((?P<reason>.*?)\)\s+(?:subreason=\d+ \((?P<subreason>.*?)\)\s+)?status=(?P<status>-?\d+)"
)
_DESCRIPTION = re.compile(r"\bdescription=(?P<text>.*?)(?=\s+state=|\s+trace=|\s*$)", re.DOTALL)
_EMPTY = ("", "null", "UNKNOWN")


def parse_exit_info(text: str, pid: int) -> str:
    r"""Return why the process with this pid ended, in Android's words; an empty text if there is no record of it.

    >>> parse_exit_info("ApplicationExitInfo #0:\n pid=7 reason=3 (LOW_MEMORY) status=0 description=null", 7)
    'LOW_MEMORY'
    """
    records = _RECORD.split(text)[1:]
    own = next((each for each in records if re.search(rf"\bpid={pid}\b", each)), "")
    reason, description = _REASON.search(own), _DESCRIPTION.search(own)
    if reason is None:
        return ""
    words = [reason["reason"], reason["subreason"] or ""]
    said = ", ".join(each for each in words if each not in _EMPTY)
    told = description["text"].strip()[:MAX_DESCRIPTION] if description else ""
    return ": ".join(each for each in (said, told) if each not in _EMPTY)
