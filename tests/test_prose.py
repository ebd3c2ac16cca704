"""`tools/check_prose.py` finds each banned turn, where it stands, and says what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

import check_prose as prose

PLANTED = [
    ("make the list anew", "anew", "again"),
    ("Whoever calls this", "Whoever", "name who it is"),
    ("tried in vain", "in vain", "without success"),
    ("print what came of it", "what came of", "the outcome of"),
    ("an event that there is not", "that there is not", "that does not exist"),
    ("npm is not to be had", "to be had", "available"),
    ("a clock is no news", "is no", "`is not a`, or say what it is"),
    ("any other is none of ours", "is none of ours", "say what happens"),
    ("`timeout_ms`, as ever, limits it", "as ever", "still"),
    ("the file of somebody else", "somebody else", "another program"),
    ("scrolling is told in the next frame", "is told", "`is reported`"),
    ("a name is said once", "is said", "`the text shows`"),
    ("the session is the one of the browser", "the one of", "`that of`"),
    ("return so many rows", "so many", "`this many`"),
]


@pytest.mark.parametrize(("line", "turn", "instead"), PLANTED)
@pytest.mark.parametrize("name", ["module.py", "page.md", "script.ts", "lib.rs", "Makefile"])
def test_a_planted_turn_is_found_with_its_place(tmp_path: Path, name: str, line: str, turn: str, instead: str) -> None:
    (tmp_path / name).write_text(f"fine\n{line}\n")
    (problem,) = prose.check(tmp_path, [name])
    assert problem.startswith(f"{name}:2 {turn!r}: write {instead}")


def test_each_banned_turn_has_a_planted_line() -> None:
    assert len(PLANTED) == len(prose.BANNED)


@pytest.mark.parametrize("line", ["values that are no URL", "it was no page", "what were no `div`"])
def test_is_no_is_found_in_each_form(tmp_path: Path, line: str) -> None:
    (tmp_path / "page.md").write_text(f"{line}\n")
    assert len(list(prose.check(tmp_path, ["page.md"]))) == 1


@pytest.mark.parametrize(
    "line",
    [
        "The new value, a newer one, and what comes next.",
        "There is no page, where there are no rows: the answer is no.",
        "It is no longer there, is no more than a link, and is no different.",
        "Two pages are told apart by their text.",
        "A page asks so many questions that the others wait.",
    ],
)
def test_plain_words_are_fine(tmp_path: Path, line: str) -> None:
    (tmp_path / "page.md").write_text(f"{line}\n")
    assert list(prose.check(tmp_path, ["page.md"])) == []


def test_generated_bindings_and_pictures_are_left_out() -> None:
    assert not prose.is_ours("python/stillframe/cdp_types/page.py")
    assert not prose.is_ours("docs/images/page.png")
    assert prose.is_ours("python/stillframe/api/page.py")
