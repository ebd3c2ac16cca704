"""The JSON of a result: the keys of the contract, in its order, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.model.aria_snapshot import AriaSnapshot
from stillframe.model.change import Change, ChangedRow, Omitted, Row, StateChange
from stillframe.model.events import (
    ConsoleMessage,
    DialogReport,
    DownloadReport,
    NewTarget,
    PageError,
    Request,
    Response,
    SourceLocation,
)
from stillframe.model.failure import Failure
from stillframe.model.result import NavigationResult, SequenceResult, Step
from stillframe.model.structs import Value
from stillframe.model.verdict import Ignored, Late, Pending, Verdict

ROW = Row(selector="#a", tag_name="h1", role="heading", name="A", text="A", ref="e1")
CHANGED = ChangedRow(
    selector="#b", tag_name="input", role="textbox", name="B", field="value", from_="", to="x", ref="e2"
)
ALWAYS = [
    "completed",
    "stateChange",
    "stabilityWaitMs",
    "stable",
    "reason",
    "pending",
    "ignored",
    "late",
    "dialogs",
    "downloads",
    "newTargets",
]
"""The keys of every result, in their order."""


def result(**fields: Any) -> SequenceResult:
    nothing: dict[str, Any] = dict.fromkeys(("pending", "ignored", "late", "dialogs", "downloads", "new_targets"), ())
    base = {"completed": 1, "state_change": None, "stability_wait_ms": 61, "stable": True, "reason": "no_effect"}
    return SequenceResult(**(base | nothing | fields))


def keys(value: Any) -> list[str]:
    decoded = json.loads(value.to_json() if isinstance(value, SequenceResult) else msgspec.json.encode(value))
    return list(decoded)


def test_nothing_changed_is_null_and_failed_and_steps_are_absent() -> None:
    assert keys(result()) == ALWAYS
    assert result().to_dict()["stateChange"] is None


def test_a_failure_stands_after_completed() -> None:
    failed = Failure(index=1, action="click_element", error="Element not found: #nope", code="element_not_found")
    assert keys(result(failed=failed)) == ["completed", "failed", *ALWAYS[1:]]
    assert keys(failed) == ["index", "action", "error", "code"]


def test_what_caused_the_outcome_stands_after_the_reason() -> None:
    at = ALWAYS.index("reason") + 1
    blamed = result(stable=False, reason="timeout", detail="indicator #spinner")
    assert keys(blamed) == [*ALWAYS[:at], "detail", *ALWAYS[at:]]
    assert blamed.outcome == "timeout: indicator #spinner"


def test_an_unseen_page_does_not_hide_how_the_wait_ended() -> None:
    unseen = result(stable=False, reason="unseen", wait_reason="horizon", detail="request GET /a")
    told = unseen.to_dict()
    assert (told["reason"], told["waitReason"], told["detail"]) == ("unseen", "horizon", "request GET /a")
    assert unseen.outcome == "unseen: horizon: request GET /a"
    assert msgspec.json.decode(unseen.to_json(), type=SequenceResult) == unseen


def test_skipped_is_there_only_if_the_guard_stopped() -> None:
    failed = Failure(index=1, action="press_key", error="guard", code="guard_stopped", skipped=2)
    assert keys(failed) == ["index", "action", "error", "code", "skipped"]


def test_steps_come_last_and_only_if_verbose() -> None:
    steps = (
        Step(action="navigate", result="ok", duration_ms=450),
        Step(action="a", result="error", duration_ms=1, error="b"),
    )
    verbose = result(steps=steps)
    assert keys(verbose) == [*ALWAYS, "steps"]
    assert verbose.to_dict()["steps"][0] == {"action": "navigate", "result": "ok", "durationMs": 450}
    assert list(verbose.to_dict()["steps"][1]) == ["action", "result", "durationMs", "error"]


def test_console_and_errors_of_the_page_are_there_only_if_verbose() -> None:
    place = SourceLocation(url="http://a/x.js", line=3, column=7)
    message = ConsoleMessage(type="warning", text="slow", location=place, timestamp_ms=1.5)
    error = PageError(message="TypeError: x is not a function", stack="at x.js:3", timestamp_ms=2.5)
    verbose = result(steps=(), console=(message,), errors=(error,))
    assert keys(verbose) == [*ALWAYS, "steps", "console", "errors"]
    told = verbose.to_dict()
    assert list(told["console"]) == [
        {
            "type": "warning",
            "text": "slow",
            "location": {"url": "http://a/x.js", "line": 3, "column": 7},
            "timestampMs": 1.5,
        }
    ]
    assert list(told["errors"][0]) == ["message", "stack", "timestampMs"]
    plain = json.loads(verbose.to_json(measured=False))
    assert "timestampMs" not in plain["console"][0]
    assert "timestampMs" not in plain["errors"][0]


VALUES = [
    ROW,
    CHANGED,
    Change("a", "b"),
    Omitted(changed=1),
    StateChange(appeared=(ROW,), disappeared=(), changed=(CHANGED,)),
    Pending("request", "GET /a", 12.0),
    Ignored("request", "GET /a", 1.0),
    Late("changes", "#a", 1.0),
    Verdict(stable=True, reason="quiet", waited_ms=1.0),
    NavigationResult(url="http://a/", status=200),
    Failure(index=0, action="focus", error="x", code="y"),
    Step(action="focus", result="ok", duration_ms=1),
    Request(id="1", url="http://a/", method="GET", resource_type="fetch", headers={"accept": "*/*"}),
    AriaSnapshot(text="- button", url="http://a/", title="A", shown=1, total=1),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_every_value_has_a_dict_and_a_json_that_say_the_same(value: Value) -> None:
    assert json.loads(value.to_json()) == json.loads(json.dumps(value.to_dict()))
    assert msgspec.json.decode(value.to_json(), type=type(value)) == value


def test_the_response_of_a_request_is_not_the_result_of_a_navigation() -> None:
    request = Request(id="1", url="http://a/", method="GET", resource_type="fetch", headers={})
    response = Response(url="http://a/", status=204, status_text="No Content", headers={}, request=request)
    assert response.ok
    assert not msgspec.structs.replace(response, status=404).ok
    assert NavigationResult(url="about:blank").ok
    assert not NavigationResult(url="http://a/", status=500).ok
    assert list(response.to_dict()["request"]) == ["id", "url", "method", "resourceType", "headers"]


def test_a_state_change_has_its_lists_even_when_they_are_empty() -> None:
    assert keys(StateChange(appeared=(), disappeared=(), changed=())) == ["appeared", "disappeared", "changed"]
    whole = StateChange(
        url=Change("a", "b"),
        title=Change("c", "d"),
        appeared=(ROW,),
        disappeared=(),
        changed=(CHANGED,),
        omitted=Omitted(changed=3),
    )
    assert keys(whole) == ["url", "title", "appeared", "disappeared", "changed", "omitted"]
    assert keys(whole.url) == ["from", "to"]
    assert keys(whole.omitted) == ["appeared", "disappeared", "changed"]


def test_rows_have_the_keys_of_the_contract() -> None:
    assert keys(ROW) == ["selector", "tagName", "role", "name", "text", "ref"]
    assert keys(CHANGED) == ["selector", "tagName", "role", "name", "field", "from", "to", "ref"]


def test_an_attribute_that_was_not_there_is_null() -> None:
    row = msgspec.structs.replace(CHANGED, from_=None)
    assert json.loads(msgspec.json.encode(row))["from"] is None


def test_reports_are_camel_case() -> None:
    assert keys(Pending("request", "GET /a", 12.0, "http://a/")) == ["kind", "what", "ageMs", "url"]
    assert keys(Pending("indicator", ".spinner", 12.0)) == ["kind", "what", "ageMs"]
    assert keys(Ignored("request", "GET /a", 1.0)) == ["kind", "key", "rate"]
    assert keys(Late("changes", "#a", 1.0)) == ["kind", "what", "afterMs"]
    assert keys(DialogReport(type="alert", message="m", accepted=True, url="u")) == [
        "type",
        "message",
        "accepted",
        "url",
    ]
    assert keys(DownloadReport(url="u", suggested_filename="f", state="completed")) == [
        "url",
        "suggestedFilename",
        "state",
        "path",
    ]
    assert keys(NewTarget(target_id="t", type="page", url="u")) == ["targetId", "type", "url", "closed"]


@given(st.text(max_size=60), st.text(max_size=60) | st.none())
def test_the_dict_and_the_json_say_the_same(before: str, after: str | None) -> None:
    row = msgspec.structs.replace(CHANGED, from_=before, to=after)
    whole = result(state_change=StateChange(appeared=(ROW,), disappeared=(), changed=(row,)))
    assert json.loads(whole.to_json()) == json.loads(json.dumps(whole.to_dict()))
