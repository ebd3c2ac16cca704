"""The rules of robots.txt: what operators write, against RFC 9309 and against a slow twin."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.farm.robots.rules import MAX_RULES, ROBOTS_PATH, parse, path_of, target_of

SITE = "https://shop.example"
ALL = b"User-agent: *\n"


def robots(*rules: str) -> bytes:
    return ALL + "\n".join(rules).encode()


@pytest.mark.parametrize(
    ("content", "path", "allowed"),
    [
        # what a file may look like
        (b"", "/a", True),
        (b"\xef\xbb\xbf" + robots("Disallow: /private"), "/private/a", False),
        (b"\xef\xbb\xbf" + robots("Disallow: /private"), "/public", True),
        (b"# Gr\xf6\xdfe\n" + robots("Disallow: /private"), "/private", False),
        (ALL + b"Disallow: /gr\xf6\xdfe\n", "/gr%F6%DFe/1", False),
        (ALL + b"Disallow: /gr\xf6\xdfe\nDisallow: /b\n", "/b", False),
        ("\ufeffUser-agent: *\nDisallow: /ö".encode("utf-16-le"), "/%C3%B6", False),
        ("\ufeffUser-agent: *\nDisallow: /ö".encode("utf-16-be"), "/ö", False),
        (robots("Disallow: /a", "Disallow: /b").replace(b"\n", b"\r"), "/b", False),
        (robots("Disallow: /a", "Disallow: /b").replace(b"\n", b"\r\n"), "/b", False),
        ("User-agent: *\nDisallow: /a\u2028Allow: /\n".encode(), "/a\u2028Allow:%20/x", False),
        (b"<!DOCTYPE html><title>Disallow: /</title>\n<p>User-agent: *\n", "/a", True),
        (b"\0\0\0\xff\xfe\n" + robots("Disallow: /private"), "/private", False),
        (b"Disallow: /\n" + robots("Disallow: /b"), "/a", True),
        (b"USER-AGENT : *\n disallow\t:\t/private # not this\n", "/private", False),
        (b"User-agent: *\nDisallow /private\n", "/private", False),
        (robots("Disalow: /private"), "/private", False),
        (robots("Disallow: private"), "/private", False),
        (robots("Disallow:"), "/a", True),
        (robots("Disallow: # nothing"), "/a", True),
        (robots("Disallow: /"), "/robots.txt", True),
        (robots("Disallow: /"), "", False),
        # which rule decides
        (robots("Disallow: /a", "Allow: /a/b"), "/a/b/c", True),
        (robots("Allow: /a/b", "Disallow: /a"), "/a/c", False),
        (robots("Disallow: /page", "Allow: /page"), "/page", True),
        (robots("Allow: /folder", "Disallow: /folder"), "/folder/page", True),
        (robots("Allow: /page", "Disallow: /*.htm"), "/page.htm", False),
        (robots("Allow: /$", "Disallow: /"), "/", True),
        (robots("Allow: /$", "Disallow: /"), "/page.htm", False),
        (robots("Allow: /a*", "Disallow: /a"), "/ab", True),
        (robots("Disallow: /A"), "/a", True),
        (robots("Allow: /index.html", "Disallow: /"), "/", False),
        # wildcards
        (robots("Disallow: *.gif"), "/x/y.gif?z", False),
        (robots("Disallow: /*.gif$"), "/y.gif", False),
        (robots("Disallow: /*.gif$"), "/y.gif?z", True),
        (robots("Disallow: /a$b"), "/a$b", False),
        (robots("Disallow: /a$b"), "/a", True),
        (robots("Disallow: /a%24"), "/a$", False),
        (robots("Disallow: /a%2A"), "/a*", False),
        (robots("Disallow: /a%2A"), "/ab", True),
        (robots("Disallow: /x/**/y"), "/x/1/2/y", False),
        (robots("Disallow: /*a*aa$"), "/aa", True),
        (robots("Disallow: /*/b"), "/a?x=/b", False),
        # percent-encoding, with the examples of section 2.2.2
        (robots("Disallow: /foo/bar?baz=quz"), "/foo/bar?baz=quz", False),
        (robots("Disallow: /foo/bar?baz=https://foo.bar"), "/foo/bar?baz=https%3A%2F%2Ffoo.bar", False),
        (robots("Disallow: /foo/bar?baz=https%3A%2F%2Ffoo.bar"), "/foo/bar?baz=https://foo.bar", False),
        (robots("Disallow: /foo/bar/ツ"), "/foo/bar/%E3%83%84", False),
        (robots("Disallow: /foo/bar/%e3%83%84"), "/foo/bar/ツ", False),
        (robots("Disallow: /foo/bar/%62%61%7A"), "/foo/bar/baz", False),
        (robots("Disallow: /foo/bar/baz"), "/foo/%62ar/%62%61%7a", False),
        (robots("Disallow: /a%2Fb"), "/a/b", True),
        (robots("Disallow: /a%3Fb"), "/a?b", True),
        (robots("Disallow: /100%"), "/100%25", False),
        (robots("Disallow: /a b"), "/a%20b", False),
        # what Chrome makes of a URL
        (robots("Disallow: /private"), "/a/../private", False),
        (robots("Disallow: /private"), "/a/%2e%2E/private#top", False),
        (robots("Disallow: /private"), "\\private", False),
        (robots("Disallow: /*?"), "?", False),
    ],
)
def test_a_file_allows_what_its_rules_say(content: bytes, path: str, allowed: bool) -> None:
    assert parse(content, "shopbot").allows(SITE + path) is allowed


GROUPS = b"""
User-agent: ShopBot
User-agent: other
Disallow: /both

