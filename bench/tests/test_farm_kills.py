"""How pauses of crawls are found, and pages of two people judged; without a browser."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.farm.kills import Kill, main, pause_after
from bench.farm.login_wall import Outcome, is_page, lines_of


def test_a_pause_is_the_longest_time_without_a_request() -> None:
    times = [0.0, 1.0, 1.5, 5.0, 5.5, 9.0]
    assert pause_after(times, 1.2) == 3.5
    assert pause_after(times, 5.2, 6.0) == 0.5
    assert pause_after(times, 9.5) == 0.0


@pytest.mark.parametrize(
    ("kill", "right"),
    [
        (Kill(name="k"), True),
        (Kill(name="k", lost=["/a"]), False),
        (Kill(name="k", twice=["/a"]), False),
        (Kill(name="k", incomplete=["/a"]), False),
        (Kill(name="k", exit=1), False),
    ],
)
def test_a_crawl_is_right_with_every_page_once(kill: Kill, right: bool) -> None:
    assert kill.right is right


def test_a_name_that_no_row_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing"]) == 2
    assert "no such row: nothing" in capsys.readouterr().err


def test_pages_of_another_person_are_found() -> None:
    outcome = Outcome(
        pages={"ann": {"/a", "/b"}, "bob": {"/a"}},
        found=Counter({("ann", "/a"): 1, ("bob", "/a"): 2}),
        greeted={("ann", "/a"): "Welcome, Ann", ("bob", "/a"): "Welcome, Ann"},
    )
    assert outcome.faults() == {
        "missing": [("ann", "/b")],
        "twice": [("bob", "/a")],
        "of another person": [("bob", "/a")],
    }
    assert lines_of(outcome)[0].startswith("2 pages of ann, 1 pages of bob in 0 s: 1 missing, 1 twice")


@pytest.mark.parametrize(
    ("path", "follows"),
    [("/admin/shop/", True), ("/admin/login/", False), ("/admin/x/1/delete/", False), (None, False)],
)
def test_which_pages_are_followed(path: str | None, follows: bool) -> None:
    assert is_page(path) is follows
