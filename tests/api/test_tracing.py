"""Traces of real pages: what they hold, what they never hold, and how they end."""

from __future__ import annotations

import asyncio
import base64
import errno
import io
import os
import re
import signal
import stat
import sys
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web
from PIL import Image

from page_pool import PagePool
from phones import Phone
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import OptionInvalid, SessionLost, TraceFailed
from stillframe.model.actions import Click, Hover, SetValue, TypeText
from stillframe.model.secret import Secret, SecretName
from stillframe.trace import file as trace_file
from stillframe.trace import perfetto_format, playwright_format
from stillframe.trace.reading import Trace, read_trace, traces_in
from stillframe.trace.report import report
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
async def traced(page: Page, shop: str, tmp_path: Path) -> tuple[Page, Path]:
    await page.goto(shop)
    return page, tmp_path / "a.trace.jsonl"


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


async def test_boxes_are_those_of_the_view_in_frames_and_scrolled_pages(page: Page, site: Site, tmp_path: Path) -> None:
    inner = "<body style='margin:0'><p id=p style='margin:7px;height:20px'>one"
    outer = f"<body style='margin:0;height:3000px'><iframe style='border:0;margin-top:900px' srcdoc=\"{inner}\">"
    await page.goto(site.html("/outer", outer))
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


STEM = "c4n4ry9f"
"""What every encoding of a text but Base64 leaves readable."""

ECHOES = """<title>Echo</title><input id=field aria-label=Field><button id=go>Go</button><p id=out></p>
<a id=file download>file</a><div id=holder></div>
<script>
const [field, go, out, file, holder] = ["field", "go", "out", "file", "holder"].map((id) => document.getElementById(id))
const encoded = (secret) => {
  const bytes = String.fromCharCode(...new TextEncoder().encode(secret))
  const written = document.createElement("p")
  written.textContent = written.title = secret
  const escape = (unit) => "\\\\u" + unit.charCodeAt().toString(16).padStart(4, 0)
  const escapes = JSON.stringify(secret).replace(/[^\\x20-\\x7e]/g, escape)
  return [
    secret, encodeURIComponent(secret), encodeURI(secret), String(new URLSearchParams({q: secret})),
    encodeURIComponent(encodeURIComponent(secret)), JSON.stringify({a: secret}), JSON.stringify(JSON.stringify(secret)),
    escapes, written.outerHTML, written.innerHTML.replace(/"/g, "&#34;").replace(/'/g, "&#39;"),
    encodeURIComponent(JSON.stringify({a: secret})),
    btoa(bytes), btoa("ann:" + bytes), btoa("an:" + bytes + "!"), btoa(bytes).replaceAll("+", "-").replaceAll("/", "_"),
  ]
}
go.onclick = async () => {
  for (const text of encoded(field.value)) {
    document.title = text
    history.pushState(null, "", "?q=" + text.replaceAll("#", ""))
    location.hash = text
    console.log(text, {text})
    console.error(new Error(text))
    document.cookie = "c=" + encodeURIComponent(text)
    localStorage.setItem("s" + text, text)
    out.insertAdjacentHTML("beforeend", "<i></i><input>")
    out.lastChild.value = out.lastChild.ariaLabel = out.lastChild.placeholder = text
    out.lastChild.previousSibling.textContent = text
    out.dataset.x = out.id = out.className = text
    out.setAttribute("id", "out")
    const header = encodeURIComponent(text)
    const init = {method: "POST", body: text, headers: {"X-Own": header, Authorization: "Bearer " + header}}
    await fetch("/echo?own=" + encodeURIComponent(text), init)
    await fetch("/echo?" + text.replaceAll("#", ""), {method: "POST", body: new URLSearchParams({text})})
    await fetch("/echo/" + encodeURI(text).replaceAll("#", "").replaceAll("?", "")).catch(() => 0)
    await fetch("http://127.0.0.1:9/" + encodeURIComponent(text)).catch((error) => console.warn(error))
    setTimeout(() => { throw new Error(text) })
  }
  const text = field.value
  new WebSocket(location.origin.replace("http", "ws") + "/socket?q=" + encodeURIComponent(text))
  holder.innerHTML = "<iframe></iframe>"
  holder.firstChild.src = "/echo?frame=" + encodeURIComponent(text)
  file.href = URL.createObjectURL(new Blob(["x"]))
  file.download = text + ".txt"
  file.click()
  go.textContent = "Done"
  confirm(text)
  window.open("/echo?popup=" + encodeURIComponent(text))
}
</script>"""

