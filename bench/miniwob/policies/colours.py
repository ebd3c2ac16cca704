"""Tasks about the colours of boxes, which only a picture tells."""

from __future__ import annotations

import colorsys
import re

from PIL import Image

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, find
from bench.miniwob.policies.pictures import Colour, crop, distance, main_colour, rgb
from stillframe import Click

NAMED = re.compile(r"(?:Click on the|shades of) (\w+)")
SWATCH = re.compile(r"rgb\((\d+), (\d+), (\d+)\)")


def named(goal: str) -> str:
    """Return the colour that the goal names. Raises ValueError."""
    match = NAMED.search(goal)
    if not match:
        raise ValueError(f"the goal names no colour: {goal}")
    return match[1]


def shade(colour: Colour) -> str:
    """Return whether a colour is rather red, green or blue, by its hue."""
    hue = colorsys.rgb_to_hsv(*(part / 255 for part in colour))[0]
    return ("red", "green", "blue")[round(hue * 3) % 3]


async def _boxes(episode: Episode) -> list[tuple[Node, Colour]]:
    """Return what can be clicked and has no name, with its colour."""
    nodes = [node for node in find(await episode.nodes(), "generic", "", clickable=True) if node.ref]
    picture = await episode.picture()
    return [(node, await _colour(episode, picture, node)) for node in nodes]


async def _colour(episode: Episode, picture: Image.Image, node: Node) -> Colour:
    return main_colour(crop(picture, await episode.box(node.ref)))


async def click_colour(episode: Episode) -> None:
    """Click the box of the colour that the goal names; the goal may show it as a box of its own at the top."""
    wanted = rgb(named(episode.goal))
    boxes = await _boxes(episode)
    await episode.act(Click(min(reversed(boxes), key=lambda box: distance(box[1], wanted))[0].selector))


async def click_shades(episode: Episode) -> None:
    """Click all boxes that are shades of a colour, and submit."""
    wanted = named(episode.goal)
    boxes = [node for node, colour in await _boxes(episode) if shade(colour) == wanted]
    await episode.act(*(Click(node.selector) for node in boxes), Click('role=button[name="Submit"]'))


POLICIES: dict[str, Policy] = {"click-color": click_colour, "click-shades": click_shades}
