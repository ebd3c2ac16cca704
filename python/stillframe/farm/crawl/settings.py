"""What a crawl is asked to do: recorded with the crawl, so that every worker and every later run does the same."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.extend.options import glob_regex, url_matcher
from stillframe.farm.crawl.access import Access, check_access
from stillframe.farm.loading.links import KEYS, LinkFilter
from stillframe.farm.loading.robots import token_of
from stillframe.farm.reasons import MAX_DOCUMENT_BYTES, ROBOTS_WAIT_S, TRAP_PAGES
from stillframe.farm.store.positions import HIGHEST_PRIORITY

Format = Literal["jsonl", "parquet", "warc"]
NAME = re.compile(r"[\w.-]{1,100}")
PARAMETER = re.compile(r"[^\s*&=;/?#]+\*?")
AUTO_SITEMAP = "auto"
"""Stands for the sitemaps that robots.txt names, or /sitemap.xml where it names none."""


class CrawlSettings(Access, frozen=True, kw_only=True):
    """The settings of one crawl; `check` validates them.

    `include` and `exclude` are globs of URLs, as `page.route` takes them: links must match one, or must not. `depth` is
    how many links a page may be away from the start, None for any. `max_pages` counts the pages of all workers and
    runs. `sitemaps` are URLs of sitemaps whose pages the crawl begins with as well, or `auto`. No page loads what
    matches a pattern of `block`, as in `ContextOptions.block`. A page with more than `max_document_bytes` of HTML fails
    as `too_large`, None for any. `user_agent` is that of pages, robots.txt and sitemaps, and `robots_token` the product
    token whose groups in robots.txt count. Pages wait `robots_wait_s` for a robots.txt that cannot be read, and then
    fail. Times are in seconds.

    `ignore_parameters` are more parameters to leave out of links, beside those of campaigns, clicks and sessions; `*`
    at the end of a name stands for any end. Unless `follow_nofollow`, links that a page marks as `nofollow`, and all of
    a page that says so of itself, are not followed. `skip_noindex` does not record pages that ask for that, and
    `skip_noncanonical` those that name another page of their host as their own, which is crawled instead.

    `scroll` goes down each page until it does not get longer.

    A trap, which is a pattern of pages without end, ends after `trap_pages` pages that brought nothing new; 0 for
    never. `max_per_pattern` and `max_pages_per_host` limit the pages of every pattern and of every host, of all workers
    and runs, and `budgets` those whose URLs match a glob: `**/forum/**=500`. `priorities` have the same form, with
    numbers from -100 to 100; pages with greater ones are loaded first, and `sitemap_priorities` takes those of sitemaps
    as well. `page_keys` is the version of what tells pages apart; crawls that have none began with version 1.
    """

    name: str = "crawl"
    sitemaps: tuple[str, ...] = ()
    crawl_id: str = ""
    max_pages: int | None = None
    depth: int | None = None
    same_host: bool = True
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    respect_robots: bool = True
    robots_token: str | None = None
    robots_wait_s: float = ROBOTS_WAIT_S
    formats: tuple[Format, ...] = ("jsonl",)
    skip_near_duplicates: bool = False
    ignore_parameters: tuple[str, ...] = ()
    follow_nofollow: bool = False
    skip_noindex: bool = False
    skip_noncanonical: bool = False
    scroll: bool = False
    trap_pages: int = TRAP_PAGES
    max_per_pattern: int | None = None
    max_pages_per_host: int | None = None
    budgets: tuple[str, ...] = ()
    priorities: tuple[str, ...] = ()
    sitemap_priorities: bool = False
    page_keys: int = KEYS
    retries: int = 2
    navigation_s: float = 60.0
    max_document_bytes: int | None = MAX_DOCUMENT_BYTES
    handler_s: float = 90.0
    settle_s: float = 5.0
    pages_per_host: int | None = None
    host_interval_s: float | None = None
    recycle_pages: int = 500

    def check(self) -> CrawlSettings:
        """Return these settings; raise OptionInvalid for the first that is wrong."""
        for url in (*self.urls, *(each for each in self.sitemaps if each != AUTO_SITEMAP)):
            check_url(url)
        for pattern in (*self.include, *self.exclude):
            url_matcher(pattern)
        if not self.urls:
            raise OptionInvalid("a crawl needs at least one URL to begin with", option="urls")
        if NAME.fullmatch(self.name) is None:
            raise OptionInvalid(
                f"option name: {self.name!r} is not a name; use letters, digits, '.', '_' and '-', 100 at most",
                option="name",
            )
        check_access(self)
        token_of(self.user_agent, self.robots_token)
        if self.user_agent is not None and not (self.user_agent.strip() and self.user_agent.isprintable()):
            raise OptionInvalid(
                f"option user_agent: {self.user_agent!r} is not the value of a header", option="user_agent"
            )
        for option, least in (
            ("max_pages", 1),
            ("depth", 0),
            ("retries", 0),
            ("max_document_bytes", 1),
            ("pages_per_host", 1),
            ("recycle_pages", 1),
            ("trap_pages", 0),
            ("max_per_pattern", 1),
            ("max_pages_per_host", 1),
            ("robots_wait_s", 0),
        ):
            value = getattr(self, option)
            if value is not None and value < least:
                raise OptionInvalid(f"option {option}: {value} is less than {least}", option=option)
        for name in self.ignore_parameters:
            if PARAMETER.fullmatch(name) is None:
                raise OptionInvalid(
                    f"option ignore_parameters: {name!r} is not the name of a parameter, such as ref or track_*",
                    option="ignore_parameters",
                )
        for given in self.budgets:
            numbered("budgets", given, least=0)
        for given in self.priorities:
            numbered("priorities", given, least=-HIGHEST_PRIORITY, most=HIGHEST_PRIORITY)
        return self

    @property
    def links(self) -> LinkFilter:
        """What cleans links, and tells the pages behind them apart."""
        return LinkFilter(self.ignore_parameters, keys=self.page_keys)

    def to_builtins(self) -> dict[str, Any]:
        """Return the settings as JSON has them."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found


