"""The links of a page, found with one question, and what tells the pages behind them apart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote_plus, urljoin, urlsplit

import msgspec
from yarl import URL

from stillframe import Page, injected
from stillframe.extend import page_state
from stillframe.farm.store import NewRequest

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
    """Return URLs relative to a base, or to the page where the base is not a URL of the web; without credentials."""
    start = base if is_web(base) else page_url
    joined = (_join(start, value.strip()) for value in values if value is not None)
    return list(dict.fromkeys(without_credentials(url) for url in joined if url is not None and is_web(url)))


def is_web(url: str) -> bool:
    """Return whether a URL is one that a crawl may load."""
    return url.lower().startswith(("http://", "https://"))


def host_of(url: str) -> str:
    """Return the host of a URL in lower case, with its port if it names one; limits hold per such a host."""
    parts = urlsplit(url)
    return parts.netloc.rpartition("@")[2].lower()


def hostname(url: str) -> str:
    """Return the host of a URL without its port, empty for what is not a URL."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


# What is left out of links: names of users, passwords, and parameters that say who follows a link, and not to where.

IGNORED_PARAMETERS = (
    "utm_*", "fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "twclid", "ttclid", "igshid",
    "igsh", "li_fat_id", "mc_cid", "mc_eid", "mkt_tok", "_ga", "_gl", "_hsenc", "_hsmi", "oly_anon_id", "oly_enc_id",
    "vero_id", "jsessionid", "phpsessid", "sessionid", "session_id", "aspsessionid*", "cfid", "cftoken",
)  # fmt: skip
"""Parameters of campaigns, clicks and sessions, whatever the case of their letters; `*` stands for any end."""


KEYS = 2
"""The version of what tells pages apart. In version 1, `/dir` and `/dir/` were one page."""


class LinkFilter:
    """Leaves parameters out of URLs: those of IGNORED_PARAMETERS, and `more` of the same form.

    A crawl keeps the version of `keys` that it began with, or a later run would load its pages once more.
    """

    def __init__(self, more: Iterable[str] = (), *, keys: int = KEYS) -> None:
        self._slashes = "/" if keys == 1 else ""
        names = [name.lower() for name in (*IGNORED_PARAMETERS, *more)]
        self._names = frozenset(name for name in names if not name.endswith("*"))
        self._beginnings = tuple(name[:-1] for name in names if name.endswith("*"))

    def ignores(self, name: str) -> bool:
        """Return whether a parameter of this name is left out."""
        lower = name.lower()
        return lower in self._names or lower.startswith(self._beginnings)

    def cleaned(self, url: str) -> str:
        """Return a URL without credentials, and without these parameters in its query and its path (`;name=…`).

        Everything else stays letter by letter.
        """
        url = without_credentials(url)
        rest, hash_sign, fragment = url.partition("#")
        path, mark, query = rest.partition("?")
        if ";" in path:
            path = PATH_PARAMETER.sub(lambda found: "" if self.ignores(found[1]) else found[0], path)
        kept = [each for each in query.split("&") if not self.ignores(unquote_plus(each.partition("=")[0]))]
        mark = mark if kept or not query else ""
        return f"{path}{mark}{'&'.join(kept)}{hash_sign}{fragment}"

    def key(self, url: str) -> str:
        """Return what tells a page from others: two URLs with the same key are one page.

        Paths, queries and routes keep the case of their letters and their escapes, which servers tell apart. What
        `cleaned` leaves out, the order of the query, and fragments that are not a route do not matter.
        """
        parsed = URL(self.cleaned(url.strip()))
        path = "" if parsed.raw_path == "/" else parsed.raw_path.removesuffix(self._slashes)
        plain = parsed.with_query(sorted(parsed.query.items())).with_path(path, encoded=True, keep_query=True)
        return str(plain.with_fragment(parsed.fragment if is_route(parsed.fragment) else None))


PATH_PARAMETER = re.compile(r";([^;=/]+)(?:=[^;/]*)?")
PLAIN = LinkFilter()
"""What leaves out IGNORED_PARAMETERS only."""


def page_key(url: str) -> str:
    """Return the key of a URL by `PLAIN`."""
    return PLAIN.key(url)


def request_of(link: str, depth: int = 0, links: LinkFilter = PLAIN) -> NewRequest | None:
    """Return the request of a link with its key, or None for one that no crawl can load.

    It loads the link as `links` cleans it.
    """
    try:
        url, key = links.cleaned(link), links.key(link)
        url.encode()
        return NewRequest(key=key, url=url, host=host_of(url), depth=depth)
    except ValueError:
        return None


def without_credentials(url: str) -> str:
    """Return a URL of the web without the name and the password of a user before its host."""
    found = AUTHORITY.match(url)
    return url if found is None else f"{found[1]}{url[found.end() :]}"


AUTHORITY = re.compile(r"(https?:[/\\]*)[^/\\?#]*@", re.IGNORECASE)


def is_route(fragment: str) -> bool:
    """Return whether a fragment is a page of an application that routes by fragments: `/guide`, or `!guide`."""
    return fragment.startswith(("/", "!")) and fragment.strip("/!") != ""


def _join(base: str, value: str) -> str | None:
    try:
        return urljoin(base, value)
    except ValueError:
        return None  # as "http://[": no URL at all
