"""Lists and texts of results have an end, and what was left out is counted."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stillframe.model.bounds import (
    ERROR_CHARACTERS,
    INLINE_CHARACTERS,
    TEXT_CHARACTERS,
    bounded,
    omitted_text,
    short,
    shortened,
)
from stillframe.model.events import ConsoleMessage, DialogReport, DownloadReport, RefusedUrl
from stillframe.model.failure import Failure
from stillframe.model.result import SequenceResult, Step
from stillframe.model.verdict import Ignored, Late, OmittedRows, Pending, Verdict


def result(**fields: Any) -> SequenceResult:
    names = ("pending", "ignored", "late", "dialogs", "downloads", "new_targets")
    empty: dict[str, Any] = dict.fromkeys(names, ())
    return SequenceResult(
        completed=0, state_change=None, stability_wait_ms=0, stable=True, reason="quiet", **(empty | fields)
    )


def dialog(message: str) -> DialogReport:
    return DialogReport(type="alert", message=message, accepted=True, url="http://x/")


def test_lists_are_cut_and_counted() -> None:
    many = result(
        dialogs=tuple(dialog(str(number)) for number in range(20)),
        pending=tuple(Pending("request", "GET /", 1.0) for _ in range(13)),
        refused=(RefusedUrl(url="http://x/", rule="denied", kind="fetch"),),
    )
    cut = bounded(many, 12, {"refused": 2988})
    assert [row.message for row in cut.dialogs] == [str(number) for number in range(12)]
    assert cut.omitted == OmittedRows(dialogs=8, pending=1, refused=2988)
    assert msgspec.json.decode(cut.to_json())["omitted"] == {"dialogs": 8, "pending": 1, "refused": 2988}
    again = bounded(cut, 5)
    assert again.omitted == OmittedRows(dialogs=15, pending=8, refused=2988)


def test_there_is_no_note_where_nothing_was_left_out() -> None:
    assert "omitted" not in bounded(result(), 0).to_dict()
    assert omitted_text(None) == ""


def test_a_limit_of_zero_leaves_counts() -> None:
    cut = bounded(result(late=(Late("changes", "#a", 1.0),), ignored=(Ignored("request", "GET /", 1.0),)), 0)
    assert (cut.late, cut.ignored, cut.omitted) == ((), (), OmittedRows(late=1, ignored=1))


def test_the_console_of_a_verbose_result_is_cut_too() -> None:
    written = tuple(ConsoleMessage(type="log", text="x" * 2000) for _ in range(20))
    cut = bounded(result(console=written, errors=()), 12)
    assert cut.console is not None
    assert (len(cut.console), len(cut.console[0].text)) == (12, TEXT_CHARACTERS)
    assert cut.errors == ()
    assert cut.omitted == OmittedRows(console=8)
    assert bounded(result(), 12).console is None


def test_the_data_of_a_failure_is_cut_too() -> None:
    failed = Failure(index=0, action="focus", error="e", code="c", data={"candidates": ("#a" * 900,), "count": 3})
    assert shortened(failed).data == {"candidates": (("#a" * 900)[: TEXT_CHARACTERS - 1] + "…",), "count": 3}


def test_all_steps_of_the_caller_are_listed() -> None:
    steps = tuple(Step(action="focus", result="ok", duration_ms=1) for _ in range(50))
    assert bounded(result(steps=steps), 1).steps == steps


def test_a_verdict_has_an_end_too() -> None:
    ignored = tuple(Ignored("timer", str(number), 1.0) for number in range(130))
    verdict = Verdict(stable=True, reason="quiet", waited_ms=1.0, ignored=ignored)
    cut = bounded(verdict)
    assert (len(cut.ignored), cut.omitted) == (100, OmittedRows(ignored=30))


@pytest.mark.parametrize(
    ("row", "field", "length"),
    [
        (dialog("x" * 20_000), "message", TEXT_CHARACTERS),
        (dialog("data:" + "x" * 20_000), "message", TEXT_CHARACTERS),
        (RefusedUrl(url="http://x/" + "y" * 9_000, rule="r", kind="fetch"), "url", TEXT_CHARACTERS),
        (RefusedUrl(url="DATA:text/html," + "y" * 9_000, rule="r", kind="frame"), "url", INLINE_CHARACTERS),
        (DownloadReport(url="", suggested_filename="f" * 999, state="completed"), "suggested_filename", 255),
        (Pending("request", "GET http://x/" + "y" * 9_000, 1.0), "what", TEXT_CHARACTERS),
        (Failure(index=0, action="focus", error="e" * 9_000, code="c"), "error", ERROR_CHARACTERS),
    ],
)
def test_texts_are_cut_with_a_sign(row: Any, field: str, length: int) -> None:
    text = getattr(shortened(row), field)
    assert len(text) == length
    assert text.endswith("…")


def test_what_fits_stays_as_it_is() -> None:
    row = dialog("x" * TEXT_CHARACTERS)
    assert shortened(row) == row
    assert short("abc", 3) == "abc"


def test_words_say_what_was_left_out() -> None:
    assert omitted_text(OmittedRows(refused=2988, late=1)) == "1 late, 2988 refused"
