"""Pages that are opened again: their load requests are awaited each time, a poll beside them is ignored."""

from __future__ import annotations

import asyncio
from itertools import product
from typing import get_args

import pytest
from aiohttp import web

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.options import Observe

OPENINGS = 5

APP = """
<p id=out>loading</p>
<script>
fetch('/slow?ms=%d&body=shown').then((answer) => answer.text()).then((text) => {
  document.getElementById('out').textContent = text;
});
%s
</script>
"""
POLL = "setInterval(() => fetch('/poll').then((answer) => answer.text()), 150);"


async def _poll(_: web.Request) -> web.Response:
    return web.Response(text="nothing new")


async def opened_again(page: Page, site: Site, how: str, number: int) -> None:
    """Open the page of a test in one of the possible ways."""
    if how == "reload":
        await page.reload()
    elif how == "back":
        await page.goto(site.html("/other.html", "<p>other</p>"))
        await page.go_back()
    else:
        await page.goto(site.url("/app.html"))


async def shown(page: Page) -> str:
    return str(await page.evaluate("document.getElementById('out').textContent"))


OPENED = tuple(product((60, 300), ("reload", "goto", "back"), get_args(Observe)))
"""Milliseconds of the request, how the page is opened again, and how it is observed."""


@pytest.mark.every_row
@pytest.mark.parametrize(("ms", "how", "observe"), sampled(OPENED, [(60, "reload", "calls")]))
async def test_what_a_page_loads_is_awaited_each_time(
    page: Page, site: Site, how: str, ms: int, observe: Observe
) -> None:
    await page.goto(site.html("/app.html", APP % (ms, "")))
    pause = 0.25 if ms > 100 else 0.0
    for number in range(OPENINGS):
        # Even intervals form a rhythm.
        await asyncio.sleep(pause)
        await opened_again(page, site, how, number)
        verdict = await page.settle(observe=observe)
        assert (await shown(page), verdict.stable, verdict.ignored) == ("shown", True, ()), verdict


@pytest.mark.parametrize("action", sampled(({"action": "reload"}, {"action": "navigate"}), ({"action": "navigate"},)))
async def test_what_a_page_loads_in_a_sequence_is_awaited_each_time(
    page: Page, site: Site, action: dict[str, str]
) -> None:
    url = site.html("/app.html", APP % (120, ""))
    await page.goto(url)
    for _ in range(OPENINGS):
        given = {**action, "url": url} if action["action"] == "navigate" else action
        result = await page.execute_sequence([given])
        assert (await shown(page), result.stable) == ("shown", True), result


async def test_a_slow_load_is_awaited_each_time(page: Page, site: Site) -> None:
    await page.goto(site.html("/app.html", APP % (1200, "")))
    for number in range(2):
        await opened_again(page, site, "reload", number)
        assert (await page.settle()).stable
        assert await shown(page) == "shown"


@pytest.mark.serial
@pytest.mark.parametrize("observe", get_args(Observe))
async def test_a_true_poll_beside_what_is_loaded_is_left_out_and_named(
    page: Page, site: Site, observe: Observe
) -> None:
    site.route("/poll", _poll)
    url = site.html("/app.html", APP % (900, POLL))
    await page.goto(url)
    for _ in range(3):
        await page.goto(url)
        verdict = await page.settle(observe=observe)
        assert (await shown(page), verdict.stable) == ("shown", True), verdict
        assert "request" in {row.kind for row in verdict.ignored}, verdict
        assert all("/slow" not in row.key for row in verdict.ignored), verdict


async def test_what_was_left_out_earlier_is_not_told_again(page: Page, site: Site) -> None:
    left: int | None = None

    async def poll(request: web.Request) -> web.Response:
        nonlocal left
        if left is not None:
            left -= 1
            if left == 0:
                site.open(gate)
        return await _poll(request)

    site.route("/poll", poll)
    ignored = False
    for number in range(5):  # a busy machine may make the polls uneven, and then they have no rhythm
        gate, left = f"shown{number}", None
        app = APP.replace("/slow?ms=%d&", f"/gate/{gate}?") % POLL
        await page.goto(site.html("/app.html", app))
        left = 6  # polls while the page settles, however many came before
        if ignored := bool((await page.settle()).ignored):
            break
    assert ignored
    await page.goto(site.html("/calm.html", "<p>calm</p>"))
    assert (await page.settle()).ignored == ()


@pytest.mark.every_row
@pytest.mark.parametrize("observe", sampled(get_args(Observe), ("calls",)))
async def test_what_a_page_had_under_way_when_it_was_left_is_awaited_when_it_comes_back(
    page: Page, site: Site, observe: Observe
) -> None:
    await page.goto(site.html("/app.html", APP % (800, "")))
    await opened_again(page, site, "back", 0)
    assert (await page.settle(observe=observe)).stable
    assert await shown(page) == "shown"


@pytest.mark.every_row
@pytest.mark.parametrize("observe", sampled(get_args(Observe), ("calls",)))
async def test_a_response_that_arrives_while_the_page_is_being_left_is_not_awaited(
    page: Page, site: Site, observe: Observe
) -> None:
    left = asyncio.Event()

    async def held(_: web.Request) -> web.Response:
        await left.wait()
        return web.Response(text="shown")

    async def other(_: web.Request) -> web.Response:
        left.set()
        return web.Response(text="<p>other</p>", content_type="text/html")

    site.route("/slow", held)
    site.route("/other", other)
    url = site.html("/app.html", APP % (0, ""))
    for _ in range(OPENINGS):
        left.clear()
        await page.goto(url)
        await page.goto(site.url("/other"))
        await page.go_back()
        verdict = await page.settle(observe=observe)
        assert (await shown(page), verdict.stable) == ("shown", True), verdict
