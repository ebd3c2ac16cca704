"""Pages of made-up sites, with the truth about every pair of them.

A site is drawn from its number: its vocabulary, how deep and with which tags and classes it is laid out, whether it has
semantic elements, whether its classes are hashed. It has pages of four kinds with several items each, and each item is
rendered several times with what changes from load to load: clocks, counters, advertisements, hashed classes, tokens,
rows in another order, a banner, a corrected word.
"""

from __future__ import annotations

import html
import random
from enum import IntEnum
from typing import NamedTuple

KINDS = ("list", "detail", "search", "form")
SYLLABLES = [first + last for first in "bdfklmnprstvz" for last in "aeiou"]


class Truth(IntEnum):
    """What two pages are to one another."""

    DIFFERENT = 0
    SAME_TEMPLATE = 1
    NEAR_DUPLICATE = 2
    DUPLICATE = 3


class Page(NamedTuple):
    """One rendering: of which site, which kind of page, which item, with which noise (0: none)."""

    site: int
    kind: str
    item: int
    noise: int
    html: str
    url: str


def truth(one: Page, other: Page) -> Truth:
    """Say what the generator knows of two of its pages."""
    if (one.site, one.kind) != (other.site, other.kind):
        return Truth.DIFFERENT
    if one.item != other.item:
        return Truth.SAME_TEMPLATE
    return Truth.DUPLICATE if one.noise == other.noise else Truth.NEAR_DUPLICATE


class Words:
    """A vocabulary of its own for every site, from which texts are drawn by Zipf's law."""

    def __init__(self, dice: random.Random, size: int = 900) -> None:
        self._words = ["".join(dice.choices(SYLLABLES, k=dice.choice((1, 2, 2, 3, 3, 4)))) for _ in range(size)]
        self._weights = [1 / (rank + 4) for rank in range(size)]

    def text(self, dice: random.Random, low: int, high: int) -> str:
        """Return from `low` to `high` words."""
        return " ".join(dice.choices(self._words, self._weights, k=dice.randint(low, high)))

    def sentences(self, dice: random.Random, count: int) -> str:
        """Return `count` sentences."""
        return " ".join(self.text(dice, 6, 18).capitalize() + "." for _ in range(count))


class Site:
    """What all pages of one site share."""

    def __init__(self, number: int) -> None:
        dice = random.Random(f"site {number}")
        self.number = number
        self.words = Words(dice)
        self.semantic = dice.random() < 0.6
        self.hashed = dice.random() < 0.4
        self.depth = dice.randint(0, 3)
        self.table = dice.random() < 0.3
        self.aside = dice.choice(("", "left", "right"))
        self._prefix = dice.choice(("", self.words.text(dice, 1, 1) + "-", "c-", "x_"))
        self._names: dict[str, str] = {}
        self._dice = dice
        self.menu = [self.words.text(dice, 1, 2) for _ in range(dice.randint(4, 14))]
        self.foot = [self.words.text(dice, 1, 3) for _ in range(dice.randint(3, 20))]
        self.legal = self.words.sentences(dice, dice.randint(1, 4))
        self.shape = {kind: dice.getrandbits(32) for kind in KINDS}

    def name(self, what: str) -> str:
        """Return the site's own word for a part, the same each time."""
        if what not in self._names:
            self._names[what] = (
                f"{self._prefix}{self._dice.choice((what, what[:4], self.words.text(self._dice, 1, 1)))}"
            )
        return self._names[what]


