"""Private files: their mode, their place, and what a write that fails leaves."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from stillframe.security.private_files import open_private, replacing, write_private


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def older(tmp_path: Path) -> Path:
    path = tmp_path / "state.json"
    path.write_bytes(b"older")
    path.chmod(0o644)
    return path


def test_only_its_owner_can_read_a_new_file(tmp_path: Path) -> None:
    write_private(tmp_path / "state.json", b"new")
    assert (tmp_path / "state.json").read_bytes() == b"new"
    assert mode_of(tmp_path / "state.json") == 0o600


def test_a_file_that_others_could_read_is_private_afterwards(older: Path) -> None:
    with older.open("rb") as reader:
        write_private(older, b"new")
        assert reader.read() == b"older"
    assert (older.read_bytes(), mode_of(older)) == (b"new", 0o600)


def test_a_tilde_is_the_home_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write_private("~/state.json", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]


def test_a_tilde_of_nobody_is_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_private("~nobody-at-all.json", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["~nobody-at-all.json"]


def test_a_link_stays_and_its_target_is_replaced(older: Path) -> None:
    link = older.with_name("link.json")
    link.symlink_to(older)
    write_private(link, b"new")
    assert link.is_symlink()
    assert (older.read_bytes(), mode_of(older)) == (b"new", 0o600)


def test_a_write_that_fails_leaves_the_older_file_and_nothing_else(older: Path) -> None:
    def fail() -> None:
        with replacing(older) as file:
            file.write(b"ha")
            raise ValueError("half of it is written")

    with pytest.raises(ValueError, match="half"):
        fail()
    assert older.read_bytes() == b"older"
    assert list(older.parent.iterdir()) == [older]


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_private(tmp_path / "folder", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_what_grows_is_made_with_the_same_mode_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for line in (b"one\n", b"two\n"):
        with open(path, "ab", opener=open_private) as file:
            file.write(line)
    assert (path.read_bytes(), mode_of(path)) == (b"one\ntwo\n", 0o600)
