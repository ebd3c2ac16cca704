"""Right code that users write with actions, options and results: type checkers report nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from stillframe.errors import ActionFailed, ElementNotFound
from stillframe.model.action_list import parse_actions
from stillframe.model.actions import (
    Action,
    Check,
    Click,
    DoubleClick,
    DragTo,
    DropFiles,
    InsertText,
    KeyDown,
    KeyUp,
    LongPress,
    MouseClick,
    MouseDrag,
    MouseMove,
    MouseWheel,
    Navigate,
    Offset,
    Position,
    PressKey,
    Scroll,
    ScrollTo,
    SelectOption,
    SetValue,
    Swipe,
    TypeText,
    UploadContent,
    UploadFile,
    WaitFor,
)
from stillframe.model.keywords import SequenceKeywords, SettleKeywords
from stillframe.model.options import Expect
from stillframe.model.result import NavigationResult, SequenceResult
from stillframe.model.secret import Secret, SecretName
from stillframe.tab.context.keywords import BrowserKeywords, ContextKeywords, PdfKeywords
from stillframe.tab.context.options import Viewport

ACTIONS: list[Action] = [
    Click("#go"),
    Click("#go", modifiers=["Shift"], button="left", click_count=2, timeout_ms=500),
    Click("#go", modifiers=("Alt",), position=Position(3, 4.5)),
    DoubleClick("#go", timeout_ms=0.5 * 1000),
    SetValue("#name", "Ann"),
    SetValue("#agree", True),
    SetValue("#password", Secret("hunter2")),
    SetValue("#password", SecretName("login")),
    Check("#agree"),
    PressKey("Enter"),
    PressKey("#name", "Enter", times=2),
    PressKey("#name", key="Enter"),
    PressKey(selector=None, key="Control+A"),
    TypeText("Ann"),
    TypeText("#name", "Ann"),
    TypeText("#password", Secret("hunter2"), timeout_ms=1000),
    Scroll(),
    Scroll("#list", direction="up", pixels=300),
    ScrollTo("#end"),
    ScrollTo(edge="bottom"),
    KeyDown("Shift"),
    KeyUp("Shift"),
    InsertText("text"),
    InsertText("#name", "text"),
    UploadContent("#file", [{"name": "a.txt", "mimeType": "text/plain", "buffer": b"a"}, b"raw"]),
    DropFiles("#zone", [Path("a.txt"), "b.txt"], position=Position(1, 2)),
    MouseMove(10, 20),
    MouseClick(10, 20.5, button="right", click_count=2, modifiers=["Shift"]),
    MouseDrag(10, 20, 30, 40),
    MouseWheel(10, 20, delta_y=-300),
    Swipe(direction="left"),
    Swipe("#list", direction="down", percent=0.3),
    SelectOption("#size", "L"),
    SelectOption("#size", ["L", "XL"]),
    UploadFile("#file", "a.txt"),
    UploadFile("#file", Path("a.txt")),
    UploadFile("#file", [Path("a.txt"), "b.txt"]),
    DragTo("#card", "#done"),
    DragTo("#card", offset=Offset(10, -5)),
    LongPress("#card", duration_ms=900),
    Navigate("https://example.org/"),
    WaitFor("#done", state="visible"),
    WaitFor(text="Done", timeout_ms=2000),
]
MIXED: list[Action | Mapping[str, Any]] = [Click("#go"), {"action": "fill", "selector": "#name", "value": "Ann"}]


def plan(actions: Sequence[Action | Mapping[str, Any]]) -> tuple[Action, ...]:
    return parse_actions(actions)


def run(actions: Sequence[Action | Mapping[str, Any]], **options: Unpack[SequenceKeywords]) -> None: ...
def settle(**options: Unpack[SettleKeywords]) -> None: ...
def launch(**options: Unpack[BrowserKeywords]) -> None: ...
def new_context(**options: Unpack[ContextKeywords]) -> None: ...
def pdf(**options: Unpack[PdfKeywords]) -> None: ...


def options() -> None:
    run(ACTIONS, stability_ms=300, timeout_ms=2500.5, settle="virtual", verbose=True)
    run([Click("#go")], expect=Expect(text="Done"), limit=20)
    run([{"action": "click", "selector": "#go"}], expect={"url": "/done"})
    run([Click("#go"), {"action": "reload"}], observe=None, session_id="a")
    settle(settle="quiet", stability_ms=200, poll_interval_ms=50)
    launch(headless=False, args=["--mute-audio"], viewport={"width": 800, "height": 600}, proxy="localhost:3128")
    launch(executable=Path("/usr/bin/chromium"), proxy={"server": "localhost:3128"}, secrets={"login": "hunter2"})
    new_context(viewport=Viewport(800, 600), color_scheme="dark", block=["*.png"], policy={"allow_private": True})
    new_context(geolocation={"latitude": 47.4, "longitude": 8.5}, storage_state="state.json", downloads=Path("d"))
    new_context(dialogs=lambda dialog: dialog.message == "Sure?")
    pdf(landscape=True, paper_width=8.3)


def read(result: SequenceResult, arrived: NavigationResult) -> str:
    try:
        result.raise_for_failure().to_json(measured=False)
    except ElementNotFound as error:
        return ", ".join(error.candidates)
    except ActionFailed as error:
        return f"{error.index}: {error}"
    change = result.state_change
    texts = [row.text for row in change.appeared] if change else []
    values = [row.to or "" for row in change.changed] if change else []
    console = [message.text for message in result.console or ()]
    errors = [error.message for error in result.errors or ()]
    where = f"{arrived.url} {arrived.ok} {arrived.status}"
    return "\n".join([*texts, *values, *console, *errors, where, str(result.to_dict())])
