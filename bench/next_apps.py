"""`bench next` over applications of `bench/apps` that npm alone installs; `bench/next/app_flows.py` has its flows."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Sequence
from contextlib import AsyncExitStack
from itertools import groupby
from pathlib import Path

from bench.apps.catalogue import APPS
from bench.apps.launch import started as started_app
from bench.mcp.servers import started
from bench.measure import Table
from bench.next import Walked, tables_of, walk
from bench.next.app_flows import APP_FLOWS, AppFlow
from bench.next.reading import find_alike
from bench.next.servers import SERVERS


async def run(only: Sequence[str] = ()) -> list[Table]:
    """Walk all flows, or those on the applications of `only`, with each server that is installed."""
    flows = [each for each in APP_FLOWS if not only or each.app in only]
    walked: dict[str, dict[str, Walked]] = defaultdict(dict)
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-next-")))
        servers, missing = await started(SERVERS, folder, stack)
        for name, of_app in groupby(flows, key=lambda each: each.app):
            app = next(each for each in APPS if each.name == name)
            async with started_app(app.served) as origin:
                for each in of_app:
                    for server in servers:
                        url = origin + (app.states[0].path or "/")
                        walked[server.name][each.flow.name] = await walk(server, url, each.flow, find_alike)
    tables = tables_of(walked)
    for found in tables:
        found.missing = missing
    return tables


def applications(flows: Sequence[AppFlow] = APP_FLOWS) -> list[str]:
    """Return the applications of the flows, each once."""
    return list(dict.fromkeys(each.app for each in flows))
