"""The page agent: the JavaScript that finds, judges and readies elements from an isolated world.

Nothing here is visible to the page: the isolated world has its own globals and built-ins, and the agent leaves no
mark in the document.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from stillframe import _core

PARTS = (
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
)
"""The files of the agent in the order they need one another."""

EXPORTS = (
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
)
"""What the engine calls; `__sf.prepare(…)` and so on."""


def part(name: str) -> str:
    """Return one file of the agent, for other scripts of the isolated world that need what it has."""
    return (files(__package__) / f"{name}.js").read_text("utf-8")


@cache
def source(*, name: str = "__sf", exports: tuple[str, ...] = EXPORTS) -> str:
    """Return the script that makes the agent a global of the world it is run in.

    The table of roles is the core's own: what the text of a page calls a button is what `role=button` finds.
    """
    roles = f"const ROLES = {json.dumps(_core.aria_roles())};"
    parts = "\n".join([roles, *(part(name) for name in PARTS)])
    return f'void (globalThis.{name} = (() => {{\n"use strict";\n{parts}\nreturn {{ {", ".join(exports)} }};\n}})());'
