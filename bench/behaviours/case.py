"""What one behaviour is: a page, what is done to it, and what must be true afterwards."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.doing import Do


class Behaviour(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the table; what is not said is not asked.

    Its page is `html` in a document with an empty array `log`; `pages` are others beside it, by relative path, and some
    more are made up by their path (bench/behaviours/site.py).
    """

    name: str
    html: str = ""
    do: tuple[Do, ...] = ()
    then: dict[str, Any] = {}
    """JavaScript expressions and the values that they must have when the call has returned."""
    fails: tuple[str, ...] = ()
    """The last action must fail, and with one of these codes; for others than stillframe any error will do."""
    says: tuple[str, ...] = ()
    """What the error of stillframe must say."""
    told: dict[str, Any] = {}
    """Paths in stillframe's JSON result and their values: `newTargets.0.url`; an integer for a list is its length."""
    leads: tuple[str, ...] = ()
    """Words that the first three rows of stillframe's delta have in their order, as roles, names, texts or values."""
    tells: tuple[str, ...] = ()
    """Words that any of its rows has."""
    untold: tuple[str, ...] = ()
    """Words that none of its rows has."""
    gives: dict[str, Any] = {}
    """What calls give, by the name in their `to` (bench/behaviours/calls.py)."""
    shows: tuple[str, ...] = ()
    """What `page.aria_snapshot()` must say, white space counted once."""
    hides: tuple[str, ...] = ()
    """What it must not say."""
    refs: tuple[str, ...] = ()
    """What must stand in one line of it together with a ref."""
    scope: str = "page"
    """Of that snapshot."""
    pages: dict[str, str] = {}
    sockets: dict[str, tuple[tuple[str, int, str], ...]] = {}
    """WebSockets by their paths, each with rows of the words in a message, milliseconds, and the reply sent after them.

    The words "" are in each message; the words `open` mean the opening. `<<…>>` in a reply stands for the first group
    of a regular expression in the message.
    """
    phone: bool = False
    """Whether the page is emulated to be on a phone."""
    opens: bool = True
    """Whether the page is open already when the actions begin; else they begin on an empty tab."""
    arrives: tuple[str, int | None] | None = None
    """For `goto` and `new_page`: the end of the URL that they return, and the status."""
    limit_ms: int = 10_000
    """How long all actions together may take."""
    rival: bool = True
    """Whether Playwright has the same action, so that it can be asked too."""


def only(**row: Any) -> Behaviour:
    """Return a row that only stillframe is asked."""
    return Behaviour(rival=False, **row)
