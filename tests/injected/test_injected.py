"""How the scripts for pages are bundled."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import stillframe
from stillframe import injected

PACKAGE = Path(stillframe.__file__).parent
BUNDLES = sorted(path.stem for path in (PACKAGE / "injected").glob("*.js"))
RETURNED = re.compile(r"^return \{ ([\w, ]+) \};\n\}$", re.MULTILINE)
CALL = re.compile(r"\b(?P<script>__sf|__sfSettle)\.(?P<name>\w+)\b")
OF = {"__sf": "elements", "__sfSettle": "observer"}


def exports(bundle: str) -> set[str]:
    """Return the names that a bundle's function returns."""
    found = RETURNED.search(injected.read(bundle))
    assert found is not None
    return set(found[1].split(", "))


def test_there_are_bundles() -> None:
    assert {*OF.values(), "hooks", "serialize", "storage"} <= {*BUNDLES}


@pytest.mark.parametrize("bundle", BUNDLES)
def test_a_bundle_needs_nothing_that_the_bundler_adds(bundle: str) -> None:
    """Its helpers begin so; they would ask the page's `Object`, which the page may have replaced."""
    assert re.findall(r"\bvar __\w+|\brequire\(|^(?:im|ex)port\b", injected.read(bundle), re.MULTILINE) == []


@pytest.mark.parametrize("bundle", BUNDLES)
def test_a_bundle_is_strict_and_says_what_it_is_made_of(bundle: str) -> None:
    head = injected.read(bundle).splitlines()[:3]
    assert re.fullmatch(r"// Generated from js/src/\w+/\w+\.ts by js/build\.mjs\.", head[0])
    assert head[2] == '"use strict";'


def calls() -> dict[str, set[str]]:
    """Return the files that call each function of the isolated world, by its script and name."""
    found: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for call in CALL.finditer(path.read_text("utf-8")):
            found.setdefault(f"{OF[call['script']]}.{call['name']}", set()).add(path.name)
    return found


def test_python_calls_only_what_a_bundle_exports() -> None:
    every = {f"{bundle}.{name}" for bundle in OF.values() for name in exports(bundle)}
    called = calls()
    assert len(called) > 50
    assert {name: files for name, files in called.items() if name not in every} == {}
