"""One recorder on a page, of all processes; a process that ends gives its lock back."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from stillframe.errors import RecorderFailed
from stillframe.recorder.recorder import PageLock

HOLDS = """
import sys
from stillframe.recorder.recorder import PageLock
PageLock("LOCKED").take()
print("taken", flush=True)
sys.stdin.read()
"""


def test_a_lock_is_taken_once_and_can_be_taken_again_after_its_release() -> None:
    first, second = PageLock("ONE"), PageLock("ONE")
    first.take()
    with pytest.raises(RecorderFailed, match="another recorder"):
        second.take()
    first.release()
    second.take()
    second.release()
    assert not list(Path(tempfile.gettempdir()).glob("stillframe-recorder-*-ONE.lock"))


def test_pages_have_locks_of_their_own() -> None:
    first, second = PageLock("ONE"), PageLock("TWO")
    first.take()
    second.take()
    first.release()
    second.release()


def test_another_process_holds_a_lock_until_it_is_killed() -> None:
    process = subprocess.Popen([sys.executable, "-c", HOLDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        assert process.stdout.readline() == b"taken\n"
        lock = PageLock("LOCKED")
        with pytest.raises(RecorderFailed):
            lock.take()
        process.kill()
        process.wait()
    lock.take()
    lock.release()


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(RecorderFailed, match=r"cannot lock .*gone.*: No such file or directory"):
        PageLock("ONE").take()


def test_a_link_in_place_of_the_file_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    lock = PageLock("ONE")
    lock._path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RecorderFailed, match="cannot lock"):
        lock.take()
    assert not (tmp_path / "elsewhere").exists()


def test_windows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(RecorderFailed, match="not supported on Windows yet; record on"):
        PageLock("ONE")
