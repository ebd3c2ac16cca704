"""Calls of the functions that the scripts of the isolated world export."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Call(NamedTuple):
    """A call of a function: `__sf.hold`, its arguments, and whether its first one is what it is called on.

    That is a handle (`NodeHandle.call`), or what a selector finds (`Query.call`); `arguments` are the others.
    """

    function: str
    arguments: tuple[Any, ...] = ()
    on: bool = False

    @property
    def declaration(self) -> str:
        """The JavaScript of a function that makes the call in a world."""
        assert not self.on, f"{self.function} is called on an element"
        return f"(...given) => {self.function}(...given)"

    @property
    def on_this(self) -> str:
        """The same on a handle, which is `this`."""
        assert self.on, f"{self.function} is not called on an element"
        return f"function(...given) {{ return {self.function}(this, ...given) }}"

    @property
    def on_steps(self) -> str:
        """The same on what the steps of a selector find; they come before the arguments."""
        assert self.on, f"{self.function} is not called on an element"
        return f"(steps, ...given) => {self.function}({{ steps }}, ...given)"

    @property
    def on_steps_in_this(self) -> str:
        """The same within a handle, which is `this`."""
        assert self.on, f"{self.function} is not called on an element"
        return f"function(steps, ...given) {{ return {self.function}({{ scope: this, steps }}, ...given) }}"

    @property
    def on_steps_in_scope(self) -> str:
        """The same within an element or null, which comes after the steps."""
        assert self.on, f"{self.function} is not called on an element"
        return f"(steps, scope, ...given) => {self.function}({{ scope, steps }}, ...given)"

    @property
    def expression(self) -> str:
        """The JavaScript of the call itself, with its arguments as JSON."""
        assert not self.on, f"{self.function} is called on an element"
        return f"{self.function}({', '.join(map(json.dumps, self.arguments))})"


def given(*arguments: Any) -> tuple[Any, ...]:
    """Return arguments without those at the end that are None, which a function has a value of its own for."""
    while arguments and arguments[-1] is None:
        arguments = arguments[:-1]
    return arguments
