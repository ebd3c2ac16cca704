"""A task with a cube that turns when it is dragged, and goes on turning for a while."""

from __future__ import annotations

from typing import Literal

from PIL import Image

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.policies.dragging import centre
from bench.miniwob.policies.geometry import SUBMIT, Point
from bench.miniwob.policies.goal_words import quoted
from bench.miniwob.policies.pictures import middle, pixels
from stillframe import Click, Swipe
from stillframe.tab.reading.reading import Box

SIDES = [str(number) for number in range(1, 7)]
STAGE = "body"
"""Where to drag: the page text has no ref for the cube, whose sides are texts."""
TOP = 50
"""Above this row stands the goal."""
Turn = tuple[Literal["left", "up", "down"], float]
ONTO: Turn = ("down", 0.1)
PAST: Turn = ("left", 0.2)
OVER: Turn = ("up", 0.3)
TOUR = (ONTO, *(PAST,) * 6, *(OVER,) * 8)
"""Swipes and their shares of the page: onto the sides around the cube, past them, then past those above and below.

A share of 0.2 turns the cube by about 70 degrees to the left, 0.3 by about 45 degrees upwards: no side is left out.
"""
TOURS = 3
NEAR_PX = 14
"""How far the red number may be from the middle of its side."""
RED = 90
"""How much more red than anything else a pixel of the active number is."""
STILL_MS = 150.0


async def turn_to_side(episode: Episode) -> None:
    """Swipe over the cube until the number in red, the active side, is the wanted one, and submit.

    A drag with the mouse takes too few milliseconds for this page, which looks at the mouse 50 times a second only.
    """
    wanted = quoted(episode.goal)[0]
    for way, share in TOUR * TOURS:
        if active(await episode.picture(), await _sides(episode)) == wanted:
            await episode.act(Click(SUBMIT))
            return
        await episode.act(Swipe(STAGE, direction=way, percent=share))
        await episode.page.settle(settle="quiet", stability_ms=STILL_MS)
    raise LookupError(f"the cube does not show {wanted} in {len(TOUR) * TOURS} swipes")


async def _sides(episode: Episode) -> dict[str, Box]:
    """Return the boxes of all sides; the goal may show a number, too, and stands above."""
    return {side: await episode.box(f'text="{side}" >> nth=-1') for side in SIDES}


def active(picture: Image.Image, boxes: dict[str, Box]) -> str:
    """Return the side whose number is red: of those with the red in their middle the largest, which is in front.

    It is empty if no number is red.
    """
    red = [(x, y) for x, y, (r, g, b) in pixels(picture) if y > TOP and r - max(g, b) > RED]
    if not red:
        return ""
    spot = middle(red)
    near = [side for side in boxes if _distance(centre(boxes[side]), spot) < NEAR_PX]
    return max(near, key=lambda side: boxes[side].width * boxes[side].height, default="")


def _distance(one: Point, other: Point) -> float:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


POLICIES: dict[str, Policy] = {"drag-cube": turn_to_side}
