"""Whole crawls of sites with and without traps: what is real is crawled whole, and every crawl ends."""

from __future__ import annotations

import logging
import random
import re
from collections.abc import Callable
from datetime import date, timedelta
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from trap_crawl import Crawled, crawl
from trap_site import SYLLABLES, TrapSite

from stillframe.farm.traps.traps import Limits, Traps, described

TRAP_PAGES = 15
START = "http://site.test/"


def words(seed: object, amount: int = 12) -> str:
    """Return made-up words, always the same for a seed."""
    dice = random.Random(str(seed))
    return " ".join("".join(dice.choices(SYLLABLES, k=4)) for _ in range(amount))


@pytest.mark.parametrize("workers", [1, 6])
@pytest.mark.parametrize("sessions", [False, True])
async def test_all_pages_beside_five_traps_are_crawled_and_the_crawl_ends(workers: int, sessions: bool) -> None:
    site = TrapSite(60, sessions=sessions)
    found = await crawl(START, site.page, workers=workers, trap_pages=TRAP_PAGES)
    assert site.products == {url.partition("?ticket")[0] for url in found.urls if "/p/" in url}
    assert found.kinds >= {"calendar", "path", "facets", "pagination", *(["session"] if sessions else [])}
    assert len(found.urls) < 1_200 * (1 + sessions)
    assert found.values.trips < len(found.urls)


async def test_a_trap_is_named_once_with_its_kind_and_what_was_left_out(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "stillframe"):
        found = await crawl(START, TrapSite(20).page, trap_pages=TRAP_PAGES)
    name = "calendar site.test/calendar/{date}/{date}/{date}/"
    trap = found.traps[name]
    assert (trap.kind, trap.crawled >= TRAP_PAGES, trap.left_out > 0) == ("calendar", True, True)
    said = [record.message for record in caplog.records if name in record.message]
    assert len(said) == 1
    assert f"{TRAP_PAGES} of its pages brought nothing new" in said[0]
    assert f"{name}: {trap.crawled} pages, {trap.left_out} links left out" in described(found.traps)


async def test_without_a_limit_no_trap_is_looked_for() -> None:
    with pytest.raises(AssertionError, match="URLs are left"):
        await crawl(START, TrapSite(5).page, trap_pages=0, most=400)


# -- sites that look like traps and are none -------------------------------------------------------


def archive(url: str) -> tuple[str, str, list[str]]:
    """Posts behind days, months and lists; every tenth day has none."""
    path = urlsplit(url).path.strip("/").split("/")
    if path == [""]:
        months = [f"{year}/{month:02}" for year in range(2015, 2027) for month in range(1, 13)]
        return "Blog", "All years", [f"{START}{month}/" for month in months]
    if len(path) == 2:
        return "Archive", "A month", [f"{url}{day:02}/" for day in range(1, 29)]
    if len(path) == 3:
        return "Archive", "A day", [] if path[2].endswith("0") else [f"{url}{words(path, 3).replace(' ', '-')}/"]
    return "Post", words(url), [START]


def daily(url: str) -> tuple[str, str, list[str]]:
    """One page a day for six years, each of which leads to the next one."""
    path = urlsplit(url).path
    if path == "/":
        return "Start", "Start", [f"{START}strip/2000-01-01"]
    year, month, day = map(int, path.rpartition("/")[2].split("-"))
    month, day = (month, day + 1) if day < 28 else (month + 1, 1)
    year, month = (year, month) if month < 13 else (year + 1, 1)
    after = [f"{START}strip/{year}-{month:02}-{day:02}"] if year < 2006 else []
    return f"Strip of {path}", words(path), after


