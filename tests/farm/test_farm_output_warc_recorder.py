"""What Chrome received stands in the archive: documents, resources, redirects, bodies and what is missing."""

from __future__ import annotations

import asyncio
import gzip
import io
from typing import Any

import pytest
from aiohttp import web
from output_warc import picture, read_records

from stillframe import Page
from stillframe.farm.output.warc_recorder import WarcRecorder
from stillframe.testing import PageServer

pytestmark = pytest.mark.browser

PNG = picture(40)
BROKEN = bytes(range(256)) * 20


def _reply(body: bytes, **options: Any) -> Any:
    async def handler(_: web.Request) -> web.Response:
        return web.Response(body=body, **options)

    return handler


def _site(site: PageServer) -> None:
    site.route("/old", _reply(b"moved", status=302, headers={"Location": "/main"}))
    html = '<!doctype html><title>Übung</title><img src="/p.png"><script src="/z.js"></script><p id=x>naïve'
    site.route("/main", _reply(html.encode(), headers={"Content-Type": "text/html; charset=utf-8", "X-Two": "a"}))
    site.route("/p.png", _reply(PNG, content_type="image/png"))
    packed = gzip.compress(b"fetch('/post', {method: 'POST', body: 'k=\xc3\xa4'}).then(r => r.text()); window.z = 1;")
    site.route("/z.js", _reply(packed, headers={"Content-Encoding": "gzip", "Content-Type": "text/javascript"}))
    site.route("/post", _reply("é".encode("latin-1"), headers={"Content-Type": "text/plain; charset=iso-8859-1"}))


async def test_a_page_with_redirect_picture_script_and_post(page: Page, site: PageServer) -> None:
    _site(site)
    async with WarcRecorder(page) as recorder:
        await page.goto(site.url("/old"), settle=True)
        payload = await recorder.finish()
    records = read_records(payload)
    found = {(r.kind, r.path): r for r in records}
    assert found["response", "/old"].status == "302 Found"
    assert found["response", "/old"].warc["WARC-Truncated"] == "unspecified"
    main = found["response", "/main"]
    assert "naïve" in main.body.decode()
    assert main.headers["X-Two"] == "a"
    assert main.warc["WARC-IP-Address"] == "127.0.0.1"
    assert found["response", "/p.png"].body == PNG
    script = found["response", "/z.js"]
    assert script.body.startswith(b"fetch(")
    assert script.headers["x-orig-content-encoding"] == "gzip"
    assert "Content-Encoding" not in script.headers
    assert int(script.headers["Content-Length"]) == len(script.body)
    assert found["request", "/post"].body == "k=ä".encode()
    assert found["request", "/post"].status == "POST /post HTTP/1.1"
    assert found["response", "/post"].body == "é".encode("latin-1")
    assert found["request", "/main"].warc["WARC-Concurrent-To"] == main.warc["WARC-Record-ID"]
    assert "User-Agent" in found["request", "/main"].headers


async def test_a_reason_in_any_script_is_recorded(page: Page, site: PageServer) -> None:
    site.route("/odd", _reply(b"odd", reason="Gefunden \u00e9"))
    async with WarcRecorder(page) as recorder:
        await page.goto(site.url("/odd"))
        records = read_records(await recorder.finish())
    assert {r.status.partition(" ")[0] for r in records if r.kind == "response" and r.path == "/odd"} == {"200"}


async def test_large_bodies_and_open_requests_are_recorded_as_missing(page: Page, site: PageServer) -> None:
    site.html(
        "/big",
        '<script>fetch("/film").then(r => r.text())</script><img src="/p.png">'
        '<img src="data:image/png;base64,AAAA"><img src="http://127.0.0.1:1/x">',
    )
    site.route("/p.png", _reply(BROKEN, content_type="image/png"))
    site.route("/film", _reply(BROKEN * 3, content_type="text/plain"))
    recorder = WarcRecorder(page, body_bytes=6000)
    recorder.start()
    await page.goto(site.url("/big"), settle=True)
    records = read_records(await recorder.finish())
    found = {(r.kind, r.path): r for r in records}
    assert found["response", "/film"].warc["WARC-Truncated"] == "length"
    assert b"more than the limit" in found["metadata", "/film"].body
    assert found["response", "/p.png"].warc["WARC-Truncated"] == "unspecified"
    assert b"no longer has" in found["metadata", "/p.png"].body
    assert b"error: net::ERR_" in found["metadata", "/x"].body
    assert not any(r.warc["WARC-Target-URI"].startswith("data:") for r in records)