BASE64_RUN = re.compile(rb"[A-Za-z0-9+/_-]{8,}")


def shows(content: bytes, stem: bytes) -> list[bytes]:
    """Return where a text stands in a content, as it is or in Base64 at any alignment."""
    found = [content[max(0, at.start() - 80) : at.end() + 40] for at in re.finditer(re.escape(stem), content, re.I)]
    for run in BASE64_RUN.findall(content):
        plain = run.replace(b"-", b"+").replace(b"_", b"/")
        for start in range(4):
            part = plain[start:]
            if stem in base64.b64decode(part[: len(part) // 4 * 4]):
                found.append(run)
    return found


SECRETS = (STEM, f"{STEM} p@ss/é?+'\"<&>\\=%", f"x{STEM}ß日本", f"{STEM}#;:,.~")
ECHOED = [(secret, kind) for kind in ("declared", "typed") for secret in SECRETS]
HARDEST = (SECRETS[1], "typed")
"""What every encoding changes, and what nobody has declared."""


@pytest.mark.every_row
@pytest.mark.parametrize(("secret", "kind"), sampled(ECHOED, (HARDEST,)))
async def test_a_secret_that_a_page_echoes_in_any_form_is_nowhere(
    browser: Browser, site: Site, tmp_path: Path, secret: str, kind: str
) -> None:
    async def echo(request: web.Request) -> web.Response:
        own = request.headers.get("X-Own", "")
        headers = {"X-Echo": own, "Set-Cookie": f"e={own}"}
        return web.Response(
            text=f"echo {request.path_qs}", headers=headers, status=404 if "own" in request.query else 200
        )

    site.route("/echo", echo)
    echoes = ECHOES if kind == "declared" else ECHOES.replace("id=field", "id=field type=password")
    options: dict[str, Any] = {"secrets": {"own": secret}} if kind == "declared" else {}
    async with await browser.new_context(trace=tmp_path, trace_screenshots=True, **options) as context:
        page = await context.new_page(site.html("/page", echoes))
        value = SecretName("own") if kind == "declared" else secret
        result = await page.execute_sequence([SetValue("#field", value), Click("#go")], verbose=True, page_text=9000)
        assert result.completed == 2
        assert await page.locator("#go").text() == "Done"
        await page.execute_sequence([Hover("#go")])
        await page.evaluate("document.title")
    paths = traces_in(tmp_path)
    assert paths
    for path in paths:
        trace = read_trace(path)
        with zipfile.ZipFile(io.BytesIO(playwright_format.exported(trace))) as archive:
            zipped = b"\n".join(map(archive.read, [name for name in archive.namelist() if "resources" not in name]))
        for content in (path.read_bytes(), report(trace).encode(), zipped, perfetto_format.exported(trace)):
            # Images are Base64, too; they are looked at elsewhere.
            assert shows(re.sub(rb'"data":"[^"]*"|base64,[^"]*', b"", content), STEM.encode()) == []


async def colours_of(page: Page, path: Path, when: str, selector: str) -> int:
    """The number of colours that a traced screenshot has where an element is."""
    box = await page.locator(selector).box()
    taken = timeline(read_trace(path)).sequences[-1].screenshots[when]
    with Image.open(io.BytesIO(base64.b64decode(taken["data"]))) as image:
        scale = image.width / taken["width"]
        x, y, width, height = (round(each * scale) for each in (box.x, box.y, box.width, box.height))
        return len(image.convert("L").crop((x + 8, y + 4, x + width - 8, y + height - 4)).getcolors() or ())


async def test_screenshots_do_not_show_what_a_page_shows_of_a_secret(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    path = tmp_path / "a.trace.jsonl"
    html = """<input id=pass><p id=shown style="display:inline-block;font:40px sans-serif">plain text</p>
        <button onclick="shown.textContent = document.getElementById('pass').value">Show</button>"""
    async with (
        await browser.new_context(secrets={"own": STEM}) as context,
        await context.new_page(site.html("/page", html)) as page,
        page.trace(path, screenshots=True),
    ):
        await page.execute_sequence([SetValue("#pass", "plain"), Click("button")])
        assert await colours_of(page, path, "after", "#shown") > 20
        await page.execute_sequence([SetValue("#pass", SecretName("own")), Click("button")])
        assert await page.locator("#shown").text() == "••••"
        assert await colours_of(page, path, "after", "#shown") == 1


async def test_tracing_changes_no_result(page_source: PagePool, shop: str, tmp_path: Path) -> None:
    async def run(path: Path | None) -> bytes:
        async with page_source.page() as page:
            await page.goto(shop)
            tracing = None if path is None else page.trace(path, screenshots=True)
            result = await page.execute_sequence([SetValue("#name", "Ann"), Click("#buy")], verbose=True)
            if tracing is not None:
                await tracing.close()
            return result.to_json(measured=False)

    assert await run(tmp_path / "a.trace.jsonl") == await run(None)


@pytest.mark.slow
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


async def test_two_traces_of_one_page_and_nothing_listens_after_them(traced: tuple[Page, Path]) -> None:
    page, path = traced
    watchers = len(page._settler.watchers)
    other = path.with_name("b.trace.jsonl")
    async with page.trace(path), page.trace(other):
        await page.execute_sequence([Click("#buy")])
        assert len(page._tab.events)
    assert (len(page._tab.events), len(page._settler.watchers), page._history.observers) == (0, watchers, [])
    counts = [len(list(read_trace(each).of_type("step"))) for each in (path, other)]
    assert counts == [1, 1]


async def test_a_trace_ends_with_its_page(traced: tuple[Page, Path]) -> None:
    page, path = traced
    tracing = page.trace(path)
    await page.close()
    assert [record["type"] for record in read_trace(path).records[-2:]] == ["close", "end"]
    await tracing.close()


async def test_a_trace_says_that_the_page_crashed_and_goes_on_after_it(traced: tuple[Page, Path], shop: str) -> None:
    page, path = traced
    async with page.trace(path, screenshots=True):
        await page.execute_sequence([Click("#buy")])
        with pytest.raises(SessionLost):
            await page.cdp_session.send(cdp_page.Crash())
        await page.settle()
        await page.goto(shop)
        await page.execute_sequence([Click("#buy")])
    trace = read_trace(path)
    assert (trace.is_complete, len(list(trace.of_type("crash")))) == (True, 1)
    assert [record["verdict"]["reason"] for record in trace.of_type("verdict")][1] == "crashed"
    first, second = timeline(trace).sequences
    assert (first.result is not None, second.result is not None) == (True, True)
    assert set(second.screenshots) == {"before", "after"}


async def test_a_popup_of_a_traced_context_has_a_trace_of_its_own(browser: Browser, site: Site, tmp_path: Path) -> None:
    popup_url = site.html("/popup", "<button onclick=\"this.textContent = 'done'\">Go</button>")
    opener = site.html("/opener", f"<button onclick=\"window.open('{popup_url}')\">Open</button>")
    async with await browser.new_context(trace=tmp_path) as context, await context.new_page(opener) as page:
        async with page.expect_popup() as opened:
            await page.click("button")
        popup = await opened
        await popup.click("button")
        await popup.close()
    traces = {trace.header.target_id: trace for trace in map(read_trace, traces_in(tmp_path))}
    assert traces.keys() == {page.target_id, popup.target_id}
    assert [record["target"]["targetId"] for record in traces[page.target_id].of_type("popup")] == [popup.target_id]
    (sequence,) = timeline(traces[popup.target_id]).sequences
    assert sequence.actions[0].result == "ok"
    assert all(trace.is_complete for trace in traces.values())


@pytest.mark.parametrize("lane", sampled(("adb", "adb-74"), ("adb-74",)))
async def test_a_page_in_a_webview(phone: Phone, shop: str, tmp_path: Path, lane: str) -> None:
    path = tmp_path / "a.trace.jsonl"
    async with phone.page(lane) as page:
        async with page.trace(path, screenshots=True):
            await page.goto(shop)
            result = await page.execute_sequence([Click("#buy")])
        assert result.completed == 1
    trace = read_trace(path)
    (sequence,) = timeline(trace).sequences
    assert sequence.result == msgspec.json.decode(result.to_json())
    assert all(taken.get("data") for taken in sequence.screenshots.values())
    assert {"actions", "requests", "verdicts"} <= lanes_of(trace)


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
