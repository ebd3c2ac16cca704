"""The links of a page, found with one question, and what tells the pages behind them apart."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import msgspec
from yarl import URL

from stillframe import Page, injected
from stillframe.extend import page_state

LINKS_MS = 10_000.0
"""How long a page may take to list its links: 100,000 of them take about one second."""


class Listed(msgspec.Struct, frozen=True):
    """What the page answers."""

    base: str
    values: list[str | None]


async def links_of(page: Page, selector: str, attribute: str) -> list[str]:
    """Return the absolute http and https URLs of a page's links in page order, without repetitions.

    Raises CommandTimeout, ContextLost if the page navigates meanwhile, and EvaluationFailed for a bad CSS selector.
    """
    quoted = msgspec.json.encode([selector, attribute]).decode()
    frame = page_state(page).frames.main
    answer = msgspec.convert(
        await frame.evaluate(f"({injected.read('attributes')})(...{quoted})", timeout=LINKS_MS / 1000), Listed
    )
    return absolute(answer.values, answer.base, page.url)


def absolute(values: list[str | None], base: str, page_url: str) -> list[str]:
    """Return URLs relative to a base, or to the page where the base is not a URL of the web."""
    start = base if is_web(base) else page_url
    joined = (_join(start, value.strip()) for value in values if value is not None)
    return list(dict.fromkeys(url for url in joined if url is not None and is_web(url)))


def is_web(url: str) -> bool:
    """Return whether a URL is one that a crawl may load."""
    return url.lower().startswith(("http://", "https://"))


def host_of(url: str) -> str:
    """Return the host of a URL in lower case, with its port if it names one; limits hold per such a host."""
    parts = urlsplit(url)
    return parts.netloc.rpartition("@")[2].lower()


def page_key(url: str) -> str:
    """Return what tells a page from others: two URLs with the same key are one page.

    Paths, queries and routes keep the case of their letters and their escapes, which servers tell apart. The order of
    the query, `utm_…` in it, a slash at the end of the path, and fragments that are not a route do not matter.
    """
    parsed = URL(url.strip())
    query = sorted((name, value) for name, value in parsed.query.items() if not name.startswith("utm_"))
    plain = parsed.with_query(query).with_path(parsed.raw_path.removesuffix("/"), encoded=True, keep_query=True)
    return str(plain.with_fragment(parsed.fragment if is_route(parsed.fragment) else None))


def is_route(fragment: str) -> bool:
    """Return whether a fragment is a page of an application that routes by fragments: `/guide`, or `!guide`."""
    return fragment.startswith(("/", "!")) and fragment.strip("/!") != ""


def _join(base: str, value: str) -> str | None:
    try:
        return urljoin(base, value)
    except ValueError:
        return None  # as "http://[": no URL at all
