"""Read a trace file, whatever state it is in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from stillframe.security.input_files import InputRefused, read_json
from stillframe.trace.errors import TraceInvalid
from stillframe.trace.file import LineFormat, read_lines
from stillframe.trace.format import FORMAT, SUFFIX, TYPES, Header

Record = dict[str, Any]

MAX_RECORDS = 500_000
"""The most records that are read: they take about 1 kB of memory each, and an hour of work makes a tenth of them."""

TRACE = LineFormat(
    "trace", FORMAT, TraceInvalid, "page.trace() and --trace write traces", f"; this one reads {FORMAT!r}"
)


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """A trace as it was read: its header, its records in order, and what is wrong with the file."""

    path: str
    header: Header
    records: list[Record]
    problems: tuple[str, ...] = ()
    """What could not be read, in sentences; empty for a whole file."""

    @property
    def duration_ms(self) -> float:
        """The time from its beginning to its last record, in milliseconds."""
        return float(self.records[-1]["at"]) if self.records else 0.0

    @property
    def is_complete(self) -> bool:
        """Whether the trace was ended, and not cut off by the end of its process or of its file."""
        return bool(self.records) and self.records[-1]["type"] == "end"

    def of_type(self, *types: str) -> Iterator[Record]:
        """Yield the records of some types, in order."""
        return (record for record in self.records if record["type"] in types)


def read_trace(path: str | Path) -> Trace:
    """Read a trace file.

    A torn last line, as a killed process leaves it, and damaged lines are left out and reported in `problems`; records
    of types that this version does not know are kept.

    Args:
        path: The file.

    Raises:
        TraceInvalid: It is not a trace, cannot be read, or was written by a newer version.
    """
    header, lines, torn = read_lines(path, TRACE, Header)
    records, damaged = _records(lines[:MAX_RECORDS])
    problems = []
    if len(lines) > MAX_RECORDS:
        problems.append(f"{len(lines) - MAX_RECORDS:,} lines after the first {MAX_RECORDS:,} are left out")
    if torn:
        problems.append(f"the last line is torn and left out ({len(torn)} bytes): the process ended while it wrote")
    if damaged:
        shown = ", ".join(str(number + 2) for number in damaged[:5]) + (", …" if len(damaged) > 5 else "")
        problems.append(f"{len(damaged)} damaged lines are left out: {shown}")
    return Trace(path=str(path), header=header, records=records, problems=tuple(problems))


def traces_in(directory: str | Path) -> list[Path]:
    """Return the trace files of a directory, newest first.

    Args:
        directory: The directory.

    Raises:
        TraceInvalid: It cannot be read.
    """
    try:
        found = [(each.stat().st_mtime, each) for each in Path(directory).iterdir() if each.name.endswith(SUFFIX)]
    except OSError as error:
        raise TraceInvalid(f"cannot read the directory {directory}: {error.strerror}", path=str(directory)) from None
    return [path for _, path in sorted(found, reverse=True)]


def _records(lines: list[bytes]) -> tuple[list[Record], list[int]]:
    records: list[Record] = []
    damaged: list[int] = []
    last = 0.0
    for number, line in enumerate(lines):
        record = _record(line)
        if record is None:
            damaged.append(number)
            continue
        # Time never goes back, so that all that follows may rely on the order.
        last = record["at"] = max(last, record["at"])
        records.append(record)
    return records, damaged


def _record(line: bytes) -> Record | None:
    try:
        record: Record = read_json(line, dict)
    except InputRefused:
        return None
    at, type_ = record.get("at"), record.get("type")
    if isinstance(at, bool) or not isinstance(at, int | float) or not 0 <= at < 1e12 or not isinstance(type_, str):
        return None
    return record if type_ not in _REQUIRED or _fits(record, _REQUIRED[type_]) else None


def _fits(record: Record, required: dict[str, type | tuple[type, ...]]) -> bool:
    return all(isinstance(record.get(name), kind) for name, kind in required.items())


_NUMBER = (int, float)
_REQUIRED: dict[str, dict[str, Any]] = {
    "call": {"id": int, "name": str},
    "returned": {"id": int},
    "sequence": {"id": int, "actions": list},
    "action": {"sequence": int, "index": int, "action": str},
    "step": {"sequence": int, "index": int, "action": dict, "step": dict},
    "result": {"sequence": int, "result": dict},
    "verdict": {"verdict": dict},
    "signal": {"signal": str},
    "fence": {"id": int, "realms": list},
    "fenceDone": {"id": int, "report": dict},
    "pending": {"opened": list, "closed": list},
    "request": {"id": str, "url": str, "method": str},
    "response": {"id": str, "status": int},
    "requestfinished": {"id": str},
    "requestfailed": {"id": str, "error": str},
    "console": {"message": dict},
    "pageerror": {"error": dict},
    "screenshot": {"sequence": int, "when": str},
    "text": {"sequence": int, "text": str},
    "boxes": {"sequence": int, "before": dict, "after": dict},
}
"""The fields that what reads a record relies on, by its type; a record without them is damaged."""
assert _REQUIRED.keys() <= TYPES.keys()
