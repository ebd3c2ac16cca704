"""The core under threads: one snapshot asked by many, many read at once, with the interpreter's lock and without.

Selectors, digests and indexes are made when they are first asked for, so every round begins with a snapshot that nobody
has asked yet, and all threads ask it the same moment. Large enough captures are worked on without the lock, so these
run side by side under an ordinary interpreter too. Under a free-threaded one all of it does.
"""

from __future__ import annotations

import sys
import sysconfig
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from made_up import card_grid

from stillframe.core import Snapshot
from stillframe.errors import SnapshotError

THREADS = 8
ROUNDS = 2
NODES = 2_000
"""A capture of this size has more than the 128 KB above which the lock is let go."""
BEFORE, AFTER = card_grid(NODES, False), card_grid(NODES, True)
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def at_once(work: Callable[[int], Any]) -> list[Any]:
    """What `work` returns in each of the threads, which begin together."""
    ready = threading.Barrier(THREADS)

    def begin(number: int) -> Any:
        ready.wait(timeout=60)
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


def everything(snapshot: Snapshot, other: Snapshot, ids: list[int]) -> list[Any]:
    """All that can be asked of a snapshot."""
    delta = snapshot.diff(other)
    return [
        snapshot.digests,
        [snapshot.selector("", node) for node in ids],
        [snapshot.describe("", node) for node in ids],
        snapshot.rows(12),
        snapshot.closed_shadow_roots(),
        snapshot.documents,
        delta.appeared,
        delta.disappeared,
        delta.changed,
        delta.script_length,
    ]


def test_one_snapshot_answers_many_threads_at_once() -> None:
    before, after = Snapshot.from_cdp(BEFORE), Snapshot.from_cdp(AFTER)
    ids = [row.backend_node_id for row in before.rows(40)]
    assert len(ids) == 40
    expected = everything(before, after, ids)
    assert expected[6], "the edits must show"
    for _ in range(ROUNDS):
        one, other = Snapshot.from_cdp(BEFORE), Snapshot.from_cdp(AFTER)
        assert at_once(lambda _, one=one, other=other: everything(one, other, ids)) == [expected] * THREADS


def test_threads_read_and_compare_pages_of_their_own() -> None:
    pages = [[card_grid(400 + 300 * number, edited) for edited in (False, True)] for number in range(THREADS)]

    def alone(number: int) -> list[Any]:
        before, after = map(Snapshot.from_cdp, pages[number])
        return everything(before, after, [row.backend_node_id for row in before.rows(10)])

    expected = [alone(number) for number in range(THREADS)]
    assert len({str(answer[0]) for answer in expected}) == THREADS
    for _ in range(ROUNDS):
        assert at_once(alone) == expected


def test_errors_are_raised_in_the_thread_they_belong_to() -> None:
    def offset(number: int) -> int:
        cut = len(BEFORE) * (number + 1) // (THREADS + 1)
        with pytest.raises(SnapshotError) as raised:
            Snapshot.from_cdp(BEFORE[:cut])
        assert raised.value.offset <= cut
        return raised.value.offset

    expected = [offset(number) for number in range(THREADS)]
    assert at_once(offset) == expected


@pytest.mark.skipif(not FREE_THREADED, reason="an interpreter with its lock")
def test_the_core_does_not_bring_the_lock_back() -> None:
    assert not sys._is_gil_enabled()  # type: ignore[attr-defined]
