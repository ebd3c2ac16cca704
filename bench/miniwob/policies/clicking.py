"""Tasks that are one click, or a few, on something that the goal names: buttons, links, dialogs, menus."""

from __future__ import annotations

import re

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, find, one
from stillframe import Click, Hover
from stillframe.model.actions import Position

QUOTE = re.compile(r'"(.*)"')
CROSSES = {"x": "Close"}
"""What a goal calls a button by its look, and the name that the page text has for it."""
CAPITALS = re.compile(r"button ([A-Z]+)")


def quoted(goal: str) -> str:
    """Return what the goal has in double quotes. Raises ValueError if there is nothing."""
    match = QUOTE.search(goal)
    if not match:
        raise ValueError(f"the goal quotes nothing: {goal}")
    return match[1]


def clickable(nodes: list[Node], name: str) -> Node:
    """Return the node of a name that can be clicked. Raises LookupError."""
    return one([node for node in nodes if node.ref], name=name)


async def click_the_button(episode: Episode) -> None:
    """Click the only button."""
    await episode.act(Click(one(await episode.nodes(), "button").selector))


async def click_quoted_button(episode: Episode) -> None:
    """Click the button whose name the goal quotes; in a dialog, if there is one."""
    nodes = await episode.nodes()
    dialogs = [*find(nodes, ("dialog", "alertdialog"))]
    shown = list(dialogs[0].walk()) if dialogs else nodes
    name = quoted(episode.goal)
    await episode.act(Click(one(shown, "button", CROSSES.get(name, name)).selector))


async def click_quoted(episode: Episode) -> None:
    """Click whatever has the name that the goal quotes."""
    await episode.act(Click(clickable(await episode.nodes(), quoted(episode.goal)).selector))


async def click_buttons_in_order(episode: Episode) -> None:
    """Click the buttons that the goal names in capitals, in its order."""
    nodes = await episode.nodes()
    await episode.act(*(Click(one(nodes, "button", name).selector) for name in CAPITALS.findall(episode.goal)))


async def close_dialog(episode: Episode) -> None:
    """Click the button that closes the dialog."""
    await episode.act(Click('role=dialog >> role=button[name="Close"]'))


async def click_numbers_upwards(episode: Episode) -> None:
    """Click where the numbers are, from the least to the greatest; the page may hide them after the first click."""
    numbers = [node for node in await episode.nodes() if node.ref and node.name.isdigit()]
    drawing = await episode.box("role=img")
    clicks = []
    for node in sorted(numbers, key=lambda node: int(node.name)):
        box = await episode.box(node.ref)
        middle = Position(box.x + box.width / 2 - drawing.x, box.y + box.height / 2 - drawing.y)
        clicks.append(Click("role=img", position=middle))
    await episode.act(*clicks)


async def walk_menu(episode: Episode) -> None:
    """Point at the items of a path such as `File>Export>PDF` one after the other, and click the last one."""
    path = episode.goal.removeprefix("Select ").split(">")
    items = [f'role=menuitem[name="{name.strip()}"]' for name in path]
    await episode.act(*map(Hover, items[:-1]), Click(items[-1]))


# No policy for click-pie and click-pie-nodelay: whenever the mouse enters a slice, their script takes it out of the
# page and puts it back, so Chromium (seen with 156) delivers every press to the drawing around the slice.
POLICIES: dict[str, Policy] = {
    "ascending-numbers": click_numbers_upwards,
    "click-button": click_quoted_button,
    "click-button-sequence": click_buttons_in_order,
    "click-dialog": close_dialog,
    "click-dialog-2": click_quoted_button,
    "click-link": click_quoted,
    "click-menu": walk_menu,
    "click-test": click_the_button,
}
