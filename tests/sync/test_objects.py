"""The generated classes against the asynchronous ones: the same names, signatures and documentation."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import stillframe
import stillframe.sync
from stillframe.sync.wrapper import Wrapper

TOOL = Path(__file__).parents[2] / "tools/generate_sync.py"
OPENINGS = ("launch", "connect", "android")
CLASSES = {sync: target for target, sync in Wrapper._classes.items()}


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_sync", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def sources(tool: ModuleType) -> ModuleType:
    """The other half of the tool, which can be imported once the tool is loaded."""
    return importlib.import_module("sync_sources")


def public(cls: type) -> set[str]:
    return {name for name in dir(cls) if not name.startswith("_")}


@pytest.mark.parametrize("sync", CLASSES, ids=lambda sync: sync.__name__)
def test_the_public_names_are_those_of_the_asynchronous_class(sync: type, sources: ModuleType) -> None:
    left_out = set(sources.LEFT_OUT.get(sync.__name__, {}))
    attributes = {name for each in CLASSES[sync].__mro__ for name in sources.ATTRIBUTES.get(each.__name__, {})}
    assert public(sync) == (public(CLASSES[sync]) | attributes) - left_out


@pytest.mark.parametrize("sync", CLASSES, ids=lambda sync: sync.__name__)
def test_methods_take_the_same_parameters_and_block(sync: type) -> None:
    for name in public(sync):
        own, other = inspect.getattr_static(sync, name), getattr(CLASSES[sync], name, None)
        assert inspect.getdoc(own), name
        if not callable(other) or isinstance(own, property):
            continue
        assert not inspect.iscoroutinefunction(own)
        assert shape(own) == shape(other), name


def shape(function: Any) -> list[tuple[str, Any, Any]]:
    return [(each.name, each.kind, each.default) for each in inspect.signature(function).parameters.values()]


def test_the_asynchronous_classes_of_the_package_are_there() -> None:
    asynchronous = {name for name in stillframe.__all__ if getattr(stillframe, name) in CLASSES.values()}
    expected = {"AndroidDevice", "Browser", "BrowserContext", "Page", "Session", "Sessions", "WebView"}
    assert expected <= asynchronous
    assert {*OPENINGS, *asynchronous} <= set(stillframe.sync.__all__)
    for name in OPENINGS:
        assert shape(getattr(stillframe.sync, name)) == shape(getattr(stillframe, name))


def test_nothing_of_the_documentation_awaits(tool: ModuleType) -> None:
    assert "await" not in (stillframe.sync.Page.expect_popup.__doc__ or "")
    assert "`popup.value`" in (stillframe.sync.Page.expect_popup.__doc__ or "")
    with pytest.raises(SystemExit, match="async"):
        tool.text_of("Use it with `async def`.", "Page.planted")


def test_the_entries_of_a_section_keep_their_lines_and_their_indent(tool: ModuleType) -> None:
    handler = f"    handler: {'A function. ' * 7}It gets the value; it may be\n        async."
    text = f"Listen.\n\nArgs:\n    event: The name.\n{handler}\n    times: How often.\n\nReturns:\n    A function."
    assert tool.text_of(text, "Page.planted").splitlines() == [
        *("Listen.", "", "Args:", "    event: The name."),
        f"    handler: {'A function. ' * 7}It gets the",
        "        value; it runs in a thread of its own and may call any method.",
        *("    times: How often.", "", "Returns:", "    A function."),
    ]


def test_a_type_without_a_conversion_is_an_error(tool: ModuleType) -> None:
    writer = tool.Writer(tool.Plan())
    node = tool.ast.parse("tuple[Page, int]", mode="eval").body
    with pytest.raises(SystemExit, match=r"Page\.planted has to do with tuple\[Page, int\]"):
        writer._converted("value", node, "Page.planted")


def test_two_modules_may_define_the_same_type_but_not_two_types_of_one_name(tool: ModuleType) -> None:
    plan = tool.Plan()
    direction = tool.ast.Name("Direction")
    for module in ("stillframe.model.actions", "stillframe.adb.native.native_input"):
        plan.need(direction, module)
    plan.need(tool.ast.Name("View"), "stillframe.adb.devtools.views")
    with pytest.raises(SystemExit, match="View means two things"):
        plan.need(tool.ast.Name("View"), "stillframe_phone.webview_messages")


def test_a_function_that_opens_nothing_is_refused(tool: ModuleType) -> None:
    node = tool.ast.parse("def planted() -> int: ...").body[0]
    with pytest.raises(SystemExit, match="planted is in OPENINGS"):
        tool.opened_type(node)


def test_the_module_is_up_to_date_and_names_its_generator(tool: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main(["--check"]) == 0, capsys.readouterr().out
    assert "tools/generate_sync.py" in tool.OUTPUT.read_text().splitlines()[0]


def test_a_stale_module_is_reported(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tool, "generate", lambda: "planted")
    assert tool.main(["--check"]) == 1
    assert "is stale: run tools/generate_sync.py" in capsys.readouterr().out
