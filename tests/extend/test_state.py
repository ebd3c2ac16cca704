"""What `stillframe.extend` gives of a page: looking, comparing, listening, and what ends each of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

from site_server import Site
from stillframe import extend
from stillframe.api.browser import Page
from stillframe.errors import ElementNotFound, SelectorInvalid
from stillframe.extend import PageObserver, SequenceObserver, compare, on_page, page_state
from stillframe.extend.signals import Mutated, Signal
from stillframe.model.actions import Action, Click, SetValue
from stillframe.model.options import parse_options
from stillframe.model.result import SequenceResult

SHOP = """<label>Name <input id=name></label><button id=join onclick="welcome.textContent = 'Welcome!'">Join</button>
<p id=welcome></p>"""
TELL_CLICKS = """const tell = id => globalThis.tellDoor ? globalThis.tellDoor(id) : setTimeout(() => tell(id), 10);
document.addEventListener("click", event => tell(event.target.id), true)"""
WELCOME = "() => { document.body.insertAdjacentHTML('beforeend', '<p>Hello!</p>') }"


@pytest.fixture
async def shop(page: Page) -> Page:
    await page.set_content(SHOP)
    return page


def test_every_name_of_the_package_is_there() -> None:
    assert set(extend.__all__) <= set(dir(extend))
    assert all(getattr(extend, name) is not None for name in extend.__all__)
    with pytest.raises(AttributeError, match=r"^module 'stillframe\.extend' has no attribute 'Tab'$"):
        extend.Tab  # noqa: B018


async def test_the_states_of_a_page_and_of_its_parts_are_equal(shop: Page) -> None:
    assert page_state(shop) == page_state(shop.locator("#join")) == page_state(shop.main_frame)
    assert len({page_state(shop), page_state(shop.main_frame)}) == 1


async def test_it_locates_captures_and_compares(shop: Page) -> None:
    state = page_state(shop)
    handle = await state.locate("#welcome")
    try:
        assert await handle.call("function() { return this.id }") == "welcome"
    finally:
        handle.forget()
    before = await state.capture()
    await shop.evaluate(WELCOME)
    after = await state.capture()
    change = state.compare(before, after, noise=await state.noise())
    assert change is not None
    assert "Hello!" in state.text(after, budget=2_000)
    assert [row.text for row in change.appeared] == ["Hello!"]
    assert state.compare(after, after) is None
    same = compare(before, after)
    assert same is not None
    assert [row.text for row in same.appeared] == ["Hello!"]


@pytest.mark.parametrize(("selector", "error"), [("#nowhere", ElementNotFound), ("css=", SelectorInvalid)])
async def test_what_it_cannot_locate_is_an_error(shop: Page, selector: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        await page_state(shop).locate(selector)


async def test_signals_come_until_they_are_taken_back(shop: Page) -> None:
    state, heard = page_state(shop), list[Signal]()
    remove = state.on_signal(lambda now, signal, effects: heard.append(signal))
    await shop.evaluate(WELCOME)
    await shop.settle()
    assert any(isinstance(signal, Mutated) for signal in heard)
    remove()
    heard.clear()
    await shop.evaluate("() => { document.title = 'another' }")
    await shop.settle()
    assert heard == []


async def test_it_settles_after_what_a_program_does(shop: Page) -> None:
    state = page_state(shop)
    late = "() => { setTimeout(() => { document.querySelector('#welcome').textContent = 'late' }, 150) }"
    verdict = await state.settle_after(lambda: shop.evaluate(late), parse_options({}))
    assert verdict.stable
    assert await shop.text_content("#welcome") == "late"
    assert not state.is_busy
    async with state.lock:
        assert state.is_busy


async def test_secrets_are_left_out(shop: Page) -> None:
    await shop.set_content("<input id=password type=password>")
    await shop.fill("#password", "swordfish-42")
    state = page_state(shop)
    assert "swordfish-42" not in str(state.redact({"url": "http://a.test/?password=swordfish-42"}))
    assert "swordfish-42" not in state.redactor.redact("the password is swordfish-42")


class Seen(PageObserver):
    """Writes down what it sees."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.actions: list[int] = []
        self.results: list[SequenceResult] = []

    @contextmanager
    def call(self, name: str, arguments: Mapping[str, Any]) -> Iterator[None]:
        self.calls.append(name)
        yield

    def sequence(self, plan: Sequence[Action], options: msgspec.Struct) -> SequenceObserver:
        return _SeenSequence(self)


class _SeenSequence(SequenceObserver):
    def __init__(self, seen: Seen) -> None:
        self._seen = seen

    def action(self, index: int, action: Action) -> None:
        self._seen.actions.append(index)

    def result(self, result: SequenceResult, after: Any) -> None:
        self._seen.results.append(result)


async def test_an_observer_sees_calls_and_sequences_until_it_is_taken_back(shop: Page) -> None:
    seen = Seen()
    remove = page_state(shop).observe(seen)
    result = await shop.execute_sequence([SetValue("#name", "Ann"), Click("#join")])
    assert (seen.calls, seen.actions, seen.results) == (["execute_sequence"], [0, 1], [result])
    remove()
    await shop.execute_sequence([Click("#join")])
    assert len(seen.results) == 1


async def test_an_observer_that_overrides_nothing_changes_nothing(shop: Page) -> None:
    remove = page_state(shop).observe(PageObserver())
    assert (await shop.execute_sequence([Click("#join")])).failed is None
    remove()


async def test_a_script_calls_back_until_it_is_taken_out(shop: Page, site: Site) -> None:
    state, heard = page_state(shop), asyncio.Queue[str]()
    unbind = state.bind("tellDoor", lambda frame, text: heard.put_nowait(text))
    remove = state.add_script(TELL_CLICKS, world=extend.WORLD)
    await shop.goto(site.html("/first", "<button id=first>First</button>"))
    await shop.click("#first")
    async with asyncio.timeout(10):
        assert await heard.get() == "first"
    remove()
    unbind()
    await shop.goto(site.html("/second", "<button id=second>Second</button>"))
    await shop.click("#second")
    await shop.settle()
    assert heard.empty()


async def test_pages_are_given_before_anything_runs_in_them(shop: Page) -> None:
    pages: list[Page] = []
    remove = on_page(shop.context, pages.append)
    popup = await shop.context.new_page()
    assert pages == [popup]
    remove()
    await popup.close()
    await (await shop.context.new_page()).close()
    assert pages == [popup]
