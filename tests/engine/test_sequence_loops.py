"""Loops on real pages, by the ids of docs/design/acceptance-cases.md; tests/loopguard has what the rules count."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from aiohttp import web

from sampling import sampled
from site_server import Site
from stillframe import (
    Click,
    DragTo,
    Hover,
    LoopGuard,
    LoopLimits,
    Navigate,
    PressKey,
    Reload,
    Scroll,
    Secret,
    SetValue,
    WaitFor,
)
from stillframe.api.browser import Page
from stillframe.loopguard import Digits, Threshold
from stillframe.model.actions import Action
from stillframe.model.result import SequenceResult

PILO = LoopLimits.pilo(0)
"""A warning of the second call and an abort of the third: the shortest way to either."""
TWO_MORE = LoopLimits.pilo(2)
QUICK: dict[str, Any] = {"timeout_ms": 1000}


async def calls(page: Page, actions: Sequence[Action], guard: LoopGuard | None = None) -> list[str]:
    """Perform each action in a call of its own, and return what the guard said about each."""
    page.loop_guard = guard or LoopGuard(PILO)
    results = [await page.execute_sequence([action], **QUICK) for action in actions]
    assert {result.failed.code for result in results if result.failed} <= {"loop_refused"}
    return [told(result) for result in results]


def told(result: SequenceResult) -> str:
    return " ".join(f"{event.rule}.{event.level}" for event in result.loops)


STUCK = ["", "repeat.warn", "repeat.abort"]
"""What `PILO` says of the same call three times."""


async def open_page(page: Page, site: Site, name: str) -> Page:
    await page.goto(site.url(f"/loops/{name}"))
    return page


async def ref_of(page: Page, name: str) -> str:
    rows = (await page.snapshot()).rows(50)
    (row,) = [row for row in rows if row.name == name and row.tag_name == "button"]
    return page._tab.refs.ref_for(row.frame, row.backend_node_id)


async def test_P01_a_button_that_is_made_anew_has_another_ref_and_is_the_same(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    page.loop_guard = LoopGuard(TWO_MORE)
    refs, events = [], []
    for _ in range(5):
        refs.append(await ref_of(page, "Submit"))
        events.append(told(await page.execute_sequence([Click(f"ref={refs[-1]}")], **QUICK)))
    assert len(set(refs)) == 5
    assert events == ["", "", "", "repeat.warn", "repeat.abort"]


async def test_P02_next_on_every_page_of_a_wizard(page: Page, site: Site) -> None:
    for n in range(5):
        site.html(f"/wizard/{n}", f"<h1>Step {n}</h1><a href=/wizard/{n + 1}>Next</a>")
    await page.goto(site.url("/wizard/0"))
    assert await calls(page, [Click("text=Next")] * 4) == [""] * 4


async def test_P03_a_calendar_is_paged_through_a_year(page: Page, site: Site) -> None:
    await open_page(page, site, "calendar.html")
    assert await calls(page, [Click("#next")] * 12, LoopGuard()) == [""] * 12


@pytest.mark.slow  # as a calendar
async def test_P03_a_number_is_stepped_up(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    assert await calls(page, [Click("#more")] * 8, LoopGuard()) == [""] * 8


@pytest.mark.slow  # as a form that comes back
async def test_P04_a_calendar_that_is_stuck(page: Page, site: Site) -> None:
    await open_page(page, site, "calendar.html?stuck=2")
    assert (await calls(page, [Click("#next")] * 5))[2:] == STUCK


async def test_P04_a_form_that_comes_back_as_it_was(page: Page, site: Site) -> None:
    """A silent submit: the page is loaded again, with another token in it, and says nothing."""
    tokens = itertools.count()

    async def form(_: web.Request) -> web.Response:
        body = f"<form method=post><input type=hidden name=token value={next(tokens)}><button>Send</button></form>"
        return web.Response(text=f"<!doctype html><title>form</title>{body}", content_type="text/html")

    site.route("/form", form)
    await page.goto(site.url("/form"))
    assert await calls(page, [Click("text=Send")] * 3) == STUCK
    assert next(tokens) == 3


PATIENCE = 12
"""Calls within which noise must be known: the core learns in 5 looks at a page at rest what moves by itself."""
TICKS = """new Promise((done) => {
  let left = 5;
  const clock = document.querySelector("#clock");
  const observer = new MutationObserver(() => { if (--left === 0) { observer.disconnect(); done(); } });
  observer.observe(clock, { childList: true });
})"""


async def test_P05_a_clock_that_ticks_does_not_hide_a_stuck_page(page: Page, site: Site) -> None:
    await open_page(page, site, "ticking.html")
    page.loop_guard = LoopGuard(PILO)
    events: list[str] = []
    while "repeat.abort" not in events and len(events) < PATIENCE:
        # An agent thinks between its calls; what moves meanwhile moves by itself.
        await page._tab.frames.main.evaluate(TICKS)
        events.append(told(await page.execute_sequence([Click("#stuck")], **QUICK)))
    # On an idle machine the noise is known by the second call; a busy one may need some more looks at it.
    assert events[-3:] == STUCK
    assert set(events[:-3]) <= {""}


STILL = """<button id=nothing>Nothing</button><p id=out></p>
<button id=count onclick="n.textContent++">Count</button><i id=n>0</i>"""
AT_REST: dict[str, tuple[str, str, list[str]]] = {
    "a clock": ("12:00:0{n}", "#nothing", ["", "", "", "repeat.warn"]),
    "a countdown that is drawn again": ("<b>{n}0 s left</b>", "#nothing", ["", "", "", "repeat.warn"]),
    "a reply that comes late": ("answer {word}", "#nothing", [""] * 4),
    "a counter of the action itself": ("12:00", "#count", [""] * 4),
}


@pytest.mark.every_row
@pytest.mark.parametrize("kind", AT_REST)
async def test_P05_numbers_that_change_while_nothing_acts_are_a_clock(page: Page, site: Site, kind: str) -> None:
    """One tick between two calls each, which is too few for a rhythm."""
    html, selector, expected = AT_REST[kind]
    await page.goto(site.html("/still", STILL))
    page.loop_guard, events = LoopGuard(), []
    for number, word in enumerate(("no", "yes", "perhaps", "never")):
        await page.evaluate(f"void (out.innerHTML = {html.format(n=number, word=word)!r})")
        events.append(told(await page.execute_sequence([Click(selector)], **QUICK)))
    assert events == expected


async def test_P09_five_fills_of_one_text_warn_and_abort(page: Page, site: Site) -> None:
    """The first fill changes the page, and all others are the same action."""
    await page.goto(site.html("/field", "<input id=field onfocus='out.textContent = 1'><p id=out>"))
    fills = [SetValue("#field", text) for text in ("hello", "HELLO ", " Hello", "hello", "HELLO")]
    assert await calls(page, fills, LoopGuard(TWO_MORE)) == ["", "", "", "repeat.warn", "repeat.abort"]


async def test_P09_a_field_that_the_page_empties_takes_the_same_text_again(page: Page, site: Site) -> None:
    said = "<input id=field oninput=\"out.append(this.value); this.value = ''\"><p id=out>"
    await page.goto(site.html("/chat", said))
    assert await calls(page, [SetValue("#field", "hello")] * 6, LoopGuard(TWO_MORE)) == [""] * 6


async def test_P06_a_feed_is_scrolled_to_its_end_and_then_it_is_stagnant(page: Page, site: Site) -> None:
    await open_page(page, site, "feed.html")
    events = await calls(page, [Scroll(pixels=700)] * 20, LoopGuard(LoopLimits(stagnant=Threshold(4))))
    first = events.index("stagnant.warn")
    assert await page.evaluate("Math.round(scrollY + innerHeight) >= document.documentElement.scrollHeight - 1")
    assert await page.evaluate("document.querySelector('main').childElementCount") == 15
    assert events[:first] == [""] * first
    assert 6 <= first < 19
    assert set(events[first:]) == {"stagnant.warn"}


@pytest.mark.slow  # P13 waits, too
async def test_P06_five_waits(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    assert await calls(page, [WaitFor(selector="#submit")] * 5, LoopGuard()) == [""] * 5


async def test_P07_click_and_scroll_in_turn(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    events = await calls(page, [Click("#submit"), Scroll()] * 6, LoopGuard())
    assert events == [""] * 9 + ["stagnant.warn"] * 3


async def test_P08_a_menu_is_opened_and_closed(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    opened_by_itself = await calls(page, [Click("#menu")] * 6, LoopGuard())
    assert opened_by_itself == [""] * 4 + ["cycle.warn"] * 2


@pytest.mark.slow  # tests/loopguard has the other lengths of a turn
async def test_P08_two_and_three_calls_in_turn(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    actions = [Click("#submit"), Hover("#search"), Hover("#more")]
    assert (await calls(page, actions[:2] * 3, LoopGuard()))[4] == "cycle.warn"
    assert (await calls(page, actions * 3, LoopGuard()))[6] == "cycle.warn"


async def test_P09_variants_of_a_text_are_one(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    texts = ["hello", "HELLO ", " Hello", "hello"]
    # The first one fills the field, and the second sets what it has.
    assert await calls(page, [SetValue("#search", text) for text in texts]) == [*STUCK, "repeat.abort"]


async def test_P10_variants_of_a_password_are_different_and_no_password_is_kept(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    guard = LoopGuard(LoopLimits(stagnant=Threshold(2)))
    texts = ["Correct-Horse", "correct-horse", "CORRECT-HORSE", "correct-Horse", "Correct-horse"]
    events = await calls(page, [SetValue("#password", text) for text in texts], guard)
    assert not any("repeat" in event for event in events)
    await calls(page, [SetValue("#search", Secret(text)) for text in texts[:2]], guard)
    await calls(page, [SetValue("#search", "a Correct-Horse"), Click("#submit")], guard)
    page.loop_guard = None
    for event in guard.recent:
        assert "horse" not in str(event).lower()
    assert guard.recent
    assert "horse" not in str([vars(each) for each in vars(guard).values() if hasattr(each, "__dict__")]).lower()


async def test_P11_ten_rows_with_the_same_button(page: Page, site: Site) -> None:
    await open_page(page, site, "rows.html")
    rows = [Click(f"#rows > div:nth-child({n}) > button") for n in range(1, 6)]
    # One button would be warned of at the fourth click.
    assert await calls(page, rows, LoopGuard()) == [""] * 5


async def test_P12_buttons_without_a_name(page: Page, site: Site) -> None:
    await open_page(page, site, "rows.html")
    icons = [Click(f"#icons > button:nth-child({n})") for n in range(1, 6)]
    assert await calls(page, icons, LoopGuard()) == [""] * 5


async def test_P13_waiting_for_different_things(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    guard = LoopGuard(LoopLimits(waiting=frozenset()))
    waits = [WaitFor(selector=selector) for selector in ("#submit", "#more", "#menu", "#cart", "#search")]
    assert await calls(page, waits, guard) == [""] * 5
    assert await calls(page, waits[:1] * 4, guard) == ["", "", "", "repeat.warn"]


@pytest.mark.parametrize("selector", ["#off", "#nowhere"])
async def test_P14_the_same_call_fails_again_and_again(page: Page, site: Site, selector: str) -> None:
    await open_page(page, site, "controls.html")
    page.loop_guard = LoopGuard(LoopLimits(failing=Threshold(3, 4, 5)), mode="refuse")
    results = [await page.execute_sequence([Click(selector, timeout_ms=50)], **QUICK) for _ in range(5)]
    assert [told(result) for result in results] == ["", "", "failing.warn", "failing.refuse", "failing.abort"]
    codes = [result.failed.code for result in results if result.failed]
    assert codes[2] in ("element_disabled", "element_not_found")
    # What is not there is looked for before it is known what it would have been; then that it is not there says more.
    assert codes[4] == ("loop_refused" if selector == "#off" else "element_not_found")


@pytest.mark.parametrize(("digits", "name"), [("fold", "cart (#)"), ("keep", "cart (4)")])
async def test_P15_a_number_in_a_name(page: Page, site: Site, digits: Digits, name: str) -> None:
    """A name that counts up is one name unless digits are kept; but that it counts is a change of the page."""
    await open_page(page, site, "controls.html")
    guard = LoopGuard(LoopLimits(digits=digits, repeat=Threshold(2)))
    assert await calls(page, [Click("#cart")] * 4, guard) == [""] * 4
    await page.evaluate("document.querySelector('#cart').onclick = null; 0")
    assert await calls(page, [Click("#cart")] * 2, guard) == ["", "repeat.warn"]
    assert guard.recent[0].signature.name == name


async def test_P16_the_same_link_on_another_page_and_a_reload(page: Page, site: Site) -> None:
    for name in "abcde":
        site.html(f"/{name}", f"<a href=/{chr(ord(name) + 1)}>Go on</a>")
    await page.goto(site.url("/a"))
    assert await calls(page, [Click("text=Go on")] * 4) == [""] * 4
    assert await calls(page, [Reload()] * 3) == STUCK


async def test_P16_to_go_elsewhere_ends_an_abort(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    assert (await calls(page, [Click("#submit")] * 3))[-1] == "repeat.abort"
    assert told(refused := await page.execute_sequence([Click("#menu")])) == "repeat.abort"
    assert refused.failed is not None
    assert (refused.completed, refused.failed.code, refused.state_change) == (0, "loop_refused", None)
    assert (await page.execute_sequence([Navigate(site.url("/loops/controls.html?again"))])).completed == 0
    way_out = [Navigate(site.url("/loops/calendar.html")), Click("#next")]
    assert (result := await page.execute_sequence(way_out)).completed == 2
    assert told(result) == ""


async def test_P17_an_element_that_cannot_be_read_is_told_apart_by_its_selector(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    broken = "{ get() { throw new Error('unreadable') } }"
    await page._tab.frames.main.evaluate(
        f"Object.defineProperty(HTMLSelectElement.prototype, 'selectedOptions', {broken}); 0"
    )
    guard = LoopGuard(PILO, mode="shadow")
    await calls(page, [Hover("#size")] * 3, guard)
    assert guard.counts == {"repeat.warn": 1, "repeat.abort": 1}
    assert guard.recent[0].signature.place == "#size"


@pytest.mark.desktop
async def test_P18_a_guard_that_comes_to_another_page_begins_anew(page: Page, site: Site) -> None:
    guard = LoopGuard(PILO)
    await open_page(page, site, "controls.html")
    assert (await calls(page, [Click("#submit")] * 3, guard))[-1] == "repeat.abort"
    async with await page.context.new_page(site.url("/loops/controls.html")) as other:
        assert await calls(other, [Click("#submit")], guard) == [""]
    assert guard.counts["reset.reconnect"] == 1


async def test_P19_the_maximum_of_pilo_is_zero(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    events = await calls(page, [Click("#submit")] * 3, LoopGuard(LoopLimits.pilo(0)))
    assert events == ["", "repeat.warn", "repeat.abort"]


async def test_P20_a_warning_takes_no_snapshot(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    page.loop_guard = LoopGuard(PILO)
    taken = []
    for _ in range(2):
        result = await page.execute_sequence([Hover("#search")], verbose=True, **QUICK)
        assert result.captures is not None
        taken.append(result.captures.taken + result.captures.reused)
    assert result.loops
    assert set(taken) == {2}


async def test_P21_the_event_is_in_the_answer(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    page.loop_guard = LoopGuard(TWO_MORE)
    for _ in range(4):
        result = await page.execute_sequence([Click("#submit")], **QUICK)
        if not result.loops:
            assert "loops" not in result.to_dict()
    (event,) = result.to_dict()["loops"]
    assert event["signature"] == {
        "action": "click_element", "role": "button", "name": "submit", "place": "main > button[4]",
    }  # fmt: skip
    assert (event["rule"], event["level"], event["count"], event["iteration"]) == ("repeat", "warn", 4, 4)
    assert "4th time in a row" in event["advice"]


async def test_P22_a_repeat_is_refused_before_anything_is_sent(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    await page.evaluate(
        "window.seen = []; for (const type of ['pointermove', 'click', 'focusin', 'keydown', 'beforeinput'])"
        " document.addEventListener(type, (event) => seen.push(event.type)); 0"
    )
    page.loop_guard = LoopGuard(LoopLimits(repeat=Threshold(2, 3, 9)), mode="refuse")
    for _ in range(2):
        await page.execute_sequence([Click("#submit")], **QUICK)
    before = await page.evaluate("seen.length")
    refused = await page.execute_sequence([Click("#submit"), Hover("#more")], **QUICK)
    assert await page.evaluate("seen.length") == before
    assert told(refused) == "repeat.refuse"
    assert refused.failed is not None
    assert (refused.completed, refused.failed.index, refused.failed.code) == (0, 0, "loop_refused")
    assert "the action did not run" in refused.failed.error
    assert (await page.execute_sequence([Hover("#more")], **QUICK)).completed == 1


async def test_a_shadow_only_counts(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    guard = LoopGuard(PILO, mode="shadow")
    assert await calls(page, [Click("#submit")] * 4, guard) == [""] * 4
    assert guard.counts == {"repeat.warn": 1, "repeat.abort": 2}


async def test_identical_actions_of_one_call_count_once(page: Page, site: Site) -> None:
    await open_page(page, site, "calendar.html")
    page.loop_guard = LoopGuard(PILO)
    result = await page.execute_sequence([Click("#next")] * 4, **QUICK)
    assert (result.completed, result.loops) == (4, ())


async def test_a_form_that_is_sent_again_and_again_in_one_call(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    page.loop_guard = LoopGuard()
    form = [SetValue("#search", "shoes"), SetValue("#password", Secret("correct horse")), Click("#submit")]
    results = [await page.execute_sequence(form, **QUICK) for _ in range(4)]
    assert [bool(result.loops) for result in results] == [False, False, False, True]
    assert results[3].loops[0].rule == "cycle"


async def test_without_a_guard_nothing_is_asked(page: Page, site: Site) -> None:
    await open_page(page, site, "controls.html")
    assert page.loop_guard is None
    result = await page.execute_sequence([Click("#submit")], **QUICK)
    assert result.loops == ()


async def test_a_drawing_that_changes_is_progress_and_one_that_does_not_is_none(page: Page, site: Site) -> None:
    """What a canvas shows stands in no document, so it is looked at where nothing else has changed."""
    await open_page(page, site, "drawing.html")
    guard = LoopGuard(PILO)
    assert await calls(page, [Click("#zoom")] * 4, guard) == [""] * 4
    assert await calls(page, [Click("#dead")] * 3, guard) == STUCK


@pytest.mark.parametrize("selector", sampled(("#changed", "#again"), ("#again",)))
async def test_an_alert_that_says_the_same_with_another_number(page: Page, site: Site, selector: str) -> None:
    await open_page(page, site, "alerts.html")
    # The first click brings the alert, which is a change.
    assert await calls(page, [Click(selector)] * 4) == ["", *STUCK]


async def test_a_number_that_is_in_no_alert_is_progress(page: Page, site: Site) -> None:
    await open_page(page, site, "alerts.html")
    await page.evaluate("at('changed').onclick = () => { at('count').textContent = `${++request} sent`; }; 0")
    assert await calls(page, [Click("#changed")] * 4) == [""] * 4


@pytest.mark.modern
async def test_to_drag_the_same_thing_to_different_places(page: Page, site: Site) -> None:
    await open_page(page, site, "board.html")
    drags = [DragTo("#card", f"#{name}") for name in ("one", "two", "three", "one")]
    assert await calls(page, drags) == [""] * 4
    assert await calls(page, drags[:1] * 3) == STUCK


async def test_the_same_button_in_two_frames(page: Page, site: Site) -> None:
    inner = site.html("/inner", "<button>Buy</button>")
    await page.goto(site.html("/outer", f"<iframe name=a src={inner}></iframe><iframe name=b src={inner}></iframe>"))
    clicks = [Click(f"frame=[name={name}] >> button") for name in "abab"]
    assert await calls(page, clicks) == [""] * 4
    guard = LoopGuard(PILO)
    assert await calls(page, clicks[:1] * 3, guard) == STUCK
    assert guard.recent[0].signature.place == "frame[a] > button"


async def test_keys_that_go_through_a_form_are_progress_and_keys_that_do_nothing_are_not(
    page: Page, site: Site
) -> None:
    await open_page(page, site, "controls.html")
    assert await calls(page, [PressKey("Tab")] * 4) == [""] * 4
    await page.evaluate("document.querySelector('#more').focus(); 0")
    assert await calls(page, [PressKey("F9")] * 3) == STUCK


async def test_keys_that_scroll_are_progress_until_the_end(page: Page, site: Site) -> None:
    await open_page(page, site, "feed.html")
    await page.evaluate("for (let n = 0; n < 9; n++) grow(); 0")
    events = await calls(page, [PressKey("PageDown")] * 16, LoopGuard())
    first = events.index("repeat.warn")
    assert await page.evaluate("Math.round(scrollY + innerHeight) >= document.documentElement.scrollHeight - 1")
    assert events[:first] == [""] * first
    assert first > 5


async def test_the_focus_is_in_a_frame_and_nobody_knows_where(page: Page, site: Site) -> None:
    inner = site.html("/inner", "<input><input><input><input><input>")
    await page.goto(site.html("/outer", f"<iframe src={inner}></iframe>"))
    await page.execute_sequence([Click("frame=iframe >> input:nth-of-type(1)")])
    assert await calls(page, [PressKey("Tab")] * 4) == [""] * 4
