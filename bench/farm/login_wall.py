"""Crawls behind a login, two people at once: `python -m bench.farm.login_wall`.

The application is Django's admin, whose sessions are on the server. Two identities crawl it side by side with one
crawler; each page says who is signed in. The oracle signs in by HTTP and reads with lxml: every page that it finds has
to be there once for each person, and greet that person.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import msgspec
from crawlee import Request, service_locator
from crawlee.storage_clients import MemoryStorageClient
from lxml import html

from bench.apps.launch import Program, started
from bench.doing import click, fill
from bench.farm.whole import path_of
from bench.measure import machine
from stillframe.farm.crawl import CrawlSettings, run_crawl
from stillframe.farm.crawler import StillframeCrawler, StillframeCrawlingContext
from stillframe.farm.pool import PoolSettings

PEOPLE = ("admin", "bea")
PASSWORD = "amber-glass-7"
LOGIN, START = "/admin/login/", "/admin/"
LEFT_OUT = ("/delete/", "/history/")
LIMIT_S = 600.0
PAGES_AT_ONCE = 4


class Outcome(msgspec.Struct, kw_only=True):
    """What the crawl of all people did, by person and path."""

    pages: dict[str, set[str]]
    """The pages that the oracle found."""
    found: Counter[tuple[str, str]] = msgspec.field(default_factory=Counter)
    greeted: dict[tuple[str, str], str] = msgspec.field(default_factory=dict)
    signed_in: Counter[str] = msgspec.field(default_factory=Counter)
    seconds: float = 0.0

    def faults(self) -> dict[str, list[tuple[str, str]]]:
        """Return the pages of each fault."""
        expected = {(person, path) for person, paths in self.pages.items() for path in paths}
        return {
            "missing": sorted(expected - {*self.found}),
            "twice": [key for key, count in self.found.items() if count > 1],
            "of another person": [key for key, greeting in self.greeted.items() if key[0] not in greeting.lower()],
        }


def is_page(path: str | None) -> bool:
    """Return whether a path is followed: those of the admin, but for the history and the end of each object."""
    return path is not None and path.startswith(START) and not path.startswith(LOGIN) and not path.endswith(LEFT_OUT)


# -- the oracle --------------------------------------------------------------------------------------


async def walked(origin: str, person: str) -> set[str]:
    """Return the paths of all pages that a person who is signed in can reach by links without a query."""
    jar = aiohttp.CookieJar(unsafe=True)  # cookies of 127.0.0.1 as well
    async with aiohttp.ClientSession(cookie_jar=jar) as client:
        async with client.get(origin + LOGIN) as form:
            (token,) = html.fromstring(await form.text()).xpath("//input[@name='csrfmiddlewaretoken']/@value")
        sent = {"username": person, "password": PASSWORD, "csrfmiddlewaretoken": token, "next": START}
        async with client.post(origin + LOGIN, data=sent, headers={"Referer": origin + LOGIN}) as done:
            done.raise_for_status()
        found, ahead = set[str](), [START]
        while ahead:
            path = ahead.pop()
            if path in found:
                continue
            async with client.get(origin + path, allow_redirects=True) as answer:
                if answer.content_type != "text/html":
                    continue
                tree = html.fromstring(await answer.text())
            found.add(path)
            links = [each for each in tree.xpath("//a/@href") if "?" not in each]
            ahead += [to for each in links if is_page(to := path_of(each, path))]  # type: ignore[misc]
        return found


# -- the crawl ---------------------------------------------------------------------------------------


async def crawled(origin: str, outcome: Outcome) -> None:
    """Crawl as all people at once; a page that asks for a login gets it."""
    service_locator.set_storage_client(MemoryStorageClient())
    crawler = StillframeCrawler(
        pool_settings=PoolSettings(browsers=1, pages_per_browser=PAGES_AT_ONCE),
        identity=lambda context: str(context.request.user_data["person"]),
        configure_logging=False,
    )

    def request(person: str, path: str) -> Request:
        return Request.from_url(origin + path, unique_key=f"{person} {path}", user_data={"person": person})

    @crawler.router.default_handler
    async def handle(context: StillframeCrawlingContext) -> None:
        person, path = str(context.request.user_data["person"]), urlsplit(context.request.url).path
        if urlsplit(context.page.url).path == LOGIN:
            outcome.signed_in[person] += 1
            signing_in = [fill("#id_username", person), fill("#id_password", PASSWORD), click("[type=submit]")]
            await context.sequence(signing_in)
        tree = html.fromstring(await context.page.content())
        outcome.found[person, path] += 1
        outcome.greeted[person, path] = " ".join(tree.xpath("string(//*[@id='user-tools'])").split())
        links = [each for each in tree.xpath("//a/@href") if "?" not in each]
        paths = {to for each in links if is_page(to := path_of(each, path))}
        await context.add_requests([request(person, each) for each in paths if each is not None])

    async with asyncio.timeout(LIMIT_S):
        began = time.monotonic()
        await crawler.run([request(person, START) for person in PEOPLE])
        outcome.seconds = time.monotonic() - began


async def before_the_wall(origin: str) -> list[str]:
    """Return the paths of the pages that a crawl has which signs nobody in, and where each arrived."""
    with tempfile.TemporaryDirectory(prefix="bench-wall-") as folder:
        out = Path(folder) / "out"
        await run_crawl(CrawlSettings(urls=(origin + START,)), out=out, concurrency=PAGES_AT_ONCE)
        records = [msgspec.json.decode(line) for line in (out / "pages.jsonl").read_bytes().splitlines()]
    return [f"{urlsplit(each['url']).path} -> {urlsplit(each['finalUrl']).path}" for each in records]


async def measured() -> tuple[list[str], Outcome]:
    """Start the application, walk it, and crawl it without and with a login."""
    program = Program(("{sites}/django_admin/serve.py", "{port}", "{data}", *PEOPLE[1:]))
    async with started(program) as origin:
        outcome = Outcome(pages={person: await walked(origin, person) for person in PEOPLE})
        outside = await before_the_wall(origin)
        await crawled(origin, outcome)
    return outside, outcome


def main() -> int:
    """Crawl and judge; the exit code is 1 if a page is missing, twice, or of another person."""
    outside, outcome = asyncio.run(measured())
    faults = outcome.faults()
    pages = ", ".join(f"{len(paths)} pages of {person}" for person, paths in outcome.pages.items())
    logins = ", ".join(f"{person} {times}" for person, times in outcome.signed_in.items())
    counts = ", ".join(f"{len(keys)} {name}" for name, keys in faults.items())
    sys.stdout.write(f"{machine()}\nwithout a login: {outside}\n")
    sys.stdout.write(f"{pages} in {outcome.seconds:.0f} s: {counts}; signed in: {logins}\n")
    for name, keys in faults.items():
        sys.stdout.write("".join(f"  {name}: {key}: {outcome.greeted.get(key)!r}\n" for key in keys[:5]))
    return int(any(faults.values()))


if __name__ == "__main__":
    sys.exit(main())
