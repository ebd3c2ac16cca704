"""What an element is known by when it is asked whether the same thing is done to it again."""

from __future__ import annotations

import pytest

from site_server import Site
from stillframe import Hover, LoopGuard, SetValue
from stillframe.api.browser import Page
from stillframe.loopguard import LoopStep
from stillframe.model.actions import Action


class Recorder(LoopGuard):
    """Keeps the steps it is asked about."""

    def __init__(self) -> None:
        super().__init__(mode="shadow")
        self.steps: list[LoopStep] = []

    def before(self, step: LoopStep) -> tuple[()]:
        self.steps.append(step)
        return ()


async def step_of(page: Page, action: Action) -> LoopStep:
    page.loop_guard = recorder = Recorder()
    result = await page.execute_sequence([action], timeout_ms=500)
    assert result.failed is None
    return recorder.steps[-1]


PLACES = {
    "#nav": "navigation > button",
    "#first": "main > list > listitem[1] > button",
    "#second": "main > list > listitem[2] > button",
    "#inform": "main > form > button",
    ".open": "main > x-card[1] > button",
    ".closed": "main > x-card[2] > button",
    "#outside": "button[5]",
    "#plain": "main > div",
}


@pytest.fixture
async def places(page: Page, site: Site) -> Page:
    await page.goto(site.url("/loops/places.html"))
    return page


async def test_a_place_is_made_of_landmarks_and_a_number_among_its_like(places: Page) -> None:
    found = {selector: (await step_of(places, Hover(selector))).signature.place for selector in PLACES}
    assert found == PLACES


async def test_a_place_is_the_same_when_everything_is_made_anew(places: Page) -> None:
    before = await step_of(places, Hover("#second"))
    await places.evaluate("document.querySelector('main').outerHTML = document.querySelector('main').outerHTML; 0")
    after = await step_of(places, Hover("#second"))
    assert (after.signature, after.element_state) == (before.signature, before.element_state)


async def test_the_state_of_an_element_is_its_own(places: Page) -> None:
    empty = await step_of(places, SetValue("#field", "one"))
    filled = await step_of(places, SetValue("#field", "two"))
    again = await step_of(places, SetValue("#field", " ONE"))
    assert [step.element_state.split() for step in (empty, filled, again)] == [[], ["one"], ["two"]]
    await places.evaluate("document.querySelector('#second').setAttribute('aria-pressed', 'true'); 0")
    assert "pressed" in (await step_of(places, Hover("#second"))).element_state
    assert "pressed" not in (await step_of(places, Hover("#first"))).element_state


async def test_the_text_of_half_a_page_is_not_a_name(places: Page) -> None:
    assert (await step_of(places, Hover("#plain"))).signature.name == "just some text"
    await places.evaluate("document.querySelector('#plain').textContent = 'words '.repeat(50); 0")
    assert (await step_of(places, Hover("#plain"))).signature.name == ""
    assert (await step_of(places, Hover("#bar"))).signature.role == "rect"
