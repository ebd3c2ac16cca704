"""Tasks whose goal shows an icon instead of a name: the icon is compared with those of the page, in a picture."""

from __future__ import annotations

from PIL import Image

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, find
from bench.miniwob.policies.clicking import QUOTE
from bench.miniwob.policies.pictures import BLACK, WHITE, crop, distance, pixels
from stillframe import Click, Hover
from stillframe.tab.reading.reading import Box

Dots = frozenset[tuple[int, int]]
GOAL = Box(0, 0, 160, 50)
"""Where the page shows the goal, in CSS pixels."""
ICON_WIDTH = 17
"""CSS pixels at the left of an item that its icon takes."""
MOST_DIFFERENT = 0.1
"""The share of an icon's pixels that may differ."""


def dark(picture: Image.Image) -> Dots:
    """Return the columns and rows of the dark pixels."""
    return frozenset((x, y) for x, y, colour in pixels(picture) if distance(colour, BLACK) < distance(colour, WHITE))


def difference(icon: Dots, place: Dots, at: tuple[int, int]) -> int:
    """Count the pixels that differ between an icon and a place of a picture, one pixel around the icon included."""
    xs, ys = [x for x, _ in icon], [y for _, y in icon]
    left, top = at[0] - min(xs), at[1] - min(ys)
    moved = {(x + left, y + top) for x, y in icon}
    columns = range(at[0] - 1, at[0] + max(xs) - min(xs) + 2)
    rows = range(at[1] - 1, at[1] + max(ys) - min(ys) + 2)
    return sum(((x, y) in moved) != ((x, y) in place) for x in columns for y in rows)


def misfit(icon: Dots, place: Dots) -> float:
    """Return the share of an icon's pixels that differ where a picture shows it best; 1 for no icon at all."""
    if not icon:
        return 1.0
    width, height = max(x for x, _ in place), max(y for _, y in place)
    return min(difference(icon, place, (x, y)) for x in range(width) for y in range(height)) / len(icon)


async def _item(episode: Episode, items: list[Node]) -> Node | None:
    """Return the item that has the name or the icon of the goal, if it is shown."""
    if name := QUOTE.search(episode.goal.partition(", and ")[2]):
        return next((item for item in items if item.name == name[1]), None)
    picture = await episode.picture()
    goal = dark(crop(picture, GOAL))
    fits = []
    for item in items:
        box = await episode.box(item.ref)
        fits.append(misfit(dark(crop(picture, box._replace(width=ICON_WIDTH))), goal))
    best = min(range(len(items)), key=fits.__getitem__)
    return items[best] if fits[best] <= MOST_DIFFERENT else None


async def find_in_menu(episode: Episode) -> None:
    """Open the menu, point at its items until one opens what has the wanted item, and click that."""
    await episode.act(Click('role=button[name="Menu"]'))
    items = find(await episode.nodes(), "menuitem")
    for parent in [None, *items]:
        if parent:
            await episode.act(Hover(parent.selector))
            items = find(await episode.nodes(), "menuitem")
        if found := await _item(episode, items):
            await episode.act(Click(found.selector))
            return
    raise LookupError(f"no item of the menu fits the goal: {episode.goal}")


POLICIES: dict[str, Policy] = {"click-menu-2": find_in_menu}
