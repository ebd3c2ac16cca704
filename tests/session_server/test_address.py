"""The directory of the socket: the user's alone, or refused."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from stillframe.errors import SessionServerFailed
from stillframe.session_server.address import VARIABLE, directory


def test_it_is_made_for_the_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/tmp/sf-runtime" if len(str(tmp_path)) > 60 else str(tmp_path))
    monkeypatch.setenv(VARIABLE, str(tmp_path / "s"))
    made = directory()
    assert made == tmp_path / "s"
    assert stat.S_IMODE(made.stat().st_mode) == 0o700


def test_without_a_variable_it_is_in_the_runtime_directory_or_that_of_temporary_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    short = Path("/tmp") / f"sf-{os.getpid()}"
    short.mkdir()
    try:
        monkeypatch.delenv(VARIABLE, raising=False)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(short))
        assert directory() == short / "stillframe"
        monkeypatch.delenv("XDG_RUNTIME_DIR")
        monkeypatch.setattr("tempfile.tempdir", str(short))
        assert directory() == short / f"stillframe-{os.getuid()}"
    finally:
        for each in short.iterdir():
            each.rmdir()
        short.rmdir()


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701])
def test_one_that_others_may_use_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s").chmod(mode)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "s"))
    with pytest.raises(SessionServerFailed, match="no other user may read"):
        directory()


def test_a_link_and_a_file_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "link"))
    with pytest.raises(SessionServerFailed, match="must be a directory of this user"):
        directory()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file"))
    with pytest.raises(SessionServerFailed, match="cannot use"):
        directory()


def test_a_path_that_no_socket_can_have_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / ("x" * 100)))
    with pytest.raises(SessionServerFailed, match="too long for a socket"):
        directory()


def test_windows_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SessionServerFailed, match=r"not supported on Windows, .*use Sessions"):
        directory()
