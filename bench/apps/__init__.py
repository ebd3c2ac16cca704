"""Real applications of many frameworks, set up by the bench itself: what names, roles and texts are tried on.

`async with app("django-admin") as url` starts one; `python -m bench.apps NAME` does so by hand.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bench.apps.catalogue import APPS
from bench.apps.launch import started


@asynccontextmanager
async def app(name: str, *, port: int | None = None) -> AsyncIterator[str]:
    """Start an application of the catalogue and yield its origin; `port`: default a free one.

    Raises KeyError for a name that the catalogue does not have, AppFailed if it does not start.
    """
    found = {each.name: each for each in APPS}[name]
    async with started(found.served, port=port) as origin:
        yield origin
