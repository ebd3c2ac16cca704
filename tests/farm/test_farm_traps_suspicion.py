"""What many URLs of a site show: real ones belong to no trap, and those without end do."""

from __future__ import annotations

import random

import pytest
from trap_urls import REAL, TRAPS

from stillframe.farm.traps import suspicion
from stillframe.farm.traps.suspicion import Suspicion, values_of, without

FORMS = [(kind, form) for kind, forms in TRAPS.items() for form in forms()]


@pytest.mark.parametrize("site", REAL)
def test_pages_of_real_sites_are_not_suspected(site: str) -> None:
    """Except for few whose numbers look like a day's, until it shows what the others are, and lists."""
    watching = Suspicion()
    urls = list(REAL[site](random.Random(7)))
    suspects = [watching.suspect(url) for url in urls]
    wrong = {url: each.name for url, each in zip(urls, suspects, strict=True) if each.kind not in (None, "pagination")}
    assert len(wrong) <= 5, wrong


@pytest.mark.parametrize(("kind", "form"), FORMS)
def test_urls_without_end_are_suspected(kind: str, form: str) -> None:
    """All but the first ones, as long as they look like any others; and they have few patterns."""
    watching = Suspicion()
    suspects = [watching.suspect(url) for url in TRAPS[kind]()[form]]
    found = [each for each in suspects if each.kind == kind]
    missed = sum(each.kind is None for each in suspects)
    assert missed <= max(300, len(suspects) // 20), (missed, len(suspects))
    assert len({each.trap for each in found}) <= 5
    assert {each.kind for each in suspects[-20:]} == {kind}


def test_numbers_that_look_like_days_are_numbers_where_others_stand() -> None:
    watching = Suspicion()
    urls = [f"http://h/product/{number}" for number in range(20_260_000, 20_261_300)]
    kinds = [watching.suspect(url).kind for url in urls]
    assert kinds.count("calendar") < 10


def test_answers_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suspicion, "MAX_ANSWERS", 10)
    monkeypatch.setattr(suspicion, "MAX_WATCHED", 10)
    watching = Suspicion()
    for number in range(100):
        watching.suspect(f"http://h{number}/{number}?a=1&b={number:032x}")
        watching.suspect(f"http://h{number}/{number}")
    held = (watching._answers, watching._filters, watching._sessions, watching._days)
    assert [len(each) <= 10 for each in held] == [True] * 4


def test_lists_of_values_are_values() -> None:
    assert values_of("http://h/?f=a,b|c&g=x+y&h#f=z") == [
        *(("f", "a"), ("f", "b"), ("f", "c")),
        *(("g", "x"), ("g", "y"), ("h", "")),
    ]
    assert without("http://h/?a=1&b%5B%5D=2&c#x", "b[]") == "http://h/?a=1&c"
