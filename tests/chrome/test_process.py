from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest
from leftovers import MakeBrowser, descriptors, living, until

from stillframe.chrome import process as module
from stillframe.chrome.process import STDERR_TAIL_BYTES, Process, spawn


async def ended(process: Process) -> int | None:
    async with asyncio.timeout(20):
        await process.exited.wait()
        await process.stderr_closed.wait()
    process.release()
    return process.returncode


@pytest.mark.usefixtures("leaves_nothing")
async def test_the_child_has_the_pipe_at_3_and_4_and_nothing_else(fake_browser: MakeBrowser) -> None:
    """Even with many inheritable descriptors of ours open."""
    spare = [os.dup(2) for _ in range(20)]
    for fd in spare:
        os.set_inheritable(fd, True)
    listing = (
        "import os,sys\nfor fd in range(100):\n try: print(fd, os.readlink(f'/proc/self/fd/{fd}'), file=sys.stderr)"
    )
    browser = fake_browser(f'exec {sys.executable} -c "{listing}\n except OSError: pass"')
    process, pipe = spawn([browser], os.environ)
    try:
        ours = [os.fstat(fd).st_ino for fd in (pipe.write_fd, pipe.read_fd)]
        assert await ended(process) == 0
    finally:
        pipe.close()
        for fd in spare:
            os.close(fd)
    found = dict(line.split(" ", 1) for line in process.stderr_tail().splitlines())
    assert found.pop("2").startswith("pipe:")
    assert found == {"0": "/dev/null", "1": "/dev/null", "3": f"pipe:[{ours[0]}]", "4": f"pipe:[{ours[1]}]"}


@pytest.mark.usefixtures("leaves_nothing")
async def test_bytes_go_both_ways(fake_browser: MakeBrowser) -> None:
    process, pipe = spawn([fake_browser("read -r line <&3; echo got $line >&4")], os.environ)
    os.write(pipe.write_fd, b"hello\n")
    assert await ended(process) == 0
    assert os.read(pipe.read_fd, 100) == b"got hello\n"
    pipe.close()


@pytest.mark.usefixtures("leaves_nothing")
async def test_it_leads_a_group_of_its_own_that_can_be_signalled(fake_browser: MakeBrowser) -> None:
    process, pipe = spawn([fake_browser("sleep 1000 & sleep 1000")], os.environ)
    assert os.getpgid(process.pid) == os.getsid(process.pid) == process.pid
    await until(lambda: len(living(process.pid)) == 3, 20)
    process.signal_group(signal.SIGTERM)
    assert await ended(process) == -signal.SIGTERM
    # The leader's end is reported at once; the kernel ends the others in its own time.
    await until(lambda: not living(process.pid), 20)
    process.signal_group(signal.SIGTERM)
    pipe.close()


@pytest.mark.usefixtures("leaves_nothing")
async def test_only_the_last_of_stderr_is_kept(fake_browser: MakeBrowser) -> None:
    body = "head -c 300000 /dev/zero | tr '\\0' x >&2; echo last words >&2"
    process, pipe = spawn([fake_browser(body)], os.environ)
    assert await ended(process) == 0
    assert process.stderr_tail().endswith("xlast words\n")
    assert len(process.stderr_tail()) == STDERR_TAIL_BYTES
    pipe.close()


@pytest.mark.usefixtures("leaves_nothing")
async def test_growth_of_stderr_is_reported(fake_browser: MakeBrowser) -> None:
    process, pipe = spawn([fake_browser("echo one >&2; read -r line <&3; echo two >&2")], os.environ)
    grown = asyncio.Event()
    undo = process.on_stderr(grown.set)
    async with asyncio.timeout(20):
        await grown.wait()
    assert process.stderr_tail() == "one\n"
    undo()
    os.write(pipe.write_fd, b"go\n")
    assert await ended(process) == 0
    assert process.stderr_tail() == "one\ntwo\n"
    pipe.close()


@pytest.mark.usefixtures("leaves_nothing")
async def test_without_pidfd_a_thread_waits(fake_browser: MakeBrowser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    process, pipe = spawn([fake_browser("exit 7")], os.environ)
    assert await ended(process) == 7
    pipe.close()


@pytest.mark.parametrize("fails", ["pipe", "Popen"])
async def test_nothing_stays_open_when_it_cannot_start(fails: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = descriptors()

    def full(*_: object, **__: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(module.os if fails == "pipe" else module.subprocess, fails, full)
    with pytest.raises(OSError, match="Too many"):
        spawn(["/bin/true"], os.environ)
    assert descriptors() == before


async def test_a_program_that_is_not_there_exits_with_127(tmp_path: Path) -> None:
    process, pipe = spawn([str(tmp_path / "nothing")], os.environ)
    assert await ended(process) == 127
    assert "nothing" in process.stderr_tail()
    pipe.close()