def catalogue(url: str) -> tuple[str, str, list[str]]:
    """Products whose words are all known, in lists of 200 pages, each of which has twenty."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    if parts.path == "/product":
        number = int(query["id"])
        text = " ".join(SYLLABLES[int(digit)] for digit in str(number))
        near = [(number * 31 + n) % 4_000 for n in range(5)]
        return "Product", text, [f"{START}product?cat={each % 7}&id={each}" for each in near]
    page = int(query.get("page", 1))
    items = [f"{START}product?cat={number % 7}&id={number}" for number in range(20 * page - 20, 20 * page)]
    return "List", f"Page {page}", items + ([f"{START}?page={page + 1}"] if page < 200 else [])


def profiles(url: str) -> tuple[str, str, list[str]]:
    """People by UUID, with tabs; their pages name them."""
    query = dict(parse_qsl(urlsplit(url).query))
    if "user" not in query:
        ids = [f"{random.Random(number).getrandbits(128):032x}" for number in range(300)]
        return "People", "All people", [f"{START}about?user={each}" for each in ids]
    tabs = [f"{START}{tab}?user={query['user']}" for tab in ("about", "photos", "friends", "notes")]
    return "Person", words(query["user"], 2) + words(url, 3), tabs


def browser_of_code(url: str) -> tuple[str, str, list[str]]:
    """Folders in which names come again, five levels deep."""
    path = urlsplit(url).path
    if path.count("/") >= 6:
        return "File", words(path), []
    return "Folder", f"A folder {words(path, 1)}", [f"{url}{name}/" for name in ("src", "main", "test", "lib")]


def guestbook(url: str) -> tuple[str, str, list[str]]:
    """A list without links, whose entries are numbers or words."""
    page = int(dict(parse_qsl(urlsplit(url).query)).get("page", 1))
    numbers = " ".join(str(random.Random(page * 99 + n).randrange(10**6)) for n in range(30))
    return "Log", numbers if page % 2 else words(page), [f"{START}?page={page + 1}"] if page < 900 else []


def wiki(url: str) -> tuple[str, str, list[str]]:
    """Articles with a history, and versions of each."""
    query = dict(parse_qsl(urlsplit(url).query))
    title, old = query.get("title", "0"), query.get("oldid")
    number = int(title)
    if old is not None:
        return title, words((title, old)), [f"{START}?title={title}"]
    if query.get("action") == "history":
        return title, words((title, "history")), [f"{START}?title={title}&oldid={10 * number + n}" for n in range(5)]
    links = [f"{START}?title={each}" for each in range(3 * number + 1, 3 * number + 4) if each < 200]
    return title, words(title), [*links, f"{START}?title={title}&action=history"]


def rows(url: str) -> tuple[str, str, list[str]]:
    """Tables of a database: one has the database's name, and rows have words that others have as well."""
    path = urlsplit(url).path.strip("/").split("/")
    if path == [""]:
        return "Database", "Tables", [f"{START}books/{table}" for table in ("books", "people")]
    if len(path) == 2:
        return "Table", "A table", [f"{url}/{number}" for number in range(600)]
    return "Row", " ".join(SYLLABLES[int(digit)] for digit in path[2]), [f"{START}books/{path[1]}"]


def versions(url: str) -> tuple[str, str, list[str]]:
    """A manual with two older versions, the same below other folders, with relative links."""
    path = urlsplit(url).path
    parts = path.strip("/").split("/")
    if path == "/":
        return "Manuals", "Versions", [f"{START}{each}guide/" for each in ("", "v1/", "old/v0/")]
    depth = len(parts) - 1 - parts.index("guide")
    below = [f"{url}{name}/" for name in ("install", "use", "extend", "faq")] if depth < 4 else []
    return "Guide", words(parts[parts.index("guide") :]), below


def carried(url: str) -> tuple[str, str, list[str]]:
    """A shop whose products have the filters of their list in their URLs, and no words of their own."""
    parts = urlsplit(url)
    if parts.path != "/":
        return "Product", " ".join(SYLLABLES[int(digit)] for digit in parts.path.strip("/p")), []
    query = dict(parse_qsl(parts.query))
    views = [{**query, name: str(value)} for name in ("color", "size", "sort") for value in range(5)]
    near = random.Random(str(sorted(query.items()))).sample(range(100), 10)
    links = [f"{START}?{'&'.join(f'{n}={v}' for n, v in sorted(view.items()))}" for view in views]
    return "Shop", "Products", links + [f"{START}p/{number}?{parts.query}" for number in near]


def tags(url: str) -> tuple[str, str, list[str]]:
    """Notes that only searches lead to."""
    parts = urlsplit(url)
    if parts.path == "/search":
        tag = int(parts.query.removeprefix("q=t").translate(LETTERS))
        return "Found", "Notes", [f"{START}note/{number}" for number in range(5 * tag, 5 * tag + 5)]
    if parts.path == "/":
        return "Tags", "All tags", [f"{START}search?q=t{str(tag).translate(DIGITS)}" for tag in range(300)]
    return "Note", words(url, 3), [START]


def one_script(url: str) -> tuple[str, str, list[str]]:
    """Lists and items of one script, whose items carry the page of their list."""
    query = dict(parse_qsl(urlsplit(url).query))
    if "item" in query:
        return "Item", " ".join(SYLLABLES[int(digit)] for digit in query["item"]), [START]
    page = int(query.get("page", 1))
    items = [f"{START}?page={page}&item={number}" for number in range(5 * page, 5 * page + 5)]
    return "List", f"Page {page}", items + ([f"{START}?page={page + 1}"] if page < 300 else [])


