"""The benchmark of flows: how it scores deltas, and the flows of the demo shop, which need no download."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from bench.apps.catalogue import APPS
from bench.apps.flows import run, score, shop
from bench.apps.flows.beside import TEN, is_right, merged
from bench.apps.flows.command import FAILED, main
from bench.apps.flows.flow import Fact, Flow, gone, said, state
from bench.apps.flows.lanes import lane_names, opened_lane
from bench.apps.flows.play import Outcome, Seen, changed_lines, judge, play
from bench.apps.flows.report import differences, heading, line, summary, tables, verbose
from bench.apps.flows.run import LeftOut, chosen
from bench.apps.flows.tables import FLOWS
from bench.apps.launch import AppFailed, Program
from bench.doing import click, fill
from site_server import Site
from stillframe.api.browser import Browser, BrowserContext
from stillframe.demo import Shop
from stillframe.model.change import Change, ChangedRow, Row, StateChange
from stillframe.model.events import DialogReport
from stillframe.model.result import SequenceResult

LATER_S = 0.6
"""Longer than anything in the pages of these tests takes."""


def appeared(text: str = "", name: str = "", role: str = "") -> Row:
    return Row(selector="#a", tag_name="div", role=role, name=name, text=text, ref="e1")


def changed(field: str, was: str | None, now: str | None, name: str = "") -> ChangedRow:
    return ChangedRow(selector="#c", tag_name="div", role="", name=name, field=field, from_=was, to=now, ref="e2")


def result(
    change: StateChange | None, *, stable: bool = True, dialogs: tuple[DialogReport, ...] = ()
) -> SequenceResult:
    return SequenceResult(
        completed=1,
        state_change=change,
        stability_wait_ms=40,
        stable=stable,
        reason="quiet",
        pending=(),
        ignored=(),
        late=(),
        dialogs=dialogs,
        downloads=(),
        new_targets=(),
    )


def delta(**lists: tuple[Any, ...]) -> StateChange:
    return StateChange(**{"appeared": (), "disappeared": (), "changed": (), **lists})


# -- the rank of the key fact ----------------------------------------------------------------------


def test_the_rank_counts_all_rows_in_the_order_of_reading() -> None:
    change = delta(changed=(changed("className", "a", "b"),), appeared=(appeared("Two"), appeared("Saved at noon")))
    order = [each.kind for each in score.rows(change)]
    assert order in (["appeared", "appeared", "changed"], ["changed", "appeared", "appeared"])
    rank = 2 + order.index("appeared")
    assert score.find([said("saved")], result(change)) == score.Found(rank, 2, "appeared")
    assert score.find([said("Sold")], result(change)) == score.Found()


def test_the_title_and_dialogs_come_before_the_rows() -> None:
    change = delta(title=Change("Log in", "Welcome"), url=Change("/in", "/inbox"), appeared=(appeared("Welcome back"),))
    asked = DialogReport(type="confirm", message="Delete it?", accepted=True, url="")
    told = result(change, dialogs=(asked,))
    assert score.find([said("welcome")], told) == score.Found(1, 1, "title")
    assert score.find([said("Delete it")], told) == score.Found(1, 1, "dialogs")
    assert score.find([said("Log in")], told) == score.Found(), "the former title is not a change"
    assert score.find([said("inbox")], told) == score.Found()


def test_the_first_of_several_facts_counts() -> None:
    change = delta(changed=(changed("aria-sort", None, "ascending", "Age"),), appeared=(appeared("Person 39"),))
    assert score.find([said("Person 39"), state("sort", "ascending", "Age")], result(change)).rank == 1


@pytest.mark.parametrize(
    ("fact", "kind", "row", "held"),
    [
        (said("Saved"), "appeared", {"text": "Saved  now"}, True),
        (said("saved", "now"), "appeared", {"name": "Now", "text": "SAVED"}, True),
        (said("Saved"), "disappeared", {"text": "Saved"}, False),
        (said("Saved"), "changed", {"field": "textContent", "from": "Saved", "to": "Lost"}, False),
        (said("Saved"), "changed", {"field": "className", "name": "Saved", "from": "a", "to": "b"}, False),
        (said("Saved"), "changed", {"field": "rows", "to": None, "examples": [{"text": "Saved"}]}, True),
        (said("Person 5"), "appeared", {"text": "Person 59"}, False),
        (said("Person 5"), "appeared", {"text": "Person 5, 20"}, True),
        (said("main"), "appeared", {"selector": "#main", "role": "main", "text": ""}, False),
        (gone("Ann"), "disappeared", {"text": "Ann"}, True),
        (gone("Ann"), "changed", {"field": "textContent", "from": "Ann, Ben", "to": "Ben"}, True),
        (gone("Ann"), "changed", {"field": "textContent", "from": "Ann", "to": "Ann, Ben"}, False),
        (gone("Ann"), "appeared", {"text": "Ann"}, False),
        (state("checked", "true", "Gift"), "changed", {"field": "checked", "name": "Gift", "to": "true"}, True),
        (state("checked", "true", "Gift"), "changed", {"field": "checked", "name": "Paid", "to": "true"}, False),
        (state("checked", "true"), "changed", {"field": "checked", "to": "false"}, False),
        (state("aria-sort", "ascending"), "changed", {"field": "ariaSort", "to": "ascending"}, True),
        (state("open|expanded", "true"), "changed", {"field": "expanded", "to": "true"}, True),
        (state("checked", "true"), "appeared", {"text": "checked true"}, False),
    ],
)
def test_a_row_holds_a_fact(fact: Fact, kind: str, row: dict[str, Any], held: bool) -> None:
    assert score.holds(fact, kind, row) is held


# -- noise ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "row", "noise"),
    [
        ("changed", {"field": "className", "from": "css-1x", "to": "css-9z"}, True),
        ("changed", {"field": "className", "from": "input", "to": "input error"}, False),
        ("changed", {"field": "className", "from": "tab", "to": "tab is-active"}, False),
        ("changed", {"field": "className", "from": "zoom-enter-active", "to": ""}, True),
        ("changed", {"field": "href", "from": "/a?page=1", "to": "/a?page=2"}, True),
        ("changed", {"field": "href", "from": "/a", "to": "/b"}, False),
        ("changed", {"field": "aria-controls", "from": None, "to": "x"}, True),
        ("changed", {"field": "aria-activedescendant", "from": None, "to": "x"}, True),
        ("changed", {"field": "aria-hidden", "from": None, "to": "true"}, True),
        ("changed", {"field": "id", "from": "r1", "to": "r2"}, True),
        ("changed", {"field": "position", "from": "1", "to": "2"}, True),
        ("changed", {"field": "aria-sort", "from": None, "to": "ascending"}, False),
        ("changed", {"field": "textContent", "from": "1", "to": "2"}, False),
        ("appeared", {"role": "", "name": "", "text": ""}, True),
        ("appeared", {"role": "listbox", "name": "", "text": ""}, False),
        ("disappeared", {"role": "", "name": "", "text": "Ann"}, False),
    ],
)
def test_noise(kind: str, row: dict[str, Any], noise: bool) -> None:
    assert score.is_noise(kind, row) is noise


# -- judging --------------------------------------------------------------------------------------

FLOW = Flow("shop", "save", "/", (), "true", (said("Saved"),))
CHANGE = delta(appeared=(appeared("Saved"), appeared()))


def seen(**more: Any) -> Seen:
    lines = ["Form", "Saved"]
    given = {"at_return": lines, "later": lines, "everything": lines, "true_before": False, "true": True}
    return Seen(**{"returned_at": 1000.0, "end_at": 940.0, **given, **more})


def test_a_flow_that_went_well() -> None:
    outcome = judge(FLOW, result(CHANGE), seen())
    assert outcome.acted
    assert (outcome.rank, outcome.rows, outcome.noise, outcome.excess_ms, outcome.early) == (1, 2, 1, 60, [])
    assert outcome.chars > 100


def test_a_message_that_came_and_went_is_shown_among_the_rows() -> None:
    outcome = judge(FLOW, result(delta(came_and_went=(appeared("Saved"),))), seen())
    assert outcome.in_first
    assert any("Saved" in row for row in verbose(outcome))


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"true": False}, "the truth does not hold"),
        ({"true_before": True}, "void: the truth holds before"),
        ({"everything": ["Form"], "at_return": ["Form"], "later": ["Form"]}, "void: the page itself does not show"),
    ],
)
def test_a_flow_that_did_not(more: dict[str, Any], problem: str) -> None:
    outcome = judge(FLOW, result(CHANGE), seen(**more))
    assert not outcome.acted
    assert outcome.problem.startswith(problem)
    assert "NOT ACTED" in line(outcome)


def test_what_came_after_a_verdict_of_rest_is_early() -> None:
    later = seen(later=["Form", "Saved", "Really"])
    assert judge(FLOW, result(CHANGE), later).early == ["+Really"]
    assert judge(FLOW, result(CHANGE, stable=False), later).early == [], "it did not claim that the page is still"


def test_changed_lines() -> None:
    assert changed_lines(["a", "b"], ["a", "b"]) == []
    assert changed_lines(["a", "b"], ["a", "c"]) == ["-b", "+c"]
    assert len(changed_lines([], list(map(str, range(50_000))))) < 10


# -- playing --------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def few_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a flow begin soon: pages with a clock of their own never rest, and all looks at them took ten seconds."""
    monkeypatch.setattr("bench.apps.flows.play.QUIET_LOOKS", 3)


