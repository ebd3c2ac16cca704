"""What `bench next` reads in replies, and how it counts."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest

from bench.apps.catalogue import APPS
from bench.apps.launch import Pages
from bench.next import Reading, walk
from bench.next.app_flows import APP_FLOWS
from bench.next.flows import FLOWS, PAGES, Flow, Step
from bench.next.reading import Named, devtools, find, find_alike, ours, playwright
from bench.next_apps import applications


def test_there_are_as_many_steps_and_flows_as_are_asked_for_and_each_has_its_page() -> None:
    assert len(FLOWS) >= 40
    assert sum(len(each.steps) - 1 for each in FLOWS) >= 60
    named = {each.page for each in FLOWS}
    assert named == {path.name for path in PAGES.glob("*.html")}
    assert len(named) == len(FLOWS)


def test_what_a_reply_of_ours_names() -> None:
    text = """+ dialog "Delete?" [ref=e4]: "Really? "
  - button "No" [ref=e5], "Yes, \\"now\\"" [disabled] [ref=e6]
  - textbox "Name" [placeholder="Your [name]"] = "Ada, Bob" [ref=e7]
+ listitem [clickable] [ref=e8]: "red hat"
~ heading "Two" [ref=e9] textContent: "One" → "Two"
"""
    assert list(ours(text)) == [
        Named("dialog", "Delete?", "e4"),
        Named("button", "No", "e5"),
        Named("button", 'Yes, "now"', "e6"),
        Named("textbox", "Name", "e7"),
        Named("listitem", "red hat", "e8"),
        Named("heading", "Two", "e9"),
    ]


def test_what_a_snapshot_of_a_rival_names() -> None:
    text = '- button "Save" [active] [ref=e3] [cursor=pointer]\n  - listitem [ref=e4]: red hat\n'
    assert list(playwright(text)) == [Named("button", "Save", "e3"), Named("listitem", "red hat", "e4")]
    assert list(devtools('uid=1_2 button "Save" focusable\n')) == [Named("button", "Save", "1_2")]


def test_the_role_decides_between_elements_of_one_name() -> None:
    text = '- link "Save" [ref=e1]\n- button "Save" [ref=e2]\n- heading "Save" [ref=e3]\n'
    assert find(ours, text, "button", "Save") == "e2"
    assert find(ours, text, "checkbox", "Save") == "e3"
    assert find(ours, text, "button", "Send") is None


class Look(NamedTuple):
    text: str


class Fake(Reading):
    """A server with two elements, which names the second one in replies or not."""

    read = staticmethod(ours)

    def __init__(self, *, names: bool) -> None:
        super().__init__(Path())
        self.names = names
        self.pressed: list[str] = []

    async def show(self, url: str) -> str:
        return '- button "One" [ref=e1]'

    async def act(self, step: Step, ref: str) -> str:
        self.calls += 1
        self.pressed.append(ref)
        return '+ button "Two" [ref=e2]' if self.names or ref == "e2" else "nothing"

    async def look(self) -> Look:  # type: ignore[override]
        self.calls += 1
        return Look('- button "Two" [ref=e2]')


@pytest.mark.parametrize(("names", "calls", "looked"), [(True, 2, ()), (False, 3, ("flow: button 'Two'",))])
async def test_a_target_that_no_reply_names_costs_a_look(names: bool, calls: int, looked: tuple[str, ...]) -> None:
    server = Fake(names=names)
    flow = Flow("flow", "menu", (Step("button", "One"), Step("button", "Two")), says="Two")
    walked = await walk(server, "", flow)
    assert server.pressed == ["e1", "e2"]
    assert (walked.calls, walked.looked, walked.is_right) == (calls, looked, True)
    assert len(walked.lengths) == 2


def test_flows_on_applications_name_applications_that_npm_installs() -> None:
    pages = {app.name for app in APPS if isinstance(app.served, Pages) and not app.served.build}
    assert len(APP_FLOWS) >= 10
    assert len(applications()) >= 6
    assert set(applications()) <= pages
    assert all(len(each.flow.steps) >= 2 for each in APP_FLOWS)
    assert len({each.flow.name for each in APP_FLOWS}) == len(APP_FLOWS)
    # An application starts once: its flows stand together.
    assert [name for name, _ in groupby(each.app for each in APP_FLOWS)] == applications()


def test_a_name_of_an_application_may_have_more_in_it_than_a_person_says() -> None:
    text = '- button "LEND" [ref=e1]\n- button "6:00 – 8:00pm Chess" [ref=e2]\n- link "\uf07c Cards" [ref=e3]\n'
    text += '- heading "Chess" [ref=e4]\n'
    assert find_alike(ours, text, "button", "Lend") == "e1"
    assert find_alike(ours, text, "link", "Cards") == "e3"
    assert find_alike(ours, text, "heading", "Chess") == "e4"
    assert find_alike(ours, text.replace("heading", "text"), "button", "Chess club") is None
    assert find(ours, text, "button", "Lend") is None
    assert find_alike(ours, '- button "9 Chess" [ref=e2]', "button", "Chess") == "e2"
    assert find_alike(ours, '- link "9 Chess" [ref=e2]', "button", "Chess") is None


async def test_a_page_that_is_not_ready_does_not_count_as_a_reply_that_names_nothing() -> None:
    class Late(Fake):
        async def show(self, url: str) -> str:
            return "loading"

        async def look(self) -> Look:  # type: ignore[override]
            return Look('- button "One" [ref=e1]\n- button "Two" [ref=e2]')

    flow = Flow("flow", "menu", (Step("button", "One"), Step("button", "Two")), says="Two")
    walked = await walk(Late(names=True), "", flow)
    assert (walked.looked, walked.is_right) == ((), True)
