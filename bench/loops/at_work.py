"""Agents at work: families of honest repeats."""

from __future__ import annotations

from bench.loops import worlds as w
from bench.loops.agents import CODES, MONTHS, QUERIES, Plan, Variation, between, click, honest
from bench.loops.page import Call


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
def filters_are_chosen_from_a_menu(_: Variation) -> Plan:
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
    reading = [Call("scroll", value="down"), Call("extract", value="what does it say here?")]
    return w.Article(v.count + 2), reading * v.count


@honest
def many_questions_to_one_page(v: Variation) -> Plan:
    return w.Article(3), [Call("extract", value=f"what does it say about {query}?") for query in QUERIES[: v.count]]


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