@pytest.fixture
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    async with await browser.new_context() as context:
        yield context


@pytest.mark.parametrize("flow", shop.FLOWS, ids=lambda flow: flow.name)
async def test_flows_of_the_demo_shop(context: BrowserContext, flow: Flow) -> None:
    async with Shop() as demo:
        outcome = await play(context, demo.url("").rstrip("/"), flow, later_s=LATER_S)
    assert outcome.acted, outcome.problem
    assert outcome.in_first, outcome.change
    assert outcome.stable
    assert outcome.early == []
    assert outcome.excess_ms is not None
    assert 0 < outcome.chars < 1000


# -- lanes ----------------------------------------------------------------------------------------


@pytest.mark.slow  # the visitor below has a lane with a phone, and the flows above are the same ones
@pytest.mark.browser
@pytest.mark.parametrize(
    ("over", "flows"), [("adb", shop.FLOWS[::2]), ("adb-74", shop.FLOWS[1::2])], ids=["adb", "adb-74"]
)
async def test_flows_of_the_demo_shop_on_a_webview(over: str, flows: Sequence[Flow]) -> None:
    async with Shop() as demo, opened_lane(over) as lane, await lane.new_context(dialogs="accept") as visitor:
        for flow in flows:
            outcome = await play(visitor, demo.url("").rstrip("/"), flow, later_s=LATER_S)
            assert outcome.acted, f"{flow.name}: {outcome.problem}"
            assert (outcome.in_first, outcome.stable, outcome.early) == (True, True, []), flow.name


