"""The doctor finds what is missing."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path

import pytest

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


def test_the_last_line_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    doctor.print_findings([doctor.Finding("browser", "missing", "no", "get one"), doctor.adb()])
    out = capsys.readouterr().out
    assert out.endswith("missing: browser\n")
    assert "get one" in out
