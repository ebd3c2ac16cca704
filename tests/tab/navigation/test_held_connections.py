"""A page whose requests hold all connections to a host can be left for the same host."""

from __future__ import annotations

import asyncio
import socket
from contextlib import ExitStack

import pytest
from aiohttp import web

from site_server import Site
from stillframe import Route
from stillframe.api.browser import Page
from stillframe.errors import NavigationFailed
from stillframe.model.actions import GoBack, Navigate, Reload
from stillframe.tab.navigation import held_connections

CONNECTIONS = 6
"""How many Chrome opens to a host over HTTP/1.1."""

HOLDS = {
    "requests": "fetch('/hang?' + n)",
    "pictures": "new Image().src = '/hang?' + n",
    "events": "new EventSource('/hang?' + n)",
}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look often: what is tested does not depend on how long a request is held back."""
    monkeypatch.setattr(held_connections, "LOOK_S", 0.4)


def holding(site: Site, script: str) -> str:
    """Return the URL of a page that holds all connections to its host once it has loaded."""
    loop = f"for (let n = 0; n < {CONNECTIONS}; n++) {script}"
    return site.html("/holds", f"<p>holds<script>onload = () => setTimeout(() => {{ {loop} }}, 0)</script>")


async def hold(page: Page, site: Site, script: str) -> None:
    """Show such a page, and wait until it holds them."""
    asked = 0
    held = asyncio.Event()

    async def hang(_: web.Request) -> web.Response:
        nonlocal asked
        asked += 1
        if asked == CONNECTIONS:
            held.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    site.route("/hang", hang)
    await page.goto(holding(site, script))
    await asyncio.wait_for(held.wait(), 10)


@pytest.mark.parametrize("kind", HOLDS)
async def test_a_page_that_holds_all_connections_is_left(page: Page, site: Site, quick: None, kind: str) -> None:
    await hold(page, site, HOLDS[kind])
    assert (await page.goto(site.html("/next", "<p>next"))).status == 200
    assert await page.evaluate("document.body.innerText") == "next"


async def test_one_in_a_frame_is_left(page: Page, site: Site, quick: None) -> None:
    await hold(page, site, HOLDS["requests"])
    await page.goto(site.html("/outer", "<p>outer<iframe src=/holds></iframe>"), until="commit")
    await page.goto(site.html("/next", "<p>next"))
    assert await page.evaluate("document.body.innerText") == "next"


async def test_it_is_reloaded_and_left_by_actions(page: Page, site: Site, quick: None) -> None:
    await page.goto(site.html("/start", "<p>start<script>addEventListener('unload', () => 0)</script>"))
    await hold(page, site, HOLDS["requests"])
    for action in (Reload(), Navigate(site.url("/start")), GoBack(), GoBack()):
        result = await page.execute_sequence([action], timeout_ms=500)
        assert result.failed is None, action
    assert await page.evaluate("document.body.innerText") == "start"


@pytest.mark.parametrize("by", ["server", "route"])
async def test_a_slow_answer_is_awaited(page: Page, site: Site, quick: None, by: str) -> None:
    asked = 0

    async def slow(_: web.Request) -> web.Response:
        nonlocal asked
        asked += 1
        await asyncio.sleep(1.5 if by == "server" else 0)
        return web.Response(text="<p>slow", content_type="text/html")

    await page.goto(site.html("/start", "<p>start"))
    site.route("/slow-page", slow)
    if by == "route":

        async def later(route: Route) -> None:
            await asyncio.sleep(1)
            await route.continue_()

        await page.route("**/slow-page", later)
    await page.goto(site.url("/slow-page"))
    assert asked == 1


async def test_the_error_names_the_connection(page: Page, site: Site, quick: None) -> None:
    """A server that takes no connection: its queue is full, and the system drops further requests for one."""
    await page.goto(site.html("/start", "<p>start"))
    with ExitStack() as opened:
        server = opened.enter_context(socket.socket())
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(2):
            client = opened.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(server.getsockname())
        with pytest.raises(NavigationFailed, match=r"within 1\.5 s; its request got no connection") as caught:
            await page.goto(f"http://127.0.0.1:{server.getsockname()[1]}/", timeout_ms=1500)
    assert caught.value.reason == "timeout"
