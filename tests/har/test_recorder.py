"""HAR files that contexts record, and what is in them."""

from __future__ import annotations

import base64
import json
import os
import stat
import zipfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import WSMsgType, web

from site_server import Site
from stillframe.api.browser import Browser, BrowserContext
from stillframe.errors import HarFailed, OptionInvalid
from stillframe.model.secret import REDACTED
from stillframe.security.secret_store import Secrets

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
LATIN = "Grüße".encode("latin-1")


async def socket(request: web.Request) -> web.WebSocketResponse:
    answer = web.WebSocketResponse()
    await answer.prepare(request)
    async for message in answer:
        if message.type == WSMsgType.TEXT:
            await answer.send_str(f"echo {message.data}")
        else:
            await answer.send_bytes(message.data)
    return answer


async def posted(request: web.Request) -> web.Response:
    body = await request.read()
    answer = web.json_response({"bytes": len(body)})
    answer.set_cookie("session", "s-1", path="/", httponly=True, samesite="Lax")
    answer.headers.add("Set-Cookie", "theme=dark; Max-Age=60")
    return answer


async def moved(_: web.Request) -> web.Response:
    return web.Response(status=302, headers={"Location": "/shop/list"})


def respond(body: bytes | str, content_type: str) -> Callable[[web.Request], Any]:
    data = body.encode() if isinstance(body, str) else body

    async def handler(_: web.Request) -> web.Response:
        return web.Response(body=data, headers={"Content-Type": content_type})

    return handler


PAGE = """<!doctype html><title>Shop</title><link rel=stylesheet href=/shop/style.css><img src=/shop/dot.png>
<script>let end; window.finished = new Promise(resolve => end = resolve)</script>
<script type=module>
  const form = new FormData();
  form.append("note", new Blob(["file"], {type: "text/plain"}), "note.txt");
  await (await fetch("/shop/save?a=1&b=%20x&a=2", {method: "POST", body: new URLSearchParams({name: "Ann B"})})).text();
  await (await fetch("/shop/save", {method: "POST", body: form})).text();
  await (await fetch("/shop/save", {method: "POST", body: new Uint8Array([0, 255, 254])})).text();
  await (await fetch("/shop/moved")).text();
  await (await fetch("/shop/latin")).text();
  await fetch("/shop/broken").catch(() => 0);
  await (await fetch("/shop/worker.js")).text();
  const worker = new Worker("/shop/worker.js");
  await new Promise(resolve => worker.onmessage = resolve);
  const socket = new WebSocket(`ws://${location.host}/shop/socket`);
  socket.binaryType = "arraybuffer";
  await new Promise(resolve => socket.onopen = resolve);
  socket.send("hello");
  await new Promise(resolve => socket.onmessage = resolve);
  socket.send(new Uint8Array([1, 2, 3]));
  await new Promise(resolve => socket.onmessage = resolve);
  end(true);
</script>"""
WORKER = "fetch('/shop/from-worker').then(reply => reply.text()).then(text => postMessage(text))"


