"""Recordings as values and as sequence files that a person reads, edits and plays."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.errors import RecordingInvalid
from stillframe.model.action_list import parse_actions
from stillframe.recorder.recording import (
    MAX_ACTIONS,
    RecordedViewport,
    Recording,
    load_recording,
    parse_recording,
    save_recording,
)
from stillframe.scripts.script import ScriptAction, ScriptTarget

RECORDING = Recording(
    url="https://shop.test/login",
    title="Log in",
    viewport=RecordedViewport(width=390, height=844, device_scale_factor=2.5, mobile=True, touch=True),
    steps=(
        ScriptAction(
            action={"action": "set_value", "selector": "#user", "value": "ann"},
            selectors=('role=textbox[name="Name"]', "xpath=//input"),
            target='textbox "Name"',
        ),
        ScriptAction(action={"action": "set_value", "selector": "#pass", "value": {"secretName": "password"}}),
        ScriptAction(action={"action": "press_key", "key": "Enter"}),
        ScriptAction(action={"action": "wait_for", "text": "Welcome"}),
        ScriptAction(
            action={"action": "drag_to", "selector": "#a", "target": "#b"},
            row="A row",
            others=("another",),
            drop=ScriptTarget(selectors=("text=B",), target="B"),
        ),
    ),
    expect={"text": "Your cart"},
    options={"actionTimeoutMs": 5000},
)


def file_with(**changes: Any) -> str:
    """Return the text of the file with some keys changed; None removes one."""
    content = {**json.loads(RECORDING.to_text()), **changes}
    return json.dumps({name: value for name, value in content.items() if value is not None})


def test_a_file_is_the_recording() -> None:
    assert parse_recording(RECORDING.to_text()) == RECORDING


def test_a_file_is_a_sequence_with_one_action_and_one_target_per_line() -> None:
    lines = RECORDING.to_text().splitlines()

    assert '    {"action": "set_value", "selector": "#user", "value": "ann"},' in lines
    assert sum(line.startswith('    {"action"') for line in lines) == len(RECORDING.steps)
    assert '    {"row": "A row", "others": ["another"], "drop": {"selectors": ["text=B"], "target": "B"}}' in lines
    parse_actions(json.loads(RECORDING.to_text())["actions"])


def test_a_short_file_by_hand_is_a_recording() -> None:
    recording = parse_recording('{"url": "https://a.test", "actions": [{"action": "click", "selector": "#a"}]}')

    assert recording.actions == [{"action": "click", "selector": "#a"}]
    assert recording.all_options == {}
    assert '"targets"' not in recording.to_text()


def test_the_options_of_a_sequence_are_kept() -> None:
    assert parse_recording(file_with(settle="quiet")).all_options == {
        "settle": "quiet",
        "actionTimeoutMs": 5000,
        "expect": {"text": "Your cart"},
    }


def test_the_viewport_is_what_a_page_takes() -> None:
    assert RECORDING.viewport is not None
    assert RECORDING.viewport.options() == {
        "width": 390,
        "height": 844,
        "device_scale_factor": 2.5,
        "mobile": True,
        "touch": True,
    }


def test_a_script_of_one_step_has_the_same_actions() -> None:
    script = RECORDING.to_script()

    assert (script.name, script.url) == ("logIn", "https://shop.test/login")
    assert script.steps[0].actions == RECORDING.steps
    assert script.steps[0].check == {"text": "Your cart"}


CLICK = {"action": "click_element", "selector": "#a"}
MISTAKES = [
    ("[]", None, "not a JSON object"),
    ('{"url": "a",\n"actions": [', 2, "truncated"),
    ("{" * 5000, 1, ""),
    ('{"url": "a", "actions": []}\ud800', 1, ""),
    (file_with(url=None), None, "`url`"),
    (file_with(actions=[]), None, "actions"),
    (file_with(actions=[CLICK] * (MAX_ACTIONS + 1), targets=None), None, "actions"),
    (file_with(version=2), None, "version: 2 is not 1"),
    (file_with(version=2, brandNew=True), None, "version: 2 is not 1"),
    (file_with(tagrets=[]), None, "unknown option 'tagrets'"),
    (file_with(timeoutMs="soon"), None, "timeoutMs"),
    (file_with(viewport={"width": 0, "height": 9}), None, "viewport.width"),
    (file_with(viewport={"width": 9, "height": 9, "depth": 1}), None, "viewport.depth: there is no such key"),
    (file_with(targets=[{}]), None, "targets: its length is 1, that of actions is 5: write one target for each action"),
    (file_with(actions=[], targets=[]), None, "actions: it is empty: a recording has at least one action"),
    (file_with(tilte="x"), None, "unknown option 'tilte'; did you mean 'title'?"),
    (file_with(targets=[{"selector": []}] * 5), None, "targets[0].selector: there is no such key"),
    (file_with(targets=[{}, {"fingerprint": {"tag": "a"}}, {}, {}, {}]), None, "targets[1]"),
    (file_with(actions=[CLICK, {"action": "clik"}], targets=None), None, "actions[1]"),
    (file_with(actions=[{"action": "set_value", "selector": "a", "value": {"secret": "hunter2"}}], targets=None), None,
     "use secretName"),
    (file_with(expect={"text": "a", "url": "b"}), None, "expect"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "reason"), MISTAKES, ids=[reason or text[:5] for text, _, reason in MISTAKES])
def test_a_mistake_is_named(text: str, line: int | None, reason: str) -> None:
    with pytest.raises(RecordingInvalid) as caught:
        parse_recording(text)

    assert reason in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert line is None or caught.value.line == line


def test_the_line_of_a_mistake_is_that_in_the_file() -> None:
    text = RECORDING.to_text().replace('"press_key"', '"press_kye"')

    with pytest.raises(RecordingInvalid) as caught:
        parse_recording(text)

    assert caught.value.line == 1 + text[: text.index("press_kye")].count("\n")


def test_a_file_that_is_too_long_is_refused() -> None:
    with pytest.raises(RecordingInvalid, match="at most 4,000,000 characters"):
        parse_recording(" " * 4_000_001)


def test_a_file_is_the_old_one_or_whole(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    save_recording(file, RECORDING)
    assert load_recording(file) == RECORDING

    # A folder cannot be replaced by a file.
    (tmp_path / "b.json").mkdir()
    with pytest.raises(OSError, match=r"b\.json"):
        save_recording(tmp_path / "b.json", RECORDING)
    assert sorted(os.listdir(tmp_path)) == ["a.json", "b.json"]


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'{"url": "\xff"}')

    with pytest.raises(RecordingInvalid, match="not UTF-8"):
        load_recording(tmp_path / "a.json")


@given(st.text(max_size=300))
def test_no_text_is_a_recording_or_another_error(text: str) -> None:
    with pytest.raises(RecordingInvalid):
        parse_recording(text)


@given(st.text(max_size=40), st.text(min_size=1, max_size=40), st.text(max_size=40))
def test_any_texts_come_back(title: str, selector: str, value: str) -> None:
    action = {"action": "set_value", "selector": selector, "value": value}
    recording = Recording(url="u", title=title, steps=(ScriptAction(action=action, target=title),))
    if any(0xD800 <= ord(char) <= 0xDFFF for char in title + selector + value):
        return  # JSON in UTF-8 has no half of a character

    text = recording.to_text()

    assert parse_recording(text) == recording
    assert text.splitlines() == text.split("\n")[:-1]


def test_it_is_a_value() -> None:
    with pytest.raises(AttributeError):
        RECORDING.url = "b"  # type: ignore[misc]
    assert msgspec.structs.replace(RECORDING, url="b") != RECORDING
