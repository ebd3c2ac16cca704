"""Tasks that only a picture or the places of things tell how to solve: blocks, colours, drawings, grids."""

from __future__ import annotations

from collections.abc import Iterable

from PIL import Image

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, find, one
from bench.miniwob.policies.geometry import click_at, coloured, dots, drawing
from bench.miniwob.policies.goal_words import after
from bench.miniwob.policies.pictures import Colour, crop, middle, pixels, rgb
from stillframe import Check, Click, PressKey, SetValue
from stillframe.tab.reading.reading import Box

SHAPES = ((0.9, "Rectangle"), (0.65, "Circle"), (0.0, "Triangle"))
"""For the least share of its box that a shape fills, its name; a circle fills 0.79, a triangle about half."""
GOAL_HEIGHT = 50
"""CSS pixels that the goal takes at the top of every task."""
SOLID = 6
"""Pixels of the side of a square of one colour that no letter of the goal has."""
LEAST_TINT = 60
"""The least difference of the channels of a colour that is not a shade of grey."""
DARK, BRIGHT = 60, 200
"""Bounds of the green channel: the frame of a drawn grid is darker, its marked cells are brighter."""


async def count_blocks(episode: Episode) -> None:
    """Count the coloured blocks in the picture, and submit their number."""
    nodes = await episode.nodes()
    picture = _below_goal(await episode.picture())
    tinted = [colour for _, _, colour in pixels(picture) if max(colour) - min(colour) > LEAST_TINT]
    fill = max(set(tinted), key=tinted.count)
    await episode.act(SetValue(one(nodes, "textbox").selector, str(len(dots(picture, fill)))), _submit(nodes))


def _below_goal(picture: Image.Image) -> Image.Image:
    return picture.crop((0, GOAL_HEIGHT, *picture.size))


async def name_shape(episode: Episode) -> None:
    """Press the button that describes the figure: a text says itself what it is, a shape fills a share of its box."""
    nodes = await episode.nodes()
    figure = one(nodes, "img").children[0]
    name = _kind_of_text(figure.name) if figure.name else _shape(await _area_of(episode, figure))
    await episode.act(Click(one(nodes, "button", name).selector))


def _kind_of_text(text: str) -> str:
    return "Number" if text.isdigit() else "Letter"


async def _area_of(episode: Episode, node: Node) -> Image.Image:
    return crop(await episode.picture(), await episode.box(node.ref))


def _shape(picture: Image.Image) -> str:
    colours = list(picture.getdata())
    share = 1 - sum(min(colour) > BRIGHT for colour in colours) / len(colours)
    return next(name for least, name in SHAPES if share >= least)


async def enter_named_colour(episode: Episode) -> None:
    """Enter the colour that the goal names, as its code, and submit."""
    await _enter_colour(episode, rgb(after(episode.goal, r"Select (\w+) with")))


async def enter_shown_colour(episode: Episode) -> None:
    """Enter the colour of the square in the goal, and submit."""
    picture = await episode.picture()
    await _enter_colour(episode, _square(picture.crop((0, 0, picture.width, GOAL_HEIGHT))))


def _square(goal: Image.Image) -> Colour:
    """Return the colour of a filled square in the goal, other than that of the goal's ground."""
    ground = next(pixels(goal))[2]
    for y in range(goal.height - SOLID):
        for x in range(goal.width - SOLID):
            colours = {colour for _, _, colour in pixels(goal.crop((x, y, x + SOLID, y + SOLID)))}
            if len(colours) == 1 and colours != {ground}:
                return colours.pop()
    raise LookupError("the goal shows no square of a colour")


async def _enter_colour(episode: Episode, colour: Colour) -> None:
    nodes = await episode.nodes()
    code = "".join(f"{part:02X}" for part in colour)
    await episode.act(SetValue(one(nodes, "textbox").selector, code), PressKey("Tab"), _submit(nodes))


