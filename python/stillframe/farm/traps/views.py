"""Pages that show the same thing in several ways: by other parameters, or in another format."""

from __future__ import annotations

from stillframe.farm.traps.segments import split_ending
from stillframe.farm.traps.shapes import shape_of, without_query
from stillframe.farm.traps.sketches import Seen


class FirstViews:
    """The paths that were crawled with any parameters, and the links that are the first to their path.

    A product that only links with filters lead to, `/p/7?color=red`, is crawled once whatever becomes of its filters.
    """

    def __init__(self) -> None:
        self._paths = Seen(1 << 20)
        self._links = Seen(1 << 18)

    def add(self, url: str) -> None:
        """Note that a page is crawled."""
        self._paths.add(without_query(url))

    def admits(self, link: str) -> bool:
        """Return whether a link is the first one to its path, now or when it was asked for before.

        Paths of days and of lists do not count: there is no end of them. `/p/7` is a product more often than a list.
        """
        path = without_query(link)
        if shape_of(path).kind is not None and "/p/" not in path:
            return False
        if self._paths.add(path):
            self._links.add(link)
            return True
        return link in self._links


def is_format(url: str, link: str) -> bool:
    """Return whether a link leads to what a page shows, in another format: `/list.json?a=1` from `/list?a=1`."""
    return without_query(url) != without_query(link) and is_view(url, link)


def is_view(url: str, link: str) -> bool:
    """Return whether a link leads to what a page shows, in another format or with more parameters."""
    return _stem(url) == _stem(link) and set(_query(url)) <= set(_query(link))


def _stem(url: str) -> tuple[str, str]:
    folder, _, name = without_query(url).rpartition("/")
    return folder, split_ending(name)[0]


def _query(url: str) -> list[str]:
    query = url.partition("#")[0].partition("?")[2]
    return query.split("&") if query else []
