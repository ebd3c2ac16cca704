"""The bench of Android: its tools measure what they say, what it compares is the same, and a short run has it all."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator

import pytest

from bench import android
from bench.android import discovery, link, several
from bench.android.discovery import OURS, PROGRAM, Ours, Owned, Program, check, kept_from_starting_a_server, owned
from bench.android.lanes import ADB, BARE_ADB, DIRECT, FACADE, SOCKET
from bench.android.meter import Spent, by_process, client_cpu, cpu, measured, process_cpu, wall
from bench.android.phone_process import Order, Phone, Ready, connected_phone
from stillframe.testing import AdbServerProcess

LANES = {DIRECT, SOCKET, BARE_ADB, FACADE, ADB}

UNIX = """Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 11002 @jdwp-control
0000000000000000: 00000002 00000000 00010000 0001 01 40001 @webview_devtools_remote_4321
0000000000000000: 00000003 00000000 00000000 0001 03 40002 @webview_devtools_remote_4321
0000000000000000: 00000002 00000000 00010000 0001 01 50001 @chrome_devtools_remote
0000000000000000: 00000002 00000000 00010000 0001 01 60001 @webview_devtools_remote_77
"""
PS = """USER            PID   PPID     VSZ    RSS WCHAN            ADDR S NAME
root              1      0   10000   1000 do_epoll_wait       0 S init
u0_a90         4321    340   10000   1000 do_epoll_wait       0 S com.example.shop:web
u0_a91         4338    340   10000   1000 do_epoll_wait       0 S com.android.chrome
"""


@pytest.fixture
async def crowded(adb_server: AdbServerProcess) -> AsyncIterator[Phone]:
    async with connected_phone(adb_server, Order(crowd=True)) as phone:
        yield phone


# -- a whole run -----------------------------------------------------------------------------------


@pytest.mark.slow  # its tools have tests of their own below, and what is measured is tested with stillframe.adb
@pytest.mark.browser
async def test_a_short_run_compares_all_lanes_and_numbers_of_phones(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, value in (
        (link, "ONE_BY_ONE", 3),
        (link, "PIPELINED", 100),
        (link, "SEQUENCES", 1),
        (several, "SEQUENCES", 1),
        (discovery, "REPEATS", 1),
        (android, "PHONES", 2),
    ):
        monkeypatch.setattr(module, name, value)
    tables = {each.question: each for each in await android.run(rounds=1)}
    over_lanes = [each for each in tables.values() if each.baseline == DIRECT]
    assert len(over_lanes) == 5
    for one in over_lanes:
        assert {row.name for row in one.rows} == LANES
        assert all(row.note.endswith(one.unit) for row in one.rows if row.name != DIRECT)
    by_lane = {row.name for row in tables["CPU of a command, 50 pipelined"].rows}
    assert {f"adb server: {ADB}", f"emulation: {FACADE}", f"Chromium: {DIRECT}", f"client: {SOCKET}"} <= by_lane
    assert not {f"adb server: {DIRECT}", f"adb server: {SOCKET}"} & by_lane
    assert any("2.0 MB" in question for question in tables if "snapshot" in question)
    assert {row.name for row in tables["sequences per second"].rows} >= {"1 phone", "2 phones"}
    assert {row.name for row in tables["the list of devices"].rows} >= {OURS, PROGRAM}


async def test_without_adb_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(android, "missing_parts", lambda: {"adb": "install platform-tools"})
    (only,) = await android.run(rounds=1)
    assert only.rows == []
    assert only.missing == {"adb": "install platform-tools"}


# -- phones ----------------------------------------------------------------------------------------


async def test_all_ways_to_look_find_the_same_sockets(adb_server: AdbServerProcess, crowded: Phone) -> None:
    assert len(crowded.ready.owners) == 3
    await Ours(adb_server).find(crowded)
    await Program(adb_server).find(crowded)


@pytest.mark.slow  # the phone of the test above ends, too
async def test_a_phone_ends_with_its_block_and_leaves_the_list(adb_server: AdbServerProcess) -> None:
    async with connected_phone(adb_server, Order(crowd=True)) as phone:
        assert (await adb_server.devices())[phone.serial] == "device"
    assert phone.serial not in await adb_server.devices()
    with pytest.raises(ProcessLookupError):
        os.kill(phone.pid, 0)


async def test_a_phone_that_cannot_start_is_an_error(adb_server: AdbServerProcess) -> None:
    with pytest.raises(AssertionError, match="did not start and ended with 1"):
        async with connected_phone(adb_server, Order(endpoint="http://127.0.0.1:1")):
            pass


def test_a_socket_too_few_is_noticed() -> None:
    phone = Phone(1, Ready(2, {"a_devtools_remote_3": (3, "com.example.app")}))
    check({Owned("a_devtools_remote_3", 3, "com.example.app")}, phone)
    for wrong in (set[Owned](), {Owned("a_devtools_remote_3", 4, "com.example.app")}):
        with pytest.raises(AssertionError, match="found"):
            check(wrong, phone)


def test_the_tables_of_a_phone_are_read_as_its_users_do() -> None:
    expected = {
        Owned("webview_devtools_remote_4321", 4321, "com.example.shop:web"),
        Owned("chrome_devtools_remote", 4338, "com.android.chrome"),
        Owned("webview_devtools_remote_77", 77, None),
    }
    assert owned(UNIX, PS) == expected
    assert owned(UNIX.replace("\n", "\r\n"), PS.replace("\n", "\r\n")) == expected
    assert owned("", "") == set()


@pytest.mark.parametrize("before", [None, "/usr/bin/adb"])
def test_adbutils_is_kept_from_starting_a_server(monkeypatch: pytest.MonkeyPatch, before: str | None) -> None:
    monkeypatch.delenv("ADBUTILS_ADB_PATH", raising=False)
    if before is not None:
        monkeypatch.setenv("ADBUTILS_ADB_PATH", before)
    with kept_from_starting_a_server():
        assert subprocess.run([os.environ["ADBUTILS_ADB_PATH"], "start-server"], check=False).returncode == 1
    assert os.environ.get("ADBUTILS_ADB_PATH") == before


# -- measuring -------------------------------------------------------------------------------------


async def test_each_work_warms_up_once_and_runs_once_a_round() -> None:
    done: list[str] = []

    async def work(name: str) -> None:
        done.append(name)

    clock = iter(range(100))
    spent = await measured({"a": lambda: work("a"), "b": lambda: work("b")}, 3, {"server": lambda: next(clock)})
    assert (done.count("a"), done.count("b")) == (4, 4)
    assert done[:2] == ["a", "b"]
    assert [each.cpu["server"] for each in spent["a"]] == [1, 1, 1]
    assert len(spent["b"]) == 3


def test_times_are_scaled_and_processes_that_are_idle_are_left_out() -> None:
    spent = {
        "slow": [Spent(2.0, {"client": 1.0, "server": 0.5})],
        "fast": [Spent(1.0, {"client": 0.5, "server": 0.25})],
    }
    assert wall(spent, 1000.0) == {"slow": [2000.0], "fast": [1000.0]}
    assert cpu(spent, 1000.0) == {"slow": [1000.0], "fast": [500.0]}
    scales, idle = {"slow": 1000.0, "fast": 2000.0}, {"server": frozenset({"fast"})}
    made = by_process("CPU", "ms", "slow", spent, scales, idle)
    assert [(row.name, row.median, row.ratio) for row in made.rows] == [
        ("server: slow", 500.0, 0.5),
        ("client: slow", 1000.0, 1.0),
        ("client: fast", 1000.0, 1.0),
    ]


async def test_the_cpu_time_of_other_processes_is_theirs() -> None:
    busy = "import sys\nsum(range(3_000_000))\nprint(flush=True)\nsys.stdin.read()"
    began = client_cpu()
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", busy), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdin is not None
    assert child.stdout is not None
    await child.stdout.readline()
    used = process_cpu(child.pid)
    assert used > 0.01
    child.stdin.close()
    await child.wait()
    assert client_cpu() - began >= used
