"""Servers that do not answer, answer slowly or wrongly, and pages that never come to rest: typed, in time, named."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import NavigationFailed, SessionLost, UrlRefused
from stillframe.model.actions import Navigate, Reload
from stillframe.model.result import NavigationResult

LIMIT = 0.5
"""Seconds that a navigation is given here."""

GRACE = 1.0
"""Seconds that a call may last beyond its limit."""

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def server(answer: Answer) -> AsyncIterator[str]:
    """Serve each connection with a function, and give the URL."""
    open_: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_.add(asyncio.current_task())  # type: ignore[arg-type]
        try:
            await answer(reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            return
        finally:
            writer.close()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/"
    finally:
        listener.close()
        for task in open_:
            task.cancel()
        await asyncio.gather(*open_, return_exceptions=True)


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def headers_alone(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n")
    await asyncio.Event().wait()


async def half_of_the_headers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Ty")
    await asyncio.Event().wait()


async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html><p>")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)  # so slow is the server


async def hangs_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")


async def speaks_otherwise(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")


@pytest.mark.serial
@pytest.mark.parametrize("answer", [silent, headers_alone, half_of_the_headers, trickle], ids=lambda it: it.__name__)
async def test_a_server_that_does_not_answer_ends_the_call_in_time(page: Page, site: Site, answer: Answer) -> None:
    async with server(answer) as url:
        began = time.monotonic()
        with pytest.raises(NavigationFailed, match=rf"did not load within {LIMIT} s") as caught:
            await page.goto(url, timeout_ms=LIMIT * 1000)
        assert time.monotonic() - began < LIMIT + GRACE
        assert (caught.value.url, caught.value.reason) == (url, "timeout")
        after = await page.goto(site.html("/after", "<p>after"))
        assert after == NavigationResult(url=site.url("/after"), status=200)


@pytest.mark.serial
async def test_the_timeout_of_an_action_holds_for_navigations(page: Page) -> None:
    async with server(silent) as url:
        began = time.monotonic()
        result = await page.execute_sequence([Navigate(url, timeout_ms=500)])
        assert time.monotonic() - began < 2 * (LIMIT + GRACE)
    assert result.failed is not None
    assert (result.failed.code, result.completed) == ("navigation_failed", 0)
    assert "has not answered" in result.failed.error


async def test_a_navigation_without_a_timeout_has_more_than_other_actions(page: Page, site: Site) -> None:
    url = site.html("/slow-page", "<script src='/gate/script'></script><p>late")
    acting = asyncio.create_task(page.execute_sequence([Navigate(url), Reload()], verbose=True))
    site.open("script")
    result = await acting
    assert (result.completed, result.failed) == (2, None)


STUCK = {
    "while it is parsed": "<script>for (;;);</script>",
    "in its load event": "<script>onload = () => { for (;;); }</script>",
}


@pytest.mark.serial
@pytest.mark.parametrize("body", STUCK.values(), ids=STUCK)
async def test_a_page_that_blocks_its_thread_ends_in_time_and_is_let_go(page: Page, site: Site, body: str) -> None:
    began = time.monotonic()
    with pytest.raises(NavigationFailed, match="did not load within"):
        await page.goto(site.html("/stuck", body), timeout_ms=1000)
    assert time.monotonic() - began < 1 + GRACE
    await page.goto(site.html("/after", "<p>after"))
    assert await page.evaluate("document.body.innerText") == "after"


@pytest.mark.serial
async def test_a_page_that_blocks_its_thread_after_the_load_has_loaded(page: Page, site: Site) -> None:
    url = site.html("/busy", "<script>onload = () => setTimeout(() => { const t = Date.now();"
                             "while (Date.now() - t < 1500); })</script>")  # fmt: skip
    began = time.monotonic()
    await page.goto(url)
    assert time.monotonic() - began < 1.5 + GRACE


async def test_an_image_that_hangs_holds_up_the_load_event_alone(page: Page, site: Site) -> None:
    url = site.html("/image", "<p>text<img src='/gate/never'>")
    assert (await page.goto(url, until="domcontentloaded")).status == 200
    with pytest.raises(NavigationFailed, match="has not reached 'load'"):
        await page.goto(site.html("/image2", "<p>text<img src='/gate/never'>"), timeout_ms=1000)
    assert await page.evaluate("document.body.innerText") == "text"


# -- what the browser refuses, and what fails ------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "reason", "advice"),
    [
        (hangs_up, "net::ERR_EMPTY_RESPONSE", "the server's log"),
        pytest.param(
            *(speaks_otherwise, "net::ERR_RESPONSE_HEADERS_MULTIPLE_CONTENT_LENGTH", "did not load"),
            marks=pytest.mark.slow,
        ),
    ],
)
async def test_a_server_that_answers_wrongly(page: Page, answer: Answer, reason: str, advice: str) -> None:
    async with server(answer) as url:
        with pytest.raises(NavigationFailed, match=advice) as caught:
            await page.goto(url)
    assert (caught.value.url, caught.value.reason) == (url, reason)


@pytest.mark.parametrize(
    ("scheme", "host", "reason", "advice"),
    [
        ("https", "127.0.0.1", "net::ERR_SSL_PROTOCOL_ERROR", "does not speak TLS"),
        ("http", "nowhere.invalid", "net::ERR_NAME_NOT_RESOLVED", "no such host"),
    ],
)
async def test_what_fails_says_what_to_do(
    page: Page, site: Site, scheme: str, host: str, reason: str, advice: str
) -> None:
    with pytest.raises(NavigationFailed, match=advice) as caught:
        await page.goto(f"{scheme}://{host}:{site.port}/")
    assert caught.value.reason == reason


async def test_a_refused_connection_says_what_to_do(page: Page) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with pytest.raises(NavigationFailed, match="nothing listens there"):
            await page.goto(f"http://127.0.0.1:{free.getsockname()[1]}/")


async def test_a_url_that_chrome_cannot_read_is_refused(page: Page) -> None:
    for url in ("http://a:99999/", "http://%00/", "http://exa%20mple/"):
        with pytest.raises((UrlRefused, NavigationFailed)) as caught:
            await page.goto(url)
        assert caught.value.url.startswith("http"), url


async def test_an_offline_context_says_so(page: Page, site: Site) -> None:
    await page.context.set_offline(True)
    with pytest.raises(NavigationFailed, match="set_offline"):
        await page.goto(site.html("/start", ""))


async def test_a_failing_reload_is_reported(page: Page, site: Site) -> None:
    async with server(_once()) as url:
        await page.goto(url)
        with pytest.raises(NavigationFailed, match="ERR_EMPTY_RESPONSE"):
            await page.reload()


def _once() -> Answer:
    answered: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).decode()
        if not request.startswith("GET / ") or answered:
            return
        answered.append(request)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<p>once")
        await writer.drain()

    return answer


# -- the status ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "body"),
    sampled([(200, ""), (200, "x"), (404, "gone"), (404, ""), (500, "broken"), (503, "")], [(503, "")]),
)
async def test_any_status_is_an_answer(page: Page, site: Site, status: int, body: str) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status, text=body, content_type="text/html")

    site.route("/status", answer)
    response = await page.goto(site.url("/status"))
    assert response == NavigationResult(url=site.url("/status"), status=status)
    assert response.ok is (status == 200)


@pytest.mark.parametrize("status", sampled((204, 205), (204,)))
async def test_an_answer_without_a_document_is_not_a_page(page: Page, site: Site, status: int) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status)

    site.route("/none", answer)
    start = site.html("/start", "<p>start")
    await page.goto(start)
    with pytest.raises(NavigationFailed, match=f"answered {status} without a document"):
        await page.goto(site.url("/none"))
    assert page.url == start


async def test_a_redirect_tells_the_last_status_and_url(page: Page, site: Site) -> None:
    site.html("/end", "")
    assert await page.goto(site.url("/redirect?to=/end%23part")) == NavigationResult(
        url=site.url("/end#part"), status=200
    )


async def test_what_no_server_answered_has_no_status(page: Page) -> None:
    for url in ("about:blank", "data:text/html,x"):
        assert await page.goto(url) == NavigationResult(url=url)


async def test_within_the_document_there_is_no_status(page: Page, site: Site) -> None:
    await page.goto(site.html("/a", "a"))
    assert await page.goto(site.url("/a#part")) == NavigationResult(url=site.url("/a#part"))
    assert (await page.go_back()).url == site.url("/a")
    assert (await page.go_forward()).url == site.url("/a#part")


async def test_the_history_and_a_reload_tell_the_status(page: Page, site: Site) -> None:
    await page.goto(site.html("/a", "<script>onunload = () => 0</script>"))
    await page.goto(site.url("/missing"))
    assert (await page.reload()).status == 404
    assert await page.go_back() == NavigationResult(url=site.url("/a"), status=200)
    assert page.response == NavigationResult(url=site.url("/a"), status=200)


async def test_a_download_tells_its_own_url(page: Page, site: Site) -> None:
    start = site.html("/start", "")
    await page.goto(start)
    url = site.url("/download/a.txt")
    assert await page.goto(url) == NavigationResult(url=url, status=200)
    assert page.url == start


def never(site: Site) -> asyncio.Event:
    """Let `/never` go without an answer; the event tells that it was asked for."""
    asked = asyncio.Event()

    async def answer(_: web.Request) -> web.Response:
        asked.set()
        await asyncio.Event().wait()
        return web.Response()

    site.route("/never", answer)
    return asked


async def test_of_two_navigations_at_once_the_later_one_wins(page: Page, site: Site) -> None:
    asked = never(site)
    first = asyncio.create_task(page.goto(site.url("/never")))
    await asked.wait()
    await page.goto(site.html("/second", ""))
    with pytest.raises(NavigationFailed, match="another navigation"):
        await first
    assert page.url == site.url("/second")


async def test_a_page_that_goes_away_ends_the_wait(page: Page, site: Site) -> None:
    asked = never(site)
    going = asyncio.create_task(page.goto(site.html("/start", "<img src='/never'>")))
    await asked.wait()
    await page.close()
    with pytest.raises(SessionLost):
        await going
