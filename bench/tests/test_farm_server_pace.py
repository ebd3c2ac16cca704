"""The pace of a queue's server: that pgbench really works on it, and that all of it is counted."""

from __future__ import annotations

import argparse

import pytest
from postgres_server import PostgresServer, find_binaries

from bench.farm import server_pace

pytestmark = pytest.mark.heavy


async def test_pgbench_leases_and_completes_pages_while_others_poll(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_pace, "OBSERVE_S", 0.1)
    with PostgresServer() as server:
        options = argparse.Namespace(
            url=server.url(await server.create()),
            pgbench=f"{find_binaries()}/pgbench",
            clients=[2],
            seconds=1.0,
            rounds=1,
            polls=True,
        )
        quiet, polled = await server_pace.measure(options)
    assert quiet["pages_per_s"] > 0
    assert quiet["poll_ms"] is None
    assert polled["poll_ms"] > 0
    assert 0 < quiet["client_cpu_ms_a_page"] < quiet["server_cpu_ms_a_page"]
