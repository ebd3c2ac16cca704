"""Refs: stable while a document lives, and never another element's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stillframe.tab.refs import MAX_REFS, NodeKey, RefNumbers, RefTable

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


def test_a_node_id_of_another_document_is_another_element() -> None:
    table = RefTable()
    old = table.ref_for("F1", 7, "F1", "loader1")
    new = table.ref_for("F1", 7, "F1", "loader2")
    assert old != new
    assert table.ref_of_gone("F1", 7, "loader1") == old


def test_pages_of_one_context_share_no_ref() -> None:
    numbers = RefNumbers()
    one, other = RefTable(numbers), RefTable(numbers)
    assert one.ref_for("", 1) != other.ref_for("", 1)
    assert numbers.has_drawn("e2")
    assert not numbers.has_drawn("e3")
    assert not numbers.has_drawn("e0")


def test_a_limited_number_of_refs_is_remembered_and_those_met_last_stay() -> None:
    table = RefTable()
    first, second = table.ref_for("", 1), table.ref_for("", 2)
    for node in range(3, MAX_REFS + 1):
        table.ref_for("", node)
    assert table.ref_for("", 1) == first
    table.ref_for("", MAX_REFS + 1)
    assert table.lookup(first)
    assert table.lookup(second) is None
    assert len(f"e{table.numbers.last + MAX_REFS}") <= table.longest


def test_a_document_in_between_makes_nothing_forgotten() -> None:
    table = RefTable()
    ref = table.ref_for("", 1, "F", "a")
    table.forget()
    table.forget()
    assert table.given(ref)
    assert table.lookup(ref) is None
