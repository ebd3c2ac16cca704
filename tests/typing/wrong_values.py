"""Wrong code with actions, options and results: type checkers report each marked line, and no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import stillframe
from stillframe.model.action_list import parse_actions
from stillframe.model.actions import (
    Action,
    Click,
    DragTo,
    LongPress,
    MouseClick,
    Position,
    PressKey,
    Reload,
    Scroll,
    ScrollTo,
    SelectOption,
    SetValue,
    Swipe,
    TypeText,
    UploadFile,
    WaitFor,
)
from stillframe.model.keywords import SequenceKeywords, SettleKeywords
from stillframe.model.result import NavigationResult, SequenceResult
from stillframe.tab.context.keywords import BrowserKeywords, ContextKeywords, PdfKeywords


def run(actions: Sequence[Action | Mapping[str, Any]], **options: Unpack[SequenceKeywords]) -> None: ...
def settle(**options: Unpack[SettleKeywords]) -> None: ...
def launch(**options: Unpack[BrowserKeywords]) -> None: ...
def new_context(**options: Unpack[ContextKeywords]) -> None: ...
def pdf(**options: Unpack[PdfKeywords]) -> None: ...


def names() -> None:
    stillframe.Clik("#go")  # error


def actions() -> None:
    Click()  # error
    Click(3)  # error
    Click("#go", selektor="#a")  # error
    Click("#go", timeout=3)  # error
    Click("#go", timeout_ms="3s")  # error
    Click("#go", modifiers=["shift"])  # error
    Click("#go", button="main")  # error
    Click("#go", position=(1, 2))  # error
    Position("1", 2)  # error
    SetValue("#name")  # error
    SetValue("#name", 5)  # error
    PressKey()  # error
    PressKey("#name", "Enter", 2)  # error
    PressKey(13)  # error
    TypeText("#name", None)  # error
    Scroll(direction="sideways")  # error
    Scroll("#list", "down")  # error
    Swipe("#list")  # error
    SelectOption("#size", 3)  # error
    UploadFile("#file", 3)  # error
    DragTo("#card", offset=(1, 2))  # error
    LongPress("#card", seconds=1)  # error
    MouseClick("#card", 1)  # error
    ScrollTo(edge="end")  # error
    Reload("#a")  # error
    WaitFor("#done", state="gone")  # error
    Click("#go").selector = "#other"  # error


def options() -> None:
    run(Click("#go"))  # error
    run(["#go"])  # error
    run([Click("#go")], timeout=5)  # error
    run([Click("#go")], timeout_ms="5s")  # error
    run([Click("#go")], settle="networkidle")  # error
    run([Click("#go")], expect="#done")  # error
    run([Click("#go")], expect={"selektor": "#done"})  # error
    run([Click("#go")], stabilityMs=500)  # error
    settle(verbose=True)  # error
    launch(headles=True)  # error
    launch(window_size="800x600")  # error
    launch(proxy=3128)  # error
    new_context(viewport=800)  # error
    new_context(viewport={"width": 800})  # error
    new_context(color_scheme="black")  # error
    new_context(geolocation={"lat": 1, "lon": 2})  # error
    pdf(scale="half")  # error
    parse_actions({"action": "reload"})  # error
    parse_actions(7)  # error


def results(result: SequenceResult, arrived: NavigationResult) -> None:
    result.raise_for_status()  # error
    result.stable = True  # error
    result.console[0]  # error
    arrived.status + 1  # error
    arrived.headers  # error
