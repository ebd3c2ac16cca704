"""Tasks that click a point of a drawing, which is found in a picture."""

from __future__ import annotations

import math

from PIL import Image

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, one
from bench.miniwob.policies.pictures import BLACK, WHITE, Colour, crop, distance, middle, pixels
from stillframe import Click
from stillframe.model.actions import Position

Point = tuple[float, float]
SUBMIT = 'role=button[name="Submit"]'
BLUE: Colour = (0, 0, 255)
NEAR = 60 * 60
"""The square of the distance within which a colour is taken for another."""
DOT = 9
"""Pixels of a square of three by three: in a dot all are dark, in a line not."""


async def drawing(episode: Episode) -> tuple[Node, Image.Image]:
    """Return the drawing, and the picture of it down to the button, which may cover its lowest part."""
    nodes = await episode.nodes()
    node, button = one(nodes, "img"), one(nodes, "button")
    box, below = await episode.box(node.ref), await episode.box(button.ref)
    free = box._replace(height=min(box.height, below.y - box.y))
    return node, crop(await episode.picture(), free)


def coloured(picture: Image.Image, wanted: Colour) -> list[Point]:
    """Return the middles of the pixels that have a colour, more or less."""
    return [(x + 0.5, y + 0.5) for x, y, colour in pixels(picture) if distance(colour, wanted) < NEAR]


def dots(picture: Image.Image, wanted: Colour) -> list[Point]:
    """Return the middles of the dots of a colour; thin lines are not dots."""
    dark = set(coloured(picture, wanted))
    cores = [point for point in dark if sum(near in dark for near in _around(point)) == DOT]
    groups: list[list[Point]] = []
    for point in sorted(cores):
        near = [group for group in groups if any(math.dist(point, other) < 3 for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append([point, *(other for group in near for other in group)])
    return [middle(group) for group in groups]


def _around(point: Point) -> list[Point]:
    return [(point[0] + dx, point[1] + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]


def click_at(node: Node, point: Point) -> Click:
    """Return the click on a point of an element."""
    return Click(node.selector, position=Position(*point))


def bisector(vertex: Point, first: Point, second: Point) -> Point:
    """Return a point on the line that halves an angle, between its two sides."""
    a, b = math.dist(vertex, first), math.dist(vertex, second)
    share = a / (a + b)
    return first[0] + share * (second[0] - first[0]), first[1] + share * (second[1] - first[1])


async def click_centre(episode: Episode) -> None:
    """Click the middle of the only circle, and submit."""
    node, picture = await drawing(episode)
    drawn = [
        (x + 0.5, y + 0.5) for x, y, colour in pixels(picture) if distance(colour, BLACK) < distance(colour, WHITE)
    ]
    if not drawn:
        raise LookupError("the drawing is empty")
    xs, ys = zip(*drawn, strict=True)
    await episode.act(click_at(node, ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)), Click(SUBMIT))


async def click_bisector(episode: Episode) -> None:
    """Click a point on the line that halves the angle at the blue dot, and submit."""
    node, picture = await drawing(episode)
    vertex = middle(coloured(picture, BLUE))
    sides = dots(picture, BLACK)
    if len(sides) < 2:
        raise LookupError(f"the drawing shows {len(sides)} black dots, and an angle has two")
    await episode.act(click_at(node, bisector(vertex, *sides[:2])), Click(SUBMIT))


POLICIES: dict[str, Policy] = {"bisect-angle": click_bisector, "circle-center": click_centre}
