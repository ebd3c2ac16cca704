"""Imports point down, and the program that says so can tell."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


layers = load(ROOT / "tools" / "check_layers.py")


def package(tmp_path: Path, **files: str) -> list[str]:
    """Check a package made of `files` (module → text; `__` stands for a dot)."""
    for name, text in files.items():
        path = tmp_path / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return list(layers.check(tmp_path))


def test_stillframe_imports_only_point_down() -> None:
    assert list(layers.check(layers.SOURCE)) == []


@pytest.mark.parametrize(
    "text",
    [
        "import stillframe.page",
        "from stillframe import page",
        "from stillframe.page import Page",
        "from .. import page",
        "from ..page import Page",
        "def later():\n    from stillframe.page import Page",
        "if TYPE_CHECKING:\n    from stillframe.page import Page",
        "import importlib\nimportlib.import_module('stillframe.page')",
    ],
)
def test_every_form_of_an_upward_import_is_found(tmp_path: Path, text: str) -> None:
    (problem,) = package(tmp_path, cdp__session=text, page="")
    assert "stillframe.cdp.session (layer 2) imports stillframe.page (layer 3)" in problem


@pytest.mark.parametrize("door", ["cli", "demo"])
def test_nobody_imports_a_door(tmp_path: Path, door: str) -> None:
    (problem,) = package(tmp_path, sequence=f"from stillframe import {door}", **{door: ""})
    assert f"imports stillframe.{door} (layer 6)" in problem


def test_only_doors_use_the_facade(tmp_path: Path) -> None:
    (problem,) = package(tmp_path, page="import stillframe", cli="import stillframe")
    assert "stillframe.page (layer 3) imports stillframe (layer 5.5)" in problem


def test_logic_knows_no_clock(tmp_path: Path) -> None:
    (problem,) = package(tmp_path, settle__verdict="import time", settle__driver="import time")
    assert "is logic (layer 1) and imports time" in problem


def test_packages_built_on_the_engine_know_not_each_other(tmp_path: Path) -> None:
    (problem,) = package(tmp_path, agent="import stillframe.farm", farm="")
    assert "know not each other" in problem


def test_a_module_outside_the_table_is_an_error(tmp_path: Path) -> None:
    (problem,) = package(tmp_path, misc="")
    assert "stillframe.misc stands in no layer" in problem