COOKIE = "<p></p><script>document.cookie += 'x'; document.querySelector('p').textContent = document.cookie</script>"


@pytest.mark.browser
async def test_a_visitor_on_a_phone_keeps_cookies_which_another_one_does_not_have(site: Site) -> None:
    url = site.html("/cookie", COOKIE)
    said_there = []
    async with opened_lane("adb") as lane:
        for visits in (2, 1):
            async with await lane.new_context(dialogs="accept") as visitor:
                for _ in range(visits):
                    async with await visitor.new_page() as page:
                        await page.goto(url)
                        said_there.append(await page.evaluate("document.querySelector('p').textContent"))
    assert said_there == ["x", "xx", "x"]


def test_lanes_have_names() -> None:
    assert lane_names("desktop,adb,adb-74") == ["desktop", "adb", "adb-74"]


@pytest.mark.parametrize("name", ["", "phone", "adb-", "adb-12", "adb-9999", "adb,", "desktop-74"])
def test_the_name_of_no_lane_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["tabulator", "--list", "--over", name])
    assert "is not desktop, adb or adb-MILESTONE" in capsys.readouterr().err


def test_what_came_out_otherwise_in_a_lane_is_reported() -> None:
    def played(flow: str, over: str, **more: Any) -> Outcome:
        return Outcome(app="a", flow=flow, over=over, **{"acted": True, "stable": True, "rank": 1, **more})

    outcomes = [
        played("same", "desktop", wait_ms=1),
        played("other", "desktop"),
        played("same", "adb", wait_ms=2),
        played("other", "adb", acted=False, problem="gone", early=["+b"], stable=False, reason="timeout", rank=0),
    ]
    assert list(differences(outcomes)) == [
        "1 of 2 flows came out otherwise in one lane than in another",
        "a: other",
        "  desktop    acted, rank 1, ",
        "  adb        NOT ACTED: gone, EARLY, rank 0, UNSTABLE timeout",
    ]
    assert heading("adb-74").startswith("flow over adb-74 ")
    questions = {table.question for table in tables(outcomes[2:], [], over="adb")}
    assert all(question.startswith("flows over adb: ") for question in questions)


# -- the oracle -----------------------------------------------------------------------------------

LATE = """<p></p>
<button onclick="setTimeout(() => document.querySelector('p').textContent = 'Saved', 1500)">Save</button>"""
LATE_S = 1.8
"""Longer than that takes, which is long enough for a busy machine to give its verdict before."""
CLOCK = "<time></time><script>setInterval(() => document.querySelector('time').textContent++, 50)</script>"


async def test_the_oracle_sees_what_comes_after_the_return_and_not_what_changes_by_itself(
    context: BrowserContext, site: Site
) -> None:
    """Observe 0 does not know of the timer, so its verdict comes long before the page has done its work.

    The clock of the second page changes by itself, and is not early.
    """
    url, ticking = site.html("/late", LATE), site.html("/ticking", LATE + CLOCK)
    flow = Flow("page", "save", "", (click("button"),), "page().includes('Saved')", (said("Saved"),), noise="time")
    in_time = await play(context, url, flow, later_s=LATE_S)
    assert (in_time.early, in_time.rank) == ([], 1)
    too_soon = await play(context, ticking, flow._replace(options={"observe": "protocol"}), later_s=LATE_S)
    assert too_soon.early == ["+Saved"]
    assert too_soon.rank == 0
    assert too_soon.acted, "the truth is asked later"


