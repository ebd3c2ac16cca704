"""Tasks that buy the best of several tickets."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, one
from bench.miniwob.policies.dates import goal_date, pick_date
from stillframe import Click, Hover, TypeText

DURATION = re.compile(r"(\d+)h (\d+)m")
PRICE = re.compile(r"\$(\d+)")
ROUTE = re.compile(r"from: (.+) to: (.+) on ")


class Ticket(NamedTuple):
    """An offer: how long it takes, in minutes, what it costs, and the button that buys it."""

    minutes: int
    price: int
    button: Node


BEST: dict[str, Callable[[Ticket], int]] = {
    "cheapest": lambda ticket: ticket.price,
    "most expensive": lambda ticket: -ticket.price,
    "shortest": lambda ticket: ticket.minutes,
    "longest": lambda ticket: -ticket.minutes,
}
"""By the words of the goal: the best ticket has the least of this."""


def tickets(nodes: list[Node]) -> list[Ticket]:
    """Return the tickets of a page, which shows the duration of each before its button."""
    found, minutes = [], 0
    for node in nodes:
        if match := DURATION.search(node.name):
            minutes = int(match[1]) * 60 + int(match[2])
        if node.role == "button" and (match := PRICE.search(node.name)):
            found.append(Ticket(minutes, int(match[1]), node))
    return found


async def buy_best(episode: Episode) -> None:
    """Buy the ticket that the goal describes."""
    measure = next(measure for words, measure in BEST.items() if words in episode.goal)
    offers = tickets(await episode.nodes())
    if not offers:
        raise LookupError("the page offers no tickets")
    await episode.act(Click(min(offers, key=measure).button.selector))


async def _fill_place(episode: Episode, name: str, place: str) -> None:
    """Type a place or the code of its airport, and take the suggestion that begins with it or has the code."""
    field = one(await episode.nodes(), "textbox", name)
    await episode.act(TypeText(field.selector, place))
    shown = [node for node in await episode.nodes() if node.role in ("listitem", "option", "menuitem") and node.ref]
    fitting = [node for node in shown if node.name.startswith(f"{place} (") or f"({place})" in node.name]
    if not fitting:
        raise LookupError(f"no suggestion for {place}: {[node.name for node in shown]}")
    # A list that opens below a resting mouse takes the next move of the mouse for a choice of what lies there.
    await episode.act(Hover(field.selector), Click(fitting[0].selector))


async def book_flight(episode: Episode) -> None:
    """Fill in both places and the date, search, and book the best flight."""
    route = ROUTE.search(episode.goal)
    if not route:
        raise ValueError(f"the goal names no route: {episode.goal}")
    await _fill_place(episode, "From:", route[1])
    await _fill_place(episode, "To:", route[2])
    field = one(await episode.nodes(), "textbox", readonly=True)
    await pick_date(episode, field, goal_date(episode.goal))
    await episode.act(Click('role=button[name="Search"]'))
    await buy_best(episode)


POLICIES: dict[str, Policy] = {
    "book-flight": book_flight,
    "book-flight-nodelay": book_flight,
    "buy-ticket": buy_best,
}
