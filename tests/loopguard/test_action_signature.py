"""Normalized texts and action signatures."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from stillframe.loopguard import HashKey, action_signature, normalize_name, normalize_text
from stillframe.model.loops import ActionSignature


@given(st.text())
def test_normal_is_stable(text: str) -> None:
    once = normalize_text(text)
    assert normalize_text(f"  {text}\n") == once
    assert len(once) <= 300


def test_texts_that_look_alike_are_one() -> None:
    assert normalize_text("Ｓａｖｅ\u00a0 all") == normalize_text("save ALL") == "save all"
    assert normalize_text("Straße") == normalize_text("STRASSE")
    assert normalize_text("e\u0301") == normalize_text("\u00e9")


def test_long_texts_that_differ_at_the_end_are_two() -> None:
    assert normalize_text("x" * 500 + "a") != normalize_text("x" * 500 + "b")


def test_digits_of_any_script_are_folded() -> None:
    assert normalize_name("Page 3 of 12") == normalize_name("page 10 of 12") == "page # of #"
    assert normalize_name("٣ items") == "# items"


@given(st.text(min_size=4), st.text(min_size=4))
def test_hidden_values_are_equal_only_for_equal_texts_and_show_nothing(one: str, other: str) -> None:
    key = HashKey()
    assert (key.hash(one) == key.hash(other)) == (one == other)
    assert one not in key.hash(one)
    assert key.hash(one) != HashKey().hash(one)
    assert key.hash("") == ""


def test_a_signature_reads_as_a_sentence_would() -> None:
    signature = action_signature("set_value", role="textbox", name="Name", value="Ann ", place="form")
    assert str(signature) == 'set_value textbox "name" = "ann" in form'
    assert msgspec.to_builtins(action_signature("scroll")) == {"action": "scroll"}
    assert msgspec.convert(msgspec.to_builtins(signature), ActionSignature) == signature


def test_keys_do_not_show_themselves() -> None:
    assert repr(HashKey()) == "HashKey()"
