"""The doctor finds what is missing."""

from __future__ import annotations

import logging
import socket
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest

from stillframe.adb import adb_program
from stillframe.cli import doctor

Usage = namedtuple("Usage", "total used free")


@pytest.mark.parametrize(("megabytes", "state"), [(64, "weak"), (1024, "ok")])
def test_shared_memory_below_what_renderers_need_is_weak(
    monkeypatch: pytest.MonkeyPatch, megabytes: int, state: str
) -> None:
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: Usage(megabytes * 2**20, 0, 0))
    finding = doctor.shared_memory(Path("/dev/shm"))
    assert (finding.state, finding.found) == (state, f"{megabytes} MB")
    assert bool(finding.advice) == (state == "weak")


def test_no_shared_memory_at_all_is_weak(tmp_path: Path) -> None:
    assert doctor.shared_memory(tmp_path / "none").state == "weak"


def test_fonts_are_looked_for_in_depth(tmp_path: Path) -> None:
    assert doctor.fonts((str(tmp_path),)).state == "weak"
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "sans.ttf").touch()
    assert doctor.fonts((str(tmp_path),)).state == "ok"


async def test_a_browser_that_is_not_there_is_missing_with_the_way_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STILLFRAME_CHROME", str(tmp_path / "chrome"))
    (finding,) = await doctor.browser()
    assert finding.state == "missing"
    assert "STILLFRAME_CHROME" in finding.advice


async def test_a_browser_that_does_not_start_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "chrome"
    fake.write_text("#!/bin/sh\necho no display >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("STILLFRAME_CHROME", str(fake))
    where, starts = await doctor.browser()
    assert (where.state, starts.state) == ("ok", "missing")
    assert "no display" in starts.advice


async def test_warnings_are_logged_again_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    async def started() -> list[doctor.Finding]:
        assert not log.isEnabledFor(logging.WARNING)
        return []

    log = logging.getLogger("stillframe")
    monkeypatch.setattr(doctor, "browser", started)
    before = log.level
    await doctor.run_checks()
    assert log.level == before


def test_the_last_line_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    optional = doctor.Finding("adb", "optional", "not found", "only Android needs it")
    doctor.print_findings([doctor.Finding("browser", "missing", "no", "get one"), optional])
    out = capsys.readouterr().out
    assert out.endswith("missing: browser\n")
    assert "get one" in out


# -- Android -------------------------------------------------------------------------------------


@pytest.fixture
def no_adb(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without adb and without an adb server."""
    for name in ("ANDROID_HOME", "ANDROID_SDK_ROOT", "ANDROID_ADB_SERVER_ADDRESS", "ANDROID_SERIAL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(adb_program, "_SDK_PLACES", {})  # Debian's adb is in one of them
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        monkeypatch.setenv("ADB_SERVER_SOCKET", f"tcp:{probe.getsockname()[1]}")


@pytest.mark.usefixtures("no_adb")
async def test_a_machine_without_adb_is_fine_and_says_so_in_one_line() -> None:
    (finding,) = await doctor.adb()
    assert (finding.name, finding.state, finding.found) == ("adb", "optional", "not found")
    assert "only Android needs it" in finding.advice


@pytest.mark.usefixtures("no_adb")
async def test_a_machine_without_adb_is_not_fine_for_somebody_who_asks_for_android() -> None:
    for serial in (None, "emulator-5554"):
        (finding,) = await doctor.adb(serial, asked=True)
        assert (finding.name, finding.state) == ("adb", "missing")
        assert "apt-get install adb" in finding.advice


@pytest.mark.parametrize(("asked", "state"), [(False, "weak"), (True, "missing")])
async def test_a_wrong_address_of_the_adb_server_is_a_finding(
    monkeypatch: pytest.MonkeyPatch, asked: bool, state: str
) -> None:
    monkeypatch.setenv("ADB_SERVER_SOCKET", "nonsense")
    (finding,) = await doctor.adb(asked=asked)
    assert (finding.name, finding.state) == ("adb server", state)
    assert "ADB_SERVER_SOCKET" in finding.advice


@pytest.mark.parametrize(
    ("options", "asked"), [({}, (None, False)), ({"android": True}, (None, True)), ({"device": "a"}, ("a", True))]
)
async def test_a_device_or_android_is_looked_into_only_if_asked_for(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], asked: tuple[str | None, bool]
) -> None:
    calls: list[tuple[str | None, bool]] = []

    async def browser() -> list[doctor.Finding]:
        return []

    async def adb(serial: str | None, *, asked: bool) -> list[doctor.Finding]:
        calls.append((serial, asked))
        return []

    monkeypatch.setattr(doctor, "browser", browser)
    monkeypatch.setattr(doctor, "adb", adb)
    await doctor.run_checks(**options)
    assert calls == [asked]
