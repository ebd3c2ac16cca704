"""What is the same: two URLs that are one page or two, and two names that are one worker or not."""

from __future__ import annotations

from typing import NamedTuple

RFC, WHATWG = "RFC 3986", "URL Standard"


class PageCase(NamedTuple):
    """Two URLs that a crawl finds, and how many pages they are."""

    name: str
    why: str
    given: tuple[str, str]
    expected: int


class WorkerCase(NamedTuple):
    """The name of a worker in the database, seen by another one, and whether its leases are free at once.

    `{host}`, `{pid}`, `{started}`, `{boot}` and `{space}` are those of the one that looks; `{gone}` is the start of a
    process that had its number before.
    """

    name: str
    why: str
    given: str
    expected: bool


PAGES: tuple[PageCase, ...] = (
    PageCase("an empty path", f"{RFC} 6.2.3", ("http://h", "http://h/"), 1),
    PageCase("the usual port", f"{RFC} 6.2.3", ("http://h:80/a", "http://h/a"), 1),
    PageCase("another port", f"{RFC} 3.2.3", ("http://h:81/a", "http://h/a"), 2),
    PageCase("capitals in the host", f"{RFC} 6.2.2.1", ("http://H/a", "http://h/a"), 1),
    PageCase("capitals in the path", f"{RFC} 6.2.2.1", ("http://h/Guide", "http://h/guide"), 2),
    PageCase("capitals in the query", f"{RFC} 6.2.2.1", ("http://h/?v=dQw4", "http://h/?v=dqw4"), 2),
    PageCase("http and https", f"{RFC} 3.1", ("https://h/", "http://h/"), 2),
    PageCase("letters as Chrome sends them", f"{WHATWG} 4.4", ("http://h/ä", "http://h/%C3%A4"), 1),
    PageCase("an escaped slash", f"{RFC} 2.2", ("http://h/a%2Fb", "http://h/a/b"), 2),
    PageCase("an escaped plus", f"{WHATWG} 5.1", ("http://h/?q=%2B", "http://h/?q=+"), 2),
    PageCase("a folder and a file", f"{RFC} 6.2.4", ("http://h/dir", "http://h/dir/"), 2),
    PageCase("a place on a page", f"{RFC} 3.5", ("http://h/a#part", "http://h/a"), 1),
    PageCase("a route behind #/", "what applications show", ("http://h/#/guide", "http://h/"), 2),
    PageCase("the route #/", "the first page of it", ("http://h/#/", "http://h/"), 1),
    PageCase("routes with queries", "what applications show", ("http://h/#/guide?of=1", "http://h/#/guide?of=2"), 2),
    PageCase("routes behind #!", "what applications show", ("http://h/#!guide", "http://h/#!other"), 2),
    PageCase("the order of a query", "forms write it in any", ("http://h/a?x=1&y=2", "http://h/a?y=2&x=1"), 1),
    PageCase("a name that stands twice", "servers read a list", ("http://h/?tag=1&tag=2", "http://h/?tag=2"), 2),
    PageCase("a campaign", "docs/farm.md", ("http://h/a?x=1", "http://h/a?x=1&utm_source=z"), 1),
    PageCase("clicks", "docs/farm.md", ("http://h/a/?b=1", "http://h/a/?b=1&fbclid=x&GCLID=y&msclkid=z"), 1),
    PageCase("a session in the path", "docs/farm.md", ("http://h/a;jsessionid=1F2E", "http://h/a"), 1),
    PageCase("two sessions", "docs/farm.md", ("http://h/a;jsessionid=1F2E/b;v=1?PHPSESSID=2", "http://h/a/b;v=1"), 1),
    PageCase("a version in the path", f"{RFC} 3.3", ("http://h/a;v=1", "http://h/a;v=2"), 2),
    PageCase("sessions of a conference", "a word of its own", ("http://h/?session=1", "http://h/?session=2"), 2),
    PageCase("a name and a password", f"{RFC} 3.2.1", ("http://ann:secret@h/a", "http://h/a"), 1),
)

WORKERS: tuple[WorkerCase, ...] = (
    WorkerCase("oneself", "it lives", "{host}:{pid}:{started}:{boot}.{space}", False),
    WorkerCase("its number is another process's now", "numbers return", "{host}:{pid}:{gone}:{boot}.{space}", True),
    WorkerCase("a name of an older stillframe", "a host and a start", "{host}:{pid}:{started}", False),
    WorkerCase("one of an older stillframe that ended", "a host and a start", "{host}:{pid}:{gone}", True),
    WorkerCase("another container", "numbers are those of a PID namespace", "{host}:{pid}:{gone}:{boot}.1", False),
    WorkerCase("another machine of one host name", "its boot is", "{host}:{pid}:{gone}:another-boot.{space}", False),
    WorkerCase("another host", "nobody can look there", "far:{pid}:{gone}:{boot}.{space}", False),
    WorkerCase("a name that somebody chose", "it says nothing", "w", False),
    WorkerCase("no number", "it says nothing", "{host}:x:{gone}", False),
    WorkerCase("a longer name", "of a newer stillframe", "{host}:{pid}:{gone}:{boot}.{space}:more", False),
)

CASES: tuple[PageCase | WorkerCase, ...] = (*PAGES, *WORKERS)
