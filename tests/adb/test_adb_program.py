"""Finding adb and starting a server with it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from smart_server import until

from patience import HANG_S
from stillframe.adb import adb_program
from stillframe.adb.adb_program import find_adb, start_server
from stillframe.adb.address import AdbAddress
from stillframe.errors import AdbBinaryMissing, AdbServerUnavailable


def program(path: Path, script: str = "exit 0") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


# -- finding -------------------------------------------------------------------------------------


def test_the_path_comes_first_then_the_sdk_then_the_usual_places(tmp_path: Path) -> None:
    usual = program(tmp_path / "home/Android/Sdk/platform-tools/adb")
    older = program(tmp_path / "older/platform-tools/adb")
    newer = program(tmp_path / "newer/platform-tools/adb")
    on_path = program(tmp_path / "bin/adb")
    environ = {"PATH": "", "HOME": str(tmp_path / "home")}
    assert find_adb(None, environ) == usual
    environ["ANDROID_SDK_ROOT"] = str(tmp_path / "older")
    assert find_adb(None, environ) == older
    environ["ANDROID_HOME"] = str(tmp_path / "newer")
    assert find_adb(None, environ) == newer
    environ["PATH"] = str(tmp_path / "bin")
    assert find_adb(None, environ) == on_path


def test_what_cannot_be_run_is_passed_over(tmp_path: Path) -> None:
    file = Path(program(tmp_path / "file/platform-tools/adb"))
    file.chmod(0o644)
    (tmp_path / "folder/platform-tools/adb").mkdir(parents=True)
    usual = program(tmp_path / "home/Android/Sdk/platform-tools/adb")
    environ = {"PATH": "", "HOME": str(tmp_path / "home")}
    for sdk in ("file", "folder", "nothing"):
        assert find_adb(None, {**environ, "ANDROID_HOME": str(tmp_path / sdk)}) == usual


def test_no_adb_anywhere_says_where_it_was_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adb_program, "_SDK_PLACES", {})
    with pytest.raises(AdbBinaryMissing, match="install platform-tools") as caught:
        find_adb(None, {"PATH": "", "ANDROID_HOME": str(tmp_path)})
    assert caught.value.tried == ("PATH", f"{tmp_path}/platform-tools/adb")
    with pytest.raises(AdbBinaryMissing, match="none at the usual places"):
        find_adb(None, {"PATH": ""})


def test_a_named_adb_is_taken_or_refused(tmp_path: Path) -> None:
    named = program(tmp_path / "my-adb")
    on_path = program(tmp_path / "bin/adb")
    environ = {"PATH": str(tmp_path / "bin")}
    assert find_adb(named, environ) == named
    assert find_adb(Path(named), environ) == named
    assert find_adb("adb", environ) == on_path
    for wrong in (str(tmp_path), str(tmp_path / "missing"), "no-such-adb"):
        with pytest.raises(AdbBinaryMissing, match="the option `adb` names") as caught:
            find_adb(wrong, environ)
        assert caught.value.tried == (wrong,)


# -- starting ------------------------------------------------------------------------------------

ADDRESS = AdbAddress("127.0.0.1", 15037)


async def test_adb_is_started_for_the_port_and_no_variable_overrides_it(tmp_path: Path) -> None:
    adb = program(tmp_path / "adb", f'echo "$@" > {tmp_path}/arguments; env > {tmp_path}/environ')
    overriding = {
        "ADB_SERVER_SOCKET": "tcp:1",
        "ANDROID_ADB_SERVER_ADDRESS": "elsewhere",
        "ANDROID_ADB_SERVER_PORT": "2",
    }
    await start_server(adb, ADDRESS, {**os.environ, **overriding, "KEPT": "yes"})
    assert (tmp_path / "arguments").read_text() == "-P 15037 start-server\n"
    variables = (tmp_path / "environ").read_text()
    assert "KEPT=yes" in variables
    assert not any(name in variables for name in overriding)


@pytest.mark.parametrize(
    ("script", "says"),
    [("echo no usb >&2; exit 3", "failed with 3: no usb"), ("exit 1", "failed with 1: it printed nothing")],
)
async def test_a_start_that_fails_shows_what_adb_printed(tmp_path: Path, script: str, says: str) -> None:
    with pytest.raises(AdbServerUnavailable, match=says) as caught:
        await start_server(program(tmp_path / "adb", script), ADDRESS, os.environ)
    assert caught.value.address == "127.0.0.1:15037"


async def test_a_file_that_is_not_a_program_is_refused(tmp_path: Path) -> None:
    adb = tmp_path / "adb"
    adb.write_bytes(b"\x7fELF of another machine")
    adb.chmod(0o755)
    with pytest.raises(AdbBinaryMissing, match="does not run"):
        await start_server(str(adb), ADDRESS, os.environ)


async def test_a_start_that_hangs_ends_with_the_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adb_program, "START_TIMEOUT_S", 0.2)
    with pytest.raises(AdbServerUnavailable, match=r"took more than 0\.2 s"):
        await start_server(program(tmp_path / "adb", "exec sleep 60"), ADDRESS, os.environ)


async def test_a_daemon_that_keeps_the_output_open_holds_nothing_up(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    # Its own session, as adb's daemon has.
    adb = program(tmp_path / "adb", f"setsid sleep 60 & echo $! > {pid_file}")
    async with asyncio.timeout(HANG_S):
        await start_server(adb, ADDRESS, os.environ)
    os.kill(int(pid_file.read_text()), 9)


async def test_a_cancelled_start_ends_the_program(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    adb = program(tmp_path / "adb", f"echo $$ > {pid_file}.new; mv {pid_file}.new {pid_file}; exec sleep 60")
    starting = asyncio.create_task(start_server(adb, ADDRESS, os.environ))
    await until(pid_file.exists)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
