"""Tasks that drag: lists and grids to sort, boxes and shapes to put somewhere, lines to draw."""

from __future__ import annotations

from collections.abc import Callable

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, find, one
from bench.miniwob.policies.figures import Thing, things
from bench.miniwob.policies.geometry import SUBMIT, Point, drawing
from bench.miniwob.policies.goal_words import after
from bench.miniwob.policies.outlines import frames
from bench.miniwob.policies.pictures import WHITE, middle, pixels
from stillframe import Click, DragTo
from stillframe.model.actions import Offset, Position
from stillframe.tab.reading.reading import Box

DIRECTIONS: dict[str, Point] = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
DRAG_PX = 30
"""How far a thing goes when only the direction counts."""
BEYOND_PX = 6
"""How far a sorted item goes past the middle of the item whose place it takes, so that the list makes room."""
FROM_LEFT_PX = 16
"""The same for an item that must come from the left, where the small way that a drag begins with (12 px) leads, too."""
GRID_COLUMNS = 3
ROWS = {"top": 0, "center": 1, "bottom": 2}
COLUMNS = {"left": 0, "center": 1, "right": 2}

FindPlace = Callable[[str, int, int], int]
"""The place for an item by what the goal says, its place and the number of items; places count from 0."""


def centre(box: Box) -> Point:
    """Return the middle of a box."""
    return box.x + box.width / 2, box.y + box.height / 2


def drag_by(node: Node, way: Point) -> DragTo:
    """Return the drag of an element by this many pixels."""
    return DragTo(node.selector, offset=Offset(*way))


async def drag_in_direction(episode: Episode) -> None:
    """Drag the only thing in the drawing in the direction that the goal names, and submit."""
    x, y = DIRECTIONS[after(episode.goal, r"(left|right|up|down)")]
    thing = one(await episode.nodes(), "generic", clickable=True)
    await episode.act(drag_by(thing, (x * DRAG_PX, y * DRAG_PX)), Click(SUBMIT))


async def drag_into_larger(episode: Episode) -> None:
    """Drag the small box into the large one, which moves aside first where it hides the small one."""
    nodes = find(await episode.nodes(), "generic", clickable=True)
    boxes = {node.ref: await episode.box(node.ref) for node in nodes}
    small, large = sorted(nodes, key=lambda node: boxes[node.ref].width)
    around = boxes[large.ref]
    if _overlap(boxes[small.ref], around):
        aside = _aside(boxes[small.ref], around, episode.size[0])
        await episode.act(drag_by(large, (aside - around.x, 0)))
    await episode.act(DragTo(small.selector, target=large.selector), Click(SUBMIT))


def _overlap(one: Box, other: Box) -> bool:
    apart = one.x + one.width < other.x or other.x + other.width < one.x
    return not (apart or one.y + one.height < other.y or other.y + other.height < one.y)


def _aside(small: Box, large: Box, width: int) -> float:
    """Return the left side for the large box on the half of the task where the small one is not."""
    return 0 if centre(small)[0] > width / 2 else width - large.width


def sort_one(find_place: FindPlace) -> Policy:
    """Return the policy that drags the item which the goal names to its place."""

    async def drag(episode: Episode) -> None:
        items = find(await episode.nodes(), "listitem")
        name, where = after(episode.goal, r"Drag (\S+)"), after(episode.goal, r"Drag \S+ ([^.]+)")
        old = [item.text for item in items].index(name)
        await move(episode, items, old, find_place(where, old, len(items)))

    return drag


async def move(episode: Episode, items: list[Node], old: int, new: int) -> None:
    """Drag an item to the place of another one and a little beyond it, which makes room before or after itself.

    An item that comes from the left goes after the one below it. On the way back to a row above, to the right, it is
    therefore dropped on the one before its place.
    """
    start = centre(await episode.box(items[old].ref))
    end = centre(await episode.box(items[new].ref))
    way = _beyond(start[0], end[0]), _beyond(start[1], end[1])
    if new < old and end[0] > start[0]:
        before = centre(await episode.box(items[new - 1].ref))
        way = before[0] - start[0] + FROM_LEFT_PX, way[1]
    await episode.act(drag_by(items[old], way))


def _beyond(start: float, end: float) -> float:
    """Return the distance and a little more in its direction.

    For 0 that is a little back, since a drag begins with a small way to the right and down.
    """
    return end - start + (BEYOND_PX if end > start else -BEYOND_PX)


