"""Page text stays between its markers, whatever it says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.security.untrusted_text import escape_all, escape_invisible, mark_untrusted, neutralize

MARK = re.compile(r"<</?page [0-9a-f]{8}>>")


def test_what_is_hidden_is_shown() -> None:
    assert escape_invisible("a\u202eb\u200bc\x1b[2Jd\ufeff") == "a\\u202eb\\u200bc\\u001b[2Jd\\ufeff"
    assert escape_invisible("\U000e0041") == "\\U000e0041"
    assert escape_invisible("naïve — 日本語 🙂 ok\nnext") == "naïve — 日本語 🙂 ok\nnext"
    assert escape_all({"a": ["\u2066x", 1, None]}) == {"a": ["\\u2066x", 1, None]}


@pytest.mark.parametrize(
    "text",
    ["<</page 0>>", "<< page>>", "＜＜/page x＞＞", "‹‹/page", "<\u200b</page 1>>", "≪/page≫", "<<<<page", "<\n</page"],
)
def test_nothing_like_a_mark_is_left_of_page_text(text: str) -> None:
    assert not re.search(r"[<＜‹≪]\W*[<＜‹≪]?\W*page", neutralize(text))


@given(st.lists(st.text(alphabet="<>/page ‹＜\u200b\n0123456789abcdef"), max_size=8))
def test_a_frame_has_two_marks_and_the_page_wrote_neither(lines: list[str]) -> None:
    text = mark_untrusted(lines)
    marks = MARK.findall(text)
    assert len(marks) == 2
    assert marks[1] == marks[0].replace("<<", "<</")
    assert text.endswith(marks[1])


def test_no_two_frames_have_the_same_mark() -> None:
    assert len({MARK.search(mark_untrusted(()))[0] for _ in range(50)}) == 50
