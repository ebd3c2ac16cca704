"""Tasks with a question whose answer the page shows or that takes some arithmetic, and a field or button for it."""

from __future__ import annotations

import asyncio
import operator
import re
from collections.abc import Callable
from itertools import pairwise

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, find, one
from bench.miniwob.policies.goal_words import after, numbers, quoted
from stillframe import Action, Click, Scroll, SetValue
from stillframe.model.actions import Direction

OPERATORS: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "x": operator.mul}
INVERSE = {"+": "-", "-": "+"}
EQUATION = re.compile(r"(x|-?\d+) ([+x-]) (x|-?\d+) =(?: (-?\d+))?")
MOST_TRIES = 100
"""How often a number is generated before the policy gives up; one in three fits, so 100 are plenty."""
GLANCE_SECONDS = 0.005
"""The time between two looks at a price: short beside the 0.1 s after which the price changes again."""
FAR = 100_000
"""Pixels to scroll that reach the end of any text area."""


async def generate_fitting_number(episode: Episode) -> None:
    """Generate numbers until one fits the goal, and submit it."""
    nodes = await episode.nodes()
    generate, submit = (Click(one(nodes, "button", name).selector) for name in ("Generate", "Submit"))
    for _ in range(MOST_TRIES):
        await episode.act(generate)
        if _fits(episode.goal, int(one(await episode.nodes(), "text").name)):
            break
    await episode.act(submit)


def _fits(goal: str, number: int) -> bool:
    if "odd" in goal or "even" in goal:
        return number % 2 == ("odd" in goal)
    limit = numbers(goal)[0]
    return number < limit if "less" in goal else number > limit


async def guess_by_halves(episode: Episode) -> None:
    """Guess a number, halving what the answers leave, until the page asks for no more."""
    low, high = (int(number) for number in after(episode.goal, r"between (\d+-\d+)").split("-"))
    nodes = await episode.nodes()
    field, submit = one(nodes, "spinbutton").selector, _submit(nodes)
    while low <= high:
        guess = (low + high) // 2
        await episode.act(SetValue(field, str(guess)), submit)
        said = " ".join(node.name for node in await episode.nodes())
        if "higher" in said:
            low = guess + 1
        elif "lower" in said:
            high = guess - 1
        else:
            return


async def solve_equation(episode: Episode) -> None:
    """Solve the equation that the page shows, for x or for what is left of the equals sign."""
    nodes = await episode.nodes()
    equation = next(match for node in nodes if (match := EQUATION.fullmatch(node.name)))
    await _answer(episode, nodes, str(_solve(*equation.groups())))


def _solve(left: str, sign: str, right: str, result: str | None) -> int:
    if result is None:
        return OPERATORS[sign](int(left), int(right))
    if left == "x":
        return OPERATORS[INVERSE[sign]](int(result), int(right))
    return int(result) - int(left) if sign == "+" else int(left) - int(result)


async def mark_odd_and_even(episode: Episode) -> None:
    """Press Odd or Even beside each number, and submit."""
    nodes = await episode.nodes()
    shown = [node for node in nodes if re.fullmatch(r"-?\d+", node.name)]
    beside = (_beside(nodes, node, "Odd" if int(node.name) % 2 else "Even") for node in shown)
    await episode.act(*(Click(button.selector) for button in beside), _submit(nodes))


def _beside(nodes: list[Node], node: Node, name: str) -> Node:
    """Return the button of a name right before or right after a node."""
    at = nodes.index(node)
    return one((nodes[at - 1], nodes[at + 1]), "button", name)


async def enter_value_of_row(episode: Episode) -> None:
    """Enter what a table has beside the name in the goal."""
    nodes = await episode.nodes()
    name = after(episode.goal, r"value of (.+) into")
    await _answer(episode, nodes, _rows(nodes)[name])


async def enter_values_by_label(episode: Episode) -> None:
    """Enter beside each label what the table has beside the same name."""
    nodes = await episode.nodes()
    rows = _rows(nodes)
    fills = [
        SetValue(field.selector, rows[label.name.rstrip(":")])
        for label, field in pairwise(nodes)
        if field.role == "textbox"
    ]
    await episode.act(*fills, _submit(nodes))


def _rows(nodes: list[Node]) -> dict[str, str]:
    cells = (node.name.partition(" | ") for node in find(nodes, "row"))
    return {name: value for name, _, value in cells}


async def enter_last_word(episode: Episode) -> None:
    """Enter the last word of a text area, whose whole text a locator reads."""
    nodes = await episode.nodes()
    area = one(nodes, "textbox", multiline=True)
    text = await episode.page.locator(area.selector).value()
    fields = find(nodes, "textbox", multiline=False)
    await episode.act(SetValue(fields[0].selector, str(text).split()[-1].replace(".", "")), _submit(nodes))


async def scroll_and_submit(episode: Episode) -> None:
    """Scroll a text area to its top or its bottom, and submit."""
    nodes = await episode.nodes()
    await episode.act(_scroll(nodes, "up" if "to the top" in episode.goal else "down"), _submit(nodes))


async def sign_or_cancel(episode: Episode) -> None:
    """Read the agreement to its end if the goal says so, enter the name, and press the button that the goal names."""
    nodes = await episode.nodes()
    name, button = [*quoted(episode.goal), "", ""][:2]
    if not button:
        await _press(episode, nodes, after(episode.goal, r"Click the (\w+) button").capitalize())
        return
    await episode.act(_scroll(nodes, "down"))
    await episode.act(SetValue(one(nodes, "textbox", multiline=False).selector, name))
    await _press(episode, nodes, button)


async def _press(episode: Episode, nodes: list[Node], name: str) -> None:
    await episode.act(Click(one(nodes, "button", name).selector))


def _scroll(nodes: list[Node], direction: Direction) -> Action:
    return Scroll(one(nodes, "textbox", multiline=True).selector, direction=direction, pixels=FAR)


async def enter_shown_letters(episode: Episode) -> None:
    """Enter the letters that stand slanted above the field."""
    nodes = await episode.nodes()
    await _answer(episode, nodes, "".join(one(nodes, "text").name.split()))


async def buy_below_price(episode: Episode) -> None:
    """Watch a price, and buy right after it has changed to one below that of the goal."""
    limit = float(after(episode.goal, r"less than \$(\d+\.\d+)"))
    buy = Click(one(await episode.nodes(), "button", "Buy").selector)
    before: float | None = None
    while True:
        price = await _price(episode)
        if before is not None and price != before and price is not None and price < limit:
            break
        before = price
        await asyncio.sleep(GLANCE_SECONDS)
    await episode.act(buy)


async def _price(episode: Episode) -> float | None:
    found = [match for node in await episode.nodes() if (match := re.search(r"\$(\d+\.\d+)", node.name))]
    return float(found[0][1]) if found else None


async def _answer(episode: Episode, nodes: list[Node], answer: str) -> None:
    await episode.act(SetValue(one(nodes, "textbox").selector, answer), _submit(nodes))


def _submit(nodes: list[Node]) -> Click:
    return Click(one(nodes, "button", "Submit").selector)


POLICIES: dict[str, Policy] = {
    "generate-number": generate_fitting_number,
    "guess-number": guess_by_halves,
    "odd-or-even": mark_odd_and_even,
    "read-table": enter_value_of_row,
    "read-table-2": enter_values_by_label,
    "scroll-text": enter_last_word,
    "scroll-text-2": scroll_and_submit,
    "sign-agreement": sign_or_cancel,
    "simple-algebra": solve_equation,
    "simple-arithmetic": solve_equation,
    "stock-market": buy_below_price,
    "text-transform": enter_shown_letters,
}