async def copy_drawn_grid(episode: Episode) -> None:
    """Tick the boxes whose cells are bright in the picture of a grid to the right of them, and submit."""
    nodes = await episode.nodes()
    boxes = {node.ref: await episode.box(node.ref) for node in find(nodes, "checkbox")}
    whole, picture = _around(boxes.values()), await episode.picture()
    right, bottom = whole.x + whole.width, (await episode.box(one(nodes, "button", "Submit").ref)).y
    beside = Box(right, GOAL_HEIGHT, picture.width - right, bottom - GOAL_HEIGHT)
    grid = _part(picture, _part(picture, beside, dark=True), dark=False)
    ticked = [ref for ref, box in boxes.items() if _green(picture, _same_place(box, whole, grid)) > BRIGHT]
    await episode.act(*(Check(f"ref={ref}") for ref in ticked), _submit(nodes))


def _around(boxes: Iterable[Box]) -> Box:
    every = list(boxes)
    left, top = min(box.x for box in every), min(box.y for box in every)
    right, bottom = max(box.x + box.width for box in every), max(box.y + box.height for box in every)
    return Box(left, top, right - left, bottom - top)


def _part(picture: Image.Image, within: Box, *, dark: bool) -> Box:
    """Return the box of the dark pixels, or of the others, in a part of a picture."""
    fitting = crop(picture, within).getchannel("G").point(lambda green: 255 * ((green < DARK) == dark))
    if not (found := fitting.getbbox()):
        raise LookupError("the picture shows no grid beside the boxes")
    left, top = round(within.x), round(within.y)
    return Box(left + found[0], top + found[1], found[2] - found[0], found[3] - found[1])


def _same_place(box: Box, whole: Box, other: Box) -> tuple[int, int]:
    """Return the point of another box that lies in it as the middle of a box lies in the whole."""
    across = (box.x + box.width / 2 - whole.x) / whole.width
    down = (box.y + box.height / 2 - whole.y) / whole.height
    return round(other.x + across * other.width), round(other.y + down * other.height)


def _green(picture: Image.Image, point: tuple[int, int]) -> int:
    return int(picture.getpixel(point)[1])  # type: ignore[index]


async def complete_right_angle(episode: Episode) -> None:
    """Click a point from which the line to the blue dot is upright on the line that is drawn, and submit."""
    node, picture = await drawing(episode)
    (x, y), (black_x, black_y) = middle(coloured(picture, rgb("blue"))), dots(picture, rgb("black"))[0]
    across, down = black_y - y, x - black_x
    ends = [(x + share * across, y + share * down) for share in (0.5, -0.5, 0.25, -0.25)]
    inside = [point for point in ends if 0 <= point[0] < picture.width and 0 <= point[1] < picture.height]
    await episode.act(click_at(node, inside[0]), _submit(await episode.nodes()))


async def click_coordinate(episode: Episode) -> None:
    """Click the point of a grid whose middle point is (0,0)."""
    column, row = (int(part) for part in after(episode.goal, r"\(([^)]*)\)").split(","))
    points = {node.ref: await episode.box(node.ref) for node in one(await episode.nodes(), "img").children}
    xs, ys = sorted({round(box.x) for box in points.values()}), sorted({round(box.y) for box in points.values()})
    x, y = xs[len(xs) // 2 + column], ys[len(ys) // 2 - row]
    ref = next(ref for ref, box in points.items() if (round(box.x), round(box.y)) == (x, y))
    await episode.act(Click(f"ref={ref}"))


def _submit(nodes: list[Node]) -> Click:
    return Click(one(nodes, "button", "Submit").selector)


POLICIES: dict[str, Policy] = {
    "grid-coordinate": click_coordinate,
    "identify-shape": name_shape,
    "number-checkboxes": copy_drawn_grid,
    "right-angle": complete_right_angle,
    "use-colorwheel": enter_named_colour,
    "use-colorwheel-2": enter_shown_colour,
    "visual-addition": count_blocks,
}
