"""Script files: what is written is read back, and a bad file is refused with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.errors import ScriptInvalid
from stillframe.scripts.script import (
    MAX_CHARS,
    Script,
    ScriptAction,
    ScriptStep,
    ScriptTarget,
    load_script,
    parse_script,
    save_script,
    script_name,
)

SCRIPT = Script(
    name="order",
    goal="Order tea",
    url="http://127.0.0.1/",
    advice="Look at the cart.",
    confidence=4,
    steps=(
        ScriptStep(
            goal="Fill in",
            check={"text": "Thanks"},
            actions=(
                ScriptAction(
                    action={"action": "click_element", "selector": 'role=button[name="Save"]'},
                    target='button "Save"',
                    others=('button "Save as"',),
                ),
                ScriptAction(action={"action": "set_value", "selector": "#p", "value": {"secretName": "password"}}),
                ScriptAction(
                    action={"action": "drag_to", "selector": "#a", "target": "#b"},
                    drop=ScriptTarget(selectors=("text=Bin",), target="bin", frame_path=(1, 0)),
                ),
            ),
        ),
        ScriptStep(goal="Pay", status="failed", error="no button"),
        ScriptStep(goal="Leave", status="skipped"),
    ),
)


def test_a_script_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    save_script(tmp_path / "order.json", SCRIPT)

    assert load_script(tmp_path / "order.json") == SCRIPT
    assert [file.name for file in tmp_path.iterdir()] == ["order.json"]


def test_a_file_is_json_with_one_action_per_line() -> None:
    text = SCRIPT.to_text()

    assert json.loads(text)["steps"][0]["actions"][0]["action"]["action"] == "click_element"
    assert sum('"action": {' in line for line in text.splitlines()) == 3


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_read_back_and_stays_on_its_line(goal: str, target: str) -> None:
    action = ScriptAction(action={"action": "press_key", "key": "Enter"}, target=target)
    script = Script(name="a", goal="g", url="u", steps=(ScriptStep(goal=goal, actions=(action,)),))
    if "\ud800" <= max(goal + target, default="") <= "\udfff":
        return  # lone surrogates cannot be text in JSON

    text = script.to_text()

    assert parse_script(text) == script
    assert text.count("\n") == Script(
        name="a",
        goal="",
        url="u",
        steps=(
            ScriptStep(
                goal="",
                actions=(ScriptAction(action={"action": "press_key", "key": "Enter"}, target="x" if target else ""),),
            ),
        ),
    ).to_text().count("\n")


def test_nothing_in_a_file_is_invisible() -> None:
    script = Script(name="a", goal="pay \u202eon\u2028 \u200b\U000e0041", url="u")

    assert "\\u202e" in script.to_text()
    assert all(char.isprintable() or char == "\n" for char in script.to_text())
    assert parse_script(script.to_text()) == script


BAD = [
    ("", None, "truncated"),
    ("[" * 100_000, None, "script"),
    ('{"a":' * 100_000, None, "script"),
    ("[]", None, "object"),
    ("nonsense", 1, "malformed"),
    (SCRIPT.to_text()[:300], 15, "truncated"),
    (SCRIPT.to_text().replace('"version": 1', '"version": 7'), 2, "version"),
    (SCRIPT.to_text().replace('"goal": "Pay"', '"gaol": "Pay"'), 30, "gaol"),
    (SCRIPT.to_text().replace("click_element", "click_elemnt"), 15, "did you mean"),
    (SCRIPT.to_text().replace('"key"', '"k"').replace("secretName", "secret"), 20, "secret"),
    (SCRIPT.to_text().replace('"text": "Thanks"', '"text": "a", "url": "b"'), 12, "exactly one"),
    (SCRIPT.to_text().replace('"text": "Thanks"', '"run": "a"'), 12, "run"),
    (SCRIPT.to_text().replace('"name": "order"', '"name": "import os"'), 3, "regex"),
    (SCRIPT.to_text().replace('"target": "bin"', '"fingerprint": {"version": 1}'), 22, "fingerprint"),
    (SCRIPT.to_text().replace('"confidence": 4', '"confidence": 1e999'), None, "not a script"),
]


@pytest.mark.parametrize(("text", "line", "reason"), BAD)
def test_a_bad_file_is_refused_with_its_line(text: str, line: int | None, reason: str) -> None:
    with pytest.raises(ScriptInvalid, match=reason) as caught:
        parse_script(text)

    assert len(str(caught.value)) < 1_000
    assert line is None or abs((caught.value.line or 0) - line) <= 1


def test_an_enormous_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(" " * (MAX_CHARS + 1))

    with pytest.raises(ScriptInvalid, match="characters"):
        load_script(tmp_path / "a.json")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"\xff\xfe{}")

    with pytest.raises(ScriptInvalid, match="UTF-8"):
        load_script(tmp_path / "a.json")


@given(st.text(max_size=300))
def test_a_name_has_fewer_than_30_letters_and_digits(goal: str) -> None:
    name = script_name(goal)

    assert name.isascii()
    assert name.isalnum()
    assert name[0].isalpha()
    assert len(name) < 30


def test_a_name_is_the_goal_in_camel_case() -> None:
    assert script_name("Log in as Ann, and pay the bill of the whole table") == "logInAsAnnAndPayTheBillOfThe"
    assert script_name("Größe ändern") == "grosseAndern" or script_name("Größe ändern").isascii()
    assert script_name("3 teas") == "run3Teas"
    assert script_name("") == "run"
