"""What pages bring that those before them have not."""

from __future__ import annotations

from stillframe.farm.traps.novelty import NEW_NUMBERS, Novelty
from stillframe.farm.traps.varieties import VARIETY, Varieties


def brings(novelty: Novelty, text: str, *links: str, trap: str = "t", url: str = "http://h/") -> bool:
    """Return whether a page brings something."""
    return novelty.brings(trap, url, text, links)


def test_a_new_word_or_a_new_link_is_something_new() -> None:
    novelty = Novelty()
    assert brings(novelty, "May 2031")
    assert not brings(novelty, "may 2032")
    assert brings(novelty, "June 2031")
    assert brings(novelty, "june 2031", "http://h/p/1")
    assert not brings(novelty, "June", "http://h/p/1")
    assert not brings(novelty, "")


def test_each_trap_has_words_of_its_own_and_links_are_known_to_all() -> None:
    novelty = Novelty()
    assert brings(novelty, "May")
    assert brings(novelty, "May", trap="other")
    assert brings(novelty, "May", "http://h/a")
    assert not brings(novelty, "May", "http://h/a", trap="other")


def test_words_of_the_url_do_not_count_and_numbers_only_if_there_are_many() -> None:
    novelty = Novelty()
    assert not brings(novelty, "about 7 team", url="http://h/about/team?n=7")
    assert not brings(novelty, " ".join(map(str, range(100, 100 + NEW_NUMBERS - 1))))
    assert brings(novelty, " ".join(map(str, range(200, 200 + NEW_NUMBERS))))


def test_a_calendar_brings_something_with_a_few_numbers_that_say_no_time() -> None:
    novelty = Novelty()
    rates = "1.0834 163.0412 0.8"
    assert not novelty.brings("t", "http://h/", rates, ())
    assert not novelty.brings("t", "http://h/", f"{rates} 7.1234", (), calendar=False)
    assert novelty.brings("t", "http://h/", f"{rates} 9.9876", (), calendar=True)
    assert not novelty.brings("t", "http://h/", f"{rates} 9.9876 7,654", (), calendar=True)
    when = "30.11.2026 20261130 202612 1764460800 1764460800123 14:15 2031 12.5 334"
    assert not novelty.brings("t", "http://h/", when, (), calendar=True)
    assert not novelty.brings("t", "http://h/2.111/3.222/4.333", "2.111 3.222 4.333", (), calendar=True)


def test_dates_without_spaces_are_words_and_numbers() -> None:
    novelty = Novelty()
    assert brings(novelty, "2031年5月")
    assert not brings(novelty, "2044年7月")


def test_a_page_leads_to_what_is_new_for_its_trap() -> None:
    novelty = Novelty()
    assert [novelty.leads("t", links) for links in (["a"], ["a"], ["a", "b"], [])] == [True, False, True, False]
    assert novelty.leads("other", ["a"])


def test_many_names_in_one_place_are_those_of_pages() -> None:
    varieties = Varieties()
    sections = [varieties.pattern(f"h/{name}/#") for name in ("docs", "blog", "shop")]
    assert sections == ["h/docs/#", "h/blog/#", "h/shop/#"]
    pages = [varieties.pattern(f"h/blog/name{chr(97 + number)}/") for number in range(VARIETY + 3)]
    assert pages[-3:] == ["h/blog/*/"] * 3
    assert varieties.pattern("h/docs/#") == "h/docs/#"
    assert varieties.pattern("h/blog/namea/comments") == "h/blog/*/comments"