def read_settings(recorded: dict[str, Any]) -> CrawlSettings:
    """Return the settings that a crawl has recorded. Raises OptionInvalid if another program wrote them."""
    try:
        return msgspec.convert({"page_keys": 1, **recorded}, CrawlSettings)
    except msgspec.ValidationError as error:
        raise OptionInvalid(
            f"the crawl has settings that `stillframe crawl` did not write ({error}); resume it with the program that "
            "began it",
            option="settings",
        ) from error


def numbered(option: str, given: str, *, least: int, most: int | None = None) -> tuple[str, re.Pattern[str], int]:
    """Return a glob, its regular expression, and the number behind it; raises OptionInvalid for another form."""
    glob, sign, number = given.rpartition("=")
    if not sign or re.fullmatch(r"-?\d{1,9}", number, re.ASCII) is None:
        raise OptionInvalid(f"option {option}: {given!r} is not GLOB=NUMBER, as **/forum/**=500 is", option=option)
    if int(number) < least or (most is not None and int(number) > most):
        bounds = f"at least {least}" if most is None else f"from {least} to {most}"
        raise OptionInvalid(f"option {option}: {number} in {given!r} is not {bounds}", option=option)
    url_matcher(glob)
    return glob, regexes([glob])[0], int(number)


def regexes(globs: Iterable[str]) -> list[re.Pattern[str]]:
    """Return globs of URLs as regular expressions for whole URLs, as crawlee takes them."""
    return [re.compile(glob_regex(glob) + r"\Z", re.DOTALL) for glob in globs]


def check_url(url: str) -> None:
    """Raise OptionInvalid for what is not an http or https URL with a host."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or any(character.isspace() for character in url):
        raise OptionInvalid(
            f"{url!r} is not an http or https URL; give one such as https://example.org/", option="urls"
        )
