"""Traces of real pages: what they hold, what they never hold, and how they end."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import stat
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from aiohttp import web

from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.errors import OptionInvalid, TraceFailed
from stillframe.model.actions import Click, Hover, SetValue, TypeText
from stillframe.model.secret import Secret, SecretName
from stillframe.trace import file as trace_file
from stillframe.trace.reading import Trace, read_trace, traces_in
from stillframe.trace.timeline import timeline

CANARY = "c4nary-9f-secret"

SHOP = """<!doctype html><title>Shop</title>
<input id=name aria-label=Name><input id=pass type=password aria-label=Password>
<button id=buy onclick="setTimeout(async () => {
  console.log('buying', document.querySelector('#pass').value)
  const reply = await fetch('/buy?token=TOKEN', {headers: {authorization: 'Bearer TOKEN'}})
  document.querySelector('#cart').textContent = await reply.text()
  document.querySelector('#gone').remove()
}, 30)">Buy</button><p id=cart>Cart 0</p><p id=gone>Empty</p>""".replace("TOKEN", CANARY)


@pytest.fixture
def shop(site: Site) -> str:
    async def buy(_: web.Request) -> web.Response:
        return web.Response(text="Cart 1", headers={"Set-Cookie": f"session={CANARY}"})

    site.route("/buy", buy)
    return site.html("/shop", SHOP)


@pytest.fixture
async def traced(browser: Browser, shop: str, tmp_path: Path) -> AsyncIterator[tuple[Page, Path]]:
    async with await browser.new_context() as context, await context.new_page(shop) as page:
        yield page, tmp_path / "a.trace.jsonl"


def lanes_of(trace: Trace) -> set[str]:
    return {span.lane for span in timeline(trace).spans}


async def test_a_trace_holds_what_a_sequence_did(traced: tuple[Page, Path]) -> None:
    page, path = traced
    async with page.trace(path) as trace:
        result = await page.execute_sequence([SetValue("#name", "Ann"), Click("#buy")])
        assert (trace.path, trace.error) == (path, None)
    assert trace.size == path.stat().st_size
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    read = read_trace(path)
    assert (read.problems, read.is_complete) == ((), True)
    shown = timeline(read)
    (sequence,) = shown.sequences
    assert sequence.result == msgspec.json.decode(result.to_json())
    assert [(each.fields["action"], each.result) for each in sequence.actions] == [
        ("set_value", "ok"),
        ("click_element", "ok"),
    ]
    assert sequence.actions[0].fields == {"action": "set_value", "selector": "#name", "value": "Ann"}
    assert {"calls", "actions", "requests", "timers", "changes", "fences", "verdicts", "console"} <= lanes_of(read)
    assert {"timer", "request"} <= {work.kind for work in shown.pending}
    assert "Cart 1" in sequence.text
    assert result.state_change is not None
    (_, field) = result.state_change.changed
    assert f'"Ann" [ref={field.ref}]' in sequence.text
    assert not sequence.screenshots


async def test_screenshots_have_the_boxes_of_the_delta(traced: tuple[Page, Path]) -> None:
    page, path = traced
    async with page.trace(path, screenshots=True):
        result = await page.execute_sequence([Click("#buy")])
    (sequence,) = timeline(read_trace(path)).sequences
    assert {when: bool(screenshot.get("data")) for when, screenshot in sequence.screenshots.items()} == {
        "before": True,
        "after": True,
    }
    assert result.state_change is not None
    (gone,) = result.state_change.disappeared
    cart = await page.evaluate("(({x, y, width, height}) => [x, y, width, height])(cart.getBoundingClientRect())")
    assert gone.ref in sequence.boxes["before"]
    assert gone.ref not in sequence.boxes["after"]
    (changed,) = result.state_change.changed
    assert sequence.boxes["after"][changed.ref] == pytest.approx(cart, abs=1)


