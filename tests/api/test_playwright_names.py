"""What a missing attribute says, if Playwright has one of that name."""

from __future__ import annotations

import re

import playwright.async_api
import pytest

import stillframe.sync
from stillframe.api.browser import Browser, BrowserContext, Page
from stillframe.api.frame import Frame
from stillframe.api.locator import Locator
from stillframe.api.playwright_names import NAMES

CLASSES = {kind.__name__: kind for kind in (Page, Frame, Locator, BrowserContext, Browser)}
OBJECTS = {"page": Page, "frame": Frame, "locator": Locator, "context": BrowserContext, "browser": Browser}
ROWS = [(kind, name) for kind, names in NAMES.items() for name in names]
NAMES_OF = [f"{kind}.{name}" for kind, name in ROWS]
OURS = re.compile(r"\b(page|frame|locator|context|browser)\.([a-z_]+)")


@pytest.mark.parametrize(("kind", "name"), ROWS, ids=NAMES_OF)
def test_each_name_is_playwright_s_and_not_ours(kind: str, name: str) -> None:
    assert hasattr(getattr(playwright.async_api, kind), name), f"Playwright's {kind} has no {name}"
    assert not hasattr(CLASSES[kind], name), f"{kind} has {name} by now: take it out of NAMES"


@pytest.mark.parametrize(("kind", "name"), ROWS, ids=NAMES_OF)
def test_each_advice_names_what_there_is(kind: str, name: str) -> None:
    for owner, member in OURS.findall(NAMES[kind][name]):
        assert hasattr(OBJECTS[owner], member) or (owner, member) == ("browser", "info"), (owner, member)


@pytest.mark.parametrize("module", ["stillframe.api", "stillframe.sync"])
def test_a_missing_name_says_what_stillframe_has(module: str) -> None:
    for kind, name in ROWS:
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
