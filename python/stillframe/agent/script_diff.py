"""The difference of two versions of a script, as a patch."""

from __future__ import annotations

import difflib

from stillframe.scripts.script import Script

CONTEXT_LINES = 3
"""Unchanged lines around each change, as `diff -u` has them."""


def script_diff(before: Script, after: Script, path: str = "script.json") -> str:
    """Return a unified diff of the script's file; `patch` applies it. Empty if the scripts are equal."""
    return text_diff(before.to_text(), after.to_text(), path)


def text_diff(before: str, after: str, path: str) -> str:
    """Return a unified diff of two texts that end in a newline; `path` is the file that it is for."""
    # An absolute path as git writes it, a/tmp/login.json, which `patch -p1 -d /` applies.
    name = "".join(char if char.isprintable() else "?" for char in path).lstrip("/")
    # Lines end where `patch` ends them: a text of a page may have other separators in it.
    old, new = (text.split("\n") for text in (before, after))
    lines = difflib.unified_diff(old[:-1], new[:-1], f"a/{name}", f"b/{name}", n=CONTEXT_LINES, lineterm="")
    return "".join(f"{line}\n" for line in lines)
