"""The pattern of a URL, and the kinds of traps that it may belong to."""

from __future__ import annotations

import string
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.farm.traps.segments import kind_of, pattern_of
from stillframe.farm.traps.shapes import MAX_CHARACTERS, MAX_SEGMENTS, shape_of


@pytest.mark.parametrize(
    ("segment", "kind"),
    [
        *((each, "number") for each in ("0", "2026", "20261340", "1234567")),
        *((each, "date") for each in ("2026-11", "2026-11-30", "20261130", "30-11-2026", "11-2026", "2026-W48")),
        *((each, "date") for each in ("2026-nov", "nov-2026", "2026-11-30T10:00", "2026q4", "2026_11_30.html")),
        *((each, "id") for each in ("3f2504e0-4f89-11d3-9a0c-0305e82c3301", "d41d8cd9", "aB3xY9kLm2Qw8ZtR")),
        *((each, "slug") for each in ("a-title-of-words", "x" * 65)),
        *((each, "word") for each in ("about", "v1.2", "page-2", "red-shoes", "deadbeef", "internationalization", "")),
    ],
)
def test_what_a_segment_is(segment: str, kind: str) -> None:
    assert kind_of(segment) == kind


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("http://H/product/123?ref=3", "h/product/#?ref=*"),
        ("https://h:81/Product-123/img2.PNG", "h:81/Product-#/img#.PNG"),
        ("http://h/x?b=1&a=2&b=3&f[0]=1&f%5B12%5D=2", "h/x?a=*&b=*&f[]=*"),
        ("http://ann:pw@h/u/3f2504e0-4f89-11d3-9a0c-0305e82c3301/", "h/u/{id}/"),
        ("http://h/2024/05/12/a-title-with-words", "h/#/#/#/*"),
        ("http://h/archive/2024-05", "h/archive/{date}"),
        ("http://h/archive/20240512", "h/archive/#"),
        ("http://h", "h/"),
        ("http://h/#/route/12", "h/#/route/#"),
        ("http://h/a#part", "h/a"),
        (
            "http://h/?" + "&".join(f"{letter}=1" for letter in "jihgfedcba"),
            "h/?" + "".join(f"{c}=*&" for c in "abcdefgh") + "…",
        ),
        ("", "/"),
    ],
)
def test_the_pattern_of_a_url(url: str, pattern: str) -> None:
    assert shape_of(url).pattern == pattern


@pytest.mark.parametrize(
    ("url", "kind", "trap"),
    [
        ("/cal?month=11&year=2026", "calendar", "/cal?month=*&year=*"),
        ("/cal?view=week&date=2026-11-30&lang=en", "calendar", "/cal?date=*"),
        ("/events/?tribe-bar-date=2026-11", "calendar", "/events/?tribe-bar-date=*"),
        ("/?m=202611", "calendar", "/?m=*"),
        ("/x?startDate=1764460800", "calendar", "/x?startDate=*"),
        ("/2026/11/30/", "calendar", "/{date}/{date}/{date}/"),
        ("/2026/nov", "calendar", "/{date}/{date}"),
        ("/calendar/2031-05", "calendar", "/calendar/{date}"),
        ("/events/2031/w48/week/", "calendar", "/events/{date}/{date}/week/"),
        ("/archive/20240512.html", "calendar", "/archive/{date}.html"),
        ("/a" * 40, "path", f"/**{MAX_SEGMENTS}/**"),
        ("/" + "/".join(f"s{'x' * n}" for n in range(40)), "path", f"/**{MAX_SEGMENTS}/**"),
        ("/list?page=3&sort=x", "pagination", "/list?page=*"),
        ("/list?currentPage=3", "pagination", "/list?currentPage=*"),
        ("/blog/page/12/", "pagination", "/blog/page/#/"),
        ("/db/table?_next=a1b2c3d4", "pagination", "/db/table?_next=*"),
        ("/x?q=may", "query", "/x?q=*"),
        ("/db?sql=select+1&p0=3", "query", "/db?sql=*"),
        ("/login?lang=en&next=/here", "query", "/login?next=*"),
    ],
)
def test_urls_that_may_belong_to_a_trap(url: str, kind: str, trap: str) -> None:
    shape = shape_of(f"http://h{url}")
    assert (shape.kind, shape.trap) == (kind, f"h{trap}")


