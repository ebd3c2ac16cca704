"""What makes two texts, and two calls, the same."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from stillframe.loopguard import Key, normal, normal_name, sign
from stillframe.model.loops import Signature


@given(st.text())
def test_normal_is_stable(text: str) -> None:
    once = normal(text)
    assert normal(f"  {text}\n") == once
    assert len(once) <= 300


def test_texts_that_look_alike_are_one() -> None:
    assert normal("Ｓａｖｅ\u00a0 all") == normal("save ALL") == "save all"
    assert normal("Straße") == normal("STRASSE")
    assert normal("e\u0301") == normal("\u00e9")


def test_long_texts_that_differ_at_the_end_are_two() -> None:
    assert normal("x" * 500 + "a") != normal("x" * 500 + "b")


def test_digits_of_any_script_are_folded() -> None:
    assert normal_name("Page 3 of 12") == normal_name("page 10 of 12") == "page # of #"
    assert normal_name("٣ items") == "# items"


@given(st.text(min_size=4), st.text(min_size=4))
def test_hidden_values_are_equal_only_for_equal_texts_and_show_nothing(one: str, other: str) -> None:
    key = Key()
    assert (key.hide(one) == key.hide(other)) == (one == other)
    assert one not in key.hide(one)
    assert key.hide(one) != Key().hide(one)
    assert key.hide("") == ""


def test_a_signature_reads_as_a_sentence_would() -> None:
    signature = sign("set_value", role="textbox", name="Name", value="Ann ", place="form")
    assert str(signature) == 'set_value textbox "name" = "ann" in form'
    assert msgspec.to_builtins(sign("scroll")) == {"action": "scroll"}
    assert msgspec.convert(msgspec.to_builtins(signature), Signature) == signature


def test_keys_do_not_show_themselves() -> None:
    assert repr(Key()) == "Key()"
