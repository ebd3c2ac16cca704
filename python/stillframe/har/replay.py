"""Find the answer that a HAR file has for a request. Pure logic.

The URL and the method have to be equal, and so has what is posted, if both say it; then the request decides that has
the most headers in common. Where several are as good, they answer in their order, and the last one from then on.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from stillframe.har.model import Named
    from stillframe.har.reading import HarFile, ReadEntry

NOT_SENT = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"})
"""Headers about how a body travelled; bodies of HAR files are decoded."""

_BOUNDARY = re.compile(r"boundary=\"?([^\s\";]+)")


class Answer(NamedTuple):
    """A response to give."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Failure(NamedTuple):
    """A request that failed when it was recorded; `error` is Chrome's word for it, such as `net::ERR_FAILED`."""

    error: str


class Replay:
    """The entries of a HAR file by method and URL."""

    def __init__(self, file: HarFile) -> None:
        self._file = file
        self._by_request: defaultdict[tuple[str, str], list[ReadEntry]] = defaultdict(list)
        for entry in file.entries:
            self._by_request[entry.request.method.upper(), _without_fragment(entry.request.url)].append(entry)
        self._used: set[ReadEntry] = set()

    def find(self, method: str, url: str, headers: Mapping[str, str], posted: str | None) -> Answer | Failure | None:
        """Return what the file answers; None if it has no such request. Raises HarInvalid for a missing body."""
        candidates = self._by_request.get((method.upper(), _without_fragment(url)), [])
        fitting = [entry for entry in candidates if self._posts(entry, headers, posted)]
        if not fitting:
            return None
        entry = self._chosen(fitting, headers)
        self._used.add(entry)
        response = entry.response
        if response.status < 100:
            return Failure(response.error or response.failure_text or "net::ERR_FAILED")
        return Answer(response.status, list(_headers(response.headers)), self._file.body(response.content))

    def _chosen(self, fitting: list[ReadEntry], headers: Mapping[str, str]) -> ReadEntry:
        sent = {(name.lower(), value) for name, value in headers.items()}
        scores = [sum((each.name.lower(), each.value) in sent for each in entry.request.headers) for entry in fitting]
        best = [entry for entry, score in zip(fitting, scores, strict=True) if score == max(scores)]
        return next((entry for entry in best if entry not in self._used), best[-1])

    def _posts(self, entry: ReadEntry, headers: Mapping[str, str], posted: str | None) -> bool:
        recorded = entry.request.post_data
        if posted is None or recorded is None:
            return True
        text = self._file.body(recorded).decode("utf-8", "replace")
        if text == posted:
            return True
        here = _boundary(headers.get("content-type", ""))
        there = _boundary(next((h.value for h in entry.request.headers if h.name.lower() == "content-type"), ""))
        return bool(here and there) and text.replace(there, "") == posted.replace(here, "")


def _headers(recorded: Iterable[Named]) -> Iterable[tuple[str, str]]:
    """Yield the headers to send: not those about transport, and not the pseudo-headers of HTTP/2."""
    for header in recorded:
        if header.name.lower() not in NOT_SENT and not header.name.startswith(":"):
            yield from ((header.name, line) for line in header.value.split("\n"))


def _boundary(content_type: str) -> str:
    found = _BOUNDARY.search(content_type) if "multipart/" in content_type else None
    return found[1] if found else ""


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]