@pytest.mark.parametrize(
    ("path", "loop"),
    [
        ("/a/b/a/b", "h/**/a/**/a/**"),
        ("/x/y/z/y?page=2", "h/**/y/**/y/**"),
        ("/a" * 40, "h/**/a/**/a/**"),
        *((path, "") for path in ("/a/b/c", "/1/1/1", "/tiles/0/0.png", "/")),
    ],
)
def test_a_segment_that_comes_twice_is_a_loop_if_such_paths_grow(path: str, loop: str) -> None:
    assert shape_of(f"http://h{path}").loop == loop


@pytest.mark.parametrize(
    "url",
    [
        *("/", "/2026/", "/rfc/1918", "/2024/05/12/title", "/blog/2024-05-12-a-title", "/product/123", "/v/3.12/2"),
        *("/x?v=20240512", "/x?year=2026x", "/x?month=3", "/x?q=7", "/x?next=7th", "/x?id=2026-11", "/page", "/page/x"),
        *("/tiles/0/0/0.png", "/1/1/1", "/calendar", "/docs/3.12/library/calendar.html", "/list?page=all", "/x?page="),
    ],
)
def test_urls_that_belong_to_none_by_themselves(url: str) -> None:
    assert shape_of(f"http://h{url}").kind is None


TEXTS = st.text(alphabet=string.ascii_letters + string.digits + "/?&=#-_.%[]:@ü\\", max_size=80)


@given(TEXTS)
def test_any_text_has_a_short_pattern_that_is_one_of_its_own(text: str) -> None:
    shape = shape_of(f"http://h/{text}")
    assert len(shape.pattern) <= MAX_CHARACTERS
    assert (shape.kind is None) == (not shape.trap)
    assert shape == shape_of(f"http://h/{text}")
    shape_of(text)


@given(
    st.lists(st.sampled_from(["a", "bc", "#", "7", "2026", "11", "x-y-z-w", "3f2504e0", "index.html"]), max_size=5),
    st.lists(st.sampled_from("abcd"), max_size=4),
)
def test_the_pattern_is_that_of_a_slow_twin_whatever_the_order_and_the_values(
    segments: list[str], names: list[str]
) -> None:
    segments = [each.replace("#", "8") for each in segments]
    url = "http://h/" + "/".join(segments)
    query = "&".join(f"{name}={number}" for number, name in enumerate(names))
    backwards = "&".join(f"{name}=x{name}" for name in reversed(names))
    found = shape_of(f"{url}?{query}" if query else url)
    assert found.pattern == shape_of(f"{url}?{backwards}#part" if query else f"{url}#part").pattern
    assert found.pattern == slow_pattern(segments, names)


def slow_pattern(segments: list[str], names: list[str]) -> str:
    """Return a pattern by reading each segment letter by letter."""
    made = [slow_segment(segment) for segment in segments]
    path = "h/" + "/".join(made)
    shown = [f"{name}=*" for name in sorted(set(names))]
    return path + ("?" + "&".join(shown) if shown else "")


def slow_segment(segment: str) -> str:
    """Return the pattern of a segment without regular expressions."""
    name, dot, ending = segment.rpartition(".") if segment.endswith(".html") else (segment, "", "")
    if name.isdigit():
        return "#" + dot + ending
    if name.count("-") + name.count("_") >= 3:
        return "*" + dot + ending
    if len(name) >= 8 and set(name) <= set("0123456789abcdef") and set(name) & set("abcdef"):
        return "{id}" + dot + ending
    made = ""
    for letter in name:
        if not letter.isdigit():
            made += letter
        elif not made.endswith("#"):
            made += "#"
    return made + dot + ending


@given(st.dates(min_value=date(1500, 1, 1), max_value=date(2999, 12, 31)))
def test_each_day_of_a_calendar_has_the_trap_of_all_days(day: date) -> None:
    year, month, number = str(day).split("-")
    forms = {
        f"/{year}/{month}/{number}/": "h/{date}/{date}/{date}/",
        f"/{year}/{int(month)}": "h/{date}/{date}",
        f"/c/{day}": "h/c/{date}",
        f"/c/{year}{month}{number}": "h/c/{date}",
        f"/c?d={int(number)}&m={int(month)}&y={year}": "h/c?d=*&m=*&y=*",
        f"/c?date={day}": "h/c?date=*",
    }
    for url, trap in forms.items():
        shape = shape_of(f"http://h{url}")
        assert (shape.kind, shape.trap) == ("calendar", trap), url


@given(st.text(max_size=40))
def test_a_pattern_of_a_segment_has_no_digits_but_those_of_endings(segment: str) -> None:
    made = pattern_of(segment)
    assert not any(letter.isdigit() and letter.isascii() for letter in made.rpartition(".")[0] or made)
