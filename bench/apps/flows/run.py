"""Playing many flows, one application after the other; what cannot be installed is named and left out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import msgspec

from bench.apps.catalogue import APPS
from bench.apps.flows.flow import Flow
from bench.apps.flows.lanes import DESKTOP, Lane, Visitor, opened_lane
from bench.apps.flows.play import Outcome, WayLost, go, play
from bench.apps.flows.tables import FLOWS, SIGN_IN
from bench.apps.install import NotInstalled
from bench.apps.launch import AppFailed, started
from stillframe.errors import StillframeError
from stillframe.tab.events.dialogs import DialogPolicy

SERVED = {app.name: app.served for app in APPS}


YES: DialogPolicy = "accept"
"""A user who deletes something says yes when the page asks."""


class LeftOut(msgspec.Struct):
    """An application that could not be installed or started, and why."""

    app: str
    why: str
    flows: int
    over: str = DESKTOP
    """The lane: how its pages would have been reached."""


def chosen(words: Sequence[str]) -> list[Flow]:
    """Return the flows of the applications named, and those whose titles hold one of the words; all without words."""
    apps = {word for word in words if word in SERVED}
    parts = [word.casefold() for word in words if word not in apps]
    return [
        flow for flow in FLOWS if not words or flow.app in apps or any(part in flow.title.casefold() for part in parts)
    ]


async def played(flows: Sequence[Flow], *, over: str = DESKTOP) -> AsyncIterator[Outcome | LeftOut]:
    """Play flows in one browser, or on one phone, and yield each outcome as it comes."""
    async with opened_lane(over) as lane:
        for app in dict.fromkeys(flow.app for flow in flows):
            async for outcome in _of_app(lane, app, [flow for flow in flows if flow.app == app]):
                outcome.over = over
                yield outcome


async def _of_app(lane: Lane, app: str, flows: Sequence[Flow]) -> AsyncIterator[Outcome | LeftOut]:
    try:
        async with started(SERVED[app]) as origin, await lane.new_context(dialogs=YES) as visitor:
            await _sign_in(visitor, origin, app)
            for flow in flows:
                yield await _played(lane, visitor, origin, flow)
    except (AppFailed, NotInstalled, WayLost, TimeoutError) as error:
        yield LeftOut(app, str(error), len(flows))


async def _played(lane: Lane, visitor: Visitor, origin: str, flow: Flow) -> Outcome:
    if not flow.fresh:
        return await play(visitor, origin, flow)
    async with await lane.new_context(dialogs=YES) as fresh:
        return await play(fresh, origin, flow)


async def _sign_in(visitor: Visitor, origin: str, app: str) -> None:
    """Sign in where the application asks for it, and fill the caches: a first visit loads megabytes of scripts."""
    path, actions = SIGN_IN.get(app, ("/", ()))
    async with await visitor.new_page() as page:
        try:
            await go(page, origin + path, actions)
        except StillframeError as error:
            raise WayLost(f"signing in: {error}") from error
