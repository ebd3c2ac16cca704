"""One phone beside four at once: sequences per second, and how long each takes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack

from bench.android.lanes import direct_page, processes
from bench.android.link import SEQUENCES, Tapper
from bench.android.meter import ADB_SERVER, EMULATION, Spent, by_process, measured, wall
from bench.android.phone_process import WEBVIEW, Phone
from bench.measure import Table, table
from stillframe.adb.android import android
from stillframe.api.browser import Browser
from stillframe.testing import AdbServerProcess

ONE = "1 phone"


class Group:
    """Pages on which sequences run at once, and how many milliseconds each of them took."""

    def __init__(self, tappers: Sequence[Tapper]) -> None:
        self.tappers = tappers
        self.latencies: list[float] = []

    async def work(self) -> None:
        """Let each page make as many sequences as a sample has."""
        await asyncio.gather(*(self._taps(each) for each in self.tappers))

    async def _taps(self, tapper: Tapper) -> None:
        for _ in range(SEQUENCES):
            began = time.perf_counter()
            await tapper.tap()
            self.latencies.append((time.perf_counter() - began) * 1e3)


async def compare_numbers(
    chromium: Browser, server: AdbServerProcess, phones: Sequence[Phone], site: str, rounds: int
) -> list[Table]:
    """Run sequences on one phone and on all; beside them on as many tabs, which says what the machine can do."""
    async with AsyncExitStack() as stack:
        views = [await _view(stack, server, phone) for phone in phones]
        tabs = [Tapper(await direct_page(stack, chromium, f"{site}/small")) for _ in phones]
        many = len(phones)
        groups = {
            ONE: Group(views[:1]),
            f"{many} phones": Group(views),
            "1 tab, attached directly": Group(tabs[:1]),
            f"{many} tabs, attached directly": Group(tabs),
        }
        others = processes(chromium, server, *phones)
        spent = await measured({name: each.work for name, each in groups.items()}, rounds, others)
    return _tables(groups, spent)


def _tables(groups: Mapping[str, Group], spent: Mapping[str, list[Spent]]) -> list[Table]:
    counts = {name: len(group.tappers) * SEQUENCES for name, group in groups.items()}
    rates = {name: [counts[name] / seconds for seconds in walls] for name, walls in wall(spent, 1.0).items()}
    warm = {name: group.latencies[counts[name] :] for name, group in groups.items()}
    tabs = frozenset(name for name in groups if "tab" in name)
    idle = {ADB_SERVER: tabs, EMULATION: tabs}
    scales = {name: 1e3 / count for name, count in counts.items()}
    return [
        table("sequences per second", "1/s", ONE, rates),
        table("a sequence while the others run", "ms", ONE, warm),
        by_process("CPU of a sequence while the others run", "ms", ONE, spent, scales, idle),
    ]


async def _view(stack: AsyncExitStack, server: AdbServerProcess, phone: Phone) -> Tapper:
    opened = android(phone.serial, adb_server=f"127.0.0.1:{server.port}", start_server=False)
    device = await stack.enter_async_context(opened)
    page = await (await device.webview(package=WEBVIEW)).page()
    await page.reload(settle=True)
    return Tapper(page)
