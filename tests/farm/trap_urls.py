"""URLs as well-known programs make them: those of real pages, and those without end."""

from __future__ import annotations

import hashlib
import itertools
import random
import uuid
from collections.abc import Callable, Iterator

Urls = Iterator[str]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def word(dice: random.Random) -> str:
    """Return a made-up word."""
    return "".join(dice.choices(LETTERS, k=dice.randint(3, 9)))


def slug(dice: random.Random) -> str:
    """Return a made-up title of one to six words."""
    return "-".join(word(dice) for _ in range(dice.randint(1, 6)))


def shop(dice: random.Random) -> Urls:
    """Products by number, by name and by UUID, as shops have them."""
    for number in range(1_000, 2_200):
        yield f"http://h/product/{number}"
        yield f"http://h/products/{slug(dice)}"
        yield f"http://h/collections/{dice.choice(('men', 'women', 'sale'))}/products/{slug(dice)}"
        yield f"http://h/item?id={uuid.UUID(int=dice.getrandbits(128))}"
        yield f"http://h/p.php?cat={dice.randrange(30)}&product={number}"


def wordpress(dice: random.Random) -> Urls:
    """Posts and pages of WordPress; archives by month and lists are there as well, a finite number of them."""
    for year, month in itertools.product(range(2008, 2027), range(1, 13)):
        for _ in range(4):
            day = dice.randint(1, 28)
            yield f"http://h/{year}/{month:02}/{day:02}/{slug(dice)}/"
            yield f"http://h/{year}/{month:02}/{slug(dice)}/"
            yield f"http://h/?p={dice.randrange(90_000)}"
        yield f"http://h/category/{word(dice)}/{word(dice)}/"


def forums(dice: random.Random) -> Urls:
    """Topics of Discourse, phpBB, vBulletin and Invision, with their pages."""
    for topic in range(900, 2_100):
        yield f"http://h/t/{slug(dice)}/{topic}"
        yield f"http://h/viewtopic.php?f={topic % 20}&t={topic}"
        yield f"http://h/viewtopic.php?f={topic % 20}&t={topic}&start={20 * dice.randint(1, 3)}"
        yield f"http://h/showthread.php?{topic}-{slug(dice)}"
        yield f"http://h/topic/{topic}-{slug(dice)}/?do=findComment&comment={dice.randrange(10**6)}"


def wiki(dice: random.Random) -> Urls:
    """Articles of MediaWiki and DokuWiki."""
    for _ in range(1_500):
        yield f"http://h/wiki/{word(dice).title()}_{word(dice)}"
        yield f"http://h/index.php?title={word(dice).title()}&oldid={dice.randrange(10**7)}"
        yield f"http://h/doku.php?id={word(dice)}:{word(dice)}"


def manuals(dice: random.Random) -> Urls:
    """Manuals by Sphinx, MkDocs, rustdoc and javadoc, with versions."""
    for _ in range(800):
        module = ".".join(word(dice) for _ in range(dice.randint(1, 4)))
        yield f"http://h/en/{dice.choice(('latest', 'stable', '3.12', '3.13'))}/library/{module}.html"
        yield f"http://h/docs/_modules/{module.replace('.', '/')}.html"
        yield f"http://h/reference/{module}/#{module}.{word(dice)}"
        crate = f"{word(dice)}/{dice.randint(0, 3)}.{dice.randint(0, 40)}.0"
        yield f"http://h/{crate}/{word(dice)}/struct.{word(dice)}.html"
        yield f"http://h/api/java.base/java/{word(dice)}/{word(dice).title()}.html"


def joomla(dice: random.Random) -> Urls:
    """A site whose pages are all of one script."""
    for number in range(3_000):
        item = dice.randrange(40)
        yield f"http://h/index.php?option=com_content&view=article&id={number}:{slug(dice)}&catid={item}&Itemid={item}"


def people(dice: random.Random) -> Urls:
    """Profiles with tabs, by token; and files by hash."""
    for _ in range(600):
        token = uuid.UUID(int=dice.getrandbits(128))
        yield from (f"http://h/user/{token}/{tab}" for tab in ("photos", "friends", "about"))
        yield f"http://h/files/{hashlib.md5(token.bytes).hexdigest()}.html"


def tables(_dice: random.Random) -> Urls:
    """Rows of a table that has the name of its database, and of what a site of that name has."""
    for row in range(1_000):
        yield f"http://h/books/books/{row}"
        yield f"http://h/shop/shop/{row}/"
        yield f"http://h/shop/shop/{row}/change/"


REAL: dict[str, Callable[[random.Random], Urls]] = {
    each.__name__: each for each in (shop, wordpress, forums, wiki, manuals, joomla, people, tables)
}
"""Sites of which no URL is a trap's, whatever its pages bring."""


# -- traps -----------------------------------------------------------------------------------------


