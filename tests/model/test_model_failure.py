"""A failure is raised as the error it stands for."""

from __future__ import annotations

import pickle
from typing import Any

import msgspec
import pytest

from stillframe import errors
from stillframe.errors import (
    ActionFailed,
    AmbiguousSelector,
    CommandTimeout,
    ElementCovered,
    ElementNotFound,
    GuardStopped,
    NavigationFailed,
    RefStale,
    StillframeError,
)
from stillframe.model.failure import Failure, error_data, failure_error
from stillframe.model.result import SequenceResult

CLASSES = sorted(
    set(errors.all_errors()),
    key=lambda kind: kind.__name__,
)

RAISED = [
    ElementNotFound("no element matches #go", selector="#go", candidates=["#gone", "#god"]),
    AmbiguousSelector("several match", selector="a", matches=["#a", "#b"], count=5),
    ElementCovered("covered", selector="#a", cover="div.overlay"),
    RefStale("gone", ref="e1", role="button", name="Save", candidates=["#b"]),
    NavigationFailed("no server", url="http://a.test/", reason="net::ERR_CONNECTION_REFUSED"),
    GuardStopped("another page", skipped=3),
]


def result(failed: Failure | None, **fields: Any) -> SequenceResult:
    nothing: dict[str, Any] = dict.fromkeys(("pending", "ignored", "late", "dialogs", "downloads", "new_targets"), ())
    base = {"completed": 1, "state_change": None, "stability_wait_ms": 61, "stable": True, "reason": "no_effect"}
    return SequenceResult(failed=failed, **(base | nothing | fields))


def failure(error: StillframeError) -> Failure:
    return Failure(
        index=2,
        action="click_element",
        error=str(error),
        code=error.code,
        data=error_data(error),
        skipped=getattr(error, "skipped", 0),
    )


def test_a_result_without_a_failure_is_returned() -> None:
    fine = result(None)
    assert fine.raise_for_failure() is fine


def test_a_page_that_is_not_still_is_not_a_failure() -> None:
    busy = result(None, stable=False, reason="timeout", detail="indicator #spinner")
    assert busy.raise_for_failure() is busy


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_a_failure_is_raised_as_the_error_it_was(error: StillframeError) -> None:
    failed = result(failure(error))
    with pytest.raises(type(error)) as caught:
        failed.raise_for_failure()
    raised = caught.value
    assert (type(raised), str(raised)) == (type(error), str(error))
    assert {name: getattr(raised, name) for name in vars(error)} == vars(error)
    assert (raised.index, raised.result) == (2, failed)  # type: ignore[attr-defined]


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_a_failure_that_went_through_json_is_the_same(error: StillframeError) -> None:
    sent = msgspec.json.decode(msgspec.json.encode(failure(error)), type=Failure)
    assert vars(failure_error(sent)) | vars(error) == vars(failure_error(failure(error)))


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_error_can_be_made_of_its_code_and_message_alone(kind: type[StillframeError]) -> None:
    raised = failure_error(Failure(index=0, action="focus", error="what happened", code=kind.code, skipped=1))
    assert raised.code == kind.code
    assert raised.args == ("what happened",)
    assert "what happened" in str(raised)
    assert raised.index == 0  # type: ignore[attr-defined]


def test_attributes_without_data_are_empty() -> None:
    covered = failure_error(Failure(index=0, action="focus", error="covered", code="element_covered"))
    assert isinstance(covered, ElementCovered)
    assert (covered.selector, covered.cover) == ("", "")
    missing = failure_error(Failure(index=0, action="focus", error="none", code="element_not_found"))
    assert isinstance(missing, ElementNotFound)
    assert missing.candidates == ()


def test_what_is_not_the_actions_fault_keeps_its_class() -> None:
    raised = failure_error(Failure(index=0, action="focus", error="no answer", code="command_timeout"))
    assert isinstance(raised, CommandTimeout)
    assert not isinstance(raised, ActionFailed)


def test_an_unknown_code_is_an_action_that_failed() -> None:
    assert type(failure_error(Failure(index=0, action="focus", error="x", code="from_the_future"))) is ActionFailed


def test_data_holds_plain_attributes_alone() -> None:
    error = ElementNotFound("none", selector="#a", candidates=["#b"])
    error.opaque = object()  # type: ignore[attr-defined]
    error.add_note("read the page first")  # kept by Python in an attribute `__notes__`, which is not data
    assert error_data(error) == {"selector": "#a", "candidates": ("#b",)}
    assert pickle.loads(pickle.dumps(failure(error))) == failure(error)