class Renderer:
    """One rendering of a page: `dice` draws what belongs to the item, `noise` what belongs to the load."""

    def __init__(self, site: Site, kind: str, item: int, load: int) -> None:
        self.site, self.kind, self.item, self.load = site, kind, item, load
        self.dice = random.Random(f"{site.number} {kind} {item}")
        self.noise = random.Random(f"{site.number} {kind} {item} {load}")
        self.shape = random.Random(site.shape[kind])
        self.quirks = set(self.noise.sample(QUIRKS, 4)) if load else set()

    def tag(self, name: str, what: str, inner: str, **attributes: str) -> str:
        """Return an element with the site's class for `what`."""
        classes = self.site.name(what)
        if self.site.hashed:
            build = self.noise if "classes" in self.quirks else random.Random(self.site.number)
            classes = f"{classes} css-{build.getrandbits(40):010x}"
        pairs = [f'class="{classes}"', *(f'{key}="{html.escape(value)}"' for key, value in attributes.items())]
        return f"<{name} {' '.join(pairs)}>{inner}</{name}>"

    def text(self, low: int, high: int) -> str:
        return self.site.words.text(self.dice, low, high)

    def page(self) -> str:
        """Return the whole page."""
        body = {"list": self.listing, "detail": self.detail, "search": self.search, "form": self.form}[self.kind]()
        for level in range(self.site.depth):
            body = self.tag("div", f"wrap{level}", body)
        main = self.tag("main" if self.site.semantic else "div", "content", body)
        aside = self.aside() if self.site.aside else ""
        middle = aside + main if self.site.aside == "left" else main + aside
        everything = self.header() + self.tag("div", "middle", middle) + self.footer()
        if "banner" in self.quirks:
            everything = self.tag("div", "banner", f"<p>{self.site.legal}</p><button>OK</button>") + everything
        head = f"<title>{self.text(2, 5)}</title><script nonce={self.noise.getrandbits(32)}>go()</script>"
        return f"<!doctype html><html><head>{head}</head><body>{everything}</body></html>"

    def header(self) -> str:
        links = []
        for at, label in enumerate(self.site.menu):
            state = " active" if at == self.item % len(self.site.menu) else ""
            links.append(f'<li class="item{state}"><a href="/{label.replace(" ", "-")}">{label}</a></li>')
        cart = self.noise.randint(1, 9) if "counters" in self.quirks else 0
        clock = f"{self.noise.randint(0, 23)}:{self.noise.randint(10, 59)}" if "clock" in self.quirks else "12:00"
        menu = self.tag("nav" if self.site.semantic else "div", "menu", f"<ul>{''.join(links)}</ul>")
        status = self.tag("span", "clock", clock) + self.tag("span", "cart", f"Cart ({cart})")
        return self.tag("header" if self.site.semantic else "div", "top", menu + status)

    def footer(self) -> str:
        links = "".join(f'<li><a href="/about/{at}">{label}</a></li>' for at, label in enumerate(self.site.foot))
        online = self.noise.randint(100, 9999) if "counters" in self.quirks else 812
        inner = f"<ul>{links}</ul><p>{self.site.legal}</p><p>{online} visitors online</p>"
        return self.tag("footer" if self.site.semantic else "div", "bottom", inner)

    def aside(self) -> str:
        dice = self.noise if "related" in self.quirks else self.dice
        rows = [
            f'<li><a href="/p/{dice.randint(1, 999)}">{self.site.words.text(dice, 2, 5)}</a></li>' for _ in range(4)
        ]
        return self.tag("aside" if self.site.semantic else "div", "side", f"<h4>See also</h4><ul>{''.join(rows)}</ul>")

    def advertisement(self) -> str:
        dice = self.noise
        picture = (
            f'<a href="https://ads.test/{dice.getrandbits(30)}"><img src="/ad/{dice.getrandbits(20)}.png" alt=""></a>'
        )
        return self.tag("div", "promo", picture + f"<small>{self.site.words.text(dice, 3, 8)}</small>")

    def join(self, blocks: list[str]) -> str:
        """Put blocks one after the other, with advertisements between them if the load has some."""
        if "ads" in self.quirks:
            for _ in range(self.noise.randint(1, 3)):
                blocks.insert(self.noise.randint(0, len(blocks)), self.advertisement())
        return "".join(blocks)

    def correct(self, text: str) -> str:
        """Change one word in a hundred."""
        if "words" not in self.quirks:
            return text
        words = text.split(" ")
        return " ".join("corrected" if self.noise.random() < 0.005 else word for word in words)

    def card(self, number: int) -> str:
        shape = random.Random(self.site.shape[self.kind])
        price = f"{self.dice.randint(1, 999)}.{self.dice.randint(10, 99)}"
        title = f'<a href="/p/{number}">{self.text(3, 7)}</a>'
        parts = [
            self.tag(shape.choice(("h2", "h3", "h4", "div")), "name", title),
            self.tag("p", "note", self.correct(self.text(6, 20))),
            self.tag(shape.choice(("span", "div", "b")), "price", price),
        ]
        shape.shuffle(parts)
        if self.dice.random() < 0.2:
            parts.insert(1, self.tag("span", "badge", "New"))
        if shape.random() < 0.5:
            parts.insert(0, self.tag("img", "shot", "", src=f"/i/{number}.jpg"))
        if self.site.table:
            return self.tag("tr", "row", "".join(f"<td>{part}</td>" for part in parts))
        inner = self.tag("div", "inner", "".join(parts)) if shape.random() < 0.5 else "".join(parts)
        return self.tag(shape.choice(("article", "li", "div")) if self.site.semantic else "div", "card", inner)

    def cards(self, count: int) -> str:
        rows = [self.card(self.dice.randint(1, 9999)) for _ in range(count)]
        if "order" in self.quirks:
            self.noise.shuffle(rows)
        if self.site.table:
            return self.tag("table", "grid", f"<tbody>{''.join(rows)}</tbody>")
        return self.tag("ul" if self.site.semantic else "div", "grid", self.join(rows))

    def listing(self) -> str:
        pages = "".join(f'<a href="?page={at}">{at}</a>' for at in range(1, self.dice.randint(3, 9)))
        title = self.tag("h1", "title", self.text(1, 3))
        return title + self.cards(self.dice.randint(8, 40)) + self.tag("div", "pages", pages)

    def detail(self) -> str:
        count = self.dice.randint(3, 9)
        paragraphs = [
            f"<p>{self.correct(self.site.words.sentences(self.dice, self.dice.randint(2, 5)))}</p>"
            for _ in range(count)
        ]
        facts = [
            f"<tr><th>{self.text(1, 2)}</th><td>{self.text(1, 3)}</td></tr>" for _ in range(self.dice.randint(3, 12))
        ]
        token = self.noise.getrandbits(60)
        buy = (
            f'<form><input type="hidden" name="csrf" value="{token}"><button type="submit">Add to cart</button></form>'
        )
        blocks = [self.tag("h1", "title", self.text(3, 7)), self.tag("div", "figure", '<img src="/i.jpg">')]
        blocks += [self.tag("div", "story", self.join(paragraphs)), self.tag("table", "facts", "".join(facts))]
        blocks.append(self.tag("div", "buy", buy))
        return self.tag("article" if self.site.semantic else "div", "entry", "".join(blocks))

    def search(self) -> str:
        query = self.text(1, 2)
        box = f'<form role="search"><input type="search" name="q" value="{query}"><button>Go</button></form>'
        found = self.tag("p", "summary", f"{self.dice.randint(50, 5000)} results for <em>{query}</em>")
        rows = []
        for _ in range(self.dice.randint(5, 15)):
            link = f'<a href="/r/{self.dice.getrandbits(20)}">{self.text(3, 8)}</a>'
            parts = f"{link}<p>{self.correct(self.text(10, 25))}</p>"
            rows.append(self.tag("li", "hit", parts + self.tag("cite", "where", self.text(1, 2))))
        if "order" in self.quirks:
            self.noise.shuffle(rows)
        return box + found + self.tag("ol", "hits", self.join(rows))

    def form(self) -> str:
        fields = []
        for at in range(self.shape.randint(4, 12)):
            kind = self.shape.choice(("text", "email", "checkbox", "password", "select", "textarea"))
            label = self.site.words.text(self.shape, 1, 3)
            if kind == "select":
                options = "".join(f"<option>{self.site.words.text(self.shape, 1, 1)}</option>" for _ in range(5))
                control = f"<select>{options}</select>"
            else:
                control = "<textarea></textarea>" if kind == "textarea" else f'<input type="{kind}" name="f{at}">'
            fields.append(self.tag("div", f"field{at % 2}", f"<label>{label}</label>{control}"))
        token = f'<input type="hidden" name="token" value="{self.noise.getrandbits(60)}">'
        title = (
            self.tag("h1", "title", self.text(3, 6)) + f"<p>{self.correct(self.site.words.sentences(self.dice, 4))}</p>"
        )
        return title + self.tag("form", "fields", token + self.join(fields) + "<button>Send</button>", method="post")


QUIRKS = ["clock", "counters", "ads", "classes", "order", "related", "banner", "words"]


def copied(page: str, dice: random.Random) -> str:
    """Return the same page written otherwise: comments, white space and another script."""
    written = page.replace("<script nonce=", f"<script nonce={dice.getrandbits(32)} data-x=").replace(
        "</li>", "</li>\n"
    )
    return written.replace("<div", f"<!-- {dice.getrandbits(16)} --><div", 3)


def pages(sites: int = 10, items: int = 4, loads: int = 3) -> list[Page]:
    """Return all pages: of every item one plain rendering, a copy of it, and `loads` - 1 with noise."""
    found = []
    for number in range(sites):
        site = Site(number)
        for kind in KINDS:
            for item in range(items):
                url = f"https://site{number}.test/{kind}/{item}"
                drawn = [Renderer(site, kind, item, load).page() for load in range(loads)]
                found += [Page(number, kind, item, load, source, url) for load, source in enumerate(drawn)]
                found.append(Page(number, kind, item, 0, copied(drawn[0], random.Random(f"copy {url}")), url))
    return found