def calendars() -> dict[str, Urls]:
    """Days without end, in the forms of calendars."""
    months = [(year, month) for year in range(2026, 2100) for month in range(1, 13)]
    return {
        "query": (f"http://h/cal?month={m}&year={y}" for y, m in months),
        "views": (f"http://h/cal?y={y}&m={m}&view={v}" for (y, m), v in itertools.product(months, ("day", "week"))),
        "date": (f"http://h/events?date={y}-{m:02}-{d:02}" for (y, m), d in itertools.product(months, range(1, 29))),
        "path": (f"http://h/{y}/{m:02}/{d:02}/" for (y, m), d in itertools.product(months, range(1, 29))),
        "month": (f"http://h/calendar/{y}-{m:02}" for y, m in months),
        "tribe": (f"http://h/events/month/{y}-{m:02}/?tribe-bar-date={y}-{m:02}-01" for y, m in months),
        "week": (f"http://h/plan/{y}/w{week}" for y in range(2026, 2060) for week in range(1, 53)),
        "names": (f"http://h/agenda/{y}/{name}" for y in range(2026, 2200) for name in ("jan", "may", "december")),
        "epoch": (f"http://h/book?day={1764460800 + 86_400 * n}" for n in range(2_000)),
        "moodle": (f"http://h/calendar/view.php?view=day&time={1764460800 + 86_400 * n}" for n in range(2_000)),
    }


def paths() -> dict[str, Urls]:
    """Paths that grow."""
    names = ("about", "team", "jobs")
    return {
        "pair": ("http://h/" + "a/b/" * n for n in range(2, 200)),
        "one": ("http://h/" + "en/" * n for n in range(2, 200)),
        "loop": (
            "http://h/" + "/".join(chosen) + "/"
            for length in range(2, 8)
            for chosen in itertools.product(names, repeat=length)
        ),
        "deep": ("http://h/" + "/".join(f"d{'x' * each}" for each in range(n)) for n in range(31, 90)),
    }


def filters() -> dict[str, Urls]:
    """Combinations of filters."""
    facets = {"color": "rgbwk", "size": "sml", "brand": "vwxyz", "sort": "pn"}
    some = [(name, value) for name, values in facets.items() for value in values]
    return {
        "all": (
            "http://h/shop?" + "&".join(f"{n}={v}" for n, v in zip(facets, chosen, strict=True))
            for chosen in itertools.product(*facets.values())
        ),
        "repeated": (
            "http://h/shop?" + "&".join(f"filter[]={n}:{v}" for n, v in chosen)
            for length in (2, 3, 4)
            for chosen in itertools.permutations(some[:9], length)
        ),
        "list": (
            "http://h/shop?f=" + ",".join(f"{n}.{v}" for n, v in chosen)
            for length in (2, 3)
            for chosen in itertools.combinations(some, length)
        ),
        "subsets": (
            "http://h/shop?" + "&".join(f"{n}={v}" for n, v in chosen)
            for length in (2, 3)
            for chosen in itertools.permutations(some, length)
        ),
    }


def lists() -> dict[str, Urls]:
    """Lists without end."""
    return {
        "page": (f"http://h/list?page={n}" for n in range(1, 3_000)),
        "path": (f"http://h/blog/page/{n}/" for n in range(1, 3_000)),
        "offset": (f"http://h/search?q=x&offset={10 * n}" for n in range(3_000)),
        "cursor": (f"http://h/feed?cursor={hashlib.md5(str(n).encode()).hexdigest()}" for n in range(3_000)),
        "next": (f"http://h/db/table?_next={n}" for n in range(3_000)),
    }


def questions() -> dict[str, Urls]:
    """Questions in words, and ways back."""
    dice = random.Random(5)
    return {
        "search": (f"http://h/search?q={word(dice)}+{word(dice)}" for _ in range(1_000)),
        "sql": (f"http://h/db?sql=select+{word(dice)}+from+{word(dice)}&p0={n}" for n in range(1_000)),
        "back": (f"http://h/login?next=/{word(dice)}/{n}" for n in range(1_000)),
        "address": (f"http://h/share?return_to=http%3A%2F%2Fh%2F{word(dice)}" for _ in range(1_000)),
    }


def sessions() -> dict[str, Urls]:
    """Names of sessions that no list has: each page has 20 links with a name of its own."""

    def links(make: Callable[[str], str], name: str) -> Urls:
        for visit in range(200):
            token = make(str(visit))
            for page in range(20):
                yield f"http://h/p/{(visit * 7 + page) % 60}?{name}={token}"

    return {
        "hex": links(lambda text: hashlib.md5(text.encode()).hexdigest(), "ticket"),
        "uuid": links(lambda text: str(uuid.uuid5(uuid.NAMESPACE_URL, text)), "visit"),
        "short": links(lambda text: hashlib.sha1(text.encode()).hexdigest()[:12] + "a1", "s"),
    }


TRAPS: dict[str, Callable[[], dict[str, Urls]]] = {
    "calendar": calendars,
    "path": paths,
    "facets": filters,
    "pagination": lists,
    "query": questions,
    "session": sessions,
}
"""By kind: URLs of which nearly all are a trap's."""
