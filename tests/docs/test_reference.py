"""The reference is made of the code as it is now, and has a cause and a remedy for every error."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import msgspec
import pytest

import stillframe
from documents import DOCS, ROOT, names_in, table
from reference_sources import docstring, summary
from stillframe.errors import StillframeError, all_errors
from stillframe.model.actions import KINDS
from stillframe.model.options import SequenceOptions
from stillframe.model.result import SequenceResult

REFERENCE = DOCS / "reference"
GENERATOR = ROOT / "tools" / "generate_reference.py"


def run(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *args], capture_output=True, text=True, check=False)


@pytest.mark.heavy
def test_it_is_fresh() -> None:
    checked = run(GENERATOR, "--check")
    assert (checked.stdout, checked.stderr, checked.returncode) == ("", "", 0)


@pytest.mark.heavy
def test_a_stale_page_is_found(tmp_path: Path) -> None:
    """The generator compares with its own folder, so a copy of the repository stands in for it."""
    for name in ("tools", "python"):
        (tmp_path / name).symlink_to(ROOT / name)
    tools = tmp_path / "own"
    tools.mkdir()
    for path in (ROOT / "tools").glob("*reference*.py"):
        (tools / path.name).write_text(path.read_text("utf-8").replace('"tools")', '"own")'))
    shutil.copytree(REFERENCE, tmp_path / "docs" / "reference")  # what it would write: see the test above
    page = tmp_path / "docs" / "reference" / "errors.md"
    page.write_text(page.read_text("utf-8").replace("No element matches", "Some element matches"))
    checked = run(tools / GENERATOR.name, "--check")
    assert checked.stdout == "docs/reference/errors.md is stale; run tools/generate_reference.py\n"
    assert checked.returncode == 1


def described(selector: str, *, times: int = 1) -> None:
    """Press a key.

    It may be
    pressed often.

    Args:
        selector: What to press,
            in words.
        times: How often.

    Returns:
        What changed.

    Raises:
        OptionInvalid: A number: of
            times.
        OSError: Another one.
    """


def test_the_sections_of_a_docstring_are_lists() -> None:
    assert docstring(described) == (
        "Press a key.\n\nIt may be pressed often.\n\n"
        "Args:\n\n- `selector`: What to press, in words.\n- `times`: How often.\n\n"
        "Returns: What changed.\n\n"
        "Raises:\n\n- `OptionInvalid`: A number: of times.\n- `OSError`: Another one."
    )
    assert summary(described) == "Press a key. Raises OptionInvalid, OSError."
    assert summary(errors) == "Return all errors of the tree."


def errors() -> list[type[StillframeError]]:
    """Return all errors of the tree."""
    return [cls for cls in all_errors() if cls is not StillframeError]


@pytest.mark.parametrize("error", [error for error in errors() if not error.__subclasses__()], ids=lambda e: e.__name__)
def test_every_error_says_what_to_do(error: type[StillframeError]) -> None:
    assert "\nRemedy: " in (error.__doc__ or "").replace("    Remedy: ", "Remedy: ")


def test_every_error_is_listed_with_its_code() -> None:
    listed = {names_in(row[0])[0]: row[1] for row in table(REFERENCE / "errors.md", "code")}
    codes = [error.code for error in errors()]
    assert sorted(listed) == sorted(codes)
    assert len(set(codes)) == len(codes)


def schema(name: str) -> object:
    return json.loads((REFERENCE / "schemas" / f"{name}.schema.json").read_text("utf-8"))


@pytest.mark.parametrize("name", [path.name.partition(".")[0] for path in (REFERENCE / "schemas").glob("*.json")])
def test_a_schema_is_one(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))


def test_the_schema_of_actions_accepts_what_is_accepted() -> None:
    validator = jsonschema.Draft202012Validator(schema("actions"))
    good = [{"action": "set_value", "selector": "#a", "value": "x"}, {"action": "reload"}]
    assert validator.is_valid(good)
    assert not validator.is_valid([{"action": "set_value", "selector": "#a"}])
    assert not validator.is_valid([{"action": "jump"}])


def test_the_schema_of_options_has_the_defaults() -> None:
    validator = jsonschema.Draft202012Validator(schema("options"))
    assert validator.is_valid(msgspec.to_builtins(SequenceOptions()))
    assert not validator.is_valid({"timeoutMs": -1})


def test_every_action_and_every_part_of_a_result_has_a_heading() -> None:
    actions = (REFERENCE / "actions.md").read_text("utf-8")
    assert [kind for kind, cls in KINDS.items() if f"\n## `{kind}`: {cls.__name__}\n" not in actions] == []
    assert f"\n## {SequenceResult.__name__}\n" in (REFERENCE / "result.md").read_text("utf-8")


def test_every_public_name_is_documented() -> None:
    pages = "\n".join(path.read_text("utf-8") for path in REFERENCE.glob("*.md"))
    documented = set(re.findall(r"^::: stillframe\.(\w+)$|^#+ (?:`\w+`: )?(\w+)$", pages, re.MULTILINE))
    names = {name for pair in documented for name in pair}
    unions = {"Action"}
    assert set(stillframe.__all__) - names - unions == {"__version__"}
