"""Which URLs belong to a crawl."""

from __future__ import annotations

from typing import Any

import pytest

from stillframe.farm.crawl import CrawlSettings
from stillframe.farm.crawl.scope import Scope
from stillframe.farm.store import CrawlStore

START = "http://shop.example/"


async def covered(url: str, start: str, link: str, arrived: str | None = None, **settings: Any) -> bool:
    """Return whether a crawl follows a link, after its start arrived somewhere."""
    given = CrawlSettings(urls=(start,), **settings).check()
    async with await CrawlStore.open(url, str(given.same_host), worker="w") as store:
        scope = Scope(store, given)
        if arrived is not None:
            assert await scope.arrive(start, arrived)
        return scope.admits(link)


@pytest.mark.parametrize(
    ("start", "link", "follows"),
    [
        (START, "http://shop.example/a", True),
        (START, "http://SHOP.example:80/a", True),
        (START, "https://shop.example/a", True),
        (START, "https://shop.example:443/a", True),
        (START, "http://www.shop.example/a", False),
        (START, "http://shop.example:8080/a", False),
        ("http://127.0.0.1:9000/", "http://127.0.0.1:9000/a", True),
        ("http://127.0.0.1:9000/", "http://127.0.0.1:8000/a", False),
        ("http://127.0.0.1:9000/", "http://127.0.0.1/a", False),
        (START, "http://shop.example:port/a", False),
    ],
)
async def test_the_host_and_its_port_are_those_of_the_start(
    sqlite_url: str, start: str, link: str, follows: bool
) -> None:
    assert await covered(sqlite_url, start, link) is follows
    assert await covered(sqlite_url, start, link, same_host=False)


@pytest.mark.parametrize(
    ("arrived", "link"),
    [
        ("https://www.shop.example/", "https://www.shop.example/a"),
        ("https://shop.example:8443/", "https://shop.example:8443/a"),
        ("https://shop.example/", "https://shop.example/a"),
    ],
)
async def test_a_start_takes_the_scope_along(sqlite_url: str, arrived: str, link: str) -> None:
    assert await covered(sqlite_url, START, link, arrived)


async def test_two_workers_move_the_scope_at_once(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = CrawlSettings(urls=("http://a.example/", "http://b.example/")).check()
    async with (
        await CrawlStore.open(sqlite_url, "c", worker="1") as one,
        await CrawlStore.open(sqlite_url, "c", worker="2", mode="join") as two,
    ):
        first, second = Scope(one, settings), Scope(two, settings)
        read, moved = one.get_state, list[bool]()

        async def overtaken(key: str) -> bytes | None:
            """Answer with what was there before the other worker moved the scope."""
            found = await read(key)
            if not moved:
                moved.append(True)
                await second.move("http://b.example/", "http://www.b.example/")
            return found

        monkeypatch.setattr(one, "get_state", overtaken)
        await first.move("http://a.example/", "http://www.a.example/")
        later = Scope(two, settings)
        await later.load()
        assert later.moved == {"a.example": "www.a.example", "b.example": "www.b.example"}
