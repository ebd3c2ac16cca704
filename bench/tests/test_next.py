"""What `bench next` reads in replies, and how it counts."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from bench.next import Reading, walk
from bench.next.flows import FLOWS, PAGES, Flow, Step
from bench.next.reading import Named, devtools, find, ours, playwright


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
