"""Tasks with tabs: open one, or look through all of them for a link."""

from __future__ import annotations

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, find, one
from bench.miniwob.policies.goal_words import after, quoted
from stillframe import Click


async def open_tab(episode: Episode) -> None:
    """Click the tab that the goal names."""
    nodes = await episode.nodes()
    tabs = [tab for tab in find(nodes, "tab") if f"{tab.name}." in episode.goal]
    await episode.act(Click(tabs[0].selector))


async def find_link_in_tabs(episode: Episode) -> None:
    """Open one tab after the other until one shows the link, and click it; a tab without links is the last resort."""
    wanted = quoted(episode.goal)[0]
    nodes = await episode.nodes()
    for tab in find(nodes, "tab"):
        if "selected" not in tab.states:
            await episode.act(Click(tab.selector))
            nodes = await episode.nodes()
        if links := _links(nodes, wanted):
            await episode.act(Click(links[0].selector))
            return


def _links(nodes: list[Node], wanted: str) -> list[Node]:
    return [node for node in nodes if node.name == wanted and node.has("clickable")]


async def click_button_named(episode: Episode) -> None:
    """Click the button whose name the goal has in capitals."""
    name = after(episode.goal, r"button ([A-Z]+)")
    await episode.act(Click(one(await episode.nodes(), "button", name).selector))


WIDGETS: dict[str, tuple[str, bool]] = {
    "radio": ("radio", False),
    "checkbox": ("checkbox", False),
    "button": ("button", False),
    "text": ("textbox", False),
    "textarea": ("textbox", True),
}
"""The role of each kind of widget, and whether it takes several lines."""


async def click_widget(episode: Episode) -> None:
    """Click the first widget of the kind that the goal asks for."""
    role, multiline = WIDGETS[quoted(episode.goal)[0]]
    await episode.act(Click(one(await episode.nodes(), role, multiline=multiline).selector))


async def pick_greatest_card(episode: Episode) -> None:
    """Turn every card, then pick the one with the greatest number and submit."""
    nodes = await episode.nodes()
    cards = [node for node in nodes if node.name.isdigit() and node.has("clickable")]
    best = max(cards, key=lambda card: int(card.name))
    submit = one(nodes, "button", "Submit")
    await episode.act(*(Click(card.selector) for card in cards), Click(best.selector), Click(submit.selector))


POLICIES: dict[str, Policy] = {
    "click-tab": open_tab,
    "click-tab-2": find_link_in_tabs,
    "click-tab-2-easy": find_link_in_tabs,
    "click-tab-2-medium": find_link_in_tabs,
    "click-tab-2-hard": find_link_in_tabs,
    "click-test-2": click_button_named,
    "click-test-transfer": click_button_named,
    "click-widget": click_widget,
    "find-greatest": pick_greatest_card,
}
