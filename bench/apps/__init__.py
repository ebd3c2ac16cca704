"""Real applications of many frameworks, set up by the bench itself: what names, roles and texts are tried on.

`python -m bench apps` installs them (some 3 GB, kept), goes through their states and compares the roles and names of
the core and of the page script with Chrome's own accessibility tree. `bench/apps/flows` has tasks on them.
`async with app("django-admin") as url` starts one; `python -m bench.apps NAME` does so by hand.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import stillframe
from bench.apps import install
from bench.apps.agreement import WAYS, Agreement
from bench.apps.catalogue import APPS, App
from bench.apps.elements import elements
from bench.apps.launch import started
from bench.apps.visits import StateMissed, opened, reach
from bench.measure import Table, table
from bench.pages import NO_INTERNET

ALL = "all applications"


@asynccontextmanager
async def app(name: str, *, port: int | None = None) -> AsyncIterator[str]:
    """Start an application of the catalogue and yield its origin; `port`: default a free one.

    Raises KeyError for a name that the catalogue does not have, AppFailed if it does not start.
    """
    found = {each.name: each for each in APPS}[name]
    async with started(found.served, port=port) as origin:
        yield origin


async def run(*, rounds: int = len(APPS)) -> list[Table]:
    """Compare roles and names on the first `rounds` applications of the catalogue."""
    found, missed = await compare(APPS[:rounds])
    return [made for each in found for made in _tables(each, missed)]


async def compare(chosen: Sequence[App]) -> tuple[list[Agreement], dict[str, str]]:
    """Compare roles and names with Chrome's in all states of some applications, and write the differences down.

    They go to `agreement-core.txt` and `agreement-twin.txt` in the folder of the installation. The second answer says
    which states were not reached, and why.
    """
    found = [Agreement(way) for way in WAYS]
    missed: dict[str, str] = {}
    async with stillframe.launch(args=NO_INTERNET) as browser:
        for what in chosen:
            async with opened(browser, what) as (origin, page):
                for state in what.states:
                    try:
                        await reach(page, origin, state)
                    except StateMissed as error:
                        missed[f"{what.name}, {state.name}"] = str(error)
                        continue
                    listed = await elements(page)
                    for each in found:
                        await each.add(what.name, state.name, listed)
    for each in found:
        (install.ROOT / f"agreement-{each.way}.txt").write_text(each.report())
    return found, missed


def _tables(found: Agreement, missed: dict[str, str]) -> list[Table]:
    scores = {**found.scores, ALL: found.total()}
    shares = {name: [score.percent(score.both)] for name, score in scores.items()}
    notes = {
        name: f"{score.elements} elements; role {score.percent(score.roles):.2f}, name {score.percent(score.names):.2f}"
        for name, score in scores.items()
    }
    classes = {kind: [float(count)] for kind, count in found.counts.items()}
    return [
        table(
            f"{found.way}: role and name as Chrome's own tree has them", "%", ALL, shares, notes=notes, missing=missed
        ),
        table(f"{found.way}: what differs, by class", "elements", "", classes),
    ]
