"""Tasks with controls that hold a state: sliders, spinners, boxes to tick, lists to unfold, and then a button."""

from __future__ import annotations

import re

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, find, one
from bench.miniwob.policies.goal_words import after, ordinals, quoted
from stillframe import Action, Check, Click, Focus, PressKey, SetValue

MOST_PRESSES = 100
"""The largest `times` of a PressKey."""


async def slide_and_submit(episode: Episode) -> None:
    """Move the only slider to the number in the goal."""
    nodes = await episode.nodes()
    await episode.act(*_slide(nodes, [int(after(episode.goal, r"Select (-?\d+)"))]), _submit(nodes))


async def slide_all_and_submit(episode: Episode) -> None:
    """Move the sliders to the numbers that the goal lists."""
    nodes = await episode.nodes()
    numbers = [int(number) for number in after(episode.goal, r"\[([^\]]*)\]").split(",")]
    await episode.act(*_slide(nodes, numbers), _submit(nodes))


async def slide_tick_and_submit(episode: Episode) -> None:
    """Move the slider, tick the box at the place that the goal names, and submit."""
    nodes = await episode.nodes()
    box = find(nodes, "checkbox")[ordinals(episode.goal)[0] - 1]
    number = int(after(episode.goal, r"Select (-?\d+)"))
    await episode.act(*_slide(nodes, [number]), Check(box.selector), _submit(nodes))


async def mark_fill_and_submit(episode: Episode) -> None:
    """Choose the radio button and fill the field at the places that the goal names, and submit."""
    nodes = await episode.nodes()
    radio, field = ordinals(episode.goal)
    await episode.act(
        Check(find(nodes, "radio")[radio - 1].selector),
        SetValue(find(nodes, "textbox")[field - 1].selector, quoted(episode.goal)[0]),
        _submit(nodes),
    )


async def unfold_choose_and_press(episode: Episode) -> None:
    """Open a list that the page draws itself, choose an entry, and press the button that the goal names."""
    nodes = await episode.nodes()
    wanted = after(episode.goal, r"Choose (.+) from the dropdown")
    await episode.act(Click(_opener(nodes).selector))
    entry = one(await episode.nodes(), ("listitem", "option"), wanted)
    await episode.act(Click(entry.selector), Click(one(nodes, "button", quoted(episode.goal)[0]).selector))


async def spin_and_submit(episode: Episode) -> None:
    """Count a spinner up or down with the arrow keys: typing does nothing in this one."""
    nodes = await episode.nodes()
    field = one(nodes, "spinbutton")
    number = int(after(episode.goal, r"Select (-?\d+)"))
    await episode.act(*_steps(field, number - int(field.value or 0), "ArrowUp", "ArrowDown"), _submit(nodes))


def _opener(nodes: list[Node]) -> Node:
    """Return what opens the list: the clickable thing beside the select that the page has hidden."""
    select = one(nodes, "combobox")
    beside = nodes[nodes.index(select) + 1 :]
    return next(node for node in beside if node.has("clickable"))


def _slide(nodes: list[Node], numbers: list[int]) -> list[Action]:
    """Return the actions that move the sliders to numbers; a slider is a thing with the focus and its number."""
    handles = find(nodes, focusable=True)
    actions: list[Action] = []
    for handle, number in zip(handles, numbers, strict=True):
        actions += _steps(handle, number - _shown_after(nodes, handle), "ArrowRight", "ArrowLeft")
    return actions


def _shown_after(nodes: list[Node], handle: Node) -> int:
    texts = (node.name for node in nodes[nodes.index(handle) + 1 :])
    return int(next(text for text in texts if re.fullmatch(r"-?\d+", text)))


def _steps(node: Node, distance: int, up: str, down: str) -> list[Action]:
    if not distance:
        return []
    return [Focus(node.selector), PressKey(up if distance > 0 else down, times=min(abs(distance), MOST_PRESSES))]


def _submit(nodes: list[Node]) -> Click:
    return Click(one(nodes, "button", "Submit").selector)


POLICIES: dict[str, Policy] = {
    "form-sequence": slide_tick_and_submit,
    "form-sequence-2": mark_fill_and_submit,
    "form-sequence-3": unfold_choose_and_press,
    "use-slider": slide_and_submit,
    "use-slider-2": slide_all_and_submit,
    "use-spinner": spin_and_submit,
}
