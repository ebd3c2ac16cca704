"""What one behaviour is: lines of Python that mean the same for both libraries, and what they must come to."""

from __future__ import annotations

import ast
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple


class Case(NamedTuple):
    """A behaviour; `code` is what a user writes, its last line the value."""

    code: str
    gives: Any
    html: str = ""
    """What the page shows, at /page of the site."""

    @property
    def name(self) -> str:
        """The code in one line."""
        return "; ".join(line.strip() for line in self.code.strip().splitlines())


RAISES = "raises"
"""The outcome of a behaviour whose last line must raise an error, other than one for a mistake in the program."""

Program = Callable[..., Awaitable[Any]]
NAMES = ("page", "context", "browser", "expect", "site", "re", "asyncio", "Path", "folder")
"""What the lines may use: `site` is the URL of the server, `folder` an empty directory."""


def program(code: str) -> Program:
    """Return lines as a coroutine function of `NAMES` that returns the value of the last one."""
    lines = ast.parse(
        f"async def program({', '.join(NAMES)}):\n" + "\n".join(f"    {line}" for line in code.split("\n"))
    )
    (function,) = lines.body
    assert isinstance(function, ast.AsyncFunctionDef)
    last = function.body[-1]
    if isinstance(last, ast.Expr):
        function.body[-1] = ast.copy_location(ast.Return(last.value), last)
    found: dict[str, Any] = {}
    exec(compile(ast.fix_missing_locations(lines), "behaviour", "exec"), found)  # only the rows of this package
    made: Program = found["program"]
    return made
