"""A trace in Playwright's format; `bench/tests` opens one in its viewer."""

from __future__ import annotations

import base64
import io
import zipfile
from pathlib import Path
from typing import Any

import msgspec
from traces import SEQUENCE, rec, trace_of

from stillframe.trace.playwright_format import FORMAT_VERSION, exported

JPEG = b"\xff\xd8\xff screenshot"


def parts(content: bytes) -> dict[str, list[Any]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {
            name: [msgspec.json.decode(line) for line in archive.read(name).splitlines()]
            for name in ("trace.trace", "trace.network")
        } | {"resources": [archive.read(name) for name in archive.namelist() if name.startswith("resources/")]}


def test_a_sequence_with_its_actions_requests_and_console(tmp_path: Path) -> None:
    found = parts(exported(trace_of(tmp_path, *SEQUENCE)))
    first, *events = found["trace.trace"]
    assert (first["type"], first["version"], first["wallTime"]) == ("context-options", FORMAT_VERSION, 1.7e12)
    before = {event["callId"]: event for event in events if event["type"] == "before"}
    assert before["sequence@1"]["title"] == "sequence 1: quiet"
    assert before["sequence@1.0"]["parentId"] == "sequence@1"
    assert (before["sequence@1.0"]["startTime"], before["sequence@1.0"]["method"]) == (3, "click_element")
    logs = [event["message"] for event in events if event["type"] == "log"]
    assert logs == ["waits for request POST http://a/buy", "verdict: quiet"]
    assert [event["text"] for event in events if event["type"] == "console"] == ["oops"]
    (entry,) = [event["snapshot"] for event in found["trace.network"]]
    assert (entry["request"]["method"], entry["response"]["status"], entry["time"]) == ("POST", 200, 17)
    assert entry["response"]["headers"] == [{"name": "a", "value": "b"}]
    assert entry["startedDateTime"] == "2023-11-14T22:13:20.004Z"


def test_screenshots_follow_the_actions_that_they_belong_to(tmp_path: Path) -> None:
    data = base64.b64encode(JPEG).decode()
    screenshot = rec(2, "screenshot", sequence=1, when="before", width=800, height=600, url="http://a/b", data=data)
    broken = rec(71, "screenshot", sequence=1, when="after", width=0, height=0, url="http://a/b", data="%")
    found = parts(exported(trace_of(tmp_path, *SEQUENCE[:3], screenshot, *SEQUENCE[3:-1], broken)))
    frame, snapshot = found["trace.trace"][-2:]
    assert (frame["type"], frame["width"], frame["timestamp"]) == ("screencast-frame", 800, 2)
    assert snapshot["snapshot"]["snapshotName"] == "before@sequence@1"
    assert snapshot["snapshot"]["frameUrl"] == "http://a/b"
    assert found["resources"] == [JPEG]