User-agent: *
Disallow: /any
Crawl-delay: 7

User-agent: shopbot/2.1 (the second)
Disallow: /more
Crawl-delay: 1.5
Crawl-delay: soon

Sitemap: https://shop.example/a.xml
"""


@pytest.mark.parametrize(
    ("token", "path", "allowed"),
    [
        ("ShopBot", "/both", False),
        ("SHOPBOT", "/more", False),
        ("shopbot", "/any", True),
        ("other", "/both", False),
        ("other", "/more", True),
        ("shop", "/both", True),
        ("shopbots", "/both", True),
        ("third", "/any", False),
        ("third", "/both", True),
    ],
)
def test_the_groups_of_one_token_are_one_and_the_star_is_for_the_others(token: str, path: str, allowed: bool) -> None:
    assert parse(GROUPS, token).allows(SITE + path) is allowed


def test_what_stands_beside_rules_is_read() -> None:
    assert parse(GROUPS, "shopbot").crawl_delay_s == 1.5
    assert parse(GROUPS, "third").crawl_delay_s == 7
    assert parse(GROUPS, "other").crawl_delay_s is None
    assert parse(GROUPS, "third").sitemaps == ("https://shop.example/a.xml",)


@pytest.mark.parametrize("between", ["Sitemap: https://a/s.xml", "Host: a", "Crawl-delay: 3", ""])
def test_other_records_do_not_end_the_first_lines_of_a_group(between: str) -> None:
    content = f"User-agent: shopbot\n{between}\nUser-agent: other\nDisallow: /a\n".encode()
    assert not parse(content, "shopbot").allows(SITE + "/a")


def test_a_group_without_rules_is_still_the_group_of_its_token() -> None:
    assert parse(b"User-agent: shopbot\nDisallow:\n" + robots("Disallow: /"), "shopbot").allows(SITE + "/a")


@pytest.mark.parametrize("delay", ["-1", "nan", "inf", "1e999", "x", ""])
def test_a_delay_that_is_no_time_does_not_count(delay: str) -> None:
    assert parse(robots(f"Crawl-delay: {delay}")).crawl_delay_s is None


def test_at_least_500_kib_are_read() -> None:
    filling = b"Disallow: /x\n" * (500 * 1024 // 13)
    assert not parse(ALL + filling[: 500 * 1024 - 200] + b"\nDisallow: /private\n").allows(SITE + "/private")


HOSTILE: dict[str, Callable[[], bytes]] = {
    "1M rules": lambda: b"Disallow: /%d/*x*y$\n" * 1_000_000,
    "different rules": lambda: b"".join(b"Disallow: /*%d\n" % n for n in range(100_000)),
    "rules of all lengths": lambda: b"".join(b"Allow: /%s\n" % (b"a" * n) for n in range(1_400)),
    "wildcards only": lambda: b"Disallow: /" + b"*a" * 500_000 + b"$\n",
    "many wildcards": lambda: b"".join(b"Disallow: /%s%d$\n" % (b"*a" * 50, n) for n in range(9_000)),
    "one line": lambda: b"Disallow:" + b"/" * 50_000_000,
    "colons": lambda: b":" * 5_000_000,
    "escapes": lambda: b"Disallow: /" + b"%zz%" * 300_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_cost_little(name: str) -> None:
    content = ALL + HOSTILE[name]()
    started = time.process_time()
    rules = parse(content)
    rules.allows(SITE + "/" + "a" * 100_000)
    assert time.process_time() - started < 10  # less than one second when nothing else runs
    assert len(rules) <= MAX_RULES


# The twin: every rule is tried, by recursion.


def twin_matches(pattern: bytes, target: bytes) -> bool:
    if pattern == b"$":
        return not target
    if not pattern:
        return True
    if pattern.startswith(b"*"):
        return any(twin_matches(pattern[1:], target[at:]) for at in range(len(target) + 1))
    return target[:1] == pattern[:1] and twin_matches(pattern[1:], target[1:])


def twin(rules: list[tuple[bool, str]], url: str) -> bool:
    target = target_of(url)
    if target == ROBOTS_PATH:
        return True
    found = [
        (len(path_of(path.encode())), allow) for allow, path in rules if twin_matches(path_of(path.encode()), target)
    ]
    return max(found, default=(0, True))[1]


PATHS = st.text("ab/*$?%2F~ö", max_size=8).map(lambda rest: "/" + rest)
RULES = st.lists(st.tuples(st.booleans(), PATHS), max_size=8)


@given(RULES, PATHS.map(lambda path: SITE + path))
def test_the_outcome_is_that_of_the_slow_twin(rules: list[tuple[bool, str]], url: str) -> None:
    content = ALL + "\n".join(f"{'Allow' if allow else 'Disallow'}: {path}" for allow, path in rules).encode()
    assert parse(content).allows(url) is twin(rules, url)


@given(st.binary(max_size=300), st.text(max_size=30))
def test_any_bytes_are_rules(content: bytes, path: str) -> None:
    assert parse(content).allows(f"{SITE}/{path}") in (True, False)
