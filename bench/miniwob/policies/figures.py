"""Tasks about shapes, letters and digits in a drawing: the page text says what they are, a picture their colour."""

from __future__ import annotations

from typing import NamedTuple

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node
from bench.miniwob.policies.pictures import crop, ink, nearest_ink
from stillframe import Click

COLOURS = ("red", "green", "blue", "aqua", "black", "magenta", "yellow")
SIZES = ("small", "large")
LARGE_HEIGHT = 15
"""CSS pixels: things in these drawings are about 10 or about 20 high."""
SHAPES = {"circle": "circle", "rect": "rectangle", "polygon": "triangle", "rectangle": "rectangle"}
"""By the hint of the page text, which names the element of SVG."""


class Thing(NamedTuple):
    """Something in a drawing."""

    node: Node
    name: str
    """`circle`, or the letter or digit."""
    kind: str
    """`shape`, `letter` or `digit`."""
    size: str
    colour: str

    def fits(self, words: str) -> bool:
        """Return whether a description such as `large red digit` fits."""
        return all(word in ("item", self.name, self.kind, self.size, self.colour) for word in words.split())


def kind_of(node: Node) -> tuple[str, str]:
    """Return the name and the kind of what a node draws."""
    if node.name:
        return node.name, "digit" if node.name.isdigit() else "letter"
    return SHAPES.get(node.states.get("hint", ""), ""), "shape"


async def things(episode: Episode) -> list[Thing]:
    """Return everything in the drawing that can be clicked."""
    picture = await episode.picture()
    found = []
    for node in await episode.nodes():
        if node.ref and node.role == "generic":
            box = await episode.box(node.ref)
            colour = nearest_ink(ink(crop(picture, box)), COLOURS)
            found.append(Thing(node, *kind_of(node), SIZES[box.height > LARGE_HEIGHT], colour))
    return found


async def click_described(episode: Episode) -> None:
    """Click something that the description after `Click on a` fits."""
    words = episode.goal.removeprefix("Click on a ")
    for thing in await things(episode):
        if thing.fits(words):
            await episode.act(Click(thing.node.selector))
            return
    raise LookupError(f"nothing in the drawing is a {words}")


POLICIES: dict[str, Policy] = {"click-shape": click_described}
