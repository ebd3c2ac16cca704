"""Many pages in one call: the same answers as one by one, whatever the number of threads."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import made_up
import pytest
from captures import capture
from made_up import card_grid

from stillframe.core import Snapshot, SnapshotPart, diff_many
from stillframe.errors import SnapshotError

PAGES = [capture([("p", {"id": f"line{at}"}, f"text {at}")]) for at in range(40)]


def snapshots(found: Sequence[Snapshot | SnapshotError]) -> list[Snapshot]:
    return [page for page in found if isinstance(page, Snapshot)]


@pytest.mark.parametrize("threads", [None, 1, 2, 7, 100])
def test_answers_come_in_order(threads: int | None) -> None:
    found = snapshots(Snapshot.from_many(PAGES, threads=threads))
    assert [page.digests for page in found] == [Snapshot.from_cdp(raw).digests for raw in PAGES]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_bad_page_does_not_lose_the_others(threads: int) -> None:
    found = Snapshot.from_many([PAGES[0], b"{", PAGES[1], PAGES[2][:-9], b""], threads=threads)
    assert [type(page) for page in found] == [Snapshot, SnapshotError, Snapshot, SnapshotError, SnapshotError]
    cut = found[3]
    assert isinstance(cut, SnapshotError)
    assert cut.offset == len(PAGES[2]) - 9


def test_pages_may_have_parts() -> None:
    parts = [SnapshotPart(PAGES[0]), SnapshotPart(PAGES[1], key="F1", parent="", owner=4)]
    found = Snapshot.from_many([parts, bytearray(PAGES[2]), memoryview(PAGES[3]), []])
    whole, *rest, empty = found
    assert isinstance(whole, Snapshot)
    assert whole.digests == Snapshot.from_parts(parts).digests
    assert len(snapshots(rest)) == 2
    assert isinstance(empty, SnapshotError)


@pytest.mark.parametrize("threads", [None, 1, 4])
def test_pairs_are_compared(threads: int | None) -> None:
    pages = snapshots(Snapshot.from_many(PAGES))
    found = diff_many(list(pairwise(pages)), limit=3, secrets=["text 5"], threads=threads)
    assert len(found) == len(PAGES) - 1
    assert all(found)
    one = found[7].changed[0]
    alone = pages[7].diff(pages[8], limit=3, secrets=["text 5"]).changed[0]
    assert one == alone
    assert "text 5" not in str([delta.changed for delta in found])


def test_nothing_is_an_answer_too() -> None:
    assert Snapshot.from_many([], threads=4) == []
    assert diff_many([]) == []


@pytest.mark.parametrize(("threads", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError), ("2", TypeError)])
def test_a_wrong_number_of_threads(threads: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        Snapshot.from_many(PAGES, threads=threads)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "outcome"), [("2", "40"), (" 1 ", "40"), ("0", "ValueError"), ("many", "ValueError")]
)
def test_the_environment_names_the_threads(monkeypatch: pytest.MonkeyPatch, value: str, outcome: str) -> None:
    monkeypatch.setenv("STILLFRAME_THREADS", value)
    if outcome == "ValueError":
        with pytest.raises(ValueError, match="STILLFRAME_THREADS"):
            Snapshot.from_many(PAGES)
        assert len(Snapshot.from_many(PAGES, threads=1)) == len(PAGES), "the argument goes before"
    else:
        assert len(Snapshot.from_many(PAGES)) == int(outcome)


def test_what_is_not_a_page_at_all_is_the_callers_mistake() -> None:
    with pytest.raises(TypeError):
        Snapshot.from_many([PAGES[0], object()])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        diff_many([(Snapshot.from_cdp(PAGES[0]), PAGES[1])])  # type: ignore[list-item]


def test_several_python_threads_at_once() -> None:
    page = Snapshot.from_cdp(card_grid(2000, False))
    raw = [card_grid(2000, True)] * 4
    failures: list[object] = []

    def work() -> None:
        after = snapshots(Snapshot.from_many(raw, threads=3))
        deltas = diff_many([(page, one) for one in after], threads=3)
        failures.extend(delta for delta in deltas if delta.total_changed != 2)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures


def test_other_threads_run_meanwhile() -> None:
    """While a batch runs, a thread that only looks at the clock gets on: the lock is not held."""
    raw = [card_grid(20_000, False)] * 8
    seen, done = [0.0], threading.Event()

    def look() -> None:
        while not done.is_set():
            if (now := time.monotonic()) - seen[-1] > 0.001:
                seen.append(now)

    looker = threading.Thread(target=look)
    looker.start()
    try:
        # A busy machine may give the other thread no turn in one batch; with the lock held it has none in any.
        assert any(_was_seen_amid_a_batch(raw, seen) for _ in range(20))
    finally:
        done.set()
        looker.join()


def _was_seen_amid_a_batch(raw: list[bytes], seen: list[float]) -> bool:
    """Parse a batch; tell whether the clock was looked at in the middle half of the time that took."""
    began = time.monotonic()
    Snapshot.from_many(raw, threads=1)
    took = time.monotonic() - began
    return any(began + took / 4 < moment < began + took * 3 / 4 for moment in tuple(seen))


FORKED = """
import os, sys
from made_up import card_grid
from stillframe.core import Snapshot
raw = [card_grid(500, False)] * 8
Snapshot.from_many(raw, threads=3)
child = os.fork()
if not child:
    os._exit(0 if len(Snapshot.from_many(raw, threads=3)) == 8 else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_worker_has_threads_of_its_own() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(made_up.__file__).parent)}
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], env=environment, check=True, timeout=60)
