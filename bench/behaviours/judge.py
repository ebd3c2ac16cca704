"""Whether what happened is what a row says, in words where it is not."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.behaviours.case import Behaviour


class Outcome(msgspec.Struct):
    """What running one row came to."""

    error: str | None = None
    """What the last action failed with; None if none did."""
    code: str = ""
    """The code of stillframe's error."""
    early: bool = False
    """Whether an action before the last one failed."""
    ms: float = 0.0
    """What the actions took, with the wait for the page and the delta where those come with them."""
    values: dict[str, Any] = {}
    """The values of the row's expressions."""
    result: dict[str, Any] = {}
    """stillframe's result of the last sequence."""
    gives: dict[str, Any] = {}
    """What calls gave."""
    text: str | None = None
    """What `page.aria_snapshot()` says."""
    arrived: tuple[str, int | None] | None = None


def faults(row: Behaviour, outcome: Outcome, *, ours: bool) -> list[str]:
    """Return what is not as the row says; an empty list if all of it is."""
    found = [*_errors(row, outcome, ours=ours), *unlike(row.then, outcome.values), *unlike(row.gives, outcome.gives)]
    if outcome.ms > row.limit_ms:
        found.append(f"took {outcome.ms:.0f} ms, more than {row.limit_ms}")
    if row.arrives is not None and not _arrived(row.arrives, outcome.arrived):
        found.append(f"arrived at {outcome.arrived}, not {row.arrives}")
    return [*found, *_told(row, outcome), *_rows(row, outcome), *_read(row, outcome)] if ours else found


def _errors(row: Behaviour, outcome: Outcome, *, ours: bool) -> list[str]:
    if not row.fails:
        return [] if outcome.error is None else [f"failed: {outcome.code} {outcome.error}"]
    if outcome.error is None:
        return [f"did not fail; expected {' or '.join(row.fails)}"]
    if outcome.early:
        return [f"failed too early: {outcome.error}"]
    if not ours:
        return []
    wrong = [] if outcome.code in row.fails else [f"failed with {outcome.code}, not {' or '.join(row.fails)}"]
    silent = [f"the error does not say {words!r}" for words in row.says if words not in outcome.error]
    return [f"{each}: {outcome.error}" for each in wrong + silent]


def unlike(wanted: dict[str, Any], got: dict[str, Any]) -> list[str]:
    """Return which values are not as they must be."""
    return [f"{what} is {got.get(what)!r}, not {value!r}" for what, value in wanted.items() if got.get(what) != value]


def _arrived(wanted: tuple[str, int | None], got: tuple[str, int | None] | None) -> bool:
    return got is not None and got[0].endswith(wanted[0]) and got[1] == wanted[1]


def _told(row: Behaviour, outcome: Outcome) -> list[str]:
    got = {path: _at(outcome.result, path) for path in row.told}
    return [f"told {path} {got[path]!r}, not {value!r}" for path, value in row.told.items() if got[path] != value]


def _at(result: Any, path: str) -> Any:
    for step in path.split("."):
        if isinstance(result, (list, tuple)):
            result = result[int(step)] if int(step) < len(result) else None
        else:
            result = result.get(step) if isinstance(result, dict) else None
    return len(result) if isinstance(result, (list, tuple)) else result


LEADING = 3
"""How many rows of a delta a reader looks at first."""
SAID = ("role", "name", "text", "field", "from", "to", "examples")


def _rows(row: Behaviour, outcome: Outcome) -> list[str]:
    rows = delta(outcome.result)
    first, every = " | ".join(rows[:LEADING]), " | ".join(rows)
    found = [f"the first rows lack {words!r}" for words in row.leads if words not in first]
    found += [f"the rows lack {words!r}" for words in row.tells if words not in every]
    found += [f"the rows have {words!r}" for words in row.untold if words in every]
    return [f"{each}: {every[:300]!r}" for each in found]


def delta(result: dict[str, Any]) -> list[str]:
    """Return what the rows of stillframe's JSON result say, in their order."""
    change = result.get("stateChange") or {}
    titles = [f"{each} {change[each]['to']}" for each in ("url", "title") if each in change]
    lists = ("cameAndWent", "appeared", "changed", "disappeared")
    rows = [row for each in lists for row in change.get(each, ())]
    rows.sort(key=lambda row: row.get("rank", 0))
    return [" ".join(str(row[key]) for key in SAID if row.get(key)) for row in rows] + titles


def _read(row: Behaviour, outcome: Outcome) -> list[str]:
    if outcome.text is None:
        return ["there is no text"] if row.shows or row.hides or row.refs else []
    lines = outcome.text.splitlines()
    # A value is compared with its spaces, everything else as it is heard.
    said = outcome.text + "\n" + "\n".join(" ".join(line.split()) for line in lines)
    found = [f"the text lacks {words!r}" for words in row.shows if words not in said]
    found += [f"the text has {words!r}" for words in row.hides if words in said]
    found += [
        f"no ref for {words!r}" for words in row.refs if not any(words in line and "ref=" in line for line in lines)
    ]
    return [f"{each}: {outcome.text[:300]!r}" for each in found]
