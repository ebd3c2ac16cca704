"""Results as text for people."""

from __future__ import annotations

import io

from rich.console import Console

from stillframe.cli.report import MAX_CHARS, describe, print_sequence, quote
from stillframe.model.actions import Click, PressKey, Scroll, SetValue
from stillframe.model.change import Change, ChangedRow, Omitted, Row, StateChange
from stillframe.model.events import RefusedUrl
from stillframe.model.failure import Failure
from stillframe.model.result import CaptureCounts, SequenceResult, Step
from stillframe.model.secret import Secret
from stillframe.model.verdict import Ignored, OmittedRows, Pending

ROW = Row(selector="#welcome", tag_name="h1", role="heading", name="Welcome back!", text="Welcome back!", ref="e1")
CHANGED = ChangedRow(
    selector="#email",
    tag_name="input",
    role="textbox",
    name="",
    field="className",
    from_="input",
    to="input error",
    ref="e2",
)


def report(result: SequenceResult, *actions: Click | SetValue) -> str:
    out = io.StringIO()
    print_sequence(Console(file=out, width=100, color_system=None), actions, result)
    return out.getvalue()


def result(**fields: object) -> SequenceResult:
    values: dict[str, object] = {
        "completed": 1,
        "state_change": None,
        "stability_wait_ms": 214,
        "stable": True,
        "reason": "quiet",
        "pending": (),
        "ignored": (),
        "late": (),
        "dialogs": (),
        "downloads": (),
        "new_targets": (),
    }
    return SequenceResult(**(values | fields))  # type: ignore[arg-type]


def test_what_changed_is_shown_with_from_and_to() -> None:
    change = StateChange(
        url=Change("http://a/login", "http://a/shop?x#y"),
        appeared=(ROW,),
        disappeared=(),
        changed=(CHANGED,),
        omitted=Omitted(appeared=3),
    )
    lines = [line.split() for line in report(result(state_change=change), Click("#go")).splitlines()]
    assert ["~", "url", '"/login"', "→", '"/shop?x#y"'] in lines
    assert ["+", "#welcome", "h1", '"Welcome', 'back!"'] in lines
    assert ["~", "#email", "className", '"input"', "→", '"input', 'error"'] in lines
    assert ["and", "3", "more"] in lines


def test_urls_of_two_origins_are_shown_whole() -> None:
    change = StateChange(url=Change("http://a/x", "http://b/x"), appeared=(), disappeared=(), changed=())
    assert '"http://a/x" → "http://b/x"' in report(result(state_change=change))


def test_a_failure_stands_below_its_action_and_the_rest_is_not_run() -> None:
    steps = (
        Step(action="click_element", result="ok", duration_ms=12.4),
        Step(action="click_element", result="error", duration_ms=500, error="Element not found: #nope"),
    )
    failed = Failure(index=1, action="click_element", error="Element not found: #nope", code="element_not_found")
    text = report(result(steps=steps, failed=failed), Click("#a"), Click("#nope"), Click("#c"))
    lines = [line.split() for line in text.splitlines()]
    assert lines[:4] == [
        ["✓", "click_element", "#a", "12", "ms"],
        ["✗", "click_element", "#nope", "500", "ms"],
        ["Element", "not", "found:", "#nope"],
        ["·", "click_element", "#c", "not", "run"],
    ]
    assert "nothing changed" in text


def test_an_unstill_page_says_what_is_pending_and_what_was_left_out() -> None:
    text = report(
        result(
            stable=False,
            reason="timeout",
            pending=(Pending("request", "/slow", 5000),),
            ignored=(Ignored("mutation", "#clock", 10),),
        )
    )
    assert "not still after 214 ms (timeout)" in text
    assert "pending: request /slow, 5000 ms" in text
    assert "left out: mutation #clock, 10.0 per second" in text


def test_an_action_shows_what_was_given_and_no_secret() -> None:
    assert describe(SetValue("#pass", Secret("lantern"))).plain == "#pass  ••••"
    assert describe(SetValue("#user", "ann")).plain == '#user  "ann"'
    assert describe(Scroll()).plain == ""
    assert describe(PressKey("Enter", times=2)).plain == '"Enter"  2'
    assert "Control" in describe(Click("#a", modifiers=("Control",))).plain


def test_texts_of_pages_are_cut_flattened_and_never_taken_for_markup() -> None:
    assert quote("a\n  b") == '"a b"'
    assert quote(None) == "none"
    assert len(quote("x" * 500)) == MAX_CHARS + 2
    change = StateChange(appeared=(), disappeared=(), changed=(), title=Change("[red]a[/red]", "[/]"))
    assert '"[red]a[/red]" → "[/]"' in report(result(state_change=change))


def test_captures_are_counted_where_they_are_listed() -> None:
    counted = result(captures=CaptureCounts(taken=1, reused=1, bytes=70_400))
    assert "captures: 1 taken, 1 reused, 70 kB" in report(counted, Click("#go"))
    assert "captures" not in report(result(), Click("#go"))


def test_what_lists_left_out_is_counted() -> None:
    refused = RefusedUrl(url="http://x/a", rule="denied", kind="fetch")
    text = report(result(refused=(refused,), omitted=OmittedRows(refused=2988, new_targets=2)))
    assert "refused: fetch http://x/a (denied)" in text
    assert "and more: 2 new targets, 2988 refused" in text
