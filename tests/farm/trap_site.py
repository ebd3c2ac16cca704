"""A site with pages and five traps: a calendar, relative links that loop, filters, a list without end, and sessions."""

from __future__ import annotations

import hashlib
import html
import random
from itertools import count
from urllib.parse import parse_qsl, urlencode, urlsplit

from aiohttp import web

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
FILTERS = {
    "brand": ("acme", "umbrella", "initech", "hooli", "globex"),
    "color": ("red", "green", "blue", "black", "white", "pink"),
    "size": ("xs", "s", "m", "l", "xl"),
    "sort": ("price", "name", "new"),
}
FOLDERS = ("about", "team", "jobs", "press", "faq")
SYLLABLES = ("ba", "ke", "li", "mo", "nu", "ra", "so", "ti", "vu", "xe")


class TrapSite:
    """The site: `page` answers a URL, and `app` serves that; all links of pages have a session if `sessions`."""

    def __init__(self, pages: int, *, sessions: bool = False) -> None:
        self.pages = pages
        self.sessions = sessions
        self.origin = "http://site.test"
        self._visits = count()

    @property
    def products(self) -> set[str]:
        """The URLs of all real pages but the first."""
        return {f"{self.origin}/p/{number}" for number in range(self.pages)}

    def page(self, url: str) -> tuple[str, str, list[str]]:
        """Return the title, the text and the links of a page."""
        parts = urlsplit(url)
        path, query = parts.path, dict(parse_qsl(parts.query))
        query.pop("ticket", None)
        first = path.split("/")[1]
        shown, links = {
            "": self._start,
            "calendar": self._calendar,
            "folder": self._folder,
            "shop": self._shop,
            "list": self._list,
            "p": self._product,
        }[first](path, query)
        nav = ["/", "/calendar?month=11&year=2026", "/folder/", "/shop", "/list?page=1", "/p/0"]
        links = nav + links
        if self.sessions:
            ticket = hashlib.md5(str(next(self._visits)).encode()).hexdigest()
            links = [f"{link}{'&' if '?' in link else '?'}ticket={ticket}" for link in links]
        return "The site", f"Home Calendar Folder Shop List\n{shown}", [self.origin + link for link in links]

    def _start(self, _path: str, _query: dict[str, str]) -> tuple[str, list[str]]:
        return "Welcome", []

    def _calendar(self, path: str, query: dict[str, str]) -> tuple[str, list[str]]:
        if "month" not in query:
            return f"{path}: no events", ["/calendar?month=1&year=2027"]
        month, year = int(query["month"]), int(query["year"])
        after, before = (month % 12 + 1, year + (month == 12)), ((month - 2) % 12 + 1, year - (month == 1))
        around = [f"/calendar?month={m}&year={y}" for m, y in (after, before)]
        days = [f"/calendar/{year}/{month:02}/{day:02}/" for day in range(1, 29)]
        return f"{MONTHS[month - 1]} {year} Mon Tue Wed Thu Fri Sat Sun", around + days

    def _folder(self, path: str, _query: dict[str, str]) -> tuple[str, list[str]]:
        return "A folder", [f"{path}{name}/" for name in FOLDERS]

    def _shop(self, _path: str, query: dict[str, str]) -> tuple[str, list[str]]:
        links = [f"/shop?{urlencode({**query, name: value})}" for name in FILTERS for value in FILTERS[name]]
        chosen = random.Random(str(sorted(query.items())))
        items = [f"/p/{chosen.randrange(self.pages)}" for _ in range(10)]
        return " ".join(value for values in FILTERS.values() for value in values), links + items

    def _list(self, _path: str, query: dict[str, str]) -> tuple[str, list[str]]:
        number = int(query["page"])
        return f"Page {number}", [f"/list?page={number + 1}"]

    def _product(self, path: str, _query: dict[str, str]) -> tuple[str, list[str]]:
        number = int(path.removeprefix("/p/"))
        said = random.Random(number)
        words = ["".join(said.choices(SYLLABLES, k=4)) for _ in range(12)]
        below = [f"/p/{child}" for child in range(3 * number + 1, 3 * number + 4) if child < self.pages]
        return f"Product {number}: {' '.join(words)}", below

    def app(self) -> web.Application:
        """Return the site as an application."""

        async def answer(request: web.Request) -> web.Response:
            try:
                title, text, links = self.page(str(request.url))
            except (KeyError, ValueError):
                return web.Response(status=404, text="not found")
            anchors = "".join(f'<a href="{html.escape(link)}">go</a> ' for link in links)
            page = f"<title>{title}</title><p>{text}</p>{anchors}"
            return web.Response(text=page, content_type="text/html")

        app = web.Application()
        app.router.add_get("/{path:.*}", answer)
        return app
