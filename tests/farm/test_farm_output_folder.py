"""An output folder belongs to one crawl and one process, and a bad one is refused before the crawl begins."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from output_store import failing_disks

from stillframe.errors import DiskFull, OutputInvalid
from stillframe.farm.output import OutputFolder, Owner, read_owner
from stillframe.farm.output.folder import OWNER_FILE


def _claim(path: Path, crawl_id: str = "1", **options: Any) -> OutputFolder:
    return OutputFolder.claim(path, name="shop", crawl_id=crawl_id, **options)


def test_a_new_folder_is_made_and_claimed(tmp_path: Path) -> None:
    with _claim(tmp_path / "a" / "b") as folder:
        assert read_owner(folder.path) == Owner(name="shop", crawl_id="1")
        assert os.listdir(folder.path) == [OWNER_FILE]
    with _claim(tmp_path / "a" / "b") as folder:
        assert folder.owner.crawl_id == "1"


def test_a_folder_with_files_is_refused(tmp_path: Path) -> None:
    for name in "abcde":
        (tmp_path / name).touch()
    with pytest.raises(OutputInvalid, match=r"is not empty .* a, b, c and 2 more") as raised:
        _claim(tmp_path)
    assert raised.value.path == str(tmp_path)
    assert OWNER_FILE not in os.listdir(tmp_path)


def test_a_folder_of_another_crawl_is_refused(tmp_path: Path) -> None:
    _claim(tmp_path).close()
    with pytest.raises(OutputInvalid, match='has the crawl "shop" already: resume it'):
        _claim(tmp_path, "2")
    _claim(tmp_path).close()


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    with _claim(tmp_path), pytest.raises(OutputInvalid, match="another process"):
        _claim(tmp_path)
    folder = _claim(tmp_path)
    folder.close()
    folder.close()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"name": "shop"}', b"\xff"])
def test_a_broken_owner_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / OWNER_FILE).write_bytes(content)
    with pytest.raises(OutputInvalid, match="is not what stillframe wrote"):
        _claim(tmp_path)


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OutputInvalid, match="not a folder"):
            _claim(path)


def test_a_folder_that_cannot_be_made() -> None:
    with pytest.raises(OutputInvalid, match="cannot be made"):
        _claim(Path("/proc/none/output"))


@pytest.mark.parametrize(
    ("number", "kind"), [(errno.ENOSPC, DiskFull), (errno.EDQUOT, DiskFull), (errno.EROFS, OutputInvalid)]
)
@pytest.mark.parametrize("claimed", [False, True])
def test_a_disk_that_does_not_take_the_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[Exception], claimed: bool
) -> None:
    if claimed:
        _claim(tmp_path).close()
    for disk in failing_disks(monkeypatch, number):
        with suppress(kind):
            _claim(tmp_path).close()
        # A claim that failed leaves nothing in the way of the next one.
        monkeypatch.undo()
        _claim(tmp_path).close()
        assert os.listdir(tmp_path) == [OWNER_FILE], disk.fail_at
        if not claimed:
            (tmp_path / OWNER_FILE).unlink()
    assert disk.fail_at > 3


def test_too_little_room(tmp_path: Path) -> None:
    with pytest.raises(DiskFull, match="make room") as raised:
        _claim(tmp_path, min_free_bytes=2**80)
    assert raised.value.needed_bytes == 2**80
    _claim(tmp_path).close()


def test_a_folder_without_an_owner(tmp_path: Path) -> None:
    assert read_owner(tmp_path) is None
    assert read_owner(tmp_path / "absent") is None
