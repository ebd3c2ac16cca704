"""What becomes of a robots.txt on its way here: each kind of answer, on loopback, without a browser."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from aiohttp import web
from msgspec.structs import replace

from stillframe.farm.fetching import Fetcher
from stillframe.farm.robots.fetching import LIMITS, Answer, RobotsClient
from stillframe.farm.robots.rules import MAX_BYTES, parse
from stillframe.security.policy import UrlPolicy
from stillframe.testing.app_server import serving

RULES = b"User-agent: *\nDisallow: /private\n"
Writer = asyncio.StreamWriter


@asynccontextmanager
async def raw(answer: Callable[[Writer], Awaitable[None]]) -> AsyncIterator[str]:
    """Serve one answer, written by hand, to everything, and yield the origin."""
    serving_now: set[asyncio.Task[None] | None] = set()

    async def serve(reader: asyncio.StreamReader, writer: Writer) -> None:
        serving_now.add(asyncio.current_task())
        await reader.readuntil(b"\r\n\r\n")
        try:
            await answer(writer)
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        tasks = [task for task in serving_now if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def site(**pages: Callable[[web.Request], web.StreamResponse]) -> AsyncIterator[str]:
    app = web.Application()

    async def answer(request: web.Request) -> web.StreamResponse:
        return pages[request.path.strip("/").replace(".", "_")](request)

    app.router.add_get("/{name:.*}", answer)
    async with serving(app) as port:
        yield f"http://127.0.0.1:{port}"


async def fetch(origin: str, *, timeout_s: float = 10.0, policy: UrlPolicy | None = None) -> Answer:
    fetcher, limits = Fetcher(user_agent="ShopBot/1.0", policy=policy), replace(LIMITS, seconds=timeout_s)
    async with RobotsClient(fetcher, limits=limits) as client:
        return await client.fetch(origin)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (200, "rules"),
        (400, "none"),
        (429, "unreachable"),
        (503, "unreachable"),
        (599, "unreachable"),
        (304, "unreachable"),
    ],
)
async def test_the_status_decides_first(status: int, kind: str) -> None:
    async with site(robots_txt=lambda _: web.Response(status=status, headers={"retry-after": "7"})) as origin:
        answer = await fetch(origin)
    assert answer.kind == kind
    assert answer.retry_after_s == (7 if kind == "unreachable" else 0)


async def test_retry_after_may_be_a_date() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    async with site(robots_txt=lambda _: web.Response(status=503, headers={"retry-after": later})) as origin:
        answer = await fetch(origin)
    assert 30 < answer.retry_after_s <= 90


@pytest.mark.parametrize(
    "body",
    [b"\xef\xbb\xbf" + RULES, b"# Gr\xf6\xdfe\n" + RULES, b"<h1>404</h1>\n" + RULES, RULES + b"#" * 2_000_000],
    ids=["byte order mark", "Latin-1", "HTML", "2 MB"],
)
@pytest.mark.parametrize("kind", ["text/plain", "text/html", "application/octet-stream"])
async def test_bytes_come_as_they_are(body: bytes, kind: str) -> None:
    async with site(robots_txt=lambda _: web.Response(body=body, content_type=kind)) as origin:
        answer = await fetch(origin)
    assert answer.body == body[:MAX_BYTES]
    assert not parse(answer.body).allows(f"{origin}/private/a")


async def test_it_names_itself() -> None:
    heard: list[str | None] = []

    def answer(request: web.Request) -> web.Response:
        heard.append(request.headers.get("user-agent"))
        return web.Response(body=RULES)

    async with site(robots_txt=answer) as origin:
        await fetch(origin)
    assert heard == ["ShopBot/1.0"]


@pytest.mark.parametrize(("hops", "kind"), [(1, "rules"), (5, "rules"), (6, "none")])
async def test_five_redirects_are_followed_to_other_hosts_too(hops: int, kind: str) -> None:
    asked: list[str] = []

    def answer(request: web.Request) -> web.Response:
        asked.append(request.host.partition(":")[0])
        if len(asked) > hops:
            return web.Response(body=RULES)
        port = request.host.partition(":")[2]
        host = "localhost" if len(asked) % 2 else "127.0.0.1"
        raise web.HTTPFound(f"http://{host}:{port}/other")

    async with site(robots_txt=answer, other=answer) as origin:
        found = await fetch(origin)
    assert found.kind == kind
    assert len(asked) == min(hops, 5) + 1
    assert {"127.0.0.1", "localhost"} <= set(asked)


def redirect(place: str) -> web.Response:
    raise web.HTTPMovedPermanently(place)


@pytest.mark.parametrize("place", ["/robots.txt", "ftp://127.0.0.1/robots.txt", "mailto:a@example.org"])
async def test_a_redirect_that_ends_nowhere_means_that_there_is_none(place: str) -> None:
    async with site(robots_txt=lambda _: redirect(place)) as origin:
        assert (await fetch(origin)).kind == "none"


async def test_a_redirect_to_nonsense_means_that_it_cannot_be_read() -> None:
    async with site(robots_txt=lambda _: redirect("http://[")) as origin:
        assert (await fetch(origin)).kind == "unreachable"


async def headers_only(writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nUser-agent: *\n")
    await writer.drain()
    await asyncio.sleep(60)


async def empty(_: Writer) -> None:
    """Close without a word."""


@pytest.mark.parametrize("answer", [headers_only, empty])
async def test_a_broken_answer_means_that_it_cannot_be_read(answer: Callable[[Writer], Awaitable[None]]) -> None:
    async with raw(answer) as origin:
        found = await fetch(origin, timeout_s=1.0)
    assert found.kind == "unreachable"
    assert found.reason


@pytest.mark.parametrize("origin", ["http://127.0.0.1:9", "http://no-such-host.invalid", "http://"])
async def test_a_host_that_is_not_there_cannot_be_read(origin: str) -> None:
    answer = await fetch(origin)
    assert answer.kind == "unreachable"
    assert 0 < len(answer.reason.splitlines()[0]) == len(answer.reason) < 200


async def test_of_an_endless_file_only_the_beginning_is_read() -> None:
    sent = 0

    async def endless(writer: Writer) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 500000000\r\n\r\n" + RULES)
        while sent < 500_000_000:
            writer.write(b"#" * 65_536)
            await writer.drain()
            sent += 65_536

    async with raw(endless) as origin:
        found = await fetch(origin)
    assert (found.kind, len(found.body)) == ("rules", MAX_BYTES)
    assert sent < 100_000_000


async def test_of_a_packed_bomb_only_the_beginning_is_read() -> None:
    bomb = gzip.compress(RULES + b"#" * 30_000_000, 1)
    headers = {"content-encoding": "gzip"}
    async with site(robots_txt=lambda _: web.Response(body=bomb, headers=headers)) as origin:
        found = await fetch(origin)
    assert (found.kind, len(found.body)) == ("rules", MAX_BYTES)


async def test_the_policy_of_the_pages_holds_on_each_hop() -> None:
    async with site(
        robots_txt=lambda _: redirect("http://127.0.0.2/robots.txt"), other=lambda _: web.Response()
    ) as origin:
        refused = await fetch(origin, policy=UrlPolicy(allowed_hosts=("127.0.0.1",)))
        at_once = await fetch(origin, policy=UrlPolicy())
    assert refused.kind == "unreachable"
    assert "allowed_hosts" in refused.reason
    assert at_once.kind == "none"  # its pages are refused themselves


async def test_it_goes_through_the_proxy() -> None:
    asked: list[str] = []

    async def proxied(request: web.Request) -> web.Response:
        asked.append(str(request.raw_path))
        return web.Response(body=RULES)

    app = web.Application()
    app.router.add_get("/{name:.*}", proxied)
    async with serving(app) as port:

        async def proxy(_: str) -> str:
            return f"http://127.0.0.1:{port}"

        async with RobotsClient(Fetcher(user_agent="ShopBot", proxy=proxy, policy=UrlPolicy())) as client:
            answer = await client.fetch("http://shop.invalid")
    assert answer.body == RULES
    assert asked == ["http://shop.invalid/robots.txt"]
