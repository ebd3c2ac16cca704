"""Payloads that come again become revisits, and every one of them can be resolved with what stands before it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from output_store import FakeRow, FakeStore, export_again, failing_disks
from output_warc import Record, read_records

from stillframe.farm.output import Exporter, Warc
from stillframe.farm.output.warc_records import NOT_MODIFIED, Exchange, members
from stillframe.farm.output.warc_revisits import IDENTICAL, LEAST, UNCHANGED, Revisits

SHARED = b"/* shared */ " * 100
URL = "http://a/shared.css"


def exchange(url: str, body: bytes, at: float = 0.0, **more: Any) -> Exchange:
    more.setdefault("response_headers", [("Content-Type", "text/css"), ("ETag", '"1"')])
    more.setdefault("status", 200)
    sent_at = 1_800_000_000 + at
    return Exchange(url=url, method="GET", sent_at=sent_at, protocol="h2", status_text="OK", body=body, **more)


def rewritten(*exchanges: Exchange, known: int = 100) -> list[Record]:
    """Return the records of exchanges, each of which is the payload of one page."""
    revisits, content = Revisits(known), b""
    for each in exchanges:
        content += revisits.rewritten(members([each]), (1, len(content)))
    return [record for record in read_records(content) if record.kind in ("response", "revisit")]


def bodies(records: list[Record]) -> list[tuple[str, bytes]]:
    """Return what each response and revisit has shown, as a reader like pywb finds it, in the order of the files."""
    earlier: dict[tuple[str, str], Record] = {}
    found = []
    for record in records:
        url, date = record.warc.get("WARC-Target-URI", ""), record.warc["WARC-Date"]
        if record.kind == "revisit":
            original = earlier[record.warc["WARC-Refers-To-Target-URI"], record.warc["WARC-Refers-To-Date"]]
            assert original.warc["WARC-Record-ID"] == record.warc["WARC-Refers-To"]
            digest = record.warc.get("WARC-Payload-Digest", original.warc["WARC-Payload-Digest"])
            assert digest == original.warc["WARC-Payload-Digest"]
            found.append((url, original.body))
        elif record.kind == "response":
            earlier[url, date] = record
            found.append((url, record.body))
    return found


def test_a_payload_that_comes_again_is_a_revisit_of_the_first() -> None:
    first, again, other = rewritten(
        exchange(URL, SHARED),
        exchange(URL, SHARED, 1),
        exchange("http://a/copy.css", SHARED, 2, response_headers=[("X-Own", "1")], status=404),
    )
    assert [each.kind for each in (first, again, other)] == ["response", "revisit", "revisit"]
    assert again.warc["WARC-Profile"] == IDENTICAL
    assert again.warc["WARC-Truncated"] == "length"
    assert again.warc["WARC-Payload-Digest"] == first.warc["WARC-Payload-Digest"]
    assert again.warc["WARC-Refers-To-Target-URI"] == URL
    assert again.warc["WARC-Refers-To-Date"] == first.warc["WARC-Date"] != again.warc["WARC-Date"]
    assert again.warc["WARC-Protocol"] == "h2"
    assert (other.path, other.status, other.body) == ("/copy.css", "404 OK", b"")
    assert other.headers == {"X-Own": "1"}
    assert bodies([first, again, other]) == [(URL, SHARED), (URL, SHARED), ("http://a/copy.css", SHARED)]


def test_the_records_beside_it_stay() -> None:
    content = Revisits().rewritten(members([exchange(URL, SHARED), exchange(URL, SHARED, notes={"x": "y"})]), (1, 0))
    records = read_records(content)
    assert [each.kind for each in records] == ["response", "request", "revisit", "request", "metadata"]
    own = records[2].warc["WARC-Record-ID"]
    assert [each.warc["WARC-Concurrent-To"] for each in records[3:]] == [own, own]


@pytest.mark.parametrize(
    "again",
    [
        exchange(URL, SHARED[: LEAST - 1]),
        exchange(URL, SHARED, truncated="length"),
        exchange(URL, b""),
        exchange(URL, b"another" * 100),
    ],
)
def test_what_is_small_cut_or_other_stays_a_response(again: Exchange) -> None:
    assert [each.kind for each in rewritten(again, again, exchange(URL, SHARED))][0::2] == ["response", "response"]
    if again.body is not None and (len(again.body) < LEAST or again.truncated):
        assert [each.kind for each in rewritten(again, again)] == ["response", "response"]


@pytest.mark.parametrize(("etag", "kind"), [('"1"', "revisit"), ('"2"', "response"), (None, "response")])
def test_a_304_is_a_revisit_of_the_version_that_it_confirms(etag: str | None, kind: str) -> None:
    headers = [] if etag is None else [("ETag", etag)]
    _, found = rewritten(exchange(URL, SHARED), exchange(URL, b"", 1, status=304, response_headers=headers))
    assert (found.kind, found.status) == (kind, "304 OK")
    assert found.warc.get("WARC-Profile") == (UNCHANGED if kind == "revisit" else None)


def test_what_the_server_confirmed_is_a_304_and_elsewhere_a_copy() -> None:
    confirmed = {"not_modified": [("ETag", '"1"'), ("X-Now", "ü")]}
    first, again, other = rewritten(
        exchange(URL, SHARED), exchange(URL, SHARED, 1, **confirmed), exchange("http://a/c", SHARED, 2, **confirmed)
    )
    assert (again.kind, again.warc["WARC-Profile"]) == ("revisit", UNCHANGED)
    assert (again.status, again.headers["X-Now"]) == ("304 Not Modified", "ü")
    assert (other.kind, other.warc["WARC-Profile"], other.status) == ("revisit", IDENTICAL, "200 OK")
    assert NOT_MODIFIED not in again.warc | other.warc
    assert bodies([first, again, other])[1] == (URL, SHARED)


def test_what_is_known_has_a_bound_and_what_was_seen_last_stays() -> None:
    def page(n: int) -> Exchange:
        return exchange(f"http://a/{n}", b"%d " % n * 1000, n)

    found = rewritten(page(1), page(2), page(1), page(3), page(1), page(2), known=2)
    assert [each.kind for each in found] == ["response", "response", "revisit", "response", "revisit", "response"]


@pytest.mark.parametrize("torn", [b"", b"\x1f\x8b\x08torn", b"no gzip at all"])
def test_what_is_no_record_stays_as_it_is(torn: bytes) -> None:
    whole = members([exchange(URL, SHARED)])
    assert Revisits().rewritten(whole + torn, (1, 0)) == whole + torn


# -- the files ------------------------------------------------------------------------------------

ROWS = [
    FakeRow(
        n,
        b"{}",
        members([exchange(URL, SHARED, n), exchange(f"http://a/{n}", b"page %d " % (n % 7) * 200, n)]),
    )
    for n in range(1, 12)
]
WANTED = [(each.url, each.body) for n in range(1, 12) for each in (exchange(URL, SHARED),
          exchange(f"http://a/{n}", b"page %d " % (n % 7) * 200))]  # fmt: skip


def warc(folder: Path) -> Warc:
    return Warc(folder, rotate_bytes=4_000, batch=4)


def records(folder: Path) -> list[Record]:
    return [record for file in sorted(folder.glob("*.warc.gz")) for record in read_records(file.read_bytes())]


def revisits(folder: Path) -> int:
    return sum(record.kind == "revisit" for record in records(folder))


async def test_another_process_knows_what_the_last_file_has(tmp_path: Path) -> None:
    for number in (1, 2):
        store = FakeStore(ROWS[:5])
        folder = tmp_path / str(number)
        folder.mkdir()
        exporter = Exporter(store, warc(folder))
        await exporter.pump()
        store.all = ROWS
        await (Exporter(store, warc(folder)) if number == 2 else exporter).pump()
        assert bodies(records(folder)) == WANTED
    assert revisits(tmp_path / "1") == 10 + 4
    assert 10 <= revisits(tmp_path / "2") <= 10 + 4  # the pages of the first files are not known any more
    assert len([*(tmp_path / "2").iterdir()]) > 1


@pytest.mark.heavy
async def test_any_failing_call_leaves_revisits_that_can_be_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for disk in failing_disks(monkeypatch):
        folder = tmp_path / str(disk.fail_at)
        folder.mkdir()
        await export_again(disk, ROWS, partial(warc, folder))
        assert bodies(records(folder)) == WANTED, disk.fail_at
    assert disk.fail_at > 10


@pytest.mark.parametrize("flag", ["fail_before", "fail_after"])
async def test_a_lost_offset_leaves_no_revisit_of_what_was_cut(tmp_path: Path, flag: str) -> None:
    store = FakeStore(ROWS)
    exporter = Exporter(store, warc(tmp_path))
    for _ in range(3):
        setattr(store, flag, True)
        with pytest.raises(ConnectionError):
            await exporter.pump(final=True)
    await exporter.pump(final=True)
    assert bodies(records(tmp_path)) == WANTED
