"""Tasks with a calendar that opens below a field."""

from __future__ import annotations

import re
from datetime import date, datetime

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, one
from stillframe import Click

DATE = re.compile(r"\d\d/\d\d/\d{4}")
MONTH = re.compile(r"(January|February|March|April|May|June|July|August|September|October|November|December) (\d{4})")


def goal_date(goal: str) -> date:
    """Return the date in a goal, which has the form 12/31/2016. Raises ValueError."""
    match = DATE.search(goal)
    if not match:
        raise ValueError(f"the goal names no date: {goal}")
    return datetime.strptime(match[0], "%m/%d/%Y").date()


def shown_month(nodes: list[Node]) -> tuple[int, int]:
    """Return year and month above a calendar. Raises LookupError if there is none."""
    for node in nodes:
        if match := MONTH.search(node.name):
            shown = datetime.strptime(match[0], "%B %Y")
            return shown.year, shown.month
    raise LookupError("the page shows no month")


async def pick_date(episode: Episode, field: Node, wanted: date) -> None:
    """Open the calendar of a field, go to the month, and click the day."""
    await episode.act(Click(field.selector))
    nodes = await episode.nodes()
    year, month = shown_month(nodes)
    months = (wanted.year - year) * 12 + wanted.month - month
    for _ in range(abs(months)):
        await episode.act(Click(one(nodes, name="Next" if months > 0 else "Prev").selector))
        nodes = await episode.nodes()
    await episode.act(Click(one(nodes, ("link", "gridcell"), str(wanted.day)).selector))


async def submit_date(episode: Episode) -> None:
    """Pick the date of the goal in the only field, and submit."""
    await pick_date(episode, one(await episode.nodes(), "textbox"), goal_date(episode.goal))
    await episode.act(Click('role=button[name="Submit"]'))


POLICIES: dict[str, Policy] = dict.fromkeys(
    ("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay"), submit_date
)
