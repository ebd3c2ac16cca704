"""Tasks that put a text into a field and submit it: given in the goal, copied, counted off or in another notation."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, find, one
from bench.miniwob.policies.goal_words import after, ordinals, quoted
from stillframe import Click, SetValue

DATE = r"(\d+/\d+/\d+)"
TIME = r"(\d+:\d+\s[AP]M)"

Wanted = Callable[[str, list[Node]], str]
"""What belongs into the field, by the goal and the page text."""


def into_every_field(wanted: Wanted) -> Policy:
    """Return the policy that puts one text into every one-line field and submits."""

    async def fill(episode: Episode) -> None:
        nodes = await episode.nodes()
        text = wanted(episode.goal, nodes)
        fields = find(nodes, "textbox", multiline=False)
        await episode.act(*(SetValue(field.selector, text) for field in fields), _submit(nodes))

    return fill


def _submit(nodes: list[Node]) -> Click:
    return Click(one(nodes, "button", "Submit").selector)


def _quoted(goal: str, _nodes: list[Node]) -> str:
    return quoted(goal)[0]


def _in_case(goal: str, _nodes: list[Node]) -> str:
    return quoted(goal)[0].upper() if "upper case" in goal else quoted(goal)[0].lower()


def _iso_date(goal: str, _nodes: list[Node]) -> str:
    return datetime.strptime(after(goal, DATE), "%m/%d/%Y").date().isoformat()


def _iso_time(goal: str, _nodes: list[Node]) -> str:
    said = " ".join(after(goal, TIME).split())  # Chrome puts a narrow no-break space before AM and PM
    return datetime.strptime(said, "%I:%M %p").strftime("%H:%M")


def _copied(goal: str, nodes: list[Node]) -> str:
    areas = find(nodes, "textbox", multiline=True)
    return areas[(ordinals(goal) or [1])[0] - 1].value


def _nth_word(goal: str, nodes: list[Node]) -> str:
    words = " ".join(node.name for node in find(nodes, "text")).split()
    return "".join(re.findall(r"[A-Za-z]", words[ordinals(goal)[0] - 1]))


POLICIES: dict[str, Policy] = {
    "enter-text": into_every_field(_quoted),
    "enter-text-2": into_every_field(_in_case),
    "enter-text-dynamic": into_every_field(_quoted),
    "enter-password": into_every_field(_quoted),
    "enter-date": into_every_field(_iso_date),
    "enter-time": into_every_field(_iso_time),
    "copy-paste": into_every_field(_copied),
    "copy-paste-2": into_every_field(_copied),
    "find-word": into_every_field(_nth_word),
}
