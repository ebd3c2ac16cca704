"""Finding ffmpeg, and its process."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from stillframe.errors import FfmpegNotFound
from stillframe.video.ffmpeg import Encoder, find_ffmpeg


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "an ffmpeg"
    path.write_text("#!/bin/sh\ncat >/dev/null\n")
    path.chmod(0o700)
    return path


def test_the_variable_names_the_program(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STILLFRAME_FFMPEG", str(program))
    assert find_ffmpeg() == str(program)


@pytest.mark.parametrize("name", ["/nowhere/ffmpeg", "no-such-ffmpeg", "/tmp"])
def test_a_variable_that_names_no_program_is_an_error(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STILLFRAME_FFMPEG", name)
    with pytest.raises(FfmpegNotFound, match=f"STILLFRAME_FFMPEG names '{name}', which is not a program") as found:
        find_ffmpeg()
    assert found.value.tried == (name,)


def test_without_ffmpeg_the_error_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STILLFRAME_FFMPEG", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FfmpegNotFound, match=r"not on PATH: install it .*or set STILLFRAME_FFMPEG"):
        find_ffmpeg()


async def test_an_encoder_takes_more_than_a_pipe_holds_and_ends_with_its_status(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    encoder = Encoder(["/bin/sh", "-c", f"cat >'{copy}'; echo odd >&2; exit 3"])
    try:
        await encoder.write(bytes(300_000))
        assert await encoder.finish() == 3
    finally:
        encoder.release()
    assert copy.read_bytes() == bytes(300_000)
    assert encoder.process.stderr_tail() == "odd\n"


async def test_a_write_to_one_that_ended_raises() -> None:
    encoder = Encoder(["/bin/sh", "-c", "exec 0<&-; exit 1"])
    try:
        with pytest.raises(BrokenPipeError):
            await encoder.write(bytes(300_000))
        assert await encoder.finish() == 1
    finally:
        encoder.release()


async def test_a_stopped_one_is_killed_while_somebody_writes() -> None:
    encoder = Encoder(["/bin/cat"])
    try:
        encoder.process.signal_group(signal.SIGSTOP)
        writing = asyncio.ensure_future(encoder.write(bytes(300_000)))
        await asyncio.sleep(0)
        encoder.kill()
        with pytest.raises(BrokenPipeError):
            await writing
        assert await encoder.finish() == -signal.SIGKILL
    finally:
        encoder.release()


async def test_a_release_leaves_no_process_that_would_go_on() -> None:
    encoder = Encoder(["/bin/sleep", "1000"])
    encoder.release()
    assert encoder.process.popen.poll() == -signal.SIGKILL
    encoder.release()


async def test_a_program_that_cannot_start_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        Encoder(["/nowhere/ffmpeg"])
