"""Pages that are the same at every depth, and those that only look alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.farm.traps.loops import Loops, folder_of, path_of, words_of

TEXT = (
    "Welcome to the shop of wood and iron, where all people of this town find paper, ink and string for less money than"
    " their neighbours pay elsewhere; we open every day"
)
LINKS = ("about/", "team/")


def is_copy(loops: Loops, path: str, text: str = TEXT, links: tuple[str, ...] = LINKS, title: str = "Shop") -> bool:
    """Take a page with relative links in."""
    url = f"http://h{path}"
    return loops.visited(url, title, text, [f"{folder_of(url)}{link}" for link in links])


def test_a_copy_is_a_page_that_is_the_same_deeper_in_a_folder_of_that_name() -> None:
    loops = Loops()
    assert not is_copy(loops, "/about/")
    assert is_copy(loops, "/team/about/")
    assert not any(is_copy(loops, path) for path in ("/other/", "/team/jobs/"))
    assert not is_copy(loops, "/team/about/", links=("about/",))
    assert not is_copy(loops, "/team/about/", text="Something else is written on this page, and nothing of the other")
    assert not is_copy(loops, "/team/about/", links=())


@pytest.mark.parametrize(
    "text",
    [
        f"You are here: shop / team / about. {TEXT}",
        f"{TEXT} 12:45:07 2026",
        f"{TEXT}. Today: less is more",
        TEXT.upper(),
    ],
)
def test_a_path_a_time_and_a_motto_make_no_difference(text: str) -> None:
    loops = Loops()
    is_copy(loops, "/shop/about/")
    assert is_copy(loops, "/shop/team/about/", text, title="Shop: team, about")


def test_links_below_copies_are_known_and_others_are_not() -> None:
    loops = Loops()
    is_copy(loops, "/a/about/")
    is_copy(loops, "/a/a/about/", links=("about/", "team/"))
    assert loops.is_below("http://h/a/a/about/team/")
    assert not loops.is_below("http://h/a/about/team/")


def test_files_in_folders_of_their_name_loop_as_well() -> None:
    loops = Loops()
    links = ("about/about.html", "team/team.html")
    assert not is_copy(loops, "/x/about/about.html", links=links)
    assert is_copy(loops, "/x/about/about/about.html", links=links)


def test_months_that_are_the_same_in_each_year_are_no_copies() -> None:
    loops = Loops()
    days = tuple(f"{day:02}/" for day in range(1, 29))
    assert not any(is_copy(loops, f"/{year}/05/", "A month", days) for year in range(2000, 2027))


@pytest.mark.parametrize(
    ("path", "again", "trap"),
    [
        ("/x/a/b/a/b/", "a", "h/x/** (copies)"),
        ("/a/b/a/", "a", "h/** (copies)"),
        ("/x/y/a/a/", "a", "h/x/** (copies)"),
        ("/x/y/", None, ""),
        ("/", None, ""),
    ],
)
def test_a_loop_is_of_the_section_above_the_segment_that_comes_twice(path: str, again: str | None, trap: str) -> None:
    found = path_of(f"http://H{path}?q#f")
    assert found.again == again
    if again is not None:
        assert found.trap(again) == trap
        assert found.trap(again) in found.traps


@given(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=12), st.text(alphabet="abc /?#", max_size=10))
def test_any_path_that_grows_by_its_own_links_is_found(menu: list[str], end: str) -> None:
    """Whatever the menu: the second time round is a copy of the first one."""
    loops, links = Loops(), (f"{'/'.join(menu)}/", f"x{end}")
    paths = ["/x/" + "/".join(menu * turns) + "/" for turns in (1, 2, 3)]
    assert [is_copy(loops, path, links=links) for path in paths] == [False, True, True]


def test_two_sets_share_what_they_have_in_common() -> None:
    one, two = (words_of("", "", " ".join(f"w{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in r), ())
                for r in (range(400), range(40, 400)))  # fmt: skip
    assert 0.75 < one.share(two) < 1.0
    assert one.share(one) == words_of("", "", "", ()).share(words_of("", "", "1 2", ())) == 1.0
    assert one.share(words_of("", "", "other", ())) < 0.1