async def broken(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


@pytest.fixture
def shop(site: Site) -> Site:
    site.route("/shop/", respond(PAGE, "text/html"))
    site.route("/shop/style.css", respond("body { color: teal }", "text/css"))
    site.route("/shop/dot.png", respond(PNG, "image/png"))
    site.route("/shop/save", posted)
    site.route("/shop/moved", moved)
    site.route("/shop/list", respond('["pear"]', "application/json"))
    site.route("/shop/latin", respond(LATIN, "text/plain; charset=iso-8859-1"))
    site.route("/shop/broken", broken)
    site.route("/shop/worker.js", respond(WORKER, "text/javascript"))
    site.route("/shop/from-worker", respond("for the worker", "text/plain"))
    site.route("/shop/socket", socket)
    return site


@pytest.fixture
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    async with await browser.new_context(secrets=Secrets({"fruit": "pear"})) as context:
        yield context


async def recorded(context: BrowserContext, shop: Site, path: Path, **options: Any) -> dict[str, Any]:
    """Record the page from its navigation to its end; returns the log."""
    async with context.record_har(path, **options) as recording:
        assert recording.path == path
        page = await context.new_page(shop.url("/shop/"))
        assert await page.evaluate("finished")
    return read(path)


def read(path: Path) -> dict[str, Any]:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return json.loads(archive.read("har.har"))["log"]  # type: ignore[no-any-return]
    return json.loads(path.read_bytes())["log"]  # type: ignore[no-any-return]


def of(log: dict[str, Any], part: str) -> list[dict[str, Any]]:
    return [entry for entry in log["entries"] if part in entry["request"]["url"]]


async def test_a_har_file_has_all_that_was_requested(context: BrowserContext, shop: Site, tmp_path: Path) -> None:
    log = await recorded(context, shop, tmp_path / "shop.har")
    assert log["version"] == "1.2"
    assert log["creator"]["name"] == "stillframe"
    assert "Chrom" in log["browser"]["name"]
    assert stat.S_IMODE((tmp_path / "shop.har").stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["shop.har"]

    (page,) = log["pages"]
    assert page["pageTimings"]["onLoad"] >= page["pageTimings"]["onContentLoad"] > 0
    (document,) = of(log, "/shop/")[:1]
    assert document["pageref"] == page["id"]
    assert document["response"]["content"]["text"] == PAGE
    assert document["response"]["content"]["size"] == len(PAGE.encode())
    assert document["serverIPAddress"] == "127.0.0.1"
    assert document["_resourceType"] == "document"
    assert any(header["name"] == "sec-fetch-mode" for header in document["request"]["headers"])
    assert document["response"]["headersSize"] > 0
    assert document["response"]["bodySize"] == len(PAGE.encode())

    form, parts, raw = of(log, "/shop/save")
    assert form["request"]["postData"]["params"] == [{"name": "name", "value": "Ann B"}]
    assert form["request"]["queryString"] == [
        {"name": "a", "value": "1"},
        {"name": "b", "value": " x"},
        {"name": "a", "value": "2"},
    ]
    cookies = {cookie["name"]: cookie for cookie in form["response"]["cookies"]}
    assert cookies["session"] == {
        "name": "session",
        "value": "s-1",
        "path": "/",
        "httpOnly": True,
        "sameSite": "Lax",
    }
    assert "expires" in cookies["theme"]
    assert {"name": "session", "value": "s-1"} in parts["request"]["cookies"]
    assert 'filename="note.txt"' in parts["request"]["postData"]["text"]
    assert base64.b64decode(raw["request"]["postData"]["text"]) == b"\x00\xff\xfe"

    first, second = of(log, "/shop/moved")[0], of(log, "/shop/list")[0]
    assert (first["response"]["status"], first["response"]["redirectURL"]) == (302, "/shop/list")
    assert second["response"]["content"]["text"] == f'["{REDACTED}"]'
    assert base64.b64decode(of(log, "/shop/latin")[0]["response"]["content"]["text"]) == LATIN
    assert base64.b64decode(of(log, "/shop/dot.png")[0]["response"]["content"]["text"]) == PNG
    assert of(log, "/shop/from-worker")[0]["response"]["content"]["text"] == "for the worker"
    failed = of(log, "/shop/broken")[0]["response"]
    assert failed["status"] == 0
    assert failed["_failureText"].startswith("net::ERR_")

    (ws,) = of(log, "/shop/socket")
    assert ws["response"]["status"] == 101
    sent = [(message["type"], message["opcode"], message["data"]) for message in ws["_webSocketMessages"]]
    assert sent == [
        ("send", 1, "hello"),
        ("receive", 1, "echo hello"),
        ("send", 2, "AQID"),
        ("receive", 2, "AQID"),
    ]
    begun = [entry["startedDateTime"] for entry in log["entries"]]
    assert begun == sorted(begun)


async def test_bodies_are_attached_or_omitted(context: BrowserContext, shop: Site, tmp_path: Path) -> None:
    beside = await recorded(context, shop, tmp_path / "shop.har", content="attach")
    content = of(beside, "/shop/style.css")[0]["response"]["content"]
    assert (tmp_path / content["_file"]).read_text() == "body { color: teal }"
    assert "text" not in content
    zipped = await recorded(context, shop, tmp_path / "shop.zip")
    with zipfile.ZipFile(tmp_path / "shop.zip") as archive:
        assert archive.read(of(zipped, "/shop/dot.png")[0]["response"]["content"]["_file"]) == PNG
        assert len(archive.namelist()) == len(set(archive.namelist()))
    without = await recorded(context, shop, tmp_path / "without.har", content="omit")
    assert not any("text" in entry["response"]["content"] for entry in without["entries"])
    assert not any(entry["request"].get("postData", {}).get("text") for entry in without["entries"])


async def test_a_url_selects_what_is_recorded(context: BrowserContext, shop: Site, tmp_path: Path) -> None:
    log = await recorded(context, shop, tmp_path / "some.har", url="**/*.{css,png}")
    urls = {entry["request"]["url"].rpartition("/")[2] for entry in log["entries"]}
    assert urls == {"style.css", "dot.png"}


async def test_a_context_that_closes_writes_its_files(browser: Browser, shop: Site, tmp_path: Path) -> None:
    context = await browser.new_context()
    recording = context.record_har(tmp_path / "shop.har")
    page = await context.new_page(shop.url("/shop/"))
    assert await page.evaluate("finished")
    await context.close()
    assert of(read(tmp_path / "shop.har"), "/shop/list")[0]["response"]["content"]["text"] == '["pear"]'
    await recording.close()


async def test_pages_that_are_open_are_recorded_from_now_on(
    context: BrowserContext, shop: Site, tmp_path: Path
) -> None:
    page = await context.new_page(shop.url("/shop/"))
    assert await page.evaluate("finished")
    async with context.record_har(tmp_path / "later.har"):
        await page.evaluate("fetch('/shop/list').then(reply => reply.text())")
    assert len(read(tmp_path / "later.har")["entries"]) == 1


async def test_what_cannot_be_recorded_is_refused(context: BrowserContext, tmp_path: Path) -> None:
    with pytest.raises(OptionInvalid, match="did you mean 'embed'"):
        context.record_har(tmp_path / "a.har", content="embedded")  # type: ignore[arg-type]
    with pytest.raises(HarFailed, match="cannot be written"):
        context.record_har(tmp_path / "missing" / "a.har")
