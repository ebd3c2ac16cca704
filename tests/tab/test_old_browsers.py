"""Tabs of old browsers: elements, input, frames, captures and pictures with what such a browser has."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from cdp_support import Wired

import stillframe
from old_browsers import chromium, old_page
from patience import HANG_S
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser
from stillframe.chrome.browser_info import BrowserInfo
from stillframe.errors import CdpError, UnsupportedByBrowser
from stillframe.model.events import PageError
from stillframe.tab.captures import CAPTURE, OLDER_CAPTURE, Captures
from stillframe.tab.context.context import ContextState
from stillframe.tab.context.options import ContextOptions
from stillframe.tab.frames import NO_WORLD
from stillframe.tab.page_version import Observation
from stillframe.tab.remote import context_of
from stillframe.tab.tab import Tab
from stillframe.testing.memory import Refusal, Sent

pytestmark = pytest.mark.browser

OLD = [74, 91]
EACH = pytest.mark.parametrize("old", OLD, indirect=True)
"""For what one of them can and the other cannot; the rest runs with the one that lacks more."""

PAGE = """<!doctype html><meta charset=utf-8><title>Old</title><style>.kept { white-space: pre-wrap }</style>
<h1>Old page</h1><p class=kept>a  b</p>
<label>Name <input id=name></label> <input type=checkbox id=check aria-label=Agree>
<select id=choice><option>One<option>Two</select>
<button id=go aria-label="Send it" onclick="log(event)">Go</button>
<div id=host></div><my-card></my-card><div id=hidden style="visibility:hidden">Hidden</div>
<div id=clear style="opacity:0">Clear</div><div style="display:none"><b id=none>None</b></div>
<div id=drag draggable=true style="width:60px;height:30px">Drag</div>
<div id=zone style="width:60px;height:30px" ondragover="event.preventDefault()">Zone</div>
<button id=pick onclick="file.click()">Pick a file</button><input type=file id=file style="display:none">
<iframe src="/inner.html" width=300 height=60></iframe>
<div id=out></div><div style="height:3000px"></div><p id=end>The end</p>
<script>
const out = document.getElementById("out"), file = document.getElementById("file");
const log = (event) => { out.textContent += ` ${event.type} on ${event.currentTarget.textContent.trim()}`; };
const closed = document.getElementById("host").attachShadow({ mode: "closed" });
closed.innerHTML = "<button>Closed</button>";
closed.firstChild.onclick = log;
customElements.define("my-card", class extends HTMLElement {
  constructor() {
    super();
    this.attachShadow({ mode: "open" }).innerHTML = "<button>Open</button>";
    this.shadowRoot.firstChild.onclick = log;
  }
});
</script>"""
INNER = "<!doctype html><button onclick=\"this.textContent = 'Clicked'\">Inner</button>"


@pytest.fixture(scope="module")
async def endpoint() -> AsyncIterator[str]:
    """The address of a Chromium that nothing else is attached to."""
    async with chromium() as endpoint:
        yield endpoint


@pytest.fixture(params=sampled(OLD, (74,)))
async def old(request: pytest.FixtureRequest, endpoint: str, site: Site) -> AsyncIterator[stillframe.Page]:
    """The page in a browser of an old milestone; it was open before the connection."""
    site.html("/inner.html", INNER)
    async with old_page(endpoint, request.param, site.html("/old.html", PAGE)) as page:
        yield page


async def act(page: stillframe.Page, *actions: dict[str, Any]) -> str:
    """Run actions, which must succeed, and return what the page has logged."""
    (await page.execute_sequence(list(actions))).raise_for_failure()
    logged: str = await page.evaluate("document.getElementById('out').textContent")
    return logged.strip()


@pytest.mark.slow
async def test_the_simulated_engine_lacks_what_came_later(old: stillframe.Page) -> None:
    await old.settle()
    asked = "[typeof scheduler, typeof Object.hasOwn, typeof Element.prototype.checkVisibility]"
    assert await old._tab.frames.main.evaluate(asked) == ["undefined"] * 3


# -- elements and input ----------------------------------------------------------------------------

SELECTORS = ("#go", "~Send it", 'text="Go"', "role=button[name='Send it']", "//button[@id='go']")
"""One of each form."""


async def test_an_element_is_found_and_pressed(old: stillframe.Page) -> None:
    presses = [
        {"action": action, "selector": selector}
        for selector in SELECTORS
        for action in ("click_element", "tap_element")
    ]
    assert await act(old, *presses) == " ".join(["click on Go"] * len(presses))


async def test_elements_in_shadow_roots_are_found_and_clicked(old: stillframe.Page) -> None:
    clicks = [{"action": "click_element", "selector": f"text={name}"} for name in ("Closed", "Open")]
    assert await act(old, *clicks) == "click on Closed click on Open"


async def test_controls_are_set(old: stillframe.Page) -> None:
    await act(
        old,
        {"action": "type_text", "selector": "#name", "text": "Ada"},
        {"action": "press_key", "key": "Home"},
        {"action": "type_text", "text": "Dear "},
        {"action": "check", "selector": "~Agree"},
        {"action": "select_option", "selector": "#choice", "value": "Two"},
    )
    read = "['name', 'check', 'choice'].map((id) => document.getElementById(id)).map((e) => e.checked || e.value)"
    assert await old.evaluate(read) == ["Dear Ada", True, "Two"]


@pytest.mark.slow
async def test_a_swipe_scrolls(old: stillframe.Page) -> None:
    await act(old, {"action": "swipe", "direction": "down"})
    assert await old.evaluate("scrollY") > 100


@pytest.mark.slow
async def test_a_row_is_reached_by_its_ref_and_its_selector(old: stillframe.Page) -> None:
    rows = {row.name: row for row in (await old.snapshot()).rows(100)}
    assert await act(old, {"action": "click_element", "selector": rows["Send it"].selector}) == "click on Go"
    text = (await old.aria_snapshot()).text
    [ref] = [line.partition("[ref=")[2].partition("]")[0] for line in text.splitlines() if '"Closed"' in line]
    assert await act(old, {"action": "click_element", "selector": f"ref={ref}"}) == "click on Go click on Closed"


async def test_it_is_known_what_is_visible(old: stillframe.Page) -> None:
    expected = {"#go": True, "#hidden": False, "#none": False, "#clear": True, "#end": True}
    assert {selector: await old.locator(selector).is_visible() for selector in expected} == expected


async def test_frames_are_acted_in(old: stillframe.Page) -> None:
    await old.settle()
    [inner] = [frame for frame in old.frames if frame.parent is not None]
    assert (await inner.locator("text=Inner").click()).stable
    assert await inner.evaluate("document.body.innerText") == "Clicked"


@EACH
async def test_a_mouse_drag_works_and_one_that_needs_interception_says_so(old: stillframe.Page) -> None:
    result = await old.execute_sequence([{"action": "drag_to", "selector": "#zone", "offset": {"x": 5, "y": 5}}])
    assert result.failed is None
    result = await old.execute_sequence([{"action": "drag_to", "selector": "#drag", "target": "#zone"}])
    intercepts = old._tab.context.capabilities.has("Input.setInterceptDrags")
    if intercepts:
        assert result.failed is None
    else:
        assert result.failed is not None
        assert result.failed.code == "unsupported_by_browser"
        assert "needs Chrome 91" in result.failed.error


@EACH
async def test_a_file_dialog_that_cannot_be_answered_is_not_opened(old: stillframe.Page, tmp_path: Any) -> None:
    (tmp_path / "a.txt").write_text("a")
    action = {"action": "upload_file", "selector": "#pick", "paths": [str(tmp_path / "a.txt")]}
    result = await old.execute_sequence([action])
    if old._tab.context.capabilities.has("Page.fileChooserOpened.backendNodeId"):
        result.raise_for_failure()
        assert await old.evaluate("file.files.length") == 1
    else:
        with pytest.raises(UnsupportedByBrowser, match="select the file input itself"):
            result.raise_for_failure()


# -- scripts in documents that were open before ----------------------------------------------------


async def test_functions_are_exposed_to_the_open_documents(old: stillframe.Page) -> None:
    await old.settle()
    await old.expose_function("add", lambda a, b: a + b)
    assert await old.evaluate("add(1, 2)") == 3
    [inner] = [frame for frame in old.frames if frame.parent is not None]
    async with asyncio.timeout(HANG_S):  # the function reaches frames a moment later
        while await inner.evaluate("typeof add") != "function":
            await old.settle()
    assert await inner.evaluate("add(3, 4)") == 7


async def test_errors_of_the_open_document_are_reported(old: stillframe.Page) -> None:
    await old.settle()
    came: asyncio.Future[PageError] = asyncio.get_running_loop().create_future()
    old.on("pageerror", came.set_result)
    await old.evaluate("void setTimeout(() => { throw new Error('late') })")
    async with asyncio.timeout(HANG_S):
        assert (await came).message == "Error: late"


# -- captures and pictures -------------------------------------------------------------------------


async def test_the_text_of_the_page_is_that_of_a_current_browser(
    old: stillframe.Page, browser: Browser, site: Site
) -> None:
    async with await browser.new_context() as context, await context.new_page(old.url) as current:
        assert (await old.aria_snapshot()).text == (await current.aria_snapshot()).text
    assert "a  b" in (await old.aria_snapshot()).text


async def test_the_accessibility_tree_has_the_document_once(old: stillframe.Page) -> None:
    async with asyncio.timeout(20):
        text = (await old.aria_snapshot(tree="accessibility")).text
    assert text.count('heading "Old page"') == 1


SIZES = """[innerHeight, document.documentElement.scrollHeight,
    document.getElementById("end").getBoundingClientRect().height]"""


async def test_screenshots_have_the_size_of_what_they_show(old: stillframe.Page) -> None:
    view, whole, end = await old.evaluate(SIZES)
    options: tuple[dict[str, Any], ...] = ({}, {"full_page": True}, {"selector": "#end"})
    for given, expected in zip(options, (view, whole, end), strict=True):
        picture = await old.screenshot(**given)
        assert int.from_bytes(picture[20:24]) == pytest.approx(expected, abs=1), given
        assert await old.evaluate("innerHeight") == view, given


@pytest.mark.parametrize(("milestone", "expected"), [(None, CAPTURE), (114, CAPTURE), (113, OLDER_CAPTURE)])
def test_the_styles_of_a_capture_suit_the_browser(milestone: int | None, expected: Any) -> None:
    frames: Any = type("Frames", (), {"on_document": lambda self, handler: None})()
    assert Captures(frames, Observation("dom"), milestone)._command == expected
    names = (CAPTURE.computed_styles, OLDER_CAPTURE.computed_styles)
    assert [one for one, other in zip(*names, strict=True) if one != other] == ["white-space-collapse"]


# -- worlds and frames of browsers before 77 and 84, scripted ----------------------------------------

NODE = {"nodeId": 0, "nodeType": 9, "nodeName": "#document", "localName": "", "nodeValue": ""}


async def attached(wired: Wired, milestone: int, *, frame_id: str = "T") -> Tab:
    """Attach a tab to a scripted page of an old browser, whose first document may have a frame id of its own."""
    document = {"id": frame_id, "loaderId": "L", "url": "http://a/", "securityOrigin": "", "mimeType": "text/html"}
    wired.peer.answer("Page.getFrameTree", {"frameTree": {"frame": document}})
    wired.peer.answer("Runtime.evaluate", evaluated)
    wired.peer.answer("Page.createIsolatedWorld", {"executionContextId": 5})
    info = BrowserInfo(f"Chrome/{milestone}.0.1.2", "1.3", "", "", "", "websocket", launched=False)
    session = await wired.session("S", target_id="T")
    assert session.target_info is not None
    tab = Tab(ContextState(None, ContextOptions(), info), session.target_info)
    tab.start(session)
    await tab.ready()
    return tab


def evaluated(sent: Sent) -> dict[str, Any]:
    if sent.params["expression"] == "document":
        return {"result": {"type": "object", "objectId": '{"injectedScriptId":7,"id":1}'}}
    return {"result": {"type": "boolean", "value": False}}


def contexts(wired: Wired) -> list[int]:
    """Return the execution contexts that commands were sent to."""
    sent = (sent.params for sent in wired.peer.received)
    return [params.get("contextId") or params.get("executionContextId") or 0 for params in sent]


async def test_a_document_uses_one_world_before_77(wired: Wired) -> None:
    tab = await attached(wired, 76)
    assert await tab.frames.main.world().context() == 5
    added = [sent.params for sent in wired.peer.received if sent.method == "Page.addScriptToEvaluateOnNewDocument"]
    assert not [params for params in added if params.get("worldName")]
    assert wired.peer.methods.count("Page.createIsolatedWorld") == 1


async def test_the_main_world_stands_in_when_there_are_no_more_before_77(wired: Wired) -> None:
    tab = await attached(wired, 74)
    wired.peer.answer("Page.createIsolatedWorld", Refusal(-32000, NO_WORLD))
    assert await tab.frames.main.world().context() == 7
    assert tab.frames.scripts.exhausted
    assert set(contexts(wired)) == {0, 7}
    wired.peer.answer("Page.createIsolatedWorld", {"executionContextId": 9})
    tab.frames.main.drop_world()
    assert await tab.frames.main.world().context() == 9
    assert not tab.frames.scripts.exhausted


async def test_a_refused_world_is_an_error_from_77_on(wired: Wired) -> None:
    tab = await attached(wired, 77)
    wired.peer.answer("Page.createIsolatedWorld", Refusal(-32000, NO_WORLD))
    with pytest.raises(CdpError, match=NO_WORLD):
        await tab.frames.main.world().context()
    assert not tab.frames.scripts.exhausted


def test_an_object_id_of_that_time_names_its_context() -> None:
    assert context_of('{"injectedScriptId":42,"id":3}') == 42


async def test_the_first_document_may_have_a_frame_id_of_its_own(wired: Wired) -> None:
    tab = await attached(wired, 83, frame_id="F")
    [main] = tab.frames
    assert (main.id, main.url, main.loader_id) == ("T", "http://a/", "L")
    await main.world().context()
    assert created_in(wired) == ["F"]
    document = {"id": "T", "loaderId": "M", "url": "http://b/", "securityOrigin": "", "mimeType": "text/html"}
    wired.peer.emit("Page.frameNavigated", {"frame": document}, session_id="S")
    await wired.connection.root.drain_events()
    assert [frame.url for frame in tab.frames] == ["http://b/"]
    await main.world().context()
    assert created_in(wired) == ["F", "T"]


def created_in(wired: Wired) -> list[str]:
    """Return the frames that isolated worlds were requested for."""
    return [sent.params["frameId"] for sent in wired.peer.received if sent.method == "Page.createIsolatedWorld"]
