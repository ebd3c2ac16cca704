"""Rules for the tests themselves: no bench, one module for one module, no private names of others.

tools/check_tests.py has those about waits, wall time and browsers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "python" / "stillframe"
PHONE = ROOT / "phone" / "stillframe_phone"
MODULES = sorted((ROOT / "tests").rglob("*.py"))
WITHOUT_A_ROOM = ("accname", "docs", "reports", "typing")
"""Cases of accessible names that the tests of the page scripts and of the Rust core share; the documents; what others
reported of other tools, which concerns all rooms; types."""
TESTS = [path for path in MODULES if path.name.startswith("test_")]


PRIVATE_IMPORT = re.compile(r"^\s*(?:from stillframe|import stillframe)[^\n(]*(?:\([^)]*)?\b_", re.MULTILINE)
"""A statement that may import a private name. The text is asked first, because to parse all tests takes seconds."""


@cache
def text_of(path: Path) -> str:
    return path.read_text("utf-8")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(text_of(path))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """Yield module and name of everything that a module imports."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def test_the_product_s_tests_import_no_bench() -> None:
    named = [path for path in MODULES if "bench" in text_of(path)]
    found = [name_of(path) for path in named for module, _ in imported(path) if module.partition(".")[0] == "bench"]
    assert not found


def test_private_names_are_imported_by_the_tests_of_their_own_room() -> None:
    found = [
        f"{name_of(path)}: {module} {name}"
        for path in TESTS
        if PRIVATE_IMPORT.search(text_of(path))
        for module, name in imported(path)
        if (room := room_of_private(module, name)) and path.relative_to(ROOT / "tests").parts[0] != room
    ]
    assert not found


def room_of_private(module: str, name: str) -> str | None:
    """Return the room that a private name of stillframe belongs to, `phone` for the phone's; None for a public name."""
    package, *parts = module.split(".")
    private = [part for part in (*parts, name) if part.startswith("_") and part != "_core"]
    if package == PHONE.name and private:
        return "phone"
    return {"_core": "core"}.get(parts[0], parts[0]) if package == "stillframe" and parts and private else None


def test_a_folder_of_tests_is_named_after_a_room() -> None:
    folders = {path.parent.relative_to(ROOT / "tests") for path in TESTS}
    assert sorted(str(folder) for folder in folders if not home_of(folder).is_dir()) == [*WITHOUT_A_ROOM]


def home_of(folder: Path) -> Path:
    """Return the folder of the modules that the tests in a folder below `tests` are about."""
    return PHONE / folder.relative_to("phone") if folder.parts[:1] == ("phone",) else SOURCE / folder
