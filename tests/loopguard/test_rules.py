"""The rules of the loop guard, by the ids of docs/design/acceptance-cases.md; tests/engine has real pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from stillframe.loopguard import (
    ActionSignature,
    HashKey,
    LoopEvent,
    LoopGuard,
    LoopLimits,
    LoopMode,
    LoopStep,
    Threshold,
    action_signature,
)

PILO = LoopLimits.pilo(2)
SUBMIT = action_signature("click_element", role="button", name="Submit", place="form")
NEXT = action_signature("click_element", role="button", name="Next", place="main")
SCROLL = action_signature("scroll", value="down 500")
WAIT = action_signature("wait", value="1")


def step(signature: ActionSignature, page: str | None = "page", **more: Any) -> LoopStep:
    return LoopStep(signature=signature, page_state=page, **more)


def levels(steps: Iterable[LoopStep], limits: LoopLimits = PILO, mode: LoopMode = "warn") -> list[list[str]]:
    """Return the events of each step, as `rule.level`."""
    guard = LoopGuard(limits, mode=mode)
    return [[f"{event.rule}.{event.level}" for event in asked(guard, each)] for each in steps]


def asked(guard: LoopGuard, each: LoopStep, failed: str | None = None) -> tuple[LoopEvent, ...]:
    events = guard.before(each)
    guard.after("loop_refused" if any(event.level != "warn" for event in events) else failed)
    return events


WARNED_THEN_ABORTED = [[], [], [], ["repeat.warn"], ["repeat.abort"]]


def test_P01_one_button_under_five_refs_is_one_call() -> None:
    """A signature has no ref, so the five actions cannot differ."""
    assert "ref" not in ActionSignature.__struct_fields__
    assert levels([step(SUBMIT)] * 5) == WARNED_THEN_ABORTED


def test_P02_next_on_three_pages_of_a_wizard() -> None:
    assert levels(step(NEXT, f"page {n}") for n in range(3)) == [[]] * 3


def test_P03_next_month_twelve_times() -> None:
    assert levels((step(NEXT, f"month {n}") for n in range(12)), LoopLimits()) == [[]] * 12


def test_P03_only_the_state_of_the_element_itself_changes() -> None:
    assert levels((step(NEXT, element_state=f"value {n}") for n in range(8)), LoopLimits()) == [[]] * 8


def test_P04_next_month_and_the_month_is_stuck() -> None:
    assert levels([step(NEXT, f"month {n}") for n in range(3)] + [step(NEXT, "month 3")] * 5)[3:] == WARNED_THEN_ABORTED


def test_P06_scrolling_and_waiting_are_not_repeats() -> None:
    assert levels([step(SCROLL)] * 5) == levels([step(WAIT)] * 5) == [[]] * 5


def test_P06_scrolling_at_the_end_of_a_feed_is_stagnant() -> None:
    moving = [step(SCROLL, position=str(n)) for n in range(30)]
    stuck = [step(SCROLL, position="29")] * 10
    told = levels(moving + stuck, LoopLimits())
    assert told[:-2] == [[]] * 38
    assert told[-2:] == [["stagnant.warn"]] * 2


def test_P07_click_and_scroll_in_turn_is_stagnant_and_no_repeat() -> None:
    told = levels([step(SUBMIT), step(SCROLL)] * 5, LoopLimits())
    assert told[:9] == [[]] * 9
    assert told[9] == ["stagnant.warn"]


def test_P07_scrolling_to_somewhere_new_does_not_hide_the_clicks() -> None:
    steps = [each for n in range(20) for each in (step(SUBMIT, position=str(n)), step(SCROLL, position=str(n)))]
    assert ["stagnant.warn"] in levels(steps, LoopLimits())


@pytest.mark.parametrize("names", ["AB", "ABC", "ABCD"])
@pytest.mark.parametrize("pages", ["one", "its own"])
def test_P08_circles_are_reported_when_the_third_round_begins(names: str, pages: str) -> None:
    """The page stays as it is, or each action leads to the page of the next: open, close, open, close."""
    once = [step(action_signature("click_element", name=name), "page" if pages == "one" else name) for name in names]
    told = levels(once * 3, LoopLimits(stagnant=None))
    assert told[: 2 * len(names)] == [[]] * 2 * len(names)
    assert told[2 * len(names)] == ["cycle.warn"]


def test_P08_a_circle_with_scrolls_and_waits_in_it() -> None:
    once = [step(SUBMIT), step(SCROLL), step(NEXT), step(WAIT)]
    assert ["cycle.warn"] in levels(once * 3, LoopLimits(stagnant=None))


def test_P08_opening_one_item_after_the_other_from_the_same_list_is_not_a_circle() -> None:
    items = [action_signature("click_element", role="link", name="More", place=f"listitem[{n}]") for n in range(10)]
    back = action_signature("go_back")
    steps = [each for n, item in enumerate(items) for each in (step(item, "list"), step(back, f"item {n}"))]
    assert levels(steps, LoopLimits()) == [[]] * 20


def test_P08_the_same_menu_for_one_new_entry_after_the_other_is_not_a_circle() -> None:
    steps = [
        each
        for n in range(8)
        for each in (step(NEXT, "page"), step(action_signature("click_element", name="x" * n), "open"))
    ]
    assert levels(steps, LoopLimits()) == [[]] * 16


def test_P09_values_that_differ_in_case_and_spaces_are_one() -> None:
    texts = ["hello", "HELLO ", " Hello", "hello", "HELLO"]
    fills = [step(action_signature("set_value", role="textbox", name="Search", value=text)) for text in texts]
    assert levels(fills) == WARNED_THEN_ABORTED


def test_P09_setting_a_field_to_what_it_has_repeats_the_step_that_set_it() -> None:
    fill = action_signature("set_value", role="textbox", name="Search", value="hello")
    filled = {"page": "filled", "element_state": "hello", "already": True}
    assert levels([step(fill, "empty"), *[step(fill, **filled)] * 4]) == WARNED_THEN_ABORTED
    # If the page changes each time, the page does something with the value.
    changing = [step(fill, f"page {number}", element_state="hello", already=True) for number in range(5)]
    assert levels([step(fill, "empty"), *changing]) == [[]] * 6
    # And a field that was emptied has not got it yet.
    assert levels([step(fill, f"page {number}") for number in range(6)]) == [[]] * 6


def test_P10_values_of_a_password_field_that_differ_in_case_are_different() -> None:
    key = HashKey()
    texts = ["hunter2", "Hunter2", "HUNTER2", " hunter2"]
    signatures = [
        action_signature("set_value", role="textbox", name="Password", value=text, hash_key=key) for text in texts
    ]
    assert levels(map(step, signatures)) == [[]] * 4
    assert levels([step(signatures[0])] * 5) == WARNED_THEN_ABORTED
    assert not any("hunter2" in str(each).lower() for each in signatures)


def test_P11_ten_rows_with_the_same_button() -> None:
    rows = [action_signature("click_element", role="button", name="Add to cart", place=f"row[{n}]") for n in range(10)]
    assert levels(map(step, rows)) == [[]] * 10


def test_P12_buttons_without_a_name_in_different_places() -> None:
    icons = [action_signature("click_element", role="button", place=f"toolbar button[{n}]") for n in range(6)]
    assert levels(map(step, icons)) == [[]] * 6


def test_P13_reading_different_things_from_one_page() -> None:
    steps = [
        step(action_signature("extract", value=f"the {what} of the product")) for what in ("price", "name", "weight")
    ]
    assert levels(steps, LoopLimits()) == [[]] * 3
    many = [step(action_signature("extract", value=chr(97 + n) * 3)) for n in range(26)]
    assert levels(many, LoopLimits()) == [[]] * 26


def test_P13_reading_the_same_thing_again() -> None:
    assert levels([step(action_signature("extract", value="the price"))] * 5) == WARNED_THEN_ABORTED


def test_P14_the_same_call_fails_five_times() -> None:
    guard = LoopGuard()
    told = [asked(guard, step(SUBMIT), "element_covered") for _ in range(5)]
    assert [len(events) for events in told] == [0, 0, 0, 1, 1]
    assert (told[3][0].rule, told[3][0].level, told[3][0].count) == ("failing", "warn", 4)


def test_P14_what_is_done_in_between_does_not_hide_failures_and_success_ends_them() -> None:
    guard = LoopGuard()
    for _ in range(3):
        assert not asked(guard, step(SUBMIT), "element_not_found")
        assert not asked(guard, step(WAIT))
    assert [event.rule for event in asked(guard, step(SUBMIT))] == ["failing"]
    assert not asked(guard, step(SUBMIT), "element_not_found")


def test_P14_a_failure_on_another_page_is_another_one() -> None:
    guard = LoopGuard()
    assert not any(asked(guard, step(SUBMIT, f"page {n}"), "element_covered") for n in range(9))


def test_P14_a_failing_call_is_refused_and_in_the_end_nothing_is_performed() -> None:
    guard = LoopGuard(LoopLimits(failing=Threshold(3, 4, 5)), mode="refuse")
    told = [event.level for _ in range(5) for event in asked(guard, step(SUBMIT), "element_covered")]
    assert told == ["warn", "refuse", "abort"]


def test_P15_digits_of_names_are_folded_unless_they_are_to_be_kept() -> None:
    names = [f"Cart ({n})" for n in range(8, 13)]
    assert len({action_signature("click_element", name=name) for name in names}) == 1
    assert len({action_signature("click_element", name=name, digits="keep") for name in names}) == 5
    assert action_signature("set_value", value="10") != action_signature("set_value", value="11")


def test_P16_a_call_that_leads_to_another_url_is_progress_even_if_all_looks_the_same() -> None:
    assert levels(step(SUBMIT, url=f"http://a/{n}") for n in range(8)) == [[]] * 8


def test_P16_to_load_the_same_page_again_is_none() -> None:
    assert levels([step(SUBMIT, url="http://a/")] * 5) == WARNED_THEN_ABORTED


def test_P16_an_abort_ends_with_the_page_it_was_for() -> None:
    guard = LoopGuard(PILO)
    for _ in range(5):
        asked(guard, step(SUBMIT, url="http://a/"))
    assert guard.aborted is not None
    assert [event.level for event in asked(guard, step(NEXT, url="http://a/"))] == ["abort"]
    assert asked(guard, step(NEXT, url="http://b/")) == ()
    assert guard.aborted is None
    assert guard.counts["reset.navigation"] == 1


def test_P17_without_an_identity_the_selector_tells_calls_apart() -> None:
    first, second = (action_signature("click_element", place=selector) for selector in ("#a", "#b"))
    assert levels([step(first)] * 5) == WARNED_THEN_ABORTED
    assert levels([step(first), step(second)] * 2) == [[]] * 4


def test_P17_a_page_that_could_not_be_looked_at_is_like_no_other() -> None:
    assert levels([step(SUBMIT, None)] * 8, LoopLimits()) == [[]] * 8


def test_P18_a_reconnection_begins_anew() -> None:
    guard = LoopGuard(PILO)
    for _ in range(5):
        asked(guard, step(SUBMIT))
    guard.reset("reconnect")
    assert [asked(guard, step(SUBMIT)) for _ in range(3)] == [()] * 3
    assert guard.counts["reset.reconnect"] == 1


@pytest.mark.parametrize("most", [0, 1, 2, 5])
def test_P19_the_thresholds_of_pilo_shift_with_its_maximum(most: int) -> None:
    told = levels([step(SUBMIT)] * (most + 3), LoopLimits.pilo(most))
    assert told == [[]] * (most + 1) + [["repeat.warn"], ["repeat.abort"]]


def test_P20_a_warning_asks_for_nothing() -> None:
    """The loop guard depends only on its input: it has no page to take a snapshot of."""
    assert levels([step(SUBMIT)] * 4)[-1] == ["repeat.warn"]


def test_P21_an_event_carries_signature_count_and_iteration() -> None:
    guard = LoopGuard(PILO)
    guard.before(step(NEXT))
    for _ in range(3):
        assert not guard.before(step(SUBMIT))
    (event,) = guard.before(step(SUBMIT))
    assert (event.rule, event.level, event.signature, event.count, event.iteration) == ("repeat", "warn", SUBMIT, 4, 5)
    assert event.advice.startswith('click_element button "submit" in form runs for the 4th time in a row')


def test_P22_a_repeat_is_refused_before_it_is_performed_if_that_is_wanted() -> None:
    limits = LoopLimits(repeat=Threshold(3, 4, 6))
    told = levels([step(SUBMIT)] * 7, limits, "refuse")
    assert [level for (level,) in told[2:]] == ["repeat.warn", "repeat.refuse", "repeat.refuse", *["repeat.abort"] * 2]
    assert [level for (level,) in levels([step(SUBMIT)] * 5, limits)[2:]] == ["repeat.warn"] * 3


def test_a_shadow_counts_and_says_nothing() -> None:
    guard = LoopGuard(LoopLimits(repeat=Threshold(2, 3, 4)), mode="shadow")
    assert [asked(guard, step(SUBMIT)) for _ in range(5)] == [()] * 5
    assert guard.counts == {"repeat.warn": 1, "repeat.refuse": 1, "repeat.abort": 2}
    assert guard.aborted is None
    assert [event.count for event in guard.recent] == [2, 3, 4, 5]


def test_identical_calls_in_one_batch_count_once() -> None:
    batch = [step(NEXT), *[step(NEXT, starts_batch=False)] * 9]
    assert levels(batch, LoopLimits()) == [[]] * 10
    told = levels(batch * 4, LoopLimits())
    assert told[30] == ["repeat.warn"]


def test_a_batch_is_one_call_on_a_page_that_does_not_change() -> None:
    fields = [action_signature("set_value", role="textbox", name=chr(97 + n), value="x") for n in range(12)]
    batch = [step(field, starts_batch=n == 0) for n, field in enumerate(fields)]
    assert levels(batch, LoopLimits()) == [[]] * 12


def test_a_call_that_failed_is_not_a_repeat() -> None:
    guard = LoopGuard(PILO)
    for failed in (None, "element_covered", "element_covered", None, "element_covered", None):
        events = asked(guard, step(SUBMIT), failed)
    assert [event.level for event in events + asked(guard, step(SUBMIT))] == ["warn"]


def test_tabbing_through_a_form_is_not_stagnation() -> None:
    tab = [
        step(action_signature("press_key", value="Tab", name=f"field {chr(97 + n)}"), position=str(n))
        for n in range(20)
    ]
    assert levels(tab, LoopLimits()) == [[]] * 20
