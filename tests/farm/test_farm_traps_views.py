"""Pages that show the same thing in several ways."""

from __future__ import annotations

import pytest

from stillframe.farm.traps.views import FirstViews, is_format, is_view

LIST = "http://h/db/list?a=1"


@pytest.mark.parametrize(
    ("link", "view", "other_format"),
    [
        ("http://h/db/list?a=1&b=2", True, False),
        ("http://h/db/list?b=2&a=1#x", True, False),
        ("http://h/db/list.json?a=1", True, True),
        ("http://h/db/list.csv?size=max&a=1", True, True),
        ("http://h/db/list.json", False, False),
        ("http://h/db/list?a=2", False, False),
        ("http://h/db/item?a=1", False, False),
        ("http://h/list?a=1", False, False),
    ],
)
def test_a_view_has_all_parameters_of_a_page(link: str, view: bool, other_format: bool) -> None:
    assert (is_view(LIST, link), is_format(LIST, link)) == (view, other_format)


def test_the_first_link_to_each_path_is_a_first_view_whenever_it_is_asked_for() -> None:
    first = FirstViews()
    first.add("http://h/p/1?color=red")
    asked = ["http://h/p/1?color=blue", "http://h/p/2?color=red", "http://h/p/2?color=blue", "http://h/p/2?color=red"]
    assert [first.admits(link) for link in asked] == [False, True, False, True]


@pytest.mark.parametrize("path", ["/calendar/2031-05", "/2031/05/07/", "/list/page/7", "/" + "/".join("abcdefgh" * 5)])
def test_paths_without_end_have_no_first_views(path: str) -> None:
    assert not FirstViews().admits(f"http://h{path}?view=list&sort=name")