def place_in_list(where: str, old: int, count: int) -> int:
    """Return the place in a list: `to the top`, `down by one position`, `to the 3rd position`."""
    fixed = {
        "to the top": 0,
        "to the bottom": count - 1,
        "up by one position": old - 1,
        "down by one position": old + 1,
    }
    return fixed[where] if where in fixed else int(after(where, r"(\d+)")) - 1


def place_in_grid(where: str, old: int, _count: int) -> int:
    """Return the place in a grid: `to the top left`, `to the center`, `left by one`."""
    if where.endswith("by one"):
        x, y = DIRECTIONS[where.split()[0]]
        return old + int(x) + GRID_COLUMNS * int(y)
    words = where.removeprefix("to the ").split()
    return GRID_COLUMNS * ROWS[words[0]] + COLUMNS[words[-1]]


async def sort_numbers(episode: Episode) -> None:
    """Drag one number after the other to its place, reading the list again each time, and submit."""
    items = find(await episode.nodes(), "listitem")
    for place in range(len(items)):
        numbers = [int(item.text) for item in items]
        old = numbers.index(min(numbers[place:]), place)
        if old != place:
            await move(episode, items, old, place)
            items = find(await episode.nodes(), "listitem")
    await episode.act(Click(SUBMIT))


async def drag_shapes(episode: Episode) -> None:
    """Drag the shapes that the goal names into the first box and, if there are two, the others into the second."""
    wanted = after(episode.goal, r"Drag all (\w+)").removesuffix("s")
    inside = [centre(box) for box in frames(await episode.picture())]
    for thing in await things(episode):
        chosen = wanted in (thing.name, thing.colour)
        if chosen or len(inside) > 1:
            await _drag_thing(episode, thing, inside[0 if chosen else 1])
    await episode.act(Click(SUBMIT))


async def _drag_thing(episode: Episode, thing: Thing, to: Point) -> None:
    x, y = centre(await episode.box(thing.node.ref))
    await episode.act(drag_by(thing.node, (to[0] - x, to[1] - y)))


def stroke(find_stroke: Callable[[str, Point], tuple[Point, Point]]) -> Policy:
    """Return the policy that draws a straight line, found by the goal and the dot, on the drawing, and submits."""

    async def draw(episode: Episode) -> None:
        node, picture = await drawing(episode)
        dot = middle((x + 0.5, y + 0.5) for x, y, colour in pixels(picture) if _is_dot(colour))
        start, end = find_stroke(episode.goal, dot)
        way = Offset(end[0] - start[0], end[1] - start[1])
        await episode.act(DragTo(node.selector, offset=way, source_position=Position(*start)), Click(SUBMIT))

    return draw


def _is_dot(colour: tuple[int, int, int]) -> bool:
    """Return whether a colour is neither white nor black nor grey, as the frame of the drawing is."""
    return colour != WHITE and max(colour) - min(colour) > DRAG_PX


def line_through(goal: str, dot: Point) -> tuple[Point, Point]:
    """Return the ends of a horizontal or vertical line through the dot."""
    x, y = dot
    return ((x, y - 22), (x, y + 22)) if "vertical" in goal else ((x - 25, y), (x + 25, y))


def arc_around(_goal: str, dot: Point) -> tuple[Point, Point]:
    """Return the ends of a short line that keeps its distance from the dot, as an arc of a circle around it does.

    One drag is one straight line: a whole circle needs a drag along a path, which there is no action for.
    """
    side = 1 if dot[0] < 75 else -1
    middle_x, middle_y = dot[0] + side * 22, dot[1] - side * 22
    return (middle_x - 13, middle_y - 13), (middle_x + 13, middle_y + 13)


POLICIES: dict[str, Policy] = {
    "drag-box": drag_into_larger,
    "drag-circle": drag_in_direction,
    "drag-single-shape": drag_in_direction,
    "drag-items": sort_one(place_in_list),
    "drag-items-grid": sort_one(place_in_grid),
    "drag-sort-numbers": sort_numbers,
    "drag-shapes": drag_shapes,
    "drag-shapes-2": drag_shapes,
    "draw-line": stroke(line_through),
    "draw-circle": stroke(arc_around),
}
