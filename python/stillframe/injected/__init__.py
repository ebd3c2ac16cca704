"""The scripts that run in pages, and their only loader.

- `elements/`: finds and checks elements and prepares them for input; a global of the isolated world
- `observer/`: sees what changes in a document and reports when it is still; in the isolated world as well, except
  `hooks.js`, which wraps timers and other calls in the page's own world
- `values/`: functions that pass values between JavaScript and Python

Pages cannot see an isolated world: it has its own globals and built-ins.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from stillframe import _core

ELEMENTS = (
    "nodes",
    "tree",
    "relations",
    "roles",
    "generated",
    "content",
    "names",
    "states",
    "describe",
    "words",
    "find",
    "control",
    "choosing",
    "state",
    "point",
    "press",
    "identity",
    "typed",
    "ready",
    "values",
    "reading",
)
"""The files of the script that finds and checks elements, in the order of their dependencies."""

ELEMENTS_API = (
    "prepare",
    "waitFor",
    "nearby",
    "holds",
    "adoptRoot",
    "get",
    "hold",
    "choose",
    "put",
    "becomes",
    "arrived",
    "filled",
    "isInLink",
    "refusesFiles",
    "watch",
    "unwatch",
    "offered",
    "aimKeys",
    "scrollList",
    "optionOf",
    "picked",
    "isLeftOpen",
    "takeDragged",
    "wheelSpot",
    "reach",
    "meet",
    "pressNotes",
    "forgetPress",
    "under",
    "attention",
    "typed",
    "hidesFocus",
    "tally",
    "markup",
)
"""The functions that the engine calls: `__sf.prepare(…)` and so on."""


OBSERVER = ("control_state", "recurrence", "page_version", "calls", "observer")
"""The files of the observer, in the order of their dependencies."""

OBSERVER_API = (
    "arm",
    "disarm",
    "unhook",
    "fence",
    "nextFrame",
    "scheduledWork",
    "report",
    "noise",
    "sample",
    "possibleHosts",
    "adoptClosedRoot",
    "pageVersion",
)
"""The functions that the engine calls: `__sfSettle.arm(…)` and so on."""


def read(path: str) -> str:
    """Return one file, by its path below this folder without `.js`."""
    return (files(__package__) / f"{path}.js").read_text("utf-8").rstrip()


@cache
def function(name: str) -> str:
    """Return a function of `values/`: `serialize` describes `this`, `revive` turns arguments into values."""
    return read(f"values/{name}")


@cache
def elements_source(*, name: str = "__sf", exports: tuple[str, ...] = ELEMENTS_API) -> str:
    """Return the script that makes `elements/` a global of the world that runs it.

    The core provides the table of roles, so that `role=button` finds what the text of a page calls a button.
    """
    roles = f"const ROLES = {json.dumps(_core.aria_roles())};"
    parts = "\n".join([roles, *(read(f"elements/{part}") for part in ELEMENTS)])
    return f'void (globalThis.{name} = (() => {{\n"use strict";\n{parts}\nreturn {{ {", ".join(exports)} }};\n}})());'


@cache
def observer_source(key: str) -> str:
    """Return the script that makes the observer a global of the isolated world; `key` is the key of the hooks."""
    parts = "\n".join([read("elements/nodes"), *(read(f"observer/{part}") for part in OBSERVER)])
    made = f'((key) => {{\n"use strict";\n{parts}\nreturn {{ {", ".join(OBSERVER_API)} }};\n}})("{key}")'
    return f"void (globalThis.__sfSettle ??= {made});"


@cache
def hooks_source() -> str:
    """Return the script that installs the wrappers in one realm: a function of the key."""
    return read("observer/hooks")
