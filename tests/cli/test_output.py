"""Exit codes, and errors as sentences and as JSON."""

from __future__ import annotations

import json

import pytest

from stillframe import errors
from stillframe.cli.output import ExitCode, exit_code_for_error, exit_code_for_result, print_error
from stillframe.model.result import Failure, SequenceResult


def result(*, failed: bool = False, stable: bool = True) -> SequenceResult:
    failure = Failure(index=0, action="click_element", error="no", code="element_not_found") if failed else None
    return SequenceResult(
        completed=0,
        failed=failure,
        state_change=None,
        stability_wait_ms=1,
        stable=stable,
        reason="quiet" if stable else "hung",
        pending=(),
        ignored=(),
        late=(),
        dialogs=(),
        downloads=(),
        new_targets=(),
    )


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.ActionInvalid("x"), ExitCode.USAGE),
        (errors.SelectorInvalid("x", selector="#"), ExitCode.USAGE),
        (errors.UrlRefused("x", url="file:///"), ExitCode.USAGE),
        (errors.SnapshotError("x"), ExitCode.USAGE),
        (errors.BrowserNotFound("x"), ExitCode.BROWSER),
        (errors.ConnectFailed("x", endpoint="e"), ExitCode.BROWSER),
        (errors.NavigationFailed("x", url="u", reason="r"), ExitCode.BROWSER),
        (errors.ConnectionLost("x"), ExitCode.BROWSER),
        (errors.SessionServerFailed("x"), ExitCode.BROWSER),
        (errors.ProtocolError("x"), ExitCode.BROWSER),
    ],
)
def test_an_error_ends_with_the_code_of_its_kind(error: errors.StillframeError, code: ExitCode) -> None:
    assert exit_code_for_error(error) is code


def test_a_failed_action_weighs_more_than_an_unstill_page() -> None:
    assert exit_code_for_result(result()) is ExitCode.OK
    assert exit_code_for_result(result(stable=False)) is ExitCode.NOT_STILL
    assert exit_code_for_result(result(failed=True, stable=False)) is ExitCode.NO


def test_every_code_has_a_meaning() -> None:
    assert all(code.meaning for code in ExitCode)


def test_an_error_is_a_sentence_for_people_and_an_object_for_scripts(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    print_error("usage", "no such thing", as_json=False)
    assert capfdbinary.readouterr() == (b"", b"stillframe: no such thing\n")
    print_error("usage", "no such thing", as_json=True)
    out, err = capfdbinary.readouterr()
    assert json.loads(out) == {"error": {"code": "usage", "message": "no such thing"}}
    assert err == b""
