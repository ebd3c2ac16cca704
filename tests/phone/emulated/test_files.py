"""The files of the emulated device have the errors and the permissions of a real one."""

from __future__ import annotations

import contextlib
import doctest
import errno
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe_phone.emulated import files as module
from stillframe_phone.emulated.files import EmulatedFiles

TMP = "/data/local/tmp"


@pytest.fixture
def files() -> EmulatedFiles:
    return EmulatedFiles(lambda: {"/proc/1/cmdline": b"init\0", "/proc/net/unix": b"table"})


def test_the_examples_in_the_module() -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("/nope", errno.ENOENT),
        ("/proc/2/cmdline", errno.ENOENT),
        ("/data/local/tmp", errno.EISDIR),
        ("/proc/1", errno.EISDIR),
        ("/data/local/tmp/f/g", errno.ENOTDIR),
        ("/data/secret", errno.EACCES),
    ],
)
def test_what_cannot_be_read(files: EmulatedFiles, path: str, number: int) -> None:
    files.put(f"{TMP}/f", b"")
    files.put("/data/secret", b"x", mode=0)
    with pytest.raises(OSError, match=r"\[Errno") as caught:
        files.read(path)
    assert caught.value.errno == number


@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("/system/x", errno.EROFS),
        ("/proc/1/cmdline", errno.EROFS),
        ("/data/data/com.x/y", errno.EACCES),
        ("/x", errno.EACCES),
        (f"{TMP}/no/folder", errno.ENOENT),
        (TMP, errno.EISDIR),
    ],
)
def test_what_cannot_be_written(files: EmulatedFiles, path: str, number: int) -> None:
    with pytest.raises(OSError, match=r"\[Errno") as caught:
        files.write(path, b"x")
    assert caught.value.errno == number


def test_links_lead_to_the_same_file(files: EmulatedFiles) -> None:
    files.write("/sdcard/Download/../a", b"1")
    assert files.read("/storage/emulated/0/a") == files.read("/storage/self/primary/a") == b"1"
    assert files.names("/sdcard") == ["Download", "a"]


def test_a_stored_file_hides_a_computed_one(files: EmulatedFiles) -> None:
    assert files.read("/proc/net/unix") == b"table"
    files.put("/proc/net/unix", b"mine")
    assert files.read("/proc/net/unix") == b"mine"


def test_folders(files: EmulatedFiles) -> None:
    files.make_folder(f"{TMP}/a/b", parents_too=True)
    files.make_folder(f"{TMP}/a/b", parents_too=True)
    with pytest.raises(FileExistsError):
        files.make_folder(f"{TMP}/a")
    with pytest.raises(FileNotFoundError):
        files.make_folder(f"{TMP}/c/d")
    files.write(f"{TMP}/a/b/f", b"12", mode=0o600, mtime=5)
    assert stat.S_ISDIR(files.status(f"{TMP}/a").mode)
    assert files.status(f"{TMP}/a/b/f") == module.Status(stat.S_IFREG | 0o600, 2, 5)
    files.remove_tree(f"{TMP}/a")
    assert files.names(TMP) == []
    assert files.names("/proc") == ["1", "net"]


def test_the_null_device_takes_everything_and_gives_nothing(files: EmulatedFiles) -> None:
    files.write("/dev/null", b"x")
    assert files.read("/dev/null") == b""
    assert stat.S_ISCHR(files.status("/dev/null").mode)


def test_patterns(files: EmulatedFiles) -> None:
    for name in ("a1", "a2", "b1", ".hidden"):
        files.put(f"{TMP}/{name}", b"")
    assert files.glob(f"{TMP}/a?") == [f"{TMP}/a1", f"{TMP}/a2"]
    assert files.glob(f"{TMP}/[!a]*") == [f"{TMP}/b1"]
    assert files.glob("/*/local/tmp/b1") == [f"{TMP}/b1"]
    assert files.glob("/proc/[0-9]*/cmdline") == ["/proc/1/cmdline"]
    assert files.glob("/none/*") == []


@given(st.text("/.ab*?[]\0 "))
def test_any_path_is_found_or_is_an_oserror(path: str) -> None:
    files = EmulatedFiles()
    files.put("/a/b", b"")
    for look in (files.read, files.status, files.names):
        with contextlib.suppress(OSError):
            look(path)
    assert all(files.exists(found) for found in files.glob(path))
