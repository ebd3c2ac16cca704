"""Page signatures and their index, from Python."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import pytest
from captures import capture

import stillframe
from stillframe.core import Match, Neighbours, Signature, SignatureIndex, Similarity, Snapshot
from stillframe.core import SimilarityLevel as Level
from stillframe.errors import SignatureError, StillframeError

STORY = "the quick brown fox jumps over a lazy dog while nobody in the whole garden looks at any of them at all"


def signed(*body: tuple[str, dict[str, str], str], url: str = "https://a.test/p/1") -> Signature:
    return Snapshot.from_cdp(capture(list(body), url=url)).signature


def row(text: str, classes: str = "row") -> tuple[str, dict[str, str], str]:
    return ("li", {"class": classes}, text)


LIST = signed(row("one of them"), row("two of them"))


def test_tiers_are_ordered_and_have_words() -> None:
    levels = [
        Level.NEW,
        Level.RELATED,
        Level.SAME_TEMPLATE,
        Level.NEAR_DUPLICATE,
        Level.DUPLICATE,
    ]
    assert levels == sorted(set(levels))
    assert [str(level) for level in levels] == ["new", "related", "same template", "near-duplicate", "duplicate"]
    assert {level: level.value for level in levels}[Level.NEW] == "new"


def test_the_same_page_is_a_duplicate() -> None:
    again = Snapshot.from_cdp(capture([row("one of them"), row("two of them")], first_id=500)).signature
    similarity = LIST.compare(again)
    assert (similarity.level, similarity.exact, similarity.template, similarity.structure) == (
        Level.DUPLICATE,
        True,
        True,
        1.0,
    )
    assert similarity.text_distance == 0
    assert repr(similarity) == "<Similarity duplicate: structure 1.00, text 0 of 64 bits>"


def test_another_order_is_a_near_duplicate_and_another_text_the_same_template() -> None:
    assert LIST.compare(signed(row("two of them"), row("one of them"))).level == Level.NEAR_DUPLICATE
    other = LIST.compare(signed(*(row(f"{word} stands elsewhere") for word in STORY.split())))
    assert (other.level, other.template) == (Level.SAME_TEMPLATE, True)
    assert other.text_distance > 12


def test_what_changes_from_load_to_load_does_not_count() -> None:
    one = signed(row(STORY, "row css-1a2b3c"), ("p", {"class": "note"}, "12:00"), ("p", {"class": "note"}, STORY[::-1]))
    two = signed(
        row(STORY, "row css-9f8e7d is-open"), ("p", {"class": "note"}, "13:30"), ("p", {"class": "note"}, STORY[::-1])
    )
    similarity = one.compare(two)
    assert (similarity.level, similarity.template) == (Level.NEAR_DUPLICATE, True)


def test_another_structure_is_new() -> None:
    page = [(tag, {"class": f"x{tag}"}, STORY) for tag in ("h1", "h2", "p", "section", "pre", "table", "nav", "form")]
    similarity = LIST.compare(signed(*page, url="https://b.test/q"))
    assert similarity.level == Level.NEW
    assert not similarity.url_pattern
    assert LIST.compare(signed(row("x"), url="https://a.test/p/2")).url_pattern


def test_counts_and_fields() -> None:
    found = signed(("a", {"href": "/x"}, "a link"), ("form", {}, ""), ("script", {}, "code"))
    assert (found.link_count, found.form_count, found.text_length) == (1, 1, 5)
    assert found.node_count == 6
    assert len(found.exact) == len(found.template) == 16
    assert len(found.structure) == 128
    assert 0 <= found.text < 2**64
    assert Signature.VERSION == 1
    assert Signature.SEED.to_bytes(8, "big") == b"stillfra"


def test_signatures_go_through_bytes_and_pickle() -> None:
    raw = LIST.to_bytes()
    assert len(raw) == 344
    for again in (Signature.from_bytes(raw), Signature.from_bytes(bytearray(raw)), pickle.loads(pickle.dumps(LIST))):
        assert again == LIST
        assert hash(again) == hash(LIST)
    assert signed(row("x")) != LIST


@pytest.mark.parametrize(
    "raw", [b"", b"SFS", b"nonsense" * 50, LIST.to_bytes()[:-1], LIST.to_bytes() + b"x", bytes(344)]
)
@pytest.mark.parametrize("kind", [Signature, SignatureIndex])
def test_bad_bytes_are_a_typed_error_with_an_offset(raw: bytes, kind: Any) -> None:
    with pytest.raises(SignatureError, match="not a stored signature or index") as caught:
        kind.from_bytes(raw)
    assert 0 <= caught.value.offset <= len(raw)
    assert isinstance(caught.value, StillframeError)
    assert caught.value.code == "signature_invalid"


def test_every_byte_of_the_stored_forms_is_guarded() -> None:
    index = SignatureIndex()
    index.add("https://a.test/ключ", LIST)
    for kind, raw in ((Signature, LIST.to_bytes()), (SignatureIndex, index.to_bytes())):
        for at in range(len(raw)):
            changed = raw[:at] + bytes([raw[at] ^ 0xFF]) + raw[at + 1 :]
            with pytest.raises(SignatureError):
                kind.from_bytes(changed)  # type: ignore[attr-defined]


@pytest.mark.parametrize("wrong", [None, "text", 7, object()])
def test_values_of_another_type_are_refused(wrong: Any) -> None:
    index = SignatureIndex()
    for call in (
        lambda: LIST.compare(wrong),
        lambda: index.query(wrong),
        lambda: index.query_many([LIST, wrong]),
        lambda: index.add("key", wrong),
        lambda: index.add_many([("a", LIST), ("b", wrong)]),
    ):
        with pytest.raises(TypeError):
            call()
    assert len(index) == 0


def filled() -> SignatureIndex:
    index = SignatureIndex()
    index.add_many((f"page {at}", signed(*(row(f"{word}{at} and more") for word in STORY.split()))) for at in range(6))
    index.add("list", LIST)
    return index


def test_an_index_tells_the_closest_first() -> None:
    index = filled()
    found = index.query(LIST)
    assert isinstance(found, Neighbours)
    first = found.matches[0]
    assert isinstance(first, Match)
    assert isinstance(first.similarity, Similarity)
    assert (first.key, first.level, found.level) == ("list", Level.DUPLICATE, Level.DUPLICATE)
    assert len(found) == 7
    levels = [match.level for match in found.matches]
    assert levels == sorted(levels, reverse=True)
    short = index.query(LIST, limit=2)
    assert len(short) == 2
    assert short.truncated
    alone = SignatureIndex()
    alone.add("list", LIST)
    assert not alone.query(LIST).truncated


def test_an_empty_index_finds_nothing() -> None:
    found = SignatureIndex().query(LIST)
    assert (len(found), found.level, found.truncated, found.matches) == (0, Level.NEW, False, [])
    assert SignatureIndex().query_many([]) == []


def test_keys_are_replaced_removed_and_found() -> None:
    index = filled()
    other = signed(("h1", {}, "quite another page"))
    index.add("list", other)
    assert len(index) == 7
    assert index.get("list") == other
    assert index.get("nothing") is None
    assert "list" in index
    assert index.remove("list")
    assert not index.remove("list")
    assert "list" not in index
    assert index.query(LIST).level < Level.DUPLICATE


def test_batches_answer_as_single_queries_do() -> None:
    index = filled()
    wanted = [LIST, signed(row("page")), signed(("h1", {}, "no"))] * 20
    many = index.query_many(iter(wanted), limit=3)
    assert [[m.key for m in found.matches] for found in many] == [
        [m.key for m in index.query(one, limit=3).matches] for one in wanted
    ]


def test_an_index_goes_through_bytes_and_pickle() -> None:
    index = filled()
    for again in (SignatureIndex.from_bytes(index.to_bytes()), pickle.loads(pickle.dumps(index))):
        assert len(again) == len(index)
        assert again.to_bytes() == index.to_bytes()
        assert [m.key for m in again.query(LIST).matches] == [m.key for m in index.query(LIST).matches]


def test_many_equal_pages_are_answered_and_said_to_be_cut_short() -> None:
    index = SignatureIndex()
    index.add_many((str(at), LIST) for at in range(3000))
    found = index.query(LIST, limit=5)
    assert (len(found), found.level, found.truncated) == (5, Level.DUPLICATE, True)
    assert index.memory / len(index) < 4000


def test_threads_may_write_and_ask_at_once() -> None:
    index = filled()
    pages = [(f"more {at}", signed(row(f"text {at}"))) for at in range(200)]

    def write() -> None:
        for key, page in pages:
            index.add(key, page)
        index.add_many(pages)

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert index.query(LIST).level == Level.DUPLICATE
    for thread in threads:
        thread.join()
    assert len(index) == 207


def test_the_names_are_exported() -> None:
    assert (stillframe.Signature, stillframe.SignatureIndex, stillframe.SimilarityLevel) == (
        Signature,
        SignatureIndex,
        Level,
    )
