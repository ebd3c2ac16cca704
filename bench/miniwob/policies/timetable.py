"""A task on the timetable of a day: drag over free half hours to create an event there."""

from __future__ import annotations

import re

from PIL import Image

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node
from bench.miniwob.policies.goal_words import after, quoted
from bench.miniwob.policies.pictures import crop, pixels
from stillframe import Click, DragTo, Hover, SetValue
from stillframe.model.actions import Offset, Position
from stillframe.tab.reading.reading import Box

HOUR = re.compile(r"(\d+)(am|pm)$")
HALF_HOURS = {"30 mins": 1, "60 mins": 2, "90 mins": 3, "0.5 hours": 1, "1 hour": 2, "1.5 hours": 3}
GREY = 8
"""The largest difference between the channels of a colour that counts as grey."""
EDGE = Position(1, 10)
"""A point of a half hour that no event covers: they leave a margin."""
GRIP_PX = 3.0
"""Where in the first half hour the drag begins, from its top left: the rest of the drag must not leave the last one."""
OVER_PX = 12.0
"""How far below that the mouse ends in the last half hour."""


def half_hours(nodes: list[Node]) -> dict[str, list[Node]]:
    """Return the half hours after each hour that the timetable names, for example `8am`."""
    found: dict[str, list[Node]] = {}
    for node in nodes:
        if node.role == "text" and HOUR.match(node.name):
            found[node.name] = []
        elif node.ref and found:
            found[list(found)[-1]].append(node)
    return found


def between(hours: dict[str, list[Node]], first: str, last: str) -> list[Node]:
    """Return the half hours from one hour to the other."""
    names = list(hours)
    wanted = names[names.index(first.lower()) : names.index(last.lower())]
    return [half for name in wanted for half in hours[name]]


async def create_event(episode: Episode) -> None:
    """Drag over the first free half hours that are enough, name the event and create it."""
    length = HALF_HOURS[after(episode.goal, r"Create a (.+?) event")]
    ends = [after(episode.goal, pattern) for pattern in (r"between (\w+)", r" and (\w+)")]
    halves = between(half_hours(await episode.nodes()), *ends)
    start = _first_run(await _free(episode, halves), length)
    last = halves[start + length - 1]
    await episode.act(Hover(last.selector), Hover(halves[start].selector))
    boxes = [await episode.box(half.ref) for half in (halves[start], last)]
    way = boxes[1].y - boxes[0].y + OVER_PX
    await episode.act(
        DragTo(halves[start].selector, offset=Offset(0, way), source_position=Position(GRIP_PX, GRIP_PX)),
        SetValue("placeholder=Event name", quoted(episode.goal)[0]),
        Click('role=button[name="Create"]'),
    )


def _first_run(free: list[bool], length: int) -> int:
    """Return where the first `length` free places in a row begin. Raises LookupError."""
    for start in range(len(free) - length + 1):
        if all(free[start : start + length]):
            return start
    raise LookupError(f"no {length} half hours in a row are free: {free}")


async def _free(episode: Episode, halves: list[Node]) -> list[bool]:
    """Return which half hours have no event, looking at the first, the middle and the last ones in turn."""
    free = [False] * len(halves)
    for place in (len(halves) // 2, 0, -1):
        await episode.act(Hover(halves[place].selector, position=EDGE))  # scrolls there
        picture = await episode.picture()
        for index, half in enumerate(halves):
            free[index] = free[index] or _is_free(picture, await episode.box(half.ref))
    return free


def _is_free(picture: Image.Image, box: Box) -> bool:
    """Return whether a box is in the picture and its upper part is grey: events have a colour."""
    upper = crop(picture, Box(box.x, box.y, box.width, GRIP_PX + OVER_PX))
    inside = box.y >= 0 and box.y + box.height <= picture.height
    return inside and all(max(colour) - min(colour) <= GREY for _, _, colour in pixels(upper))


POLICIES: dict[str, Policy] = {"daily-calendar": create_event}
