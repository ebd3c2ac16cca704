"""The headers of requests that routes continue and of answers that they give. Pure logic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus

from stillframe.cdp_types import fetch, network
from stillframe.errors import OptionInvalid
from stillframe.security.urls import same_origin
from stillframe.tab.context.options import check_headers
from stillframe.tab.network.exchanges import SET_COOKIE, lowered

HeaderValues = Mapping[str, str] | Iterable[tuple[str, str]]
"""Headers as a mapping, or as pairs of which several may have one name."""

Pairs = list[tuple[str, str]]

OF_THE_ORIGIN = frozenset({"authorization", "proxy-authorization", "host"})
"""Headers that Fetch takes away when a redirect leads to another origin, and the one that names the server."""


def header_pairs(headers: HeaderValues) -> Pairs:
    """Return headers by their names in lower case; several Set-Cookie may also be the lines of one value.

    Raises OptionInvalid for what cannot be sent.
    """
    pairs: Pairs = []
    try:
        given = [(name, value) for name, value in (headers.items() if isinstance(headers, Mapping) else headers)]
    except (TypeError, ValueError):
        raise OptionInvalid(
            f"option headers: {headers!r} is neither a mapping of names to values nor a list of such pairs",
            option="headers",
        ) from None
    for name, value in given:
        is_list = isinstance(name, str) and name.lower() == SET_COOKIE and isinstance(value, str)
        for each in value.split("\n") if is_list else [value]:
            check_headers({name: each}, "headers")
            pairs.append((name.lower(), each))
    return pairs


def entries(pairs: Iterable[tuple[str, str]]) -> list[fetch.HeaderEntry]:
    """Return headers as the Fetch domain takes them."""
    return [fetch.HeaderEntry(name=name, value=value) for name, value in pairs]


def phrase(status: int) -> str:
    """Return the reason phrase of a status; Chrome refuses a status that it does not know without one."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def sent_headers(request: network.Request, given: Pairs) -> Pairs:
    """Return the headers to continue a request with: those given, with the cookies and the origin of the browser.

    The cookies come from the browser's store at the moment of sending, and without its Origin a request of another
    site fails.
    """
    pairs = [(name, value) for name, value in given if name != "cookie"]
    origin = lowered(request.headers).get("origin")
    if origin is not None and not any(name == "origin" for name, _ in pairs):
        pairs.append(("origin", origin))
    return pairs


class HeaderChanges:
    """How a route has changed the headers of a request, to change those of its redirects alike.

    Chrome forgets the changes at each redirect.
    """

    def __init__(self) -> None:
        self._url = ""
        self._added: dict[str, str] = {}
        self._removed: frozenset[str] = frozenset()

    def note(self, request: network.Request, sent: Pairs) -> None:
        """Keep the difference between the headers that a request had and those that it is sent with."""
        before, after = lowered(request.headers), dict(sent)
        self._url = request.url
        self._added = {name: value for name, value in after.items() if before.get(name) != value}
        self._removed = frozenset(before.keys() - after.keys() - {"cookie"})

    def applied(self, request: network.Request) -> list[fetch.HeaderEntry] | None:
        """Return the headers for a redirect of the request; None for those that it has."""
        if not self._added and not self._removed:
            return None
        if not same_origin(self._url, request.url):
            self._added = {name: value for name, value in self._added.items() if name not in OF_THE_ORIGIN}
        own = {name: value for name, value in lowered(request.headers).items() if name not in self._removed}
        return entries(sent_headers(request, [*(own | self._added).items()]))
