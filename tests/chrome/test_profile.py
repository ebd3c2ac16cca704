from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from stillframe.chrome import profile
from stillframe.chrome.profile import (
    OWNER_FILE,
    PREFIX,
    Owner,
    Profile,
    lock_holder,
    process_start,
    remove_stale_profiles,
)


def left_behind(temp_home: Path, name: str, owner: Owner | None) -> Path:
    home = temp_home / f"{PREFIX}{name}"
    (home / "profile" / "Default").mkdir(parents=True)
    if owner is not None:
        (home / OWNER_FILE).write_bytes(msgspec.json.encode(owner))
    return home


def dead_owner() -> Owner:
    done = subprocess.Popen([sys.executable, "-c", ""])
    start = process_start(done.pid)
    done.wait()
    return Owner(done.pid, start)


def make_old(home: Path) -> None:
    os.utime(home, (0, 0))


def test_a_temporary_profile_is_private_and_goes_away(temp_home: Path) -> None:
    made = Profile.make()
    assert made.home.parent == temp_home
    assert made.home.stat().st_mode & 0o777 == 0o700
    assert made.path.stat().st_mode & 0o777 == 0o700
    assert made.scratch.is_dir()
    assert made.remove()
    assert made.remove()
    assert list(temp_home.iterdir()) == []


def test_a_callers_profile_is_made_and_never_deleted(temp_home: Path, tmp_path: Path) -> None:
    own = tmp_path / "a" / "b"
    made = Profile.make(str(own))
    (own / "keep").write_text("")
    assert made.remove()
    assert (own / "keep").exists()
    assert list(temp_home.iterdir()) == []


def test_nothing_is_left_when_the_profile_cannot_be_made(temp_home: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        Profile.make(str(tmp_path / "file" / "below"))
    assert list(temp_home.iterdir()) == []


def test_the_profile_of_a_dead_owner_is_swept(temp_home: Path) -> None:
    home = left_behind(temp_home, "dead", dead_owner())
    assert remove_stale_profiles() == [home]
    assert not home.exists()


def test_a_process_id_used_again_does_not_protect(temp_home: Path) -> None:
    home = left_behind(temp_home, "reused", Owner(os.getppid(), "another boot:1"))
    assert remove_stale_profiles() == [home]


def test_our_own_live_profile_is_kept(temp_home: Path) -> None:
    made = Profile.make()
    assert remove_stale_profiles() == []
    assert made.path.is_dir()
    made.remove()


def test_the_profile_of_a_live_process_is_kept_without_its_lock(temp_home: Path) -> None:
    parent = os.getppid()
    left_behind(temp_home, "parent", Owner(parent, process_start(parent)))
    left_behind(temp_home, "unknown-start", Owner(parent, None))
    assert remove_stale_profiles() == []


def test_a_lock_protects_where_the_process_is_not_to_be_seen(temp_home: Path) -> None:
    """As from another container that shares the temporary directory."""
    home = left_behind(temp_home, "elsewhere", dead_owner())
    code = "import fcntl,sys;f=open(sys.argv[1],'r+');fcntl.flock(f,fcntl.LOCK_EX);print(flush=True);sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(home / OWNER_FILE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        assert remove_stale_profiles() == []
    assert remove_stale_profiles() == [home]


def test_a_browser_that_still_answers_protects(temp_home: Path) -> None:
    home = left_behind(temp_home, "b", dead_owner())
    with socket.socket(socket.AF_UNIX) as browser:
        browser.bind(str(home / "profile" / "SingletonSocket"))
        browser.listen()
        assert remove_stale_profiles() == []
    assert remove_stale_profiles() == [home]


@pytest.mark.parametrize("content", [None, b"", b"{broken", b'{"pid": "x"}'])
def test_one_without_a_readable_owner_is_kept_until_it_is_old(temp_home: Path, content: bytes | None) -> None:
    home = left_behind(temp_home, "half", None)
    if content is not None:
        (home / OWNER_FILE).write_bytes(content)
    assert remove_stale_profiles() == []
    make_old(home)
    assert remove_stale_profiles() == [home]


def test_only_our_own_directories_are_touched(temp_home: Path, tmp_path: Path) -> None:
    other = temp_home / "other-profile"
    other.mkdir()
    target = left_behind(tmp_path, "target", dead_owner())
    (temp_home / f"{PREFIX}link").symlink_to(target)
    (temp_home / f"{PREFIX}file").write_text("")
    assert remove_stale_profiles() == []
    assert other.exists()
    assert target.exists()


def test_another_users_directory_is_left_alone(temp_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left_behind(temp_home, "theirs", dead_owner())
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert remove_stale_profiles() == []


def test_sweeping_a_directory_that_is_not_there(tmp_path: Path) -> None:
    assert remove_stale_profiles(tmp_path / "nowhere") == []


def test_removal_takes_what_is_written_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = tmp_path / "p"
    rounds = []

    def writing_late(path: Path, ignore_errors: bool) -> None:
        assert ignore_errors
        rounds.append(path)
        if len(rounds) == 3:
            path.rmdir()

    victim.mkdir()
    monkeypatch.setattr(profile.shutil, "rmtree", writing_late)
    monkeypatch.setattr(profile, "REMOVE_PAUSE_S", 0)
    assert profile.remove_tree(victim)
    assert len(rounds) == 3


def test_the_owner_file_goes_last(temp_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = left_behind(temp_home, "cut", dead_owner())
    left: list[list[str]] = []
    monkeypatch.setattr(profile.shutil, "rmtree", lambda path, ignore_errors: left.append(os.listdir(path)))
    monkeypatch.setattr(profile, "REMOVE_ROUNDS", 1)
    assert not profile.remove_tree(home)
    assert OWNER_FILE not in left[0]


def test_a_stale_lock_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "SingletonLock").symlink_to(f"host-{os.getpid()}")
    (tmp_path / "SingletonSocket").symlink_to("/nowhere/SingletonSocket")
    assert lock_holder(tmp_path) is None


def test_process_start_tells_processes_apart() -> None:
    assert process_start(os.getpid()) == process_start(os.getpid())
    assert process_start(os.getpid()) != process_start(1)
    assert process_start(2**22 + 1) is None


def test_a_zombie_owns_nothing(temp_home: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as client:
        home = left_behind(temp_home, "zombie", Owner(client.pid, process_start(client.pid)))
        assert remove_stale_profiles() == []
        client.kill()
        os.waitid(os.P_PID, client.pid, os.WEXITED | os.WNOWAIT)
        assert remove_stale_profiles() == [home]
