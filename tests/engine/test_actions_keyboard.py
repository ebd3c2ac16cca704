"""Keys and typed text as a real page receives them."""

from __future__ import annotations

import pytest

from acting import perform
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import ActionInvalid, ElementUnsuitable
from stillframe.model.actions import Focus, PressKey, SetValue, TypeText
from stillframe.tab.input.attempt import Attempt


@pytest.fixture
async def desk(page: Page, site: Site) -> Page:
    await page.goto(site.url("/act/keyboard.html"))
    return page


async def test_a_letter_has_all_its_events(desk: Page) -> None:
    await perform(Attempt(desk._tab), PressKey(key="a", selector="#field"))
    assert await desk.evaluate("log") == ["keydown a KeyA 65 0 ", "keypress a KeyA 97 0 ", "keyup a KeyA 65 0 "]
    assert await desk.evaluate("field.value") == "a"


async def test_a_chord_holds_its_modifiers(desk: Page) -> None:
    await perform(Attempt(desk._tab), PressKey(key="Control+Shift+K", selector="#field"))
    assert await desk.evaluate("log") == [
        "keydown Control ControlLeft 17 1 C",
        "keydown Shift ShiftLeft 16 1 CS",
        "keydown K KeyK 75 0 CS",
        "keyup K KeyK 75 0 CS",
        "keyup Shift ShiftLeft 16 1 C",
        "keyup Control ControlLeft 17 1 ",
    ]
    assert await desk.evaluate("field.value") == ""


async def test_editing_chords_edit(desk: Page) -> None:
    await perform(Attempt(desk._tab), SetValue(selector="#field", value="one two"))
    await perform(Attempt(desk._tab), PressKey(key="Control+A"))
    await perform(Attempt(desk._tab), PressKey(key="Backspace"))
    assert await desk.evaluate("field.value") == ""
    await perform(Attempt(desk._tab), TypeText(text="abc"))
    await perform(Attempt(desk._tab), PressKey(key="Shift+ArrowLeft", times=2))
    await perform(Attempt(desk._tab), PressKey(key="X"))
    assert await desk.evaluate("field.value") == "aX"


async def test_typing_goes_on_behind_what_is_there(desk: Page) -> None:
    await perform(Attempt(desk._tab), TypeText(text="Ab1!", selector="#field"))
    await perform(Attempt(desk._tab), Focus(selector="#area"))
    await perform(Attempt(desk._tab), TypeText(text="é日本👩‍💻z", selector="#field"))
    assert await desk.evaluate("field.value") == "Ab1!é日本👩‍💻z"
    await perform(Attempt(desk._tab), TypeText(text="more", selector="#rich"))
    assert await desk.evaluate("rich.innerText") == "startmore"


@pytest.mark.parametrize(
    ("field", "end"),
    [
        ("type=number value=12", "127"),
        ("type=email value=a@b.c", "a@b.c7"),
        ("value=12", "127"),
        ("type=tel value=1", "17"),
    ],
)
async def test_the_caret_is_at_the_end_of_any_field(page: Page, site: Site, field: str, end: str) -> None:
    await page.goto(site.html("/field.html", f"<input id=other><input id=field {field}>"))
    await perform(Attempt(page._tab), Focus(selector="#other"))
    await perform(Attempt(page._tab), TypeText(text="7", selector="#field"))
    assert await page.evaluate("field.value") == end


async def test_letters_of_any_script_are_pressed(desk: Page) -> None:
    await perform(Attempt(desk._tab), TypeText(text="éжΩ中👍", selector="#field"))
    assert await desk.evaluate("log") == [
        *("keydown é  0 0 ", "keypress é  233 0 ", "keyup é  0 0 "),
        *("keydown ж Semicolon 186 0 ", "keypress ж Semicolon 1078 0 ", "keyup ж Semicolon 186 0 "),
        *("keydown Ω KeyV 86 0 ", "keypress Ω KeyV 937 0 ", "keyup Ω KeyV 86 0 "),
        *("keydown 中  0 0 ", "keypress 中  20013 0 ", "keyup 中  0 0 "),
    ]
    assert await desk.evaluate("field.value") == "éжΩ中👍"


async def test_enter_and_tab_are_keys(desk: Page) -> None:
    await perform(Attempt(desk._tab), TypeText(text="a\nb", selector="#area"))
    assert await desk.evaluate("area.value") == "a\nb"
    await perform(Attempt(desk._tab), TypeText(text="\t", selector="#field"))
    assert await desk.evaluate("document.activeElement.id") == "area"


async def test_what_takes_no_keys_says_so(desk: Page) -> None:
    with pytest.raises(ElementUnsuitable, match="cannot take the keyboard focus"):
        await perform(Attempt(desk._tab), PressKey(key="a", selector="#plain"), timeout=60)
    with pytest.raises(ActionInvalid, match="did you mean 'Enter'"):
        await perform(Attempt(desk._tab), PressKey(key="Entr"))


async def test_the_body_takes_keys(desk: Page) -> None:
    await perform(Attempt(desk._tab), Focus(selector="#field"))
    await perform(Attempt(desk._tab), PressKey(key="Escape", selector="body"))
    assert await desk.evaluate("[log[0], document.activeElement.tagName]") == ["keydown Escape Escape 27 0 ", "BODY"]
