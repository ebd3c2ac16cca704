"""A worker that completes pages until it is killed; it prints a line for each. Argument: the URL of the database."""

from __future__ import annotations

import asyncio
import sys

from store_cases import opened, page, row

from stillframe.farm.store import worker_name


async def main(url: str) -> None:
    """Complete pages without end: each adds the next one."""
    async with await opened(url, worker_name(), "join") as store:
        while leases := await store.lease():
            number = int(leases[0].key.removeprefix("a/"))
            await store.complete(leases[0], rows=[row(leases[0].key)], links=[page(number + 1)])
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
