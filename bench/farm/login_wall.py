"""Crawls behind a login, two people at once: `python -m bench.farm.login_wall`.

The application is Django's admin, whose sessions are on the server. Two identities crawl it side by side with one
crawler; each page says who is signed in. Then `stillframe crawl --storage-state` crawls it as one of them. The oracle
signs in by HTTP and reads with lxml: every page that it finds has to be there once for each person, and greet that one.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import msgspec
from crawlee import Request, service_locator
from crawlee.storage_clients import MemoryStorageClient
from lxml import html

import stillframe
from bench.apps.launch import Program, started
from bench.doing import Do, click, fill
from bench.farm.whole import path_of
from bench.measure import machine
from stillframe.farm.crawler import StillframeCrawler, StillframeCrawlingContext
from stillframe.farm.pool import PoolSettings

PEOPLE = ("admin", "bea")
PASSWORD = "amber-glass-7"
LOGIN, START = "/admin/login/", "/admin/"
LEFT_OUT = ("/delete/", "/history/")
LIMIT_S = 600.0
PAGES_AT_ONCE = 4
GREETING = 200
"""In how many characters from the beginning of a page it greets who is signed in."""


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


def signing_in(person: str) -> list[Do]:
    """Return the actions that sign a person in."""
    return [fill("#id_username", person), fill("#id_password", PASSWORD), click("[type=submit]")]


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
            await context.sequence(signing_in(person))
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


async def signed_in(origin: str, person: str, file: Path) -> None:
    """Sign a person in, and keep the cookies in a file."""
    async with (
        stillframe.launch() as browser,
        await browser.new_context() as context,
        await context.new_page() as page,
    ):
        await page.goto(origin + LOGIN)
        await page.execute_sequence(signing_in(person))
        await context.storage_state(path=file)


async def by_command(origin: str, state: Path | None = None) -> list[dict[str, Any]]:
    """Return the records of `stillframe crawl`, with the cookies of a file."""
    with tempfile.TemporaryDirectory(prefix="bench-wall-") as folder:
        out = Path(folder) / "out"
        given = () if state is None else ("--storage-state", str(state))
        left_out = [part for end in (*LEFT_OUT, "?*") for part in ("--exclude", f"**{end}")]
        # Its pages have `<meta name="robots" content="NONE,…">`, and a crawl keeps that.
        followed = ("--follow-nofollow", *given, *left_out)
        command = ("-m", "stillframe", "crawl", origin + START, "--out", str(out), *followed)
        process = await asyncio.create_subprocess_exec(sys.executable, *command, stdout=-3, stderr=-3)
        async with asyncio.timeout(LIMIT_S):
            await process.wait()
        return [msgspec.json.decode(line) for line in (out / "pages.jsonl").read_bytes().splitlines()]


async def as_one(origin: str, outcome: Outcome, person: str) -> None:
    """Crawl as one person with the command line."""
    with tempfile.TemporaryDirectory(prefix="bench-wall-") as folder:
        await signed_in(origin, person, Path(folder) / "state.json")
        began = time.monotonic()
        for record in await by_command(origin, Path(folder) / "state.json"):
            path = urlsplit(record["url"]).path
            if is_page(path):
                outcome.found[person, path] += 1
                outcome.greeted[person, path] = record.get("text", "")[:GREETING].replace("\n", " ")
        outcome.seconds = time.monotonic() - began


async def measured() -> tuple[list[str], list[Outcome]]:
    """Start the application, walk it, and crawl it without a login, as all people at once, and as one of them."""
    program = Program(("{sites}/django_admin/serve.py", "{port}", "{data}", *PEOPLE[1:]))
    async with started(program) as origin:
        pages = {person: await walked(origin, person) for person in PEOPLE}
        outside = [urlsplit(each["finalUrl"]).path for each in await by_command(origin)]
        together, alone = Outcome(pages=pages), Outcome(pages={PEOPLE[-1]: pages[PEOPLE[-1]]})
        await crawled(origin, together)
        await as_one(origin, alone, PEOPLE[-1])
    return outside, [together, alone]


def lines_of(outcome: Outcome) -> list[str]:
    """Return what is printed of a crawl: its figures, and the first faults of each kind."""
    faults = outcome.faults()
    pages = ", ".join(f"{len(paths)} pages of {person}" for person, paths in outcome.pages.items())
    logins = ", ".join(f"{person} {times}" for person, times in outcome.signed_in.items()) or "before"
    counts = ", ".join(f"{len(keys)} {name}" for name, keys in faults.items())
    shown = [f"  {name}: {key}: {outcome.greeted.get(key)!r}" for name, keys in faults.items() for key in keys[:5]]
    return [f"{pages} in {outcome.seconds:.0f} s: {counts}; signed in: {logins}", *shown]


def main() -> int:
    """Crawl and judge; the exit code is 1 if a page is missing, twice, or of another person."""
    outside, outcomes = asyncio.run(measured())
    sys.stdout.write(f"{machine()}\nwithout a login: {outside}\n")
    for outcome in outcomes:
        sys.stdout.write("\n".join((*lines_of(outcome), "")))
    return int(any(any(outcome.faults().values()) for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
