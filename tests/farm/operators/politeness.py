"""What site owners ask for, and how long a crawl then leaves their page and their host alone."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from operators.raw import Answer, http, reset

NONE: Mapping[str, Any] = MappingProxyType({})


class PolitenessCase(NamedTuple):
    """One host: what it answers, what the crawl asked it for, and the seconds that come of it.

    `asked` are paths in their order, each a second after the one before. `page_s` and `host_s` are what the last
    answer costs its page and its host, with `between_s` the time between two pages of the host.
    """

    name: str
    why: str
    given: dict[str, Answer]
    asked: tuple[str, ...] = ("/0",)
    settings: Mapping[str, Any] = NONE
    page_s: float = 0.0
    host_s: float = 0.0
    between_s: float = 0.0
    at_once: int = 2
    """How many of two pages may be open at once."""


def robots(*lines: str) -> dict[str, Answer]:
    """Return a host with such a robots.txt."""
    return {"/robots.txt": http("\n".join(("User-agent: *", *lines, "")))}


def busy(status: str = "503 Service Unavailable", **headers: str) -> bytes:
    """Return an answer that asks for time."""
    return http("later", status, **headers)


FINE = http("<title>Fine</title>")
DAY_S, HOUR_S = 86_400, 3_600.0
THREE = {f"/{n}": busy() for n in range(3)}
MANY = {f"/{n}": FINE for n in range(40)}

CASES: tuple[PolitenessCase, ...] = (
    # the pace of a host
    PolitenessCase("nothing is asked for", "no wait is invented", robots("Disallow:")),
    PolitenessCase("Crawl-delay", "what its authors mean by it", robots("Crawl-delay: 30"), between_s=30.0, at_once=1),
    PolitenessCase("a fraction of a second", "they are in use", robots("Crawl-delay: 20.5"), between_s=20.5, at_once=1),
    PolitenessCase("a delay that is a word", "as if it was not there", robots("Crawl-delay: soon")),
    PolitenessCase(
        "the delay of another crawler",
        "RFC 9309 2.2.1: groups",
        {"/robots.txt": http("User-agent: otherbot\nCrawl-delay: 60\n\nUser-agent: *\nDisallow: /x\n")},
    ),
    PolitenessCase(
        "the operator is slower",
        "the longer of both",
        robots("Crawl-delay: 10"),
        settings={"host_interval_s": 40.0},
        between_s=40.0,
        at_once=1,
    ),
    PolitenessCase(
        "the operator is faster",
        "the longer of both",
        robots("Crawl-delay: 50"),
        settings={"host_interval_s": 10.0},
        between_s=50.0,
        at_once=1,
    ),
    PolitenessCase(
        "one page at once", "--pages-per-host 1", robots("Disallow:"), settings={"pages_per_host": 1}, at_once=1
    ),
    # a host whose rules cannot be read is left alone
    PolitenessCase(
        "robots.txt asks for time",
        "RFC 9110 10.2.3",
        {"/robots.txt": busy(Retry_After="120")},
        asked=(),
        host_s=120.0,
    ),
    PolitenessCase("robots.txt cannot be had", "RFC 9309 2.3.1.4", {"/robots.txt": reset}, asked=(), host_s=10.0),
    # 429 and 503
    PolitenessCase("503 with seconds", "RFC 9110 10.2.3", {"/0": busy(Retry_After="120")}, page_s=120.0, host_s=120.0),
    PolitenessCase(
        "429 with seconds",
        "RFC 6585 4",
        {"/0": busy("429 Too Many Requests", Retry_After="7")},
        page_s=7.0,
        host_s=7.0,
    ),
    PolitenessCase(
        "a date that is over",
        "RFC 9110 10.2.3",
        {"/0": busy(Retry_After="Sun, 06 Nov 1994 08:49:37 GMT")},
    ),
    PolitenessCase(
        "a date in a year",
        "no longer than an hour",
        {"/0": busy(Retry_After="Fri, 31 Dec 2100 23:59:59 GMT")},
        page_s=HOUR_S,
        host_s=HOUR_S,
    ),
    PolitenessCase(
        "a day", "no longer than an hour", {"/0": busy(Retry_After=str(DAY_S))}, page_s=HOUR_S, host_s=HOUR_S
    ),
    PolitenessCase(
        "a Retry-After that is none", "as without one", {"/0": busy(Retry_After="later")}, page_s=5.0, host_s=0.0
    ),
    PolitenessCase("503 alone", "the page waits, its host does not", {**MANY, "/0": busy()}, page_s=5.0),
    PolitenessCase(
        "503 three times by one page", "twice as long each time", {"/0": busy()}, ("/0", "/0", "/0"), page_s=20.0
    ),
    PolitenessCase(
        "three pages of a host that answers nothing else",
        "then it is the host",
        THREE,
        ("/0", "/1", "/2"),
        page_s=5.0,
        host_s=5.0,
    ),
    PolitenessCase(
        "three broken pages of a host that answers forty",
        "then it is the pages",
        MANY | {f"/b{n}": busy() for n in range(3)},
        (*MANY, "/b0", "/b1", "/b2"),
        page_s=5.0,
    ),
    PolitenessCase(
        "500 asks for no time", "RFC 9110 15.6.1: the page has failed", {"/0": busy("500 Internal Server Error")}
    ),
    PolitenessCase(
        "404 with Retry-After",
        "RFC 9110 10.2.3 has it for 503 and 3xx",
        {"/0": busy("404 Not Found", Retry_After="60")},
    ),
)
