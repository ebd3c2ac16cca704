"""Ends that nobody planned: kills of the browser, of the client, of the loop."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import IO

import pytest
from leftovers import children, descriptors, entries, living, soon_enough, until

from sampling import sampled
from stillframe import chrome
from stillframe.cdp_types import browser, runtime, target
from stillframe.chrome.profile import remove_stale_profiles
from stillframe.errors import ConnectionLost

# What a client does before its end: says who its browser is, and where its profile.
CLIENT = """
import asyncio, atexit, os, time
from stillframe import chrome

async def main():
    process = await chrome.launch({options})
    print(process.pid, process.info.profile, flush=True)
    {then}

asyncio.run(main())
"""


FORKING = "print(os.fork() or time.sleep(1000), flush=True); time.sleep(1000)"


LAUNCHING_CLIENT = """
import asyncio
from stillframe.chrome import launcher

async def main():
    start = launcher._start(launcher.launch_options())
    print(start.owned.process.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def run_python(code: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def start_client(then: str, options: str = "") -> tuple[subprocess.Popen[str], int, Path]:
    client = run_python(CLIENT.format(then=then, options=options))
    pid, _, profile = _line(client.stdout).partition(" ")
    return client, int(pid), Path(profile)


def _line(stream: IO[str] | None) -> str:
    assert stream is not None
    return stream.readline().strip()


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
async def test_a_killed_browser_ends_every_call_and_is_cleaned_up_unasked(temp_home: Path) -> None:
    async def attempt() -> float:
        process = await chrome.launch()
        created = await process.connection.root.send(target.CreateTarget(url="about:blank"))
        page = await process.connection.root.attach(created.target_id)
        pending = page.post(runtime.Evaluate(expression="new Promise(() => {})", await_promise=True))
        await page.drain_events()
        start = asyncio.get_running_loop().time()
        os.kill(process.pid, signal.SIGKILL)
        async with asyncio.timeout(20):
            with pytest.raises(ConnectionLost):
                await pending
            await process.wait_closed()
        taken = asyncio.get_running_loop().time() - start
        assert process.returncode == -signal.SIGKILL
        assert living(process.pid) == []
        assert children() == []
        assert entries(temp_home) == []
        await process.aclose()
        return taken

    await soon_enough(attempt)


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
async def test_a_browser_that_closes_itself_is_cleaned_up_unasked() -> None:
    process = await chrome.launch()
    await process.connection.root.send(browser.Close())
    async with asyncio.timeout(20):
        await process.wait_closed()
    assert process.returncode == 0
    await process.connection.aclose()


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
async def test_a_stopped_browser_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stillframe.chrome.owned_process.EXIT_S", 0.1)
    monkeypatch.setattr("stillframe.chrome.owned_process.SIGTERM_S", 0.1)
    process = await chrome.launch()
    os.killpg(process.pid, signal.SIGSTOP)
    await process.aclose()
    assert process.returncode == -signal.SIGKILL
    assert living(process.pid) == []


@pytest.mark.browser
@pytest.mark.parametrize("options", sampled(["", "port=0"], keep=["port=0"]))  # which has the pipe as well
@pytest.mark.parametrize(
    "then",
    sampled(["await asyncio.Event().wait()", FORKING], keep=[FORKING]),
    ids=["alone", "with a forked child that lives on"],
)
async def test_the_browser_dies_with_a_killed_client(temp_home: Path, options: str, then: str) -> None:
    async def attempt() -> float:
        client, pid, profile = start_client(then, options)
        with client:
            child = int(_line(client.stdout)) if "fork" in then else None
            assert living(pid)
            client.kill()
            taken = await until(lambda: not living(pid), 20)
            assert profile.exists()
            assert remove_stale_profiles() == [profile.parent]
            if child is not None:
                os.kill(child, signal.SIGKILL)
        assert entries(temp_home) == []
        return taken

    await soon_enough(attempt)


@pytest.mark.browser
async def test_the_browser_dies_with_a_client_that_was_only_launching(temp_home: Path) -> None:
    """It has been spawned and has not answered yet."""
    client = run_python(LAUNCHING_CLIENT)
    with client:
        pid = int(_line(client.stdout))
        client.kill()
        # Chrome looks at the pipe only once it has started.
        await until(lambda: not living(pid), 20)
    remove_stale_profiles()
    assert entries(temp_home) == []


@pytest.mark.browser
@pytest.mark.parametrize(
    "then",
    sampled(
        [
            "return",
            "raise SystemExit(1)",
            "os.kill(os.getpid(), 15)",
            "os.kill(os.getpid(), 2); await asyncio.sleep(5)",
            "asyncio.get_running_loop().stop()",
        ],
        keep=["return"],  # the test below has a loop that ends
    ),
)
async def test_a_client_that_forgets_to_close_leaves_nothing(temp_home: Path, then: str) -> None:
    client, pid, _ = start_client(then)
    with client:
        client.communicate(timeout=20)
        await until(lambda: not living(pid), 20)
    remove_stale_profiles()  # SIGTERM ends Python without its exit handlers
    assert entries(temp_home) == []


@pytest.mark.browser
async def test_a_loop_that_ends_without_closing_cleans_up(temp_home: Path) -> None:
    def run() -> tuple[int, set[str]]:
        before = set(descriptors())
        process = asyncio.run(chrome.launch())
        return process.pid, set(descriptors()) - before

    pid, left = await asyncio.to_thread(run)
    assert living(pid) == []
    assert children() == []
    assert entries(temp_home) == []
    assert left == set()


@pytest.mark.browser
async def test_a_forked_child_does_not_end_its_parents_browser(temp_home: Path) -> None:
    """Its exit handlers run too, and it inherits ours."""
    then = "pid = os.fork(); pid or (atexit._run_exitfuncs(), os._exit(0)); os.waitpid(pid, 0); "
    then += "print((await process.connection.root.call('Browser.getVersion'))['product'], flush=True)"
    client, _, _ = start_client(then)
    with client:
        try:
            assert "/" in _line(client.stdout)
        finally:
            client.communicate(timeout=20)
    assert entries(temp_home) == []


@pytest.mark.browser
@pytest.mark.own_browser("a child must not hurt the browser of its parent, and so not that of other tests")
async def test_a_forked_child_may_leave_the_block_in_any_way() -> None:
    """It ends with its own exit status, and the browser goes on to serve the parent."""
    code = """
        import asyncio, os, sys, stillframe
        async def main():
            async with stillframe.launch(sandbox=False) as browser, await browser.new_context() as context:
                async with await context.new_page() as page:
                    if not (child := os.fork()):
                        sys.exit(3)
                    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), await page.evaluate("1+1"), flush=True)
        asyncio.run(main())
    """
    # Python 3.12 and newer warn of every fork in a process with threads.
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(code)]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("3 2\n", "")
