"""The page server answers from routes, gates and files, and closes while responses are open."""

from __future__ import annotations

import asyncio
import doctest
import importlib
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

import stillframe.testing
from stillframe.testing import PageServer


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[PageServer]:
    root = tmp_path / "root"
    root.mkdir()
    (root / "page.html").write_text("<p>from a file")
    (tmp_path / "secret.txt").write_text("outside the root")
    async with PageServer(root) as server:
        yield server


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as client:
        yield client


async def fetch(client: aiohttp.ClientSession, url: str) -> tuple[int, str]:
    async with client.get(url) as response:
        return response.status, await response.text()


async def arrived(server: PageServer, path: str) -> None:
    async with asyncio.timeout(5):
        while path not in server.requests:  # noqa: ASYNC110  the list has no event
            await asyncio.sleep(0)


async def test_a_route_wins_over_a_built_in_route_and_a_file(server: PageServer, client: aiohttp.ClientSession) -> None:
    assert await fetch(client, server.url("page.html")) == (200, "<p>from a file")
    assert await fetch(client, server.url("/slow?ms=0")) == (200, "done")
    for path in ("/page.html", "/slow"):
        assert "<p>mine" in (await fetch(client, server.html(path, "<p>mine")))[1]
    server.reset()
    assert await fetch(client, server.url("page.html")) == (200, "<p>from a file")
    assert server.requests == ["/page.html"]


@pytest.mark.parametrize("path", ["/missing.html", "/", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/a%00b"])
async def test_nothing_outside_the_root_is_served(server: PageServer, client: aiohttp.ClientSession, path: str) -> None:
    status, text = await fetch(client, f"http://127.0.0.1:{server.port}{path}")
    assert status == 404
    assert "outside" not in text


async def test_without_a_root_there_are_no_files(client: aiohttp.ClientSession) -> None:
    async with PageServer() as server:
        assert (await fetch(client, server.url("/page.html")))[0] == 404
        assert (await fetch(client, server.html("/page", "hi", title="Hi")))[1].endswith("<title>Hi</title>hi")


async def test_a_gate_holds_its_requests_until_it_opens(server: PageServer, client: aiohttp.ClientSession) -> None:
    held = asyncio.create_task(fetch(client, server.url("/gate/data?body=late")))
    await arrived(server, "/gate/data?body=late")
    assert not held.done()
    server.open("data")
    assert await held == (200, "late")
    assert await fetch(client, server.url("/gate/data")) == (200, "open")


async def test_reset_answers_the_requests_at_a_gate_and_closes_it_for_later_ones(
    server: PageServer, client: aiohttp.ClientSession
) -> None:
    held = asyncio.create_task(fetch(client, server.url("/gate/data")))
    await arrived(server, "/gate/data")
    server.reset()
    assert (await held)[0] == 200
    held = asyncio.create_task(fetch(client, server.url("/gate/data")))
    await arrived(server, "/gate/data")
    assert not held.done()
    server.open("data")
    await held


async def test_a_handler_may_answer_anything(server: PageServer, client: aiohttp.ClientSession) -> None:
    async def teapot(request: web.Request) -> web.Response:
        return web.Response(status=418, text=request.query["q"])

    server.route("/tea", teapot)
    assert await fetch(client, server.url("/tea?q=hot", host="localhost")) == (418, "hot")


async def test_redirects_downloads_and_events(server: PageServer, client: aiohttp.ClientSession) -> None:
    assert (await fetch(client, server.url("/redirect?to=/page.html")))[1] == "<p>from a file"
    async with client.get(server.url("/download/a.txt?body=text")) as response:
        assert response.headers["Content-Disposition"] == 'attachment; filename="a.txt"'
    async with client.get(server.url("/events?every=1")) as response:
        assert [await response.content.readline() for _ in range(3)] == [b"data: 0\n", b"\n", b"data: 1\n"]


async def test_the_websocket_echoes_text(server: PageServer, client: aiohttp.ClientSession) -> None:
    async with client.ws_connect(server.url("/ws?ms=1")) as socket:
        await socket.send_str("hello")
        assert await socket.receive_str() == "hello"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/slow?ms=soon", "ms is a whole number of milliseconds, not 'soon'"),
        ("/events?every=-1", "every is a whole number of milliseconds, not '-1'"),
        ("/redirect", "/redirect needs a target"),
    ],
)
async def test_a_bad_query_is_refused_with_a_reason(
    server: PageServer, client: aiohttp.ClientSession, path: str, message: str
) -> None:
    status, text = await fetch(client, server.url(path))
    assert status == 400
    assert message in text


async def test_closing_ends_the_responses_that_are_open(client: aiohttp.ClientSession) -> None:
    async with PageServer() as server:
        hanging = asyncio.create_task(fetch(client, server.url("/hang")))
        await arrived(server, "/hang")
    with pytest.raises(aiohttp.ClientError):
        await hanging


def test_the_package_imports_without_aiohttp_and_names_the_extra() -> None:
    code = """
import sys
sys.modules["aiohttp"] = None
import stillframe.testing
assert stillframe.testing.MemoryTransport
try:
    stillframe.testing.PageServer
except ModuleNotFoundError as error:
    print(error.name, error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout == "aiohttp stillframe.testing.PageServer needs aiohttp: pip install 'stillframe[testing]'\n"


@pytest.mark.parametrize("name", ["memory", "page_server"])
def test_the_examples_in_docstrings_run(name: str) -> None:
    results = doctest.testmod(importlib.import_module(f"stillframe.testing.{name}"))
    assert (results.failed, results.attempted > 0) == (0, True)


def test_every_public_name_resolves() -> None:
    assert set(stillframe.testing.ON_FIRST_USE) == set(stillframe.testing.__all__)
    for name in stillframe.testing.__all__:
        assert getattr(stillframe.testing, name) is not None
    with pytest.raises(AttributeError, match="Pageserver"):
        importlib.import_module("stillframe.testing").Pageserver  # noqa: B018
