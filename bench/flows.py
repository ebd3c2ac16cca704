"""Flows on real applications, and ten of them beside `@playwright/mcp` and Playwright; see bench/apps/flows.

`python -m bench flows` installs the applications (some 3 GB, kept) and plays all flows; `python -m bench.apps.flows`
plays some.
"""

from __future__ import annotations

from bench.apps.flows.beside import ROUNDS, beside
from bench.apps.flows.command import shown
from bench.apps.flows.report import tables
from bench.apps.flows.tables import FLOWS
from bench.measure import Table


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Play all flows once, and ten of them `rounds` times with each contestant."""
    found = tables(*await shown(FLOWS))
    compared, _ = await beside(rounds)
    return [*found, *compared]
