"""The words of a flow: what is done to an application, what is then true, and what a person would report of it."""

from __future__ import annotations

from typing import Any, NamedTuple

from bench.doing import Do


class Fact(NamedTuple):
    """What a row of a delta must say.

    `words` are all in the row's text, name or new value, in any case. With a `field` the row is a change of that field
    (`checked`, `aria-sort`, …; several are parted by `|`) to `to`. With `gone` the words are in what disappeared, or in
    an old value and no longer in the new one.
    """

    words: tuple[str, ...] = ()
    field: str = ""
    to: str | None = None
    gone: bool = False


def said(*words: str) -> Fact:
    """Return the fact that something now says these words."""
    return Fact(words)


def state(field: str, to: str, *words: str) -> Fact:
    """Return the fact that a control has a new state; `words` are in its name."""
    return Fact(words, field=field, to=to)


def gone(*words: str) -> Fact:
    """Return the fact that something which said these words is not there any more."""
    return Fact(words, gone=True)


class Flow(NamedTuple):
    """One task on one application.

    `true` is a JavaScript expression that asks the page or, with `server(path)`, the application's server; it is false
    before the actions and true two seconds after the verdict. It uses the helpers of `oracle.js` and never the delta.
    """

    app: str
    name: str
    path: str
    act: tuple[Do, ...]
    true: str
    key: tuple[Fact, ...]
    """What a person would report; any one of them is enough."""
    before: tuple[Do, ...] = ()
    """What leads from the page to where the task begins."""
    ready: str | None = None
    """A selector of what shows that the page is there."""
    noise: str = ""
    """A CSS selector of what changes by itself, such as a clock or a message that goes after some seconds."""
    options: dict[str, Any] = {}  # noqa: RUF012 - a NamedTuple's default that nobody changes
    """Options of `execute_sequence`, where a user would give some."""
    fresh: bool = False
    """Whether the task is one of a visitor who has not signed in."""

    @property
    def title(self) -> str:
        """The name with that of the application."""
        return f"{self.app}: {self.name}"
