"""WARC and Parquet files: what they hold, and that any failing call is made good."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet
import pytest
from output_store import FakeRow, FakeStore, export_again, failing_disks
from output_warc import read_records
from warcio.checker import Checker

from stillframe.errors import OptionInvalid
from stillframe.farm.output import Exporter, Parquet, Warc
from stillframe.farm.output.parquet import columns_of
from stillframe.farm.output.warc_records import Exchange, members


def _exchange(number: int) -> Exchange:
    return Exchange(
        url=f"http://a/{number}",
        method="GET",
        sent_at=1_800_000_000.5,
        request_headers=[(":authority", "a"), ("Accept", "*/*")],
        protocol="h2",
        status=200,
        status_text="OK",
        response_headers=[("Content-Type", "text/plain"), ("X-Text", "grün\r\nInjected: 1")],
        body=b"body %d" % number * 50,
    )


ROWS = [
    FakeRow(
        n,
        json.dumps({"url": f"http://a/{n}", "status": 200, "links": [], "verdict": {"stable": True, "x": n}}).encode(),
        members([_exchange(n)]) if n % 5 else None,
    )
    for n in range(1, 24)
]


def _warc(folder: Path) -> Warc:
    return Warc(folder, crawl="a crawl", rotate_bytes=4_000, batch=4)


def _parquet(folder: Path) -> Parquet:
    return Parquet(folder, rows=6)


def _warc_urls(folder: Path) -> list[str]:
    files = sorted(folder.glob("*.warc.gz"))
    assert [file.name for file in files] == [f"pages-{n + 1:05}.warc.gz" for n in range(len(files))]
    checker = Checker(SimpleNamespace(inputs=[str(file) for file in files], verbose=False))
    assert checker.process_all() == 0
    records = [record for file in files for record in read_records(file.read_bytes())]
    assert [record.kind for record in records].count("warcinfo") == len(files)
    return [record.warc["WARC-Target-URI"] for record in records if record.kind == "response"]


def _parquet_urls(folder: Path) -> list[str]:
    files = sorted(folder.glob("*.parquet"))
    assert not list(folder.glob("*.part"))
    return [url for file in files for url in pyarrow.parquet.read_table(file)["url"].to_pylist()]


def _files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


FORMATS: dict[str, tuple[Callable[[Path], Any], Callable[[Path], list[str]], list[str]]] = {
    "warc": (_warc, _warc_urls, [f"http://a/{n}" for n in range(1, 24) if n % 5]),
    "parquet": (_parquet, _parquet_urls, [f"http://a/{n}" for n in range(1, 24)]),
}


@pytest.mark.heavy
@pytest.mark.parametrize("form", FORMATS)
async def test_any_failing_call_of_the_disk_is_made_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    make, read, wanted = FORMATS[form]
    for disk in failing_disks(monkeypatch):
        folder = tmp_path / str(disk.fail_at)
        folder.mkdir()
        await export_again(disk, ROWS, partial(make, folder))
        assert read(folder) == wanted, disk.fail_at
    assert disk.fail_at > 15


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("flag", ["fail_before", "fail_after"])
async def test_lost_records_of_the_offset(tmp_path: Path, form: str, flag: str) -> None:
    make, read, wanted = FORMATS[form]
    store = FakeStore(ROWS)
    for _ in range(3):
        setattr(store, flag, True)
        with pytest.raises(ConnectionError):
            await Exporter(store, make(tmp_path)).pump(final=True)
    await Exporter(store, make(tmp_path)).pump(final=True)
    assert read(tmp_path) == wanted


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("victim", [0, -1])
async def test_a_missing_file_is_written_again(tmp_path: Path, form: str, victim: int) -> None:
    make, read, wanted = FORMATS[form]
    store = FakeStore(ROWS)
    await Exporter(store, make(tmp_path)).pump(final=True)
    _files(tmp_path)[victim].unlink()
    await Exporter(store, make(tmp_path)).pump(final=True)
    assert read(tmp_path) == wanted


async def test_a_warc_file_is_cut_to_whole_members(tmp_path: Path) -> None:
    store = FakeStore(ROWS[:10])
    await Exporter(store, _warc(tmp_path)).pump()
    last = _files(tmp_path)[-1]
    last.write_bytes(last.read_bytes() + b"\x1f\x8b\x08torn")
    store.all = ROWS
    await Exporter(store, _warc(tmp_path)).pump()
    assert _warc_urls(tmp_path) == FORMATS["warc"][2]


def test_headers_are_safe_and_complete() -> None:
    records = read_records(members([_exchange(1)]))
    response, request = records
    assert "Injected" not in response.headers
    assert response.warc["WARC-Protocol"] == "h2"
    assert response.warc["WARC-Date"] == "2027-01-15T08:00:00.500000Z"
    assert request.headers == {"Host": "a", "Accept": "*/*"}
    assert response.body == b"body 1" * 50


async def test_parquet_waits_for_whole_files_until_the_end(tmp_path: Path) -> None:
    exporter = Exporter(FakeStore(ROWS), _parquet(tmp_path))
    assert await exporter.pump() == 18
    assert len(_parquet_urls(tmp_path)) == 18
    assert await exporter.pump(final=True) == 5
    table = pyarrow.parquet.read_table(tmp_path / "pages-00004.parquet")
    assert table["stable"].to_pylist() == [True] * 5
    assert json.loads(table["extra"][0].as_py()) == {"verdict": {"x": 19}}


@pytest.mark.parametrize(
    ("body", "column", "value", "extra"),
    [
        (b'{"status": "no"}', "status", None, {"status": "no"}),
        (b'{"status": true}', "status", None, {"status": True}),
        (b'{"status": 99999999999999999999999}', "status", None, {"status": int("9" * 23)}),
        (b'{"links": [1]}', "links", None, {"links": [1]}),
        (b'{"verdict": 1, "price": 2.5}', "stable", None, {"verdict": 1, "price": 2.5}),
        (b'{"timings": {"loadMs": 3}}', "loadMs", 3.0, None),
        (b"[1]", "url", None, [1]),
    ],
)
def test_rows_of_other_shapes(body: bytes, column: str, value: Any, extra: Any) -> None:
    found = columns_of(body)
    assert found.get(column) == value
    left = found["extra"]
    assert (None if left is None else json.loads(left)) == extra


def test_parquet_without_pyarrow_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def importing(name: str, *arguments: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", importing)
    with pytest.raises(OptionInvalid, match=r"stillframe\[parquet\]"):
        Parquet(tmp_path)
