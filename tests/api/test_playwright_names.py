"""What a missing attribute says, if Playwright has one of that name."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

import pytest

import stillframe.sync
from documents import ROOT
from needing import NEEDS
from site_server import Site
from stillframe.api.browser import Browser, BrowserContext, Page
from stillframe.api.frame import Frame
from stillframe.api.locator import Locator
from stillframe.api.playwright_names import NAMES, PlaywrightNames
from stillframe.errors import OptionInvalid
from stillframe.model.actions import Offset
from stillframe.model.playwright_parameters import OF_CALLS, PARAMETERS, ours

theirs = pytest.importorskip("playwright.async_api", reason=NEEDS["playwright"].reason)


def generator() -> ModuleType:
    spec = spec_from_file_location("generate_playwright_names", ROOT / "tools" / "generate_playwright_names.py")
    assert spec is not None
    assert spec.loader is not None
    tool = module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


TOOL = generator()
CLASSES = {name: getattr(import_module(module), name) for name, module in TOOL.CLASSES.items()}
OBJECTS = {"page": Page, "frame": Frame, "locator": Locator, "context": BrowserContext, "browser": Browser}
ROWS = [(kind, name) for kind, names in NAMES.items() for name in names]
NAMES_OF = [f"{kind}.{name}" for kind, name in ROWS]
TELLING = [row for row in ROWS if issubclass(CLASSES[row[0]], PlaywrightNames)]
OURS = re.compile(r"\b(page|frame|locator|context|browser)\.([a-z_]+)")


Missing = list[tuple[str, str, str]]


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return {kind: TOOL.names_of(kind) for kind in TOOL.CLASSES}


@pytest.fixture(scope="module")
def missing(found: dict[str, Any]) -> Missing:
    """Class, call and name of each parameter that is not taken."""
    return list(TOOL.parameters(found))


@pytest.mark.parametrize("kind", TOOL.CLASSES)
def test_every_name_of_playwright_is_there_or_in_the_table(kind: str) -> None:
    assert TOOL.names_of(kind).unknown == [], "give each of them an equivalent or a reason in NAMES"


def test_every_parameter_of_playwright_is_taken_or_in_a_table(missing: Missing) -> None:
    calls = {(call, name) for _, call, name in missing}
    assert sorted(each for each in calls if ours(*each) is None) == [], "give each of them ours or a reason"
    for call, texts in OF_CALLS.items():
        for name in texts:
            assert (call, name) in calls, f"{call} takes {name} by now, or Playwright has it no more"
    assert set(PARAMETERS) <= {name for _, name in calls}


async def test_a_parameter_that_is_not_taken_says_what_there_is(page: Page, site: Site, missing: Missing) -> None:
    await page.goto(site.html("/a", "<p id=a>a</p>"))
    element = await page.query_selector("#a")
    objects: dict[str, object] = {
        **{type(each).__name__: each for each in (page, page.main_frame, page.locator("#a"), page.context, element)},
        **{type(each).__name__: each for each in (page.keyboard, page.mouse, page.context.request)},
    }
    tried = Counter[str]()
    for kind, call, name in missing:
        if kind in objects and name in PARAMETERS:
            method = getattr(objects[kind], call)
            with pytest.raises(OptionInvalid, match=f"option {name} is Playwright's") as caught:
                await opened(method(*needed(method), **GIVEN.get(call, {}), **{name: 1}))
            assert caught.value.option == name
            tried[kind] += 1
    assert tried.keys() == objects.keys()


GIVEN: dict[str, dict[str, object]] = {
    "drag_to": {"offset": Offset(5, 0)},
    "drop": {"payload": {"data": {"text/plain": "a"}}},
    "select_option": {"value": "a"},
}
"""What calls need that no parameter of theirs demands."""


def needed(method: Callable[..., Any]) -> list[str]:
    """Return a value for each parameter that a call must have."""
    parameters = inspect.signature(method).parameters.values()
    names = [each.name for each in parameters if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD]
    return ["a" for name in names if name != "payload"]


async def opened(answer: Any) -> None:
    """Await what a call has returned, or open its block."""
    if inspect.isawaitable(answer):
        await answer
    else:
        async with answer:
            pass


def test_the_page_in_the_documentation_is_fresh(found: dict[str, Any]) -> None:
    assert "\n".join(TOOL.lines(found)) + "\n" == TOOL.PAGE.read_text("utf-8"), "run tools/generate_playwright_names.py"


@pytest.mark.parametrize(("kind", "name"), ROWS, ids=NAMES_OF)
def test_each_name_is_playwright_s_and_not_ours(kind: str, name: str) -> None:
    assert hasattr(getattr(theirs, kind), name), f"Playwright's {kind} has no {name}"
    assert name not in TOOL.names_of(kind).same, f"{kind} has {name} by now: take it out of NAMES"


@pytest.mark.parametrize(("kind", "name"), ROWS, ids=NAMES_OF)
def test_each_advice_names_what_there_is(kind: str, name: str) -> None:
    for owner, member in OURS.findall(NAMES[kind][name]):
        assert hasattr(OBJECTS[owner], member) or (owner, member) == ("browser", "info"), (owner, member)


@pytest.mark.parametrize("module", ["stillframe.api", "stillframe.sync"])
def test_a_missing_name_says_what_stillframe_has(module: str) -> None:
    for kind, name in TELLING:
        cls = CLASSES[kind] if module == "stillframe.api" else getattr(stillframe.sync, kind)
        with pytest.raises(AttributeError) as caught:
            getattr(cls.__new__(cls), name)
        assert str(caught.value) == (
            f"{kind!r} object has no attribute {name!r}: that is Playwright's name; stillframe has {NAMES[kind][name]}"
        )
        assert not hasattr(cls.__new__(cls), name)


def test_other_names_are_missing_as_ever() -> None:
    page = Page.__new__(Page)
    with pytest.raises(AttributeError, match=r"^'Page' object has no attribute 'clik'$") as caught:
        _ = page.clik  # type: ignore[attr-defined]
    assert (caught.value.name, caught.value.obj) == ("clik", page)  # Python suggests `click`


def test_the_error_of_a_property_is_not_hidden() -> None:
    class Odd(Page):
        @property
        def odd(self) -> str:
            raise AttributeError("the reason")

    with pytest.raises(AttributeError, match=r"^the reason$"):
        _ = Odd.__new__(Odd).odd
