"""The file of a recording grows while a person acts, and each action is printed once."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from rich.console import Console

from stillframe.cli.options import Format
from stillframe.cli.record import RecordingFile
from stillframe.recorder.recording import Recording, load_recording
from stillframe.scripts.script import ScriptAction


def recording(*actions: dict[str, object]) -> Recording:
    return Recording(url="http://127.0.0.1/", steps=tuple(ScriptAction(action=action) for action in actions))


def typed(value: str) -> dict[str, object]:
    return {"action": "set_value", "selector": "#q", "value": value}


ADD = {"action": "click_element", "selector": "#add"}


def test_an_action_that_is_done_twice_is_printed_twice(tmp_path: Path) -> None:
    said = StringIO()
    file = RecordingFile(Console(file=said, width=200), tmp_path / "a.json", Format.SEQUENCE)
    for grown in (recording(ADD), recording(ADD, ADD), recording(ADD, ADD), recording(ADD, ADD, typed("a"))):
        file.changed(grown)
    assert said.getvalue().split() == ["click_element", "#add", "click_element", "#add", "set_value", "#q", '"a"']
    assert len(load_recording(tmp_path / "a.json").steps) == 3


def test_an_action_that_has_changed_is_printed_again(tmp_path: Path) -> None:
    said = StringIO()
    file = RecordingFile(Console(file=said, width=200), tmp_path / "a.json", Format.SEQUENCE)
    file.changed(recording(ADD, typed("a")))
    file.changed(recording(ADD, typed("ab")))
    assert said.getvalue().splitlines()[1:] == ['  set_value  #q  "a"', '  set_value  #q  "ab"']
