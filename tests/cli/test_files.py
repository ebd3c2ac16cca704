"""The files that commands read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stillframe.cli.files import SequenceFile, read_sequence
from stillframe.errors import ActionInvalid, InputError, RecordingInvalid

CLICK = {"action": "click_element", "selector": "#a"}


def read(tmp_path: Path, value: Any) -> SequenceFile:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(value), "utf-8")
    return read_sequence(str(file))


def test_a_sequence_is_a_list_or_an_object_with_options(tmp_path: Path) -> None:
    assert read(tmp_path, [CLICK]) == SequenceFile([CLICK], {})
    assert read(tmp_path, {"actions": [CLICK], "settle": "quiet"}) == SequenceFile([CLICK], {"settle": "quiet"})


def test_what_else_a_recording_has_is_not_an_option(tmp_path: Path) -> None:
    content = {
        "version": 1,
        "url": "http://a.test/",
        "title": "Buy",
        "viewport": {"width": 9, "height": 9},
        "actions": [CLICK],
        "targets": [{"selectors": ["text=Buy"]}],
    }

    sequence = read(tmp_path, {**content, "expect": {"text": "Thanks"}, "settle": "quiet"})

    assert sequence.actions == [CLICK]
    assert sequence.options == {"settle": "quiet", "expect": {"text": "Thanks"}}
    assert sequence.recording is not None
    assert (sequence.recording.url, sequence.recording.steps[0].selectors) == ("http://a.test/", ("text=Buy",))


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ({"actions": 1}, ActionInvalid),
        ("text", ActionInvalid),
        ({"url": "http://a.test/", "actions": [CLICK], "setle": "quiet"}, RecordingInvalid),
        ({"title": "no URL", "actions": [CLICK]}, RecordingInvalid),
    ],
)
def test_a_mistake_is_a_typed_error(tmp_path: Path, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        read(tmp_path, value)


def test_a_file_that_is_not_there_or_no_json_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*b\.json"):
        read_sequence(str(tmp_path / "b.json"))
    for content, reason in (
        (b"\xff", r"it is not UTF-8 \(byte 0\)"),
        (b"{", "it is not JSON"),
        (b"[" * 100_000, "nested"),
    ):
        (tmp_path / "c.json").write_bytes(content)
        with pytest.raises(InputError, match=rf"cannot read .*c\.json: .*{reason}"):
            read_sequence(str(tmp_path / "c.json"))
