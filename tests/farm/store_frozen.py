"""A worker that freezes itself before its n-th statement; it prints a line at its end. Arguments: the URL, and n."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import signal
import sys

from store_cases import opened, page, row

from stillframe.errors import LeaseLost
from stillframe.farm.store import DatasetRow, Return
from stillframe.farm.store.transactions import on_statement

LEASE_S = 1.0


async def main(url: str, freeze_at: int) -> None:
    """Go through what a worker does to two pages, and add one of its own."""
    async with await opened(url, f"frozen {freeze_at}", "join", lease_s=LEASE_S) as store:
        numbers = itertools.count(1)

        def freeze(_: str) -> None:
            if next(numbers) == freeze_at:
                os.kill(os.getpid(), signal.SIGSTOP)

        on_statement(store._transactions, freeze)
        with contextlib.suppress(LeaseLost):
            leases = await store.lease(2)  # none, if another worker was quicker than a frozen one
            for first in leases[:1]:
                await store.complete(first, rows=[row(first.key)], links=[page(freeze_at, "linked")])
            for second in leases[1:]:
                await store.release(Return(lease=second, hold_host_s=0.01))
        await store.push([DatasetRow(dataset="pushed", body=b"%d" % freeze_at)])
        sys.stdout.write(f"{next(numbers)}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