DIGITS, LETTERS = str.maketrans("0123456789", "abcdefghij"), str.maketrans("abcdefghij", "0123456789")
SITES: dict[str, tuple[Callable[[str], tuple[str, str, list[str]]], int]] = {
    "archive": (archive, 1 + 12 * 12 + 12 * 12 * 28 + 12 * 12 * 26),
    "daily": (daily, 1 + 6 * 336),
    "catalogue": (catalogue, 200 + 4_000),
    "profiles": (profiles, 1 + 4 * 300),
    "code": (browser_of_code, sum(4**level for level in range(6))),
    "guestbook": (guestbook, 900),
    "wiki": (wiki, 1 + 200 + 200 + 1_000),
    "rows": (rows, 1 + 2 + 1_200),
    "versions": (versions, 1 + 3 * sum(4**level for level in range(5))),
    "tags": (tags, 1 + 300 + 1_500),
    "one_script": (one_script, 300 + 1_500),
}
"""Sites, and how many pages each has."""


@pytest.mark.parametrize("site", SITES)
async def test_real_sites_that_look_like_traps_are_crawled_whole(site: str) -> None:
    page, amount = SITES[site]
    found = await crawl(START, page, workers=3)
    assert found.traps == {}
    assert len(found.urls) == amount


# -- sites that are traps --------------------------------------------------------------------------


def tarpit(url: str) -> tuple[str, str, list[str]]:
    """Relative links below any path: the pages are the same everywhere."""
    name = url.rstrip("/").rpartition("/")[2]
    links = [f"{url}{each}/" for each in "abcdefghij"]
    return name, f"The page {name}: {words(name)}", links


def empty_list(url: str) -> tuple[str, str, list[str]]:
    """A list whose pages are empty behind the tenth."""
    page = int(dict(parse_qsl(urlsplit(url).query)).get("page", 1))
    items = [f"{START}item/{number}" for number in range(20 * page - 20, 20 * page)] if page <= 10 else []
    return "List", f"Page {page} of many", [] if "item" in url else [*items, f"{START}?page={page + 1}"]


def events(url: str) -> tuple[str, str, list[str]]:
    """A calendar with events in the past and none in the time to come."""
    query = dict(parse_qsl(urlsplit(url).query))
    if "event" in url:
        return "Event", words(url), []
    at = int(query.get("year", 2020)) * 12 + int(query.get("month", 1)) - 1
    real = [f"{START}event/{at}-{n}" for n in range(3)] if at < 2026 * 12 else []
    return "Calendar", "A month", [*real, f"{START}?year={(at + 1) // 12}&month={(at + 1) % 12 + 1}"]


