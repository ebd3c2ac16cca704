"""The fetch of one sitemap: what arrives counts, each failure has a word, and some are tried again."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from stillframe.farm.fetching import Fetcher
from stillframe.farm.sitemaps import Fetched, fetch, fetching
from stillframe.farm.sitemaps.fetching import charset_of, landing

BOUND = 30
HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/xml; charset=koi8-r\r\nContent-Length: {}\r\n\r\n"


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again at once."""
    monkeypatch.setattr(fetching, "PAUSE_S", 0.0)


@asynccontextmanager
async def answering(*answers: str, hold: bool = False) -> AsyncIterator[str]:
    """Serve raw answers, one a connection and the last again; each is cut where it ends, or stays open with `hold`."""
    left, over = list(answers), asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write((left.pop(0) if len(left) > 1 else left[0]).replace("{port}", str(port)).encode("latin-1"))
        await writer.drain()
        if hold:
            await over.wait()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield f"http://127.0.0.1:{port}/s.xml"
        over.set()


def status(code: int, *headers: str) -> str:
    lines = [f"HTTP/1.1 {code} X", "Content-Length: 0", "Connection: close", *headers]
    return "\r\n".join(lines) + "\r\n\r\n"


def whole(body: str) -> str:
    return HEAD.format(len(body)) + body


async def fetched(url: str, max_bytes: int = 1_000) -> tuple[Fetched, bytes]:
    file = io.BytesIO()
    async with asyncio.timeout(BOUND), Fetcher(user_agent="bot/1") as client:
        found = await fetch(url, client, file, max_bytes=max_bytes)
    return found, file.read()


async def test_a_file_arrives_with_its_charset_behind_redirects() -> None:
    moved = status(301, "Location: /other.xml")
    async with answering(moved, whole("abc")) as url:
        found, body = await fetched(url)
        assert (found.url, found.charset) == (url.replace("s.xml", "other.xml"), "koi8-r")
        assert (found.failure, found.size, body) == (None, 3, b"abc")


@pytest.mark.parametrize(
    ("answers", "failure", "body"),
    [
        ((status(404), whole("abc")), "http_404", b""),
        ((status(503, "Retry-After: 0"), whole("abc")), None, b"abc"),
        ((status(500), status(500), whole("abc")), None, b"abc"),
        ((status(429), status(429), status(429), whole("abc")), "http_429", b""),
        ((HEAD.format(100) + "abc",), "truncated", b"abc"),
        ((HEAD.format(100) + "abc", whole("abcdef")), None, b"abcdef"),
        (("",), "unreachable", b""),
        (("garbage\r\n\r\n",), "unreachable", b""),
        ((whole("x" * 5_000),), "too_large", b"x" * 1_000),
        ((status(302, "Location: http://127.0.0.1:{port}/s.xml"),), "too_many_redirects", b""),
        ((status(302, "Location: file:///etc/hostname"),), "unreachable", b""),
    ],
)
async def test_each_failure_has_a_word(answers: tuple[str, ...], failure: str | None, body: bytes) -> None:
    async with answering(*answers) as url:
        found, arrived = await fetched(url)
        assert (found.failure, arrived) == (failure, body)


async def test_a_server_that_falls_silent_costs_the_limit_and_what_it_sent_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fetching, "IDLE_S", 0.3)
    monkeypatch.setattr(fetching, "TRIES", 1)
    async with answering(HEAD.format(100) + "abc", hold=True) as url:
        found, body = await fetched(url)
        assert (found.failure, body) == ("timeout", b"abc")


async def test_a_start_lands_where_its_redirects_lead_whatever_is_there() -> None:
    async with (
        answering(status(301, "Location: http://127.0.0.1:{port}/new"), status(403)) as url,
        Fetcher(user_agent="bot/1") as client,
    ):
        assert await landing(url, client) == url.replace("s.xml", "new")
        assert await landing("http://127.0.0.1:9/", client) == "http://127.0.0.1:9/"


def test_the_charset_of_a_header() -> None:
    headers = (None, "text/xml", 'text/xml; charset="utf-16"', "text/xml;charset=")
    assert [charset_of(each) for each in headers] == [None, None, "utf-16", ""]