async def test_a_way_that_is_lost_is_reported(context: BrowserContext, site: Site) -> None:
    url = site.html("/nothing", "<p>Nothing</p>")
    flow = Flow("page", "save", "", (), "true", (), before=(click("#nowhere", timeoutMs=100),))
    outcome = await play(context, url, flow, later_s=0)
    assert not outcome.acted
    assert "WayLost" in outcome.problem


# -- the tables of flows and the report -----------------------------------------------------------


def test_the_flows_are_of_one_piece() -> None:
    assert len(FLOWS) >= 100
    assert len({flow.title for flow in FLOWS}) == len(FLOWS)
    assert {flow.app for flow in FLOWS} <= {app.name for app in APPS}
    assert len({flow.app for flow in FLOWS}) >= 10
    for flow in FLOWS:
        assert flow.act, flow.title
        assert flow.key, flow.title
        assert all(fact.words or fact.field for fact in flow.key), flow.title


def test_flows_are_chosen_by_application_or_part_of_the_title() -> None:
    assert chosen(()) == list(FLOWS)
    assert {flow.app for flow in chosen(["mui"])} == {"mui"}
    assert [flow.title for flow in chosen(["tabulator: next"])] == ["tabulator: next page"]
    with pytest.raises(SystemExit):
        main(["no such flow"])


@pytest.mark.browser
async def test_an_application_that_does_not_start_is_left_out_and_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_: object) -> None:
        raise AppFailed("no such package")

    monkeypatch.setitem(run.SERVED, "mui", Program(("-c", "")))
    monkeypatch.setattr(run, "started", fails)
    outcomes = [each async for each in run.played(chosen(["mui: notify"]))]
    assert outcomes == [LeftOut("mui", "no such package", 1)]
    told = tables([], [each for each in outcomes if isinstance(each, LeftOut)])
    assert all(table.missing == {"mui": "no such package (1 flows)"} for table in told)


# -- beside others --------------------------------------------------------------------------------


def test_a_form_is_one_call() -> None:
    actions = [fill("#a", "1"), fill("#b", "2"), click("#go"), fill("#c", "3")]
    assert [len(group) for group in merged(actions)] == [2, 1, 1]


def test_an_answer_is_right_if_it_says_the_key_fact_whatever_parts_its_words() -> None:
    flow = Flow("page", "next", "/", (), "", (said("11-20 of 40"), state("value", "2"), gone("Ann")))
    assert is_right(flow, '- text: Showing\n- text: 11-20\n- text: "of 40" rows')
    assert not is_right(flow, "1-10 of 40, Ann, 2")


def test_the_ten_flows_are_among_the_flows_and_say_their_facts_in_words() -> None:
    ten = [flow for flow in FLOWS if flow.title in TEN]
    assert len(ten) == len(TEN) == 10
    for flow in ten:
        assert any(fact.words and not fact.gone and not fact.field for fact in flow.key), flow.title
        for action in flow.act:
            assert action["action"] in ("click_element", "set_value", "type_text", "press_key", "select_option")


def test_the_exit_code_says_what_was_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    left_out = LeftOut("mui", "no such package", 1)

    async def shown(_: object, *, verbosely: bool, over: str) -> tuple[list[Outcome], list[LeftOut]]:
        return [], [left_out]

    monkeypatch.setattr("bench.apps.flows.command.shown", shown)
    assert main(["mui"]) == FAILED


def test_the_summary_counts() -> None:
    good = Outcome(
        app="a", flow="x", acted=True, stable=True, rank=1, place=1, where="changed", chars=100, rows=3, noise=0
    )
    bad = Outcome(app="b", flow="y", chars=300, rows=1, noise=1, early=["+late"])
    told = summary([good, bad], [LeftOut("c", "no", 2)])
    for part in (
        "2 flows on 2",
        "acted rightly 1 of 2 (50.0 %)",
        "early 1",
        "noise rows 1 of 4",
        "median 200",
        "LEFT OUT: c",
    ):
        assert part in told
    assert re.search(r"^b +1 +0 +1 +0 +100\.0 +300$", told, re.MULTILINE)
    by_name = {table.question: table for table in tables([good, bad], [])}
    rows = {row.name: row.median for row in by_name["flows: key fact within the first three rows"].rows}
    assert rows == {"all applications": 50.0, "a": 100.0, "b": 0.0}