def database(url: str) -> tuple[str, str, list[str]]:
    """A table of notes in every order, with filters, days, formats and questions, as Datasette shows one."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    if re.fullmatch(r"/db/notes/\d+", parts.path):
        number = int(parts.path.rpartition("/")[2])
        return "Row", f"{words(number, 3)} {number}", [f"{START}db/notes/{number}.json", f"{START}db/notes"]
    if parts.path in ("/", "/db"):
        return "Database", f"SQL: {query.get('sql', '')}", [f"{START}db/notes", *([f"{START}db"] if query else [])]
    if parts.path != "/db/notes":
        return "", f"{{{query}}}", []
    shown = [n for n in range(120) if all(str(n % int(m[5:])) == v for m, v in query.items() if m.startswith("facet"))]
    shown = [n for n in shown if "day" not in query or query["day"] == f"2026-01-{n % 28 + 1:02}"]
    at = int(query.get("_next", 0))
    more = [{**query, f"facet{m}": str(v)} for m in (3, 5, 7) for v in range(m)]
    more += [{**query, "_sort": column} for column in ("name", "day", "size")] + [{**query, "_facet_date": "day"}]
    more += [{**query, "day": f"2026-01-{day:02}"} for day in range(1, 29)] if "_facet_date" in query else []
    more += [{**query, "_next": str(at + 20)}] if at + 20 < len(shown) else []
    links = [f"{START}db/notes?{urlencode(view)}" for view in more]
    links += [f"{START}db/notes.{form}?{urlencode({**query, '_size': 'max'})}" for form in ("json", "csv")]
    links += [f"{START}db?{urlencode({'sql': 'select * from notes where ' + ' and '.join(query)})}"]
    rows = shown[at : at + 20]
    return "notes", " ".join(words(n, 3) for n in rows), links + [f"{START}db/notes/{n}" for n in rows]


def loop_of(menu: str, say: str = "") -> Callable[[str], tuple[str, str, list[str]]]:
    """Return a site of which a section is the same at every depth, beside forty real pages."""

    def page(url: str) -> tuple[str, str, list[str]]:
        parts = urlsplit(url)
        path, folder = parts.path, parts.path.rpartition("/")[0] + "/"
        if path == "/":
            return "Home", "Home", [f"{START}x/", f"{START}real/0"]
        if path.startswith("/real/"):
            number = int(path.rpartition("/")[2])
            return "Real", words(number), [f"{START}real/{number + 1}"] if number < 39 else []
        if path == "/login":
            return "Log in", "Name and password", []
        said = f"{words('shop', 40)} {say.format(path=path, dice=words(path, 2))}"
        own = [f"{START}{link.removeprefix('/')}" if link.startswith("/") else f"{START}{folder[1:]}{link}"
               for link in menu.format(path=path).split()]  # fmt: skip
        return "Shop", said, own

    return page


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize(
    ("page", "kinds", "real", "pattern", "most"),
    [
        (database, {"facets", "calendar"}, 120, r"/notes/\d+$", 2_000),
        (carried, {"facets"}, 100, r"/p/\d+", 1_500),
        (loop_of("a/b/"), {"path"}, 40, "/real/", 60),
        (loop_of("about/ team/ jobs/ press/ help/ news/"), {"path"}, 40, "/real/", 180),
        (loop_of("about/about.html team/team.html"), {"path"}, 40, "/real/", 80),
        (loop_of("about/ team/ /login?next={path}", "You are here: {path}. {dice}"), {"path"}, 40, "/real/", 130),
    ],
    ids=["database", "carried", "loop", "menu", "files", "crumbs"],
)
async def test_views_and_loops_end_after_few_pages(
    page: Callable[[str], tuple[str, str, list[str]]], kinds: set[str], real: int, pattern: str, most: int, workers: int
) -> None:
    found = await crawl(START, page, workers=workers)
    assert found.kinds >= kinds
    assert len({urlsplit(url).path for url in found.urls if re.search(pattern, url)}) == real
    assert len(found.urls) < most * workers


async def test_each_trap_of_a_kind_on_a_host_has_fewer_tries_than_those_before() -> None:
    def calendars(url: str) -> tuple[str, str, list[str]]:
        """Pages in a row, every hundredth of which has a calendar."""
        path, query = urlsplit(url).path, dict(parse_qsl(urlsplit(url).query))
        if not query:
            number = int(path.strip("/") or 0)
            after = [f"{START}{number + 1}"] if number < 700 else []
            return (
                "Page",
                words(number),
                after + ([f"{START}{'abcdefg'[number // 100]}?year=2026&month=1"] if number % 100 == 50 else []),
            )
        year, month = int(query["year"]), int(query["month"])
        return "Month", "Nothing", [f"{START[:-1]}{path}?year={year + month // 12}&month={month % 12 + 1}"]

    found = await crawl(START, calendars, trap_pages=60)
    crawled = sorted(each.crawled for each in found.traps.values())
    assert len(crawled) == 7
    assert (crawled[0] < 30, crawled[-1] >= 60) == (True, True)
    assert len(found.urls) < 701 + 4 * 60


@pytest.mark.parametrize(
    ("page", "kind", "real", "pattern"),
    [
        (tarpit, "path", 10, r"test/[a-j]/$"),
        (empty_list, "pagination", 200, r"/item/"),
        (events, "calendar", 3 * 72, r"/event/"),
    ],
)
async def test_what_is_real_before_and_beside_a_trap_is_crawled(
    page: Callable[[str], tuple[str, str, list[str]]], kind: str, real: int, pattern: str
) -> None:
    found = await crawl(START, page, workers=2, trap_pages=TRAP_PAGES)
    assert found.kinds == {kind}
    assert len({url for url in found.urls if re.search(pattern, url)}) == real
    assert len(found.urls) < real + 2_000


def rates(url: str) -> tuple[str, str, list[str]]:
    """A bank's rates of each day of a year; the days are linked one after the other."""
    day = date.fromisoformat(url.rpartition("/")[2]) if url != START else date(2020, 1, 1)
    values = random.Random(day.toordinal())
    table = " ".join(f"{name} {values.uniform(0.5, 200):.4f}" for name in ("EUR", "USD", "JPY", "GBP"))
    later = day + timedelta(days=1)
    links = [f"{START}rates/{later}"] if later < date(2021, 1, 1) else []
    return "Rates", f"Rates of {day:%d.%m.%Y}, week {day:%W}, fixed at 14:15: {table}", links


