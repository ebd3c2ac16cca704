"""Search forms of two airlines, in a frame: cities to choose from proposals, dates in a calendar, passengers, class."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, find, one
from stillframe import Click, Tap, TypeText, WaitFor

Trip = dict[str, str | int]
ONE_WAY = "One-way"
MORE = "More search options"
PROPOSAL = re.compile(r"[A-Z]{3} - |.*\(.+\)$")
"""How the two sites write a proposed airport: `SFO - San Francisco, CA` and `San Francisco, CA (SFO-…)`."""
FRAME = "frame=iframe"
"""The only frame. A text is clicked in it where the page text has a ref only for the button that the text covers."""
MOST_LOOKS = 50


async def search_american(episode: Episode) -> None:
    """Choose both cities and both days, and search."""
    trip = _trip(episode)
    await _choose_city(episode, "From", str(trip["Departure City"]))
    await _choose_city(episode, "To", str(trip["Destination City"]))
    for field, day in (("Depart", "Departure Day"), ("Return", "Returning Day")):
        await episode.act(Click((await _field(episode, field)).selector))
        await _choose_day(episode, trip[day])
    await _press(episode, "button", "Search")


async def search_alaska(episode: Episode) -> None:
    """Choose one way or both, cities, days, passengers and class, each if the goal names it, and search."""
    trip = _trip(episode)
    if trip.get("Ticket Type") == ONE_WAY:
        await _press(episode, (), ONE_WAY)
    await _choose_city(episode, "From", str(trip["Departure City"]))
    await _choose_city(episode, "To", str(trip["Destination City"]))
    for field, day in (("Depart", "Departure Day"), ("Return", "Returning Day")):
        if day in trip:
            await episode.act(Tap((await _field(episode, field)).selector))
            await _choose_day(episode, trip[day])
    for _ in range(int(trip.get("Passengers", 1)) - 1):
        await _press(episode, (), "+")
    await _choose_seat(episode, trip.get("Seat type"))
    await _press(episode, "button", "Find Flights")


def _trip(episode: Episode) -> Trip:
    trip: Trip = json.loads(episode.goal)
    return trip


async def _form(episode: Episode) -> list[Node]:
    """Return the nodes in the frame of the site, as soon as its form is there."""
    for _ in range(MOST_LOOKS):
        nodes = await episode.nodes()
        inside = [node for frame in find(nodes, "iframe") for node in frame.walk()]
        if find(inside, "banner") or find(inside, "main"):
            return inside
        await episode.page.settle()
    raise LookupError("the frame of the site shows no form")


async def _field(episode: Episode, name: str) -> Node:
    fields = find(await _form(episode), "textbox")
    return next(field for field in fields if field.name.split()[0] == name)


async def _choose_city(episode: Episode, field: str, city: str) -> None:
    """Type a city, and click the proposal for all its airports, or the one that is named most like it."""
    box = (await _field(episode, field)).selector
    await episode.act(Click(box, click_count=3), TypeText(city))
    proposals = [node for node in await _form(episode) if node.has("clickable") and PROPOSAL.match(node.name)]
    await episode.act(Click(_most_like(proposals, city).selector))


def _most_like(proposals: Iterable[Node], city: str) -> Node:
    signs = ("All Airports", f"- {_start(city)}, ", "International", city)
    fitting = [node for node in proposals if city.split(",")[0].removesuffix(" DC") in node.name]
    return max(fitting, key=lambda node: [sign in node.name for sign in signs])


def _start(city: str) -> str:
    return city.removesuffix(" DC")


async def _choose_day(episode: Episode, day: str | int) -> None:
    """Click a day of the first month of the calendar that has come up, and the button that closes it, if any."""
    days = find(await _form(episode), "link", str(day))
    await episode.act(Click(days[0].selector))
    for done in find(await _form(episode), (), "DONE"):
        await episode.act(Click(done.selector), WaitFor(done.selector, state="hidden"))


async def _choose_seat(episode: Episode, seat: str | int | None) -> None:
    if seat:
        await _press(episode, (), MORE)
        await episode.act(Click(f'{FRAME} >> text="{seat}"'))


async def _press(episode: Episode, role: str | tuple[str, ...], name: str) -> None:
    await episode.act(Click(one(await _form(episode), role, name).selector))


POLICIES: dict[str, Policy] = {
    "flight.AA": search_american,
    "flight.Alaska": search_alaska,
    "flight.Alaska-auto": search_alaska,
}
