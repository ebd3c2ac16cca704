"""Scrapy crawls a site that renders by script, with stillframe as its download handler."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

CRAWL = Path(__file__).with_name("scrapy_crawl.py")
PAGE = """<title>Shop</title><div id=out></div><button id=more onclick="
  setTimeout(() => { const p = document.createElement('p'); p.id = 'extra'; p.textContent = 'more';
    document.body.append(p) }, 50)
">More</button><script>fetch('/data').then(r => r.text()).then(t => { out.textContent = t })</script>"""


async def page(_: web.Request) -> web.Response:
    return web.Response(text=PAGE, content_type="text/html", headers={"X-Site": "loopback"})


async def echo(request: web.Request) -> web.Response:
    text = f"{request.method} {await request.text()} {request.headers.get('X-Own')}"
    return web.Response(text=f"<p id=out>{text}</p>", content_type="text/html")


async def slow(_: web.Request) -> web.Response:
    await asyncio.Event().wait()
    raise AssertionError


async def data(_: web.Request) -> web.Response:
    return web.Response(text="rendered")


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[str]:
    app = web.Application()
    app.add_routes(
        [web.get("/page", page), web.route("*", "/echo", echo), web.get("/data", data), web.get("/slow", slow)]
    )
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


async def crawl(*arguments: str) -> dict[str, Any]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(CRAWL), *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(60):
            output, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, errors.decode()
    result: dict[str, Any] = json.loads(output)
    return result | {"log": errors.decode()}


@pytest.mark.browser
async def test_each_kind_of_request_gets_what_it_asks_for(server: str) -> None:
    result = await crawl(server)
    by_kind = {item.pop("kind"): item for item in result["items"]}
    assert by_kind["plain"]["text"] is None
    assert by_kind["plain"]["flags"] == []
    assert by_kind["rendered"] == {
        "status": 200,
        "flags": ["stillframe"],
        "text": "rendered",
        "extra": None,
        "server": "loopback",
        "verdict": by_kind["rendered"]["verdict"],
        "changed": False,
    }
    assert (by_kind["clicked"]["extra"], by_kind["clicked"]["changed"]) == ("more", True)
    assert by_kind["clicked"]["title"] == "Shop"
    assert (by_kind["held"]["text"], by_kind["held"]["asked"]) == ("rendered", 2)
    assert (by_kind["kept"]["text"], by_kind["kept"]["language"]) == ("rendered", "de-CH")
    assert by_kind["missing"]["status"] == 404
    assert by_kind["posted"]["text"] == "POST a=1 yes"
    assert by_kind["refused"]["error"] == "DownloadConnectionRefusedError"
    assert by_kind["absent"]["error"] == "WaitTimeout"
    assert by_kind["slow"]["error"] == "DownloadTimeoutError"
    stats = result["stats"]
    assert stats["retry/reason_count/scrapy.exceptions.DownloadConnectionRefusedError"] == 1
    assert stats["stillframe/page_count"] == 11  # without a second attempt of "absent"
    assert "Traceback" not in result["log"]


async def test_another_reactor_is_refused_with_the_setting_to_change(server: str) -> None:
    result = await crawl(server, "twisted.internet.selectreactor.SelectReactor")
    assert "set TWISTED_REACTOR to 'twisted.internet.asyncioreactor.AsyncioSelectorReactor'" in result["log"]