def empty_days(url: str) -> tuple[str, str, list[str]]:
    """The same without an end and without rates: what its numbers say is only when."""
    day = date.fromisoformat(url.rpartition("/")[2]) if url != START else date(2020, 1, 1)
    text = f"{day:%d.%m.%Y} {day:%Y%m%d} {day:%j} week {day:%W} at 14:15, in {day.toordinal() - 737_000:,} days"
    return "Events", text, [f"{START}events/{day + timedelta(days=1)}"]


async def test_a_daily_series_of_few_numbers_is_no_empty_calendar() -> None:
    found = await crawl(START, rates, trap_pages=TRAP_PAGES)
    assert (len(found.urls), found.traps) == (366, {})
    found = await crawl(START, empty_days, trap_pages=TRAP_PAGES)
    assert found.kinds == {"calendar"}
    assert len(found.urls) < 2 * TRAP_PAGES


# -- budgets ---------------------------------------------------------------------------------------


async def test_the_budget_of_each_host_holds_for_all_workers_together() -> None:
    def two_hosts(url: str) -> tuple[str, str, list[str]]:
        number = int(urlsplit(url).path.strip("/") or 0)
        return "", words(url), [f"http://{host}.test/{number + 1}" for host in ("one", "two")] if number < 200 else []

    found = await crawl("http://one.test/", two_hosts, per_host=50)
    hosts = [urlsplit(url).hostname for url in found.urls]
    assert (hosts.count("one.test"), hosts.count("two.test")) == (50, 50)
    assert set(found.budgets) == {"host one.test", "host two.test"}
    assert found.budgets["host one.test"].crawled == 50
    together = await crawl("http://one.test/", two_hosts, workers=4, per_host=50)
    assert 100 <= len(together.urls) <= 100 + 4 * 40


async def test_the_budget_of_each_pattern_knows_names_of_pages() -> None:
    def titles(url: str) -> tuple[str, str, list[str]]:
        if url != START:
            return "", words(url), []
        return "", "", [f"{START}blog/{words(n, 1)}/" for n in range(200)] + [f"{START}p/{n}" for n in range(200)]

    found = await crawl(START, titles, per_pattern=30)
    assert sum("/p/" in url for url in found.urls) == 30
    assert 30 <= sum("/blog/" in url for url in found.urls) <= 51
    assert set(found.budgets) == {"pattern site.test/p/#", "pattern site.test/blog/*/"}


async def test_a_budget_of_a_glob_counts_what_matches() -> None:
    globs = (("**/p/1*", re.compile(r".*/p/1.*\Z"), 7), ("**/shop**", re.compile(r".*/shop.*\Z"), 0))
    found = await crawl(START, TrapSite(40).page, trap_pages=TRAP_PAGES, globs=globs)
    assert sum("/p/1" in url for url in found.urls) == 7
    assert not any("/shop" in url for url in found.urls)
    assert found.budgets["budget **/p/1*"].crawled == 7


async def test_open_pages_count_until_they_end_without_being_loaded() -> None:
    crawled = Crawled()
    values: object = crawled.values
    traps = Traps(values, Limits(per_host=2))  # type: ignore[arg-type]
    traps.open("a", f"{START}a")
    traps.open("a", f"{START}a")
    traps.open("b", f"{START}b")
    assert traps.admit(f"{START}c") is None
    traps.close("b")
    assert traps.admit(f"{START}c") == f"{START}c"
    traps.close("a", crawled=True)
    traps.close("a", crawled=True)
    assert traps.admit(f"{START}c") == f"{START}c"
    traps.open("c", f"{START}c")
    assert traps.admit(f"{START}d", trusted=True) is None


async def test_what_has_ended_is_ended_in_a_later_run() -> None:
    site = TrapSite(10)
    found = await crawl(START, site.page, trap_pages=TRAP_PAGES)
    values: object = found.values
    later = Traps(values, Limits(trap_pages=TRAP_PAGES))  # type: ignore[arg-type]
    await later.load()
    assert later.admit(f"{START}list?page=7001") is None
    assert later.admit(f"{START}list?page=7001", trusted=True) is not None
