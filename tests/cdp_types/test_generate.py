from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).parents[2] / "tools/generate_cdp_types.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_cdp_types", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def files(tool: ModuleType) -> dict[str, str]:
    made: dict[str, str] = tool.generate(tool.Schema(json.loads(tool.PINNED.read_text())))
    return made


def test_generated_code_is_fresh(tool: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main(["--check"]) == 0, capsys.readouterr().err


def test_stale_missing_and_left_over_modules_are_found(tool: ModuleType, files: dict[str, str], tmp_path: Path) -> None:
    tool.write(files, tmp_path)
    assert tool.stale(files, tmp_path) == []
    (tmp_path / "page.py").write_text("edited by hand\n")
    (tmp_path / "dom.py").unlink()
    (tmp_path / "gone.py").write_text("")
    (tmp_path / "_base.py").write_text("by hand, and rightly so")
    assert tool.stale(files, tmp_path) == ["gone.py: left over", "dom.py: missing", "page.py: stale"]
    tool.write(files, tmp_path)
    assert tool.stale(files, tmp_path) == []


@pytest.mark.parametrize(
    ("name", "snake"),
    [
        ("nodeId", "node_id"),
        ("innerHTML", "inner_html"),
        ("includeDOMRects", "include_dom_rects"),
        ("DOMSnapshot", "dom_snapshot"),
        ("IndexedDB", "indexed_db"),
        ("IO", "io"),
        ("backendNodeIDs", "backend_node_ids"),
        ("x", "x"),
    ],
)
def test_names_become_snake_case(tool: ModuleType, name: str, snake: str) -> None:
    assert tool.snake(name) == snake


def test_clashing_names_get_a_suffix(tool: ModuleType) -> None:
    domain = {
        "commands": [{"name": "doIt"}, {"name": "look"}],
        "types": [{"id": "DoIt"}, {"id": "LookResult"}, {"id": "Thing"}],
        "events": [{"name": "doIt"}, {"name": "thing"}, {"name": "other"}],
    }
    names = tool.names_of(domain)
    assert names.commands == {"doIt": "DoIt", "look": "Look"}
    assert names.types == {"DoIt": "DoItType", "LookResult": "LookResultType", "Thing": "Thing"}
    assert names.events == {"doIt": "DoItEvent", "thing": "ThingEvent", "other": "Other"}


def test_descriptions_cannot_break_out_of_their_docstring(tool: ModuleType) -> None:
    lines = tool.docstring({"description": 'ends with """ and a \\ and "quotes"'}, "A.b")
    namespace: dict[str, object] = {}
    exec("\n".join(["def f():", *(f"    {line}" for line in lines), "    return 1"]), namespace)
    assert namespace["f"].__doc__.endswith('"quotes" ') or '"quotes"' in namespace["f"].__doc__  # type: ignore[attr-defined]


def test_a_field_that_older_browsers_leave_out_may_be_missing(tool: ModuleType) -> None:
    domain = {
        "domain": "Shop",
        "types": [
            {"id": "Item", "type": "object", "properties": [{"name": "id", "type": "string"}, {"name": "new", **INT}]},
            {"id": "Wish", "type": "object", "properties": [{"name": "new", **INT}]},
        ],
        "commands": [
            {"name": "buy", "parameters": [{"name": "wish", "$ref": "Wish"}], "returns": [{"name": "new", **INT}]}
        ],
        "events": [{"name": "sold", "parameters": [{"name": "item", "$ref": "Item"}, {"name": "new", **INT}]}],
    }
    since = dict.fromkeys(("Shop.Item.new", "Shop.Wish.new", "Shop.buy.new", "Shop.sold.new"), 80)
    pinned = {"product": "P", "revision": "R", "version": {"major": "1", "minor": "3"}, "domains": [domain]}
    tool.SHARED_ROOTS, shared = (), tool.SHARED_ROOTS
    try:
        text = tool.Module(tool.Schema(pinned, since), domain).text()
    finally:
        tool.SHARED_ROOTS = shared
    fields = [line.strip() for line in text.splitlines() if line.strip().startswith("new:")]
    assert fields == ["new: int | None = None", "new: int", "new: int | None = None", "new: int | None = None"]
    assert text.count("None before Chrome 80.") == 3


INT = {"type": "integer"}


def test_the_history_names_what_the_oldest_browser_lacks(tool: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    path.write_text(json.dumps({"since": {"Page": {"a": tool.OLDEST, "b.c": tool.OLDEST + 1}}}))
    assert tool.history(path) == {"Page.b.c": tool.OLDEST + 1}