async def test_a_frame_of_another_site_and_a_second_recording(page: Page, site: PageServer) -> None:
    site.html("/inner", "inner text")
    site.html("/outer", f'<iframe src="{site.url("/inner", host="localhost")}"></iframe>')
    for _ in range(2):
        async with WarcRecorder(page) as recorder:
            await page.goto(site.url("/outer"), settle=True)
            records = read_records(await recorder.finish())
        bodies = {r.path: r.body for r in records if r.kind == "response"}
        assert b"inner text" in bodies["/inner"]
        assert b"<iframe" in bodies["/outer"]


async def test_a_page_that_is_closed_while_it_is_recorded(page: Page, site: PageServer) -> None:
    site.html("/short", "short")
    other = await page.context.new_page()
    recorder = WarcRecorder(other)
    recorder.start()
    await other.goto(site.url("/short"))
    await other.close()
    records = read_records(await recorder.finish())
    assert {r.path for r in records} >= {"/short"}


async def test_a_recording_leaves_no_listeners(page: Page, site: PageServer) -> None:
    site.html("/short", "short")
    session = page.cdp_session
    await page.goto(site.url("/short"))
    before = _handlers(session)
    for _ in range(3):
        async with WarcRecorder(page) as recorder:
            await page.goto(site.url("/short"))
            assert io.BytesIO(await recorder.finish()).read(2) == b"\x1f\x8b"
    assert _handlers(session) == before


def _handlers(session: Any) -> int:
    return sum(len(handlers) for handlers in session._listeners._by_method.values())


async def test_texts_keep_their_bytes(page: Page, site: PageServer) -> None:
    texts = {
        "/bom": (b"\xef\xbb\xbfmarked", "text/plain; charset=utf-8"),
        "/latin": ("Stra\u00dfe".encode("cp1252"), "text/plain; charset=windows-1252"),
        "/japanese": ("\u65e5\u672c".encode("shift_jis"), "text/plain; charset=shift_jis"),
        "/empty": (b"", "text/plain"),
        "/json": (b'{"a": 1}', "application/json"),
    }
    for path, (body, kind) in texts.items():
        site.route(path, _reply(body, headers={"Content-Type": kind}))
    calls = "".join(f"fetch('{path}').then(r => r.text());" for path in texts)
    site.html("/texts", f"<script>{calls}</script>")
    async with WarcRecorder(page) as recorder:
        await page.goto(site.url("/texts"), settle=True)
        records = read_records(await recorder.finish())
    bodies = {r.path: r.body for r in records if r.kind == "response"}
    assert {path: bodies[path] for path in texts} == {path: body for path, (body, _) in texts.items()}
    assert not any(r.kind == "metadata" for r in records if r.path in texts)


async def test_responses_from_the_cache_say_so(page: Page, site: PageServer) -> None:
    async def checked(request: web.Request) -> web.Response:
        headers = {"ETag": '"1"', "Cache-Control": "no-cache"}
        same = request.headers.get("If-None-Match") == '"1"'
        return web.Response(status=304 if same else 200, body=None if same else b"checked body", headers=headers)

    site.route("/kept.png", _reply(PNG, content_type="image/png", headers={"Cache-Control": "max-age=900"}))
    site.route("/checked", checked)
    site.html("/cached", '<img src="/kept.png"><script>fetch("/checked").then(r => r.text())</script>')
    await page.goto(site.url("/cached"), settle=True)
    await page.goto("about:blank")
    async with WarcRecorder(page) as recorder:
        await page.goto(site.url("/cached"), settle=True)
        found = {(r.kind, r.path): r for r in read_records(await recorder.finish())}
    assert found["response", "/kept.png"].body == PNG
    assert b"fromCache" in found["metadata", "/kept.png"].body
    assert found["response", "/checked"].body == b"checked body"
    assert found["response", "/checked"].status == "200 OK"
    assert b"revalidated" in found["metadata", "/checked"].body


async def test_a_response_that_does_not_end_is_recorded_as_cut(page: Page, site: PageServer) -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b"data: 1\n\n")
        await asyncio.Event().wait()
        return response

    site.route("/stream", endless)
    site.html("/live", "<script>new EventSource('/stream').onmessage = () => document.title = 'seen'</script>")
    async with WarcRecorder(page) as recorder:
        await page.goto(site.url("/live"), settle=True)
        found = {(r.kind, r.path): r for r in read_records(await recorder.finish())}
        await page.goto("about:blank")
    assert found["response", "/stream"].warc["WARC-Truncated"] == "time"
    assert b"left before" in found["metadata", "/stream"].body
