"""The boundary: what goes into the native core, what comes out, and how it fails."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from captures import capture
from hypothesis import given
from hypothesis import strategies as st
from made_up import card_grid

from stillframe.core import Delta, Snapshot, SnapshotPart
from stillframe.errors import SnapshotError, StillframeError

ROOT = Path(__file__).resolve().parents[2]
BASE = [("p", {"id": "line"}, "one"), ("input", {"name": "user"}, "")]


def test_a_snapshot_tells_what_it_is() -> None:
    snapshot = Snapshot.from_cdp(capture(BASE))
    assert (snapshot.url, snapshot.title) == ("https://a.test/", "A page")
    assert snapshot.node_count == len(snapshot) == 6
    (document,) = snapshot.documents
    assert document.frame == ""
    assert document.frame_id == "F0"
    assert "6 nodes" in repr(snapshot)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_buffer_will_do(kind: type) -> None:
    raw = capture(BASE)
    assert Snapshot.from_cdp(kind(raw)).digests == Snapshot.from_cdp(raw).digests


def test_a_whole_message_will_do() -> None:
    raw = capture(BASE)
    message = b'{"id":3,"result":' + raw + b',"sessionId":"S"}'
    assert Snapshot.from_cdp(message).digests == Snapshot.from_cdp(raw).digests


def test_a_snapshot_knows_the_bytes_it_was_made_of() -> None:
    raw, other = capture(BASE), capture(BASE[:1])
    parts = [SnapshotPart(raw), SnapshotPart(other, key="F", parent="", owner=3)]
    snapshot = Snapshot.from_parts(parts, {"F0": "L"})
    assert snapshot.is_of(parts, {"F0": "L"})
    assert snapshot.is_of(snapshot.parts, {"F0": "L"})
    assert not snapshot.is_of(parts, {"F0": "M"})
    assert not snapshot.is_of(parts, {})
    assert not snapshot.is_of(parts[:1], {"F0": "L"})
    assert not snapshot.is_of([parts[0], SnapshotPart(other, key="F", parent="", owner=4)], {"F0": "L"})
    assert not snapshot.is_of([parts[0], SnapshotPart(raw, key="F", parent="", owner=3)], {"F0": "L"})
    assert not snapshot.diff(snapshot)


def test_digests_are_sixteen_bytes_and_can_be_keys() -> None:
    digests = Snapshot.from_cdp(capture(BASE)).digests
    assert {len(part) for part in (digests.exact, digests.visible, digests.struct, digests.raw)} == {16}
    assert {digests: 1}[Snapshot.from_cdp(capture(BASE)).digests] == 1
    assert digests != Snapshot.from_cdp(capture(BASE[:1])).digests


def test_node_ids_do_not_change_digests() -> None:
    one, other = Snapshot.from_cdp(capture(BASE)).digests, Snapshot.from_cdp(capture(BASE, first_id=70)).digests
    assert (one.exact, one.visible, one.struct) == (other.exact, other.visible, other.struct)


def test_a_delta_has_rows() -> None:
    before = Snapshot.from_cdp(capture(BASE))
    after = Snapshot.from_cdp(capture([("p", {"id": "line"}, "two"), *BASE[1:], ("h2", {}, "New")]))
    delta = before.diff(after)
    assert delta
    assert not delta.empty
    assert delta.same_document
    assert [row.selector for row in delta.appeared] == ["body > h2"]
    (row,) = delta.changed
    assert (row.selector, row.field, row.from_, row.to) == ("#line", "textContent", "one", "two")
    described = after.describe(row.frame, row.backend_node_id)
    assert described is not None
    shared = (
        "selector",
        "tag_name",
        "role",
        "name",
        "text",
        "frame",
        "frame_id",
        "backend_node_id",
        "count",
        "examples",
    )
    assert [getattr(described, name) for name in shared] == [getattr(row, name) for name in shared]
    assert described.rank == 0
    assert delta.total_changed == 1
    assert delta.omitted_changed == 0


def test_nothing_changed_is_false() -> None:
    delta = Snapshot.from_cdp(capture(BASE)).diff(Snapshot.from_cdp(capture(BASE)))
    assert not delta
    assert delta.empty
    assert delta.appeared == delta.disappeared == delta.changed == []


def test_rows_left_out_are_counted() -> None:
    before = Snapshot.from_cdp(capture(BASE))
    after = Snapshot.from_cdp(capture([*BASE, *(("p", {"id": f"n{at}"}, "new") for at in range(20))]))
    delta = before.diff(after, limit=3)
    assert len(delta.appeared) == 3
    assert (delta.total_appeared, delta.omitted_appeared) == (20, 17)
    assert before.diff(after, limit=0).omitted_appeared == 20


def test_secrets_do_not_come_out() -> None:
    before = Snapshot.from_cdp(capture(BASE))
    after = Snapshot.from_cdp(capture([("p", {"id": "line"}, "you said s3cret word"), *BASE[1:]]))
    delta = before.diff(after, secrets=["s3cret word"])
    assert "s3cret" not in repr(delta.changed)
    assert delta.changed[0].to == "you said ••••"


def test_values_are_frozen_and_compared_by_their_fields() -> None:
    snapshot = Snapshot.from_cdp(capture(BASE))
    one, other = snapshot.rows(2)
    assert one == snapshot.rows(1)[0] != other
    assert repr(one).startswith(f"ElementRow(selector={one.selector!r}, tag_name={one.tag_name!r}, role=")
    with pytest.raises(AttributeError):
        one.name = "another"  # type: ignore[misc]
    part = snapshot.parts[0]
    assert part == SnapshotPart(bytearray(part.raw)) != SnapshotPart(part.raw, key="F")
    with pytest.raises(TypeError, match="owner names a node of parent"):
        SnapshotPart(part.raw, owner=3)


def test_parts_can_be_kept_and_put_together_again() -> None:
    snapshot = Snapshot.from_parts(
        [
            SnapshotPart(capture([("iframe", {"id": "f"}, "")])),
            SnapshotPart(capture(BASE, url="https://b.test/"), key="F1", parent="", owner=4),
        ]
    )
    assert [document.frame for document in snapshot.documents] == ["", "F1"]
    assert snapshot.selector("F1", 4) == "frame=#f >> #line"
    assert Snapshot.from_parts(snapshot.parts).digests == snapshot.digests


def test_a_loader_tells_documents_apart() -> None:
    before = Snapshot.from_parts([SnapshotPart(capture(BASE))], {"F0": "L1"})
    after = Snapshot.from_parts([SnapshotPart(capture([("h1", {}, "Next"), *BASE[1:]]))], {"F0": "L2"})
    delta = before.diff(after)
    assert not delta.same_document
    assert [row.text for row in delta.appeared] == ["Next"]
    assert [row.text for row in delta.disappeared] == ["one"]


def test_nodes_that_are_not_there_are_none() -> None:
    snapshot = Snapshot.from_cdp(capture(BASE))
    assert snapshot.describe("", 999) is None
    assert snapshot.selector("nowhere", 1) is None


def test_the_best_rows_of_a_page() -> None:
    rows = Snapshot.from_cdp(capture([("p", {}, "text"), ("button", {}, "Save"), ("h1", {}, "Title")])).rows(2)
    assert [(row.role, row.name) for row in rows] == [("button", "Save"), ("heading", "Title")]


@pytest.mark.parametrize(
    "raw", [b"", b"nonsense", b"{}", b"[]", b'{"documents":[],"strings":[]}', capture(BASE)[:-40], b"\xff\xfe{"]
)
def test_bad_bytes_have_an_error_with_an_offset(raw: bytes) -> None:
    with pytest.raises(SnapshotError) as caught:
        Snapshot.from_cdp(raw)
    assert isinstance(caught.value, StillframeError)
    assert 0 <= caught.value.offset <= len(raw)
    assert "byte" in str(caught.value)


def test_text_is_not_a_capture() -> None:
    with pytest.raises(TypeError):
        Snapshot.from_cdp("{}")  # type: ignore[arg-type]


def test_parts_that_do_not_fit_are_refused() -> None:
    with pytest.raises(SnapshotError):
        Snapshot.from_parts([])
    with pytest.raises(SnapshotError):
        Snapshot.from_parts(
            [SnapshotPart(capture(BASE)), SnapshotPart(capture(BASE), key="F1", parent="nobody", owner=4)]
        )


@given(st.binary(max_size=200))
def test_random_bytes_never_break_it(raw: bytes) -> None:
    with pytest.raises(SnapshotError):
        Snapshot.from_cdp(raw)


@given(st.integers(0, 5_000), st.binary(min_size=1, max_size=4))
def test_damaged_captures_never_break_it(at: int, patch: bytes) -> None:
    raw = capture(BASE)
    at %= len(raw)
    try:
        damaged = Snapshot.from_cdp(raw[:at] + patch + raw[at + len(patch) :])
    except SnapshotError:
        return
    assert isinstance(damaged.diff(Snapshot.from_cdp(raw)), Delta)


def test_threads_may_share_a_snapshot() -> None:
    before, after = (Snapshot.from_cdp(card_grid(5_000, edited)) for edited in (False, True))
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(before.diff(after).total_changed)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2] * 4
