"""Tasks that count things in a drawing or find a point between them."""

from __future__ import annotations

import re

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import find, one
from bench.miniwob.policies.figures import things
from bench.miniwob.policies.geometry import SUBMIT, click_at, dots, drawing
from bench.miniwob.policies.goal_words import after
from bench.miniwob.policies.outlines import corners
from bench.miniwob.policies.pictures import Colour, middle
from stillframe import Click

BLACK: Colour = (0, 0, 0)
YELLOW: Colour = (255, 255, 0)
"""The colour behind the goal, which stands above the task."""
HOW_MANY = re.compile(r"How many (.+)s are there\?")


async def count_things(episode: Episode) -> None:
    """Count the things that the goal describes and click the button with their number."""
    wanted = after(episode.goal, HOW_MANY.pattern)
    number = sum(thing.fits(wanted) for thing in await things(episode))
    await episode.act(Click(f'role=button[name="{number}"]'))


async def count_sides(episode: Episode) -> None:
    """Count the corners of the outline between the goal and the buttons, and click the button with their number."""
    buttons = find(await episode.nodes(), "button")
    picture = await episode.picture()
    bottom = int((await episode.box(buttons[0].ref)).y)
    top = max(y for y in range(bottom) if picture.getpixel((picture.width - 2, y)) == YELLOW) + 1
    number = corners(picture.crop((0, top, picture.width, bottom)))
    await episode.act(Click(one(buttons, name=str(number)).selector))


async def click_midpoint(episode: Episode) -> None:
    """Click in the middle between the two dots and submit."""
    node, picture = await drawing(episode)
    await episode.act(click_at(node, middle(dots(picture, BLACK)[:2])), Click(SUBMIT))


POLICIES: dict[str, Policy] = {
    "count-shape": count_things,
    "count-sides": count_sides,
    "find-midpoint": click_midpoint,
}
