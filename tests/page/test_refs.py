"""Refs: stable while a document lives, and never another element's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stillframe.page.refs import NodeKey, RefTable

keys = st.tuples(st.sampled_from(["", "F1"]), st.integers(1, 5))


@given(st.lists(keys))
def test_an_element_keeps_its_ref_and_no_two_share_one(elements: list[tuple[str, int]]) -> None:
    table = RefTable()
    given_refs = {key: table.ref_for(*key) for key in elements}
    assert {key: table.ref_for(*key) for key in elements} == given_refs
    assert len(set(given_refs.values())) == len(given_refs)
    assert all(table.lookup(ref) == NodeKey(*key) for key, ref in given_refs.items())


def test_a_ref_of_a_former_document_finds_nothing_and_is_not_given_again() -> None:
    table = RefTable()
    old = table.ref_for("", 1)
    table.forget()
    assert table.lookup(old) is None
    assert table.ref_for("", 1) != old


def test_a_gone_element_keeps_the_ref_it_had() -> None:
    table = RefTable()
    ref = table.ref_for("", 1)
    assert table.ref_of_gone("", 1) == ref
    table.forget()
    assert table.ref_of_gone("", 1) == ref


def test_a_gone_element_without_a_ref_does_not_take_that_of_its_namesake() -> None:
    table = RefTable()
    table.ref_for("", 7)
    table.forget()
    new = table.ref_for("", 1)
    assert table.ref_of_gone("", 1) != new
