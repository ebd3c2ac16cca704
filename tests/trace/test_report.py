"""The report in a real browser, opened from disk: every lane, filter, view and key; nothing of a page runs in it."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from PIL import Image
from traces import SEQUENCE, rec, trace_of

import stillframe
from stillframe.api.browser import Browser, Page
from stillframe.trace.report import report
from stillframe.trace.spans import LANES

pytestmark = pytest.mark.browser

HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'><!--<script>{{script}}"


def jpeg(width: int = 64, height: int = 48) -> str:
    content = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(content, "JPEG")
    return base64.b64encode(content.getvalue()).decode()


def screenshot(at: float, when: str) -> dict[str, Any]:
    return rec(at, "screenshot", sequence=1, when=when, url="http://a/", width=640, height=480, data=jpeg())


CHANGE = {
    "url": {"from": "http://a/", "to": HOSTILE},
    "appeared": [
        {"selector": "#new", "tagName": "p", "role": "alert", "name": HOSTILE, "text": "It appeared", "ref": "e1"}
    ],
    "changed": [
        {
            "selector": "#cart",
            "tagName": "p",
            "role": "",
            "name": "",
            "field": "textContent",
            "from": "Cart 0",
            "to": "Cart 1",
            "ref": "e2",
            "count": 3,
        }
    ],
    "disappeared": [{"selector": "#old", "tagName": "p", "role": "", "name": "", "text": "It went", "ref": "e3"}],
    "omitted": {"appeared": 4, "disappeared": 0, "changed": 0},
}

RESULT = {
    "completed": 1,
    "stable": False,
    "reason": "timeout",
    "detail": "request",
    "stabilityWaitMs": 55,
    "stateChange": CHANGE,
    "failed": {"index": 0, "action": "click_element", "error": HOSTILE, "code": "element_not_found"},
    "pending": [{"kind": "request", "what": HOSTILE, "ageMs": 10, "site": "http://a/x.js:1:2"}],
    "ignored": [{"kind": "changes", "key": "#clock", "rate": 1.0}],
    "late": [],
    "dialogs": [{"type": "alert", "message": HOSTILE, "accepted": False, "url": "http://a/"}],
    "downloads": [],
    "newTargets": [],
}

RECORDS = (
    rec(0, "call", id=9, name="goto", url=HOSTILE),
    rec(0, "returned", id=9, arguments={"url": HOSTILE}, error={"code": "navigation_failed", "message": HOSTILE}),
    *SEQUENCE[:1],
    {**SEQUENCE[1], "actions": [*SEQUENCE[1]["actions"], {"action": "click_element", "selector": "#later"}]},
    screenshot(1.5, "before"),
    *SEQUENCE[2:-5],
    screenshot(69, "after"),
    rec(70, "result", sequence=1, result=RESULT),
    rec(
        70, "boxes", sequence=1, before={"e3": [10, 20, 100, 50]}, after={"e1": [0, 0, 640, 48], "e2": [64, 96, 64, 48]}
    ),
    rec(71, "text", sequence=1, text=f'- main\n  - alert "It appeared" [ref=e1]\n  - text "Cart 1"\n{HOSTILE}'),
    rec(72, "console", message={"type": "error", "text": HOSTILE, "location": {"url": HOSTILE, "line": 3}}),
    rec(73, "pageerror", error={"message": "TypeError: x", "stack": "TypeError: x\n at y"}),
    rec(74, "call", id=10, name="evaluate"),
)


class Shown(NamedTuple):
    """A report in a browser, and what must stay empty: its console, its errors, and its requests."""

    page: Page
    troubles: list[Any]

    async def text(self, selector: str) -> str:
        return str(await self.page.evaluate(f"document.querySelector({selector!r}).innerText"))

    async def press(self, key: str) -> None:
        await self.page.press("body", key)

    async def view(self, name: str) -> str:
        await self.page.click(f"#tabs >> role=tab[name='{name}']")
        return await self.text("#view")


@pytest.fixture(scope="module")
async def reader() -> AsyncIterator[Browser]:
    async with stillframe.launch(allow_schemes=["file"]) as browser:
        yield browser


@pytest.fixture(scope="module")
async def reading(reader: Browser) -> AsyncIterator[Page]:
    """The page in which all reports are read, one after the other."""
    async with await reader.new_context() as context, await context.new_page() as page:
        yield page


@pytest.fixture
async def shown(reading: Page, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Shown]:
    file, troubles = tmp_path / "report.html", list[Any]()
    file.write_text(report(trace_of(tmp_path, *getattr(request, "param", RECORDS))))
    removing = [
        reading.on("console", troubles.append),
        reading.on("pageerror", troubles.append),
        reading.on("requestfailed", troubles.append),
        reading.on("request", lambda sent: None if sent.url == file.as_uri() else troubles.append(sent)),
    ]
    await reading.goto(file.as_uri())
    yield Shown(reading, troubles)
    assert await reading.evaluate("window.hacked") is None
    for remove in removing:
        remove()
    assert [each for each in troubles if not getattr(each, "url", "").startswith("data:")] == []


async def test_the_header_tells_what_was_traced_and_what_is_missing(shown: Shown) -> None:
    header = await shown.text("header")
    assert "a.trace.jsonl" in header
    assert "Chrome/1" in header
    assert "2023-11-14 22:13:20 UTC" in header
    assert await shown.page.evaluate("document.getElementById('problems').hidden")


async def test_steps_are_the_calls_and_the_sequence_with_its_actions(shown: Shown) -> None:
    steps = (await shown.text("#steps")).split("\n")
    assert [step for step in steps if step in ("✓", "✗", "…")] == ["✗", "✗", "✓", "…"]
    assert "click_element #buy" in steps
    # The first step that failed is selected.
    assert await shown.page.evaluate("document.querySelector('[aria-current=true]').dataset.step") == "0"


async def test_j_and_k_go_through_the_steps_and_the_digits_through_the_views(shown: Shown) -> None:
    await shown.press("j")
    assert "timeout: request" in await shown.text("#view")
    await shown.press("j")
    assert "click_element #buy" in await shown.text("#view h2")
    await shown.press("k")
    for number, text in enumerate(["completed", "What it waited for", "before", "element", "TypeError", "POST"], 1):
        await shown.press(str(number))
        assert text in await shown.text("#view")


async def test_the_step_shows_verdict_pending_noise_and_dialogs(shown: Shown) -> None:
    await shown.press("j")
    text = await shown.text("#view")
    for part in ("not still: timeout: request", "1 of 2 actions", "Still pending", "#clock", "1 per second", "alert"):
        assert part in text
    assert HOSTILE in text


async def test_what_was_it_waiting_for_at_any_moment(shown: Shown) -> None:
    await shown.press("j")
    await shown.view("Waiting")
    waits = {}
    for at in (10, 45, 61.5, 79):
        # The cursor goes where a person clicks on the lanes; lanes begin after the gutter of 92 pixels.
        x = f"92 + {at} / 74 * (lanes.clientWidth - 92)"
        await shown.page.evaluate(
            f"(() => {{ const box = lanes.getBoundingClientRect(); lanes.dispatchEvent(new MouseEvent('click', "
            f"{{clientX: box.left + {x}, clientY: box.top + 8}})) }})()"
        )
        waits[at] = (await shown.text("#view")).split("All that it waited for")[0]
    assert "POST http://a/buy" in waits[10]
    assert "it asked the page whether it is still (fence 1)" in waits[45]
    assert "Nothing: no wait was in progress" in waits[61.5]


async def test_every_lane_can_be_hidden_and_is_drawn(shown: Shown) -> None:
    names = await shown.page.evaluate("[...document.querySelectorAll('#lane-filter input')].map((each) => each.value)")
    assert names == list(LANES)
    height = "document.getElementById('lanes').clientHeight"
    before = await shown.page.evaluate(height)
    for name in names:
        await shown.page.click(f"#lane-filter >> input[value={name}]")
    assert await shown.page.evaluate(height) < before / 4
    for name in names:
        await shown.page.click(f"#lane-filter >> input[value={name}]")
    assert await shown.page.evaluate(height) == before
    colours = (
        "(() => { const found = new Set(), { width, height } = lanes;"
        " const c = lanes.getContext('2d').getImageData(0, 0, width, height).data;"
        " for (let i = 0; i < c.length; i += 4) found.add(`${c[i]},${c[i + 1]},${c[i + 2]}`); return found.size })()"
    )
    assert await shown.page.evaluate(colours) > 10


async def test_zoom_and_find(shown: Shown) -> None:
    screenshot = "lanes.toDataURL()"
    whole = await shown.page.evaluate(screenshot)
    await shown.press("+")
    near = await shown.page.evaluate(screenshot)
    await shown.press("-")
    assert near != whole
    assert await shown.page.evaluate(screenshot) == whole
    await shown.press("z")
    assert await shown.page.evaluate(screenshot) != whole
    await shown.press("0")
    assert await shown.page.evaluate(screenshot) == whole
    await shown.view("Requests")
    await shown.press("/")
    await shown.page.fill("#find", "no such thing")
    assert "No request." in await shown.text("#view")
    await shown.page.fill("#find", "BUY")
    assert "POST http://a/buy" in await shown.text("#view")


async def test_f_goes_to_the_next_failure_and_around(shown: Shown) -> None:
    visited = []
    for _ in range(3):
        await shown.press("f")
        visited.append(await shown.page.evaluate("document.querySelector('[aria-current=true]').title"))
    assert visited == ["sequence 1: timeout: request", f"goto {HOSTILE}", "sequence 1: timeout: request"]


async def test_the_keyboard_alone_reaches_everything(shown: Shown) -> None:
    focused = "(document.activeElement.id || document.activeElement.title || document.activeElement.dataset.step)"
    reached = []
    for _ in range(40):
        await shown.page.press(None, "Tab")
        reached.append(await shown.page.evaluate(focused))
        if reached[-1] == "view":
            break
    # Of all steps and of all tabs, only the selected one is a stop.
    assert [each for each in reached if each] == [
        *("Zoom out (-)", "Zoom in (+)", "Show all (0)", "Show the selected step (z)"),
        *("Select the next step that failed (f)", "find", "lanes", f"goto {HOSTILE}", "tab-step", "view"),
    ]
    assert len(reached) == len(LANES) + 10
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    await shown.page.press("#tab-step", "ArrowRight")
    assert await shown.page.evaluate(focused) == "tab-waiting"
    assert await shown.page.evaluate(outline) == "solid"
    assert await shown.page.evaluate("document.querySelector('[role=tab][aria-selected=true]').id") == "tab-waiting"
    await shown.page.press("#steps >> css=[aria-current=true]", "ArrowDown")
    assert await shown.page.evaluate(focused) == "sequence 1: timeout: request"
    await shown.page.press("#lanes", "End")
    assert await shown.page.evaluate("[lanes.ariaValueNow, lanes.ariaValueMax]") == ["74", "74"]
    await shown.page.press("#lanes", "Home")
    assert (await shown.page.evaluate("lanes.ariaValueText")).startswith("0 ms of 74 ms: calls: goto")


async def test_a_drag_moves_the_timeline_and_does_not_move_the_cursor(shown: Shown) -> None:
    drawn, moment = "lanes.toDataURL()", "document.getElementById('moment').textContent"
    await shown.press("+")
    before = await shown.page.evaluate(f"[{drawn}, {moment}]")
    move = "new PointerEvent(name, {clientX: x, clientY: 5, pointerId: 1, bubbles: true})"
    await shown.page.evaluate(
        f"lanes.setPointerCapture = () => 0; for (const [name, x] of [['pointerdown', 500], ['pointermove', 450],"
        f" ['pointerup', 450], ['click', 450]]) lanes.dispatchEvent({move})"
    )
    after = await shown.page.evaluate(f"[{drawn}, {moment}]")
    assert (after[0] != before[0], after[1]) == (True, before[1])


async def test_actions_that_did_not_run_are_listed(shown: Shown) -> None:
    await shown.press("j")
    text = await shown.text("#view")
    assert "Not run\nclick_element #later" in text


@pytest.mark.parametrize(
    "shown",
    [[rec(at, "console", message={"type": "log", "text": f"line {at}"}) for at in range(1003)]],
    indirect=True,
    ids=["many"],
)
async def test_a_long_table_is_cut_and_says_so(shown: Shown) -> None:
    text = await shown.view("Console")
    assert "line 999" in text
    assert "line 1000" not in text
    assert "And 3 more: search for them" in text
    await shown.page.fill("#find", "line 1002")
    assert "line 1002" in await shown.text("#view")


async def test_requests_and_messages_of_the_selected_step_only(shown: Shown) -> None:
    assert "POST http://a/buy" in await shown.view("Requests")
    await shown.page.click(".only input")
    assert "No request." in await shown.text("#view")
    await shown.press("j")
    assert "POST http://a/buy" in await shown.text("#view")
    assert await shown.page.evaluate("document.querySelector('.only input').checked")


async def test_screenshots_can_be_enlarged(shown: Shown) -> None:
    await shown.press("j")
    await shown.view("Screens")
    width = "document.querySelector('figure').clientWidth"
    before = await shown.page.evaluate(width)
    await shown.page.click("role=button[name='Large']")
    assert await shown.page.evaluate(width) > 1.9 * before


async def test_screenshots_with_the_delta_outlined(shown: Shown) -> None:
    await shown.press("j")
    await shown.view("Screens")
    marks = await shown.page.evaluate(
        "[...document.querySelectorAll('.screenshot i')].map((each) => [each.className, each.dataset.ref,"
        " each.style.left, each.style.width, each.closest('figure').innerText])"
    )
    assert marks == [
        ["disappeared", "e3", "1.5625%", "15.625%", "before"],
        ["appeared", "e1", "0%", "100%", "after"],
        ["changed", "e2", "10%", "10%", "after"],
    ]
    assert await shown.page.evaluate("[...document.images].every((each) => each.complete && each.naturalWidth === 64)")


async def test_changes_as_a_table_and_in_the_text_of_the_page(shown: Shown) -> None:
    await shown.press("j")
    text = await shown.view("Changes")
    for part in ("It appeared", "textContent: Cart 0 → Cart 1 (3 of them)", "It went", "4 appeared", "#old"):
        assert part in text
    marked = await shown.page.evaluate(
        "[...document.querySelectorAll('#page-text span')].map((each) => [each.className, each.innerText.trim()])"
    )
    assert marked == [
        ["disappeared", "p It went"],
        ["appeared", '- alert "It appeared" [ref=e1]'],
        ["changed", '- text "Cart 1"'],
    ]


async def test_console_and_requests(shown: Shown) -> None:
    assert "TypeError: x" in await shown.view("Console")
    assert HOSTILE in await shown.text("#view")
    requests = await shown.view("Requests")
    assert "200" in requests
    assert "text/html" in requests


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_it_fits_the_window_in_both_schemes(
    reader: Browser, tmp_path: Path, width: int, height: int, scheme: Any
) -> None:
    (tmp_path / "report.html").write_text(report(trace_of(tmp_path, *RECORDS)))
    size = {"width": width, "height": height}
    async with await reader.new_context(viewport=size, color_scheme=scheme) as context:
        page = await context.new_page((tmp_path / "report.html").as_uri())
        for number in range(1, 7):
            await page.press("body", "j")
            await page.press("body", str(number))
            assert await page.evaluate("document.documentElement.scrollWidth") <= width
        dark = await page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 28)"
        assert dark == (scheme == "dark")


@pytest.mark.parametrize("shown", [(), (SEQUENCE[1],)], indirect=True, ids=["nothing", "a sequence that only began"])
async def test_a_trace_with_next_to_nothing(shown: Shown) -> None:
    for number in range(1, 7):
        await shown.press(str(number))
        assert await shown.text("#view")


def test_no_request_may_leave_the_report(tmp_path: Path) -> None:
    content = report(trace_of(tmp_path, *RECORDS))
    assert "default-src &#x27;none&#x27;" in content
    assert "unsafe" not in content.partition("<style>")[0]
    assert content.count("</script>") == 2


def luminance(colour: str) -> float:
    digits = colour.removeprefix("#")
    full = digits if len(digits) == 6 else "".join(digit * 2 for digit in digits)
    parts = [int(full[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_colours_contrast_as_wcag_asks(scheme: int) -> None:
    style = (files("stillframe.trace.report") / "report.css").read_text()
    palettes = [dict(re.findall(r"--(\w+): (#\w+);", block)) for block in style.split(":root {")[1:]]
    assert len(palettes) == 2
    colours = palettes[scheme]
    for name in ("text", "quiet", "accent", "good", "bad", "warn"):
        for back in ("back", "raised"):
            assert contrast(colours[name], colours[back]) >= 4.5, (name, back)
    for lane in LANES:
        assert contrast(colours[lane], colours["back"]) >= 3, lane
    assert contrast(colours["text"], colours["mark"]) >= 4.5
