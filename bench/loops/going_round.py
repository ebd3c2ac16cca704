"""Agents that go round: families of true loops."""

from __future__ import annotations

from bench.loops import worlds as w
from bench.loops.agents import CODES, LENGTH, MONTHS, QUERIES, Plan, Variation, click, loop
from bench.loops.page import HOST, Call


@loop
def a_button_that_does_nothing(v: Variation) -> Plan:
    return w.Dead([v.label], churns=v.churns), [click("b0")]


@loop
def a_form_that_is_sent_in_silence_and_comes_back(v: Variation) -> Plan:
    return w.Dead([v.label], reloads=True), [click("b0")]


@loop
def a_form_that_is_filled_and_sent_in_silence(v: Variation) -> Plan:
    fields = ["Name", "Password"][: v.few]
    return w.Form(fields), [*(Call("set_value", field, "Ann") for field in fields), click("send")]


@loop
def an_error_that_stays_the_same(_: Variation) -> Plan:
    return w.Form(["Name"], "error"), [click("send")]


@loop
def an_error_with_a_number_of_its_own(_: Variation) -> Plan:
    return w.Form(["Name"], "numbered"), [click("send")]


@loop
def a_calendar_that_is_stuck(v: Variation) -> Plan:
    return w.Series("Arrival", "Next month", MONTHS[: v.few], churns=v.churns), [click("next")]


@loop
def the_next_page_of_the_last_page(v: Variation) -> Plan:
    return w.Series("Results", "Next", [f"Rows of page {n}" for n in range(v.few)]), [click("next")]


@loop
def a_field_that_empties_itself(_: Variation) -> Plan:
    words = ["hello", "Hello", "HELLO ", " hello"]
    return w.Form(["Name"], clears=True), [Call("set_value", "Name", words[n % 4]) for n in range(4)]


@loop
def two_buttons_that_do_nothing_in_turn(v: Variation) -> Plan:
    return w.Dead([v.label, "Cancel"], churns=v.churns), [click("b0"), click("b1")]


@loop
def three_buttons_that_do_nothing_in_turn(v: Variation) -> Plan:
    return w.Dead([v.label, "Cancel", "Help"]), [click("b0"), click("b1"), click("b2")]


@loop
def three_buttons_that_do_nothing_in_no_order(v: Variation) -> Plan:
    order = [(n * n + v.pick + n // 3) % 3 for n in range(LENGTH)]
    return w.Dead([v.label, "Cancel", "Help"]), [click(f"b{n}") for n in order]


@loop
def a_menu_that_is_opened_and_closed(_: Variation) -> Plan:
    return w.Menu(["One", "Two"]), [click("menu")]


@loop
def an_entry_of_a_menu_that_does_nothing(_: Variation) -> Plan:
    return w.Menu(["Delete", "Rename"]), [click("menu"), click("entry Delete")]


@loop
def the_same_item_is_opened_and_left(v: Variation) -> Plan:
    return w.Items(v.count), [click(f"item {v.few}"), Call("go_back")]


@loop
def from_tab_to_tab_and_back(v: Variation) -> Plan:
    return w.Tabs(["Rates", "Terms", "Help"][: 1 + v.few]), [click(f"tab {n}") for n in range(1 + v.few)]


@loop
def a_call_that_fails_every_time(v: Variation) -> Plan:
    return w.Blocked(99, CODES[v.pick % 3]), [click("pay")]


@loop
def click_and_scroll_in_turn(v: Variation) -> Plan:
    return w.Dead([v.label]), [click("b0"), Call("scroll", value="down"), click("b0"), Call("scroll", value="up")]


@loop
def scrolling_at_the_end(v: Variation) -> Plan:
    return w.Feed(2 + v.few), [Call("scroll", value="down")]


@loop
def waiting_for_nothing(_: Variation) -> Plan:
    return w.Job(999), [Call("wait", value="5")]


@loop
def looking_again_for_ever(_: Variation) -> Plan:
    return w.Job(999), [click("refresh"), Call("wait", value="5")]


@loop
def the_same_url_is_opened_again(v: Variation) -> Plan:
    return w.Dead(["Log in"]), [Call("navigate", value=f"{HOST}/account/{v.pick}")]


@loop
def the_page_is_loaded_again_and_again(v: Variation) -> Plan:
    return w.Dead([v.label]), [Call("reload"), click("b0")] if v.few > 1 else [Call("reload")]


@loop
def a_search_that_finds_nothing(v: Variation) -> Plan:
    return w.Search(finds=False), [Call("set_value", "query", QUERIES[v.pick % 8]), click("go")]


@loop
def the_same_question_to_the_same_page(_: Variation) -> Plan:
    return w.Article(3), [Call("extract", value="what does it cost?")]


@loop
def a_check_that_is_taken_back(v: Variation) -> Plan:
    return w.Checks(v.count, takes_back=True), [Call("check", "c1")]