async def test_a_page_that_has_not_changed_is_not_taken_again(traced: tuple[Page, Path]) -> None:
    page, path = traced
    async with page.trace(path, screenshots=True):
        await page.execute_sequence([Click("#buy")])
        await page.execute_sequence([SetValue("#name", "Ann")])
        await page.evaluate("document.body.append('changed')")
        await page.execute_sequence([SetValue("#name", "Ben")])
    records = [(each["sequence"], each["when"], each.get("sameAs")) for each in read_trace(path).of_type("screenshot")]
    assert records == [
        (1, "before", None),
        (1, "after", None),
        (2, "before", 1),
        (2, "after", None),
        (3, "before", None),
        (3, "after", None),
    ]


async def test_boxes_are_those_of_the_view_in_frames_and_scrolled_pages(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    inner = "<body style='margin:0'><p id=p style='margin:7px;height:20px'>one"
    outer = f"<body style='margin:0;height:3000px'><iframe style='border:0;margin-top:900px' srcdoc=\"{inner}\">"
    async with await browser.new_context() as context, await context.new_page(site.html("/outer", outer)) as page:
        await page.evaluate("scrollTo(0, 800)")
        async with page.trace(tmp_path / "a.trace.jsonl", screenshots=True):
            await page.evaluate("frames[0].document.body.onclick = () => frames[0].p.textContent = 'two'")
            result = await page.execute_sequence([Click("frame=iframe >> #p")])
    boxes = timeline(read_trace(tmp_path / "a.trace.jsonl")).sequences[-1].boxes
    assert result.state_change is not None
    (changed,) = result.state_change.changed
    left, top, _, height = boxes["after"][changed.ref]
    assert (left, top, height) == pytest.approx((7, 107, 20), abs=1)


async def test_no_secret_is_in_a_trace(browser: Browser, shop: str, tmp_path: Path) -> None:
    secrets = {"card": f"{CANARY}-card"}
    traces = tmp_path / "traces"
    async with await browser.new_context(trace=traces, trace_screenshots=True, secrets=secrets) as context:
        page = await context.new_page(f"{shop}?code={CANARY}")
        await page.execute_sequence([SetValue("#pass", f"{CANARY}!"), Click("#buy")], verbose=True, page_text=2000)
        await page.execute_sequence([TypeText("#name", SecretName("card")), Click("#buy")])
        await page.execute_sequence([SetValue("#name", Secret(f"{CANARY}?"))])
        await page.fill("#pass", f"{CANARY} again")
        await page.evaluate(f"console.log({{password: '{CANARY}'}}, 'http://ann:{CANARY}@a/')")
        await page.execute_sequence([Hover("#cart")])
    (path,) = traces.iterdir()
    content = path.read_text()
    assert "buying" in content
    assert CANARY not in content
    assert read_trace(path).problems == ()


async def test_tracing_changes_no_result(browser: Browser, shop: str, tmp_path: Path) -> None:
    async def run(path: Path | None) -> bytes:
        async with await browser.new_context() as context, await context.new_page(shop) as page:
            tracing = None if path is None else page.trace(path, screenshots=True)
            result = await page.execute_sequence([SetValue("#name", "Ann"), Click("#buy")], verbose=True)
            if tracing is not None:
                await tracing.close()
            return result.to_json(measured=False)

    assert await run(tmp_path / "a.trace.jsonl") == await run(None)


async def test_nothing_listens_after_a_trace(traced: tuple[Page, Path]) -> None:
    page, path = traced
    watchers = len(page._settler.watchers)
    async with page.trace(path):
        assert len(page._tab.events)
    assert (len(page._tab.events), len(page._settler.watchers), page._history.traces) == (0, watchers, [])


async def test_a_context_traces_each_of_its_pages(browser: Browser, shop: str, tmp_path: Path) -> None:
    async with await browser.new_context(trace=tmp_path / "new") as context:
        async with await context.new_page(shop) as page:
            await page.execute_sequence([Click("#buy")])
        await context.new_page(shop)
    traces = [read_trace(path) for path in (tmp_path / "new").iterdir()]
    assert sorted(len(list(trace.of_type("sequence"))) for trace in traces) == [0, 1]
    assert all(trace.is_complete for trace in traces)


async def test_a_failed_call_is_recorded_with_its_error(traced: tuple[Page, Path]) -> None:
    page, path = traced
    async with page.trace(path):
        with pytest.raises(Exception, match="boom"):
            await page.evaluate("(() => { throw new Error('boom') })()")
    (call,) = [span for span in timeline(read_trace(path)).spans if span.lane == "calls"]
    assert (call.state, call.details["error"]["code"]) == ("error", "evaluation_failed")
    assert call.details["arguments"]["expression"].startswith("(() =>")


async def test_two_traces_of_one_page(traced: tuple[Page, Path]) -> None:
    page, path = traced
    other = path.with_name("b.trace.jsonl")
    async with page.trace(path), page.trace(other):
        await page.execute_sequence([Click("#buy")])
    counts = [len(list(read_trace(each).of_type("step"))) for each in (path, other)]
    assert counts == [1, 1]


async def test_a_trace_ends_with_its_page(traced: tuple[Page, Path]) -> None:
    page, path = traced
    tracing = page.trace(path)
    await page.close()
    assert [record["type"] for record in read_trace(path).records[-2:]] == ["close", "end"]
    await tracing.close()


async def test_a_full_disk_ends_the_trace_and_not_the_page(
    traced: tuple[Page, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    page, path = traced
    write = os.write

    def full(descriptor: int, content: bytes) -> int:
        if b'"type":"step"' in bytes(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, content)

    monkeypatch.setattr(trace_file.os, "write", full)
    tracing = page.trace(path)
    assert (await page.execute_sequence([Click("#buy")])).completed == 1
    with pytest.raises(TraceFailed, match="No space left"):
        await tracing.close()
    assert tracing.error is not None
    assert read_trace(path).records[-1]["type"] == "action"

    async def failing() -> None:
        async with page.trace(path.with_name("b.trace.jsonl")):
            await page.execute_sequence([Hover("#cart")])
            raise ZeroDivisionError("the error of the block goes before that of the trace")

    with pytest.raises(ZeroDivisionError):
        await failing()


async def test_a_trace_that_cannot_be_written(traced: tuple[Page, Path]) -> None:
    page, path = traced
    path.write_text("mine")
    with pytest.raises(TraceFailed, match="File exists"):
        page.trace(path)
    with pytest.raises(OptionInvalid, match="max_bytes is 10"):
        page.trace(path, max_bytes=10)


async def test_a_directory_that_cannot_be_written_is_refused_before_anything_opens(
    browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionInvalid, match="option trace: cannot write in"):
        await browser.new_context(trace=tmp_path / "file")


SCRIPT = """
import asyncio, sys
import stillframe
async def main():
    async with stillframe.launch(trace=sys.argv[1]) as browser:
        page = await browser.new_page(sys.argv[2])
        await page.execute_sequence([stillframe.Hover("button")])
        await page.execute_sequence([stillframe.Click("button")])
asyncio.run(main())
"""


@pytest.mark.browser
async def test_a_trace_is_readable_after_a_kill(site: Site, tmp_path: Path) -> None:
    asked = asyncio.Event()

    async def never(_: web.Request) -> web.Response:
        asked.set()
        await asyncio.Event().wait()
        return web.Response()

    site.route("/never", never)
    url = site.html("/page", "<button onclick=\"fetch('/never')\">Buy")
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", SCRIPT, str(tmp_path), url)
    try:
        await asked.wait()
    finally:
        process.send_signal(signal.SIGKILL)
        await process.wait()
    (path,) = traces_in(tmp_path)
    trace = read_trace(path)
    assert not trace.is_complete
    first, second = timeline(trace).sequences
    assert (first.result is not None, second.result) == (True, None)
    assert [action.fields["action"] for action in second.actions] == ["click_element"]
