"""`tools/check_importers.py` finds a module that only one other imports, unless something keeps the two apart."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import check_importers as importers
from check_layers import read

LONG = "x = 1\n" * importers.MAX_LINES


def singles(root: Path, **files: str) -> dict[str, str | None]:
    """Return the ground of each module with one importer, in a package of files named as in test_layers."""
    for name, text in files.items():
        path = root / (re.sub(r"\binit$", "__init__", name.replace("__", "/")) + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return {single.name: single.ground for single in importers.Imports(read(root)).singles()}


@pytest.mark.parametrize(
    ("files", "ground"),
    [
        ({"tab__part": "", "tab__whole": "from stillframe.tab.part import x"}, None),
        ({"tab__part": LONG, "tab__whole": "from stillframe.tab.part import x"}, "size"),
        ({"tab__part": "", "tab__whole": "def f():\n    from stillframe.tab.part import x"}, "late"),
        ({"tab__part": "", "engine__whole": "from stillframe.tab.part import x"}, "elsewhere"),
        ({"tab__part": "", "tab__init": "from stillframe.tab.part import x"}, "shown"),
        ({"tab__part__init": "", "tab__whole": "from stillframe.tab.part import x"}, "package"),
        ({"settling__polls": "", "settling__whole": "from stillframe.settling.polls import x"}, "logic"),
        ({"tab__errors": "", "tab__whole": "from stillframe.tab.errors import x"}, "errors"),
    ],
)
def test_the_ground_that_keeps_two_modules_apart(tmp_path: Path, files: dict[str, str], ground: str | None) -> None:
    found = singles(tmp_path, **files)
    assert [found[name] for name in found if not name.endswith("whole")] == [ground]


def test_a_module_with_two_importers_needs_no_ground(tmp_path: Path) -> None:
    one = "from stillframe.tab.part import x"
    assert singles(tmp_path, tab__part="", tab__a=one, tab__b=one) == {}


def test_a_part_without_a_ground_is_a_problem_that_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    singles(tmp_path, tab__part="", tab__whole="from stillframe.tab.part import x")
    assert importers.main(tmp_path) == 1
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith(
        "tab.part is imported by tab.whole and by no other module: join the two, or say in one line"
    )
    assert len(others) == len(importers.REASONS), "each reason that names nothing there is one"


def test_the_longest_chain_is_counted_from_the_imports(tmp_path: Path) -> None:
    singles(
        tmp_path,
        tab__low="",
        tab__middle="import stillframe.tab.low",
        tab__high="import stillframe.tab.middle\nimport stillframe.tab.low",
    )
    depths = importers.Imports(read(tmp_path)).depths()
    assert [depths[f"stillframe.tab.{name}"] for name in ("low", "middle", "high")] == [1, 2, 3]
