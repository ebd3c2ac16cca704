"""What agents do: families of behaviour, each true loops or honest repeats, with what varies between their traces.

A true loop is given twenty calls, which is less than half of what agents are allowed (pilo: 50). An honest repeat ends
when its work is done. A family says by its name what happens; its label follows from that, and from no detector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, cycle, islice
from typing import NamedTuple

from bench.loops import worlds as w
from bench.loops.traces import Trace, play
from bench.loops.worlds import Call, Noise

LENGTH = 20
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
LABELS = ("Submit", "Save", "Continue", "Pay now", "Confirm", "Apply")
QUERIES = ("red shoes", "blue shoes", "green hat", "winter coat", "rain boots", "silk scarf", "wool socks", "old books")
CODES = ("element_covered", "element_disabled", "element_not_found")


class Variation(NamedTuple):
    """What differs between the traces of one family."""

    count: int = 6
    """How many months, items, rows, fields, …: 5 to 12."""
    few: int = 2
    """How often something is in vain that is not so for long: 1 to 3."""
    pick: int = 0
    """Which label, code or word."""
    churns: bool = False
    noise: Noise = Noise()
    filler: str = ""
    """What an agent that goes in circles puts between its calls: nothing, a scroll or a wait after every third."""

    @property
    def label(self) -> str:
        return LABELS[self.pick % len(LABELS)]


Plan = tuple[w.Page, Sequence[Call]]
Family = Callable[[Variation], Plan]

LOOPS: dict[str, Family] = {}
HONEST: dict[str, Family] = {}


def loop(family: Family) -> Family:
    """Enter a family of true loops."""
    LOOPS[family.__name__] = family
    return family


def honest(family: Family) -> Family:
    """Enter a family of honest repeats."""
    HONEST[family.__name__] = family
    return family


def traced(name: str, variation: Variation) -> Trace:
    """Let the agent of a family act."""
    is_loop = name in LOOPS
    page, calls = (LOOPS if is_loop else HONEST)[name](variation)
    if is_loop:
        calls = list(islice(_filled(cycle(calls), variation.filler), LENGTH))
    return play(name, is_loop, page, calls, variation.noise)


def _filled(calls: Iterator[Call], filler: str) -> Iterator[Call]:
    for number, call in enumerate(calls, 1):
        yield call
        if filler and number % 3 == 0:
            yield Call(filler, value="down" if filler == "scroll" else "1")


def click(key: str) -> Call:
    return Call("click_element", key)


def between(calls: Sequence[Call], *more: Call) -> list[Call]:
    return list(chain.from_iterable((call, *more) for call in calls))


# -- true loops ----------------------------------------------------------------------------------


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
def an_error_that_stays_the_same(v: Variation) -> Plan:
    return w.Form(["Name"], "error"), [click("send")]


@loop
def an_error_with_a_number_of_its_own(v: Variation) -> Plan:
    return w.Form(["Name"], "numbered"), [click("send")]


@loop
def a_calendar_that_is_stuck(v: Variation) -> Plan:
    return w.Series("Arrival", "Next month", MONTHS[: v.few], churns=v.churns), [click("next")]


@loop
def the_next_page_of_the_last_page(v: Variation) -> Plan:
    return w.Series("Results", "Next", [f"Rows of page {n}" for n in range(v.few)]), [click("next")]


@loop
def a_field_that_empties_itself(v: Variation) -> Plan:
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
def a_menu_that_is_opened_and_closed(v: Variation) -> Plan:
    return w.Menu(["One", "Two"]), [click("menu")]


@loop
def an_entry_of_a_menu_that_does_nothing(v: Variation) -> Plan:
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
def waiting_for_nothing(v: Variation) -> Plan:
    return w.Job(999), [Call("wait", value="5")]


@loop
def looking_again_for_ever(v: Variation) -> Plan:
    return w.Job(999), [click("refresh"), Call("wait", value="5")]


@loop
def the_same_url_is_opened_again(v: Variation) -> Plan:
    return w.Dead(["Log in"]), [Call("navigate", value=f"{w.HOST}/account/{v.pick}")]


@loop
def the_page_is_loaded_again_and_again(v: Variation) -> Plan:
    return w.Dead([v.label]), [Call("reload"), click("b0")] if v.few > 1 else [Call("reload")]


@loop
def a_search_that_finds_nothing(v: Variation) -> Plan:
    return w.Search(finds=False), [Call("set_value", "query", QUERIES[v.pick % 8]), click("go")]


@loop
def the_same_question_to_the_same_page(v: Variation) -> Plan:
    return w.Article(3), [Call("extract", value="what does it cost?")]


@loop
def a_check_that_is_taken_back(v: Variation) -> Plan:
    return w.Checks(v.count, takes_back=True), [Call("check", "c1")]


# -- honest repeats --------------------------------------------------------------------------------


@honest
def months_of_a_calendar(v: Variation) -> Plan:
    texts = [f"{month} {2026 + year}" for year in (0, 1) for month in MONTHS]
    return w.Series("Arrival", "Next month", texts, churns=v.churns), [click("next")] * v.count


@honest
def pages_of_results(v: Variation) -> Plan:
    texts = [f"Shoes {n * 10} to {n * 10 + 9}" for n in range(15)]
    return w.Series("Results", "Next", texts), between([click("next")] * v.count, *_read(v))


@honest
def a_number_that_is_stepped_up(v: Variation) -> Plan:
    return w.Series("Guests", "+", [str(n) for n in range(20)], churns=v.churns), [click("next")] * v.count


@honest
def a_number_that_is_stepped_up_and_down(v: Variation) -> Plan:
    steps = [click("next")] * v.count + [click("back")] * v.few
    return w.Series("Guests", "+", [str(n) for n in range(20)]), steps


@honest
def load_more(v: Variation) -> Plan:
    texts = [f"More about thing {n}" for n in range(15)]
    return w.Series("All things", "Load more", texts, grows=True), [click("next")] * v.count


@honest
def a_wizard_within_one_page(v: Variation) -> Plan:
    texts = [
        "Who are you?",
        "Where do you live?",
        "How do you pay?",
        "What else?",
        "Any wishes?",
        "Is it right?",
        "Done",
    ]
    return w.Series("Application", "Next", texts), [click("next")] * min(v.count, 6)


@honest
def a_wizard_over_several_urls(v: Variation) -> Plan:
    texts = ["Please fill in the form"] * 15
    return w.Series("Application", "Next", texts, paths=True), [click("next")] * v.count


@honest
def pictures_of_a_gallery(v: Variation) -> Plan:
    texts = [f"Picture of {query}" for query in QUERIES]
    return w.Series("Gallery", "Next picture", texts), [click("next")] * min(v.count, 7)


@honest
def a_button_of_every_row(v: Variation) -> Plan:
    return w.Rows(v.count, "Add to cart"), [click(f"row Thing {chr(65 + n)}") for n in range(min(v.count, 9))]


@honest
def a_button_without_a_name_of_every_row(v: Variation) -> Plan:
    rows = [click(f"row Thing {chr(65 + n)}") for n in range(v.count)]
    return w.Rows(v.count, "", "mark", hidden_name=True), rows


@honest
def every_row_is_marked(v: Variation) -> Plan:
    return w.Rows(v.count, "Like", "mark"), [click(f"row Thing {chr(65 + n)}") for n in range(v.count)]


@honest
def the_first_row_is_removed_until_none_is_left(v: Variation) -> Plan:
    return w.Rows(v.count, "Delete", "remove"), [click(f"row Thing {chr(65 + n)}") for n in range(v.count)]


@honest
def every_item_is_opened_and_left(v: Variation) -> Plan:
    return w.Items(v.count), between([click(f"item {n}") for n in range(v.count)], *_read(v), Call("go_back"))


@honest
def filters_are_chosen_from_a_menu(v: Variation) -> Plan:
    entries = ["Red", "Blue", "Green", "Cheap", "New"]
    choices = [each for entry in entries for each in (click("menu"), click(f"entry {entry}"))]
    return w.Menu(entries, "filter"), choices


@honest
def files_are_saved_from_a_menu(v: Variation) -> Plan:
    entries = [f"Save as {kind}" for kind in ("PDF", "CSV", "XLSX", "TXT", "XML", "HTML")][: max(v.count, 3)]
    return w.Menu(entries), [each for entry in entries for each in (click("menu"), click(f"entry {entry}"))]


@honest
def a_form_is_filled_and_sent(v: Variation) -> Plan:
    fields = [f"Field {chr(65 + n)}" for n in range(v.count)]
    return w.Form(fields, "done"), [*(Call("set_value", field, "Ann") for field in fields), click("send")]


@honest
def a_form_whose_fields_are_visited_by_tab(v: Variation) -> Plan:
    fields = [f"Field {chr(65 + n)}" for n in range(v.count)]
    return w.Fields(fields), [Call("press_key", value="Tab")] * v.count


@honest
def passwords_that_differ_in_case(v: Variation) -> Plan:
    tries = ["hunter2", "Hunter2", "HUNTER2", "hunteR2"][: 1 + v.few]
    return w.Form(["Password"], "error"), between(
        [Call("set_value", "Password", text) for text in tries], click("send")
    )


@honest
def one_search_after_another(v: Variation) -> Plan:
    asked = [Call("set_value", "query", query) for query in QUERIES[: v.count]]
    return w.Search(finds=True), between(asked, Call("press_key", "query", "Enter"))


@honest
def searches_that_find_nothing_with_other_words(v: Variation) -> Plan:
    asked = [Call("set_value", "query", query) for query in QUERIES[: 2 + v.few]]
    return w.Search(finds=False), between(asked, click("go"))


@honest
def a_feed_is_read(v: Variation) -> Plan:
    return w.Feed(40), between([Call("scroll", value="down")] * v.count, *_read(v))


@honest
def a_long_text_is_read(v: Variation) -> Plan:
    reading = [Call("scroll", value="down"), Call("extract", value="what is said here?")]
    return w.Article(v.count + 2), reading * v.count


@honest
def many_questions_to_one_page(v: Variation) -> Plan:
    return w.Article(3), [Call("extract", value=f"what is said of {query}?") for query in QUERIES[: v.count]]


@honest
def waiting_until_it_is_ready(v: Variation) -> Plan:
    return w.Job(v.count), [Call("wait", value="5")] * v.count + [click("refresh")]


@honest
def looking_again_until_it_is_ready(v: Variation) -> Plan:
    return w.Job(v.count), [click("refresh"), Call("wait", value="5")] * (v.count // 2 + 1)


@honest
def trying_again_until_it_works(v: Variation) -> Plan:
    return w.Blocked(v.few, CODES[v.pick % 3]), [click("pay")] * (v.few + 1)


@honest
def a_button_whose_script_comes_late(v: Variation) -> Plan:
    return w.Slow(v.few), [click("b0")] * (v.few + 1)


@honest
def a_slider_is_moved_by_keys(v: Variation) -> Plan:
    return w.Slider(30), [Call("press_key", value="ArrowRight")] * v.count


@honest
def two_tabs_are_compared(v: Variation) -> Plan:
    return w.Tabs(["Rates", "Terms"]), [click("tab 1"), click("tab 0"), *_read(v), click("tab 1"), *_read(v)]


@honest
def every_row_is_selected(v: Variation) -> Plan:
    return w.Checks(v.count), [Call("check", f"c{n}") for n in range(v.count)]


@honest
def a_drawing_is_zoomed_into(v: Variation) -> Plan:
    return w.Canvas(), [click("zoom")] * (v.count // 2)


def _read(v: Variation) -> list[Call]:
    """What an honest agent does with every page it comes to, in half of the variations: it reads."""
    return [Call("extract", value="the prices")] if v.pick % 2 else []
