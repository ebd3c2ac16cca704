"""A whole browser over a CBOR pipe: captures equal those in JSON, and all that a sequence needs works."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

import stillframe
from sampling import sampled
from shown import change
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.cdp import wire
from stillframe.core import Snapshot
from stillframe.model.actions import Click, SetValue
from stillframe.tab.captures import CAPTURE
from stillframe.tab.deadline import Deadline
from stillframe.tab.javascript import caller_scripts

STRANGE = """<!doctype html><title>häß 日本</title><p class="é">a\u2028b 😀</p><input value="日本">
<textarea>x</textarea><iframe srcdoc="<p>in</p>"></iframe><div id=host></div><p id=many></p><script>
document.body.append("lone \\ud800 and \\udc00 surrogates \\ud83d\\ude00");
host.attachShadow({mode: "closed"}).innerHTML = "<b>closed</b>";
for (let deep = many, left = COUNT; left--; deep = deep.lastChild) deep.append(document.createElement("i"));
for (let at = 0; at < COUNT; at++) many.append(Object.assign(document.createElement("b"), {textContent: "é" + at}));
</script>"""


@pytest.fixture(scope="module")
async def cbor_browser() -> AsyncIterator[Browser]:
    async with stillframe.launch(pipe="cbor") as browser:
        yield browser


@pytest.fixture
async def cbor_page(cbor_browser: Browser) -> AsyncIterator[Page]:
    async with await cbor_browser.new_context() as context, await context.new_page() as page:
        yield page


@pytest.mark.browser
@pytest.mark.parametrize("count", sampled((300, 2000), (300,)))
async def test_a_capture_says_the_same_in_either_encoding(cbor_page: Page, site: Site, count: int) -> None:
    await cbor_page.goto(site.html("/strange", STRANGE.replace("COUNT", str(count))))
    cbor = await cbor_page.cdp_session.send_raw(CAPTURE, any_encoding=True)
    json = await cbor_page.cdp_session.send_raw(CAPTURE)
    assert [wire.is_cbor(bytes(raw)) for raw in (cbor, json)] == [True, False]
    one, two = Snapshot.from_cdp(cbor), Snapshot.from_cdp(json)
    assert (len(one), one.title, one.documents) == (len(two), two.title, two.documents)
    digests = [(found.exact, found.visible, found.struct) for found in (one.digests, two.digests)]
    assert digests[0] == digests[1]
    assert one.rows(5000) == two.rows(5000)
    assert len(one) > 3 * count
    assert not one.diff(two)
    # What is kept of a capture can be read again.
    assert Snapshot.from_parts(one.parts).digests == one.digests


@pytest.mark.slow
@pytest.mark.browser
async def test_a_login_arrives_and_its_delta_is_told(cbor_browser: Browser, cbor_page: Page, site: Site) -> None:
    assert cbor_browser.info.encoding == "cbor"
    await cbor_page.goto(site.url("/w01-login.html"))
    result = await cbor_page.execute_sequence([SetValue("#user", "änn 日本"), SetValue("#pass", "x"), Click("#submit")])
    state = change(result)
    assert (result.completed, result.reason) == (3, "navigated")
    assert [(row.selector, row.text) for row in state.appeared] == [("#welcome", "Welcome back!")]


@pytest.mark.slow
@pytest.mark.browser
async def test_dialogs_workers_frames_and_pictures(cbor_page: Page, site: Site) -> None:
    other = site.html("/inner", "<p>inner").replace("127.0.0.1", "localhost")
    await cbor_page.goto(site.html("/start", f"<iframe src='{other}'></iframe><p>outer"))
    main = next(frame for frame in cbor_page._tab.frames if frame.is_main)
    assert await caller_scripts.evaluate(main, "confirm('really?')", deadline=Deadline(30)) is False
    worker = "new Promise(done => new Worker('data:,postMessage(6*7)').onmessage = event => done(event.data))"
    assert await cbor_page.evaluate(worker) == 42
    assert len({frame.session for frame in cbor_page._tab.frames}) == 2
    assert (await cbor_page.screenshot()).startswith(b"\x89PNG")
