"""Tasks that enter texts in fields: logins, forms in several layouts, a field that proposes entries."""

from __future__ import annotations

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, find, one
from bench.miniwob.policies.goal_words import after, quoted
from stillframe import Click, Focus, SetValue

MOVIE_LABELS = {
    "genre": r"Search for (.+) movies",
    "director": r"directed by (.+) from",
    "year": r"from year (\d+)",
    "date": r"from year (\d+)",
}
"""For a word in a label, where the goal says what to enter."""


async def log_in(episode: Episode) -> None:
    """Enter the name and the password, and press the only button."""
    nodes = await episode.nodes()
    fills = _fill(find(nodes, "textbox"), quoted(episode.goal))
    await episode.act(*fills, Click(one(nodes, "button").selector))


async def log_in_despite_dialog(episode: Episode) -> None:
    """Enter each field before the next, and answer a question that comes up with Cancel, so as to stay on the page."""
    nodes = await episode.nodes()
    fields = find(nodes, "textbox")
    for field in fields:
        await episode.act(Focus(field.selector))
        for cancel in find(await episode.nodes(), "button", "Cancel"):
            await episode.act(Click(cancel.selector))
    await episode.act(*_fill(fields, quoted(episode.goal)), Click(one(nodes, "button").selector))


async def search_movies(episode: Episode) -> None:
    """Fill a form whose labels stand before, above or below the fields, and press what comes last."""
    nodes = await episode.nodes()
    labels = [pattern for node in nodes for word, pattern in MOVIE_LABELS.items() if word in node.name.lower()]
    fills = _fill(find(nodes, "textbox"), [after(episode.goal, pattern) for pattern in labels])
    await episode.act(*fills, Click(_last_button(nodes).selector))


async def take_proposal(episode: Episode) -> None:
    """Enter the beginning of an entry, click the proposal that ends as the goal says, and submit.

    The click on the field takes the pointer there: a list that opens below the pointer would keep the entry there.
    """
    start, *ends = quoted(episode.goal)
    nodes = await episode.nodes()
    field = one(nodes, "textbox").selector
    await episode.act(Click(field), SetValue(field, start))
    proposals = find(await episode.nodes(), "listitem")
    fitting = [node for node in proposals if all(node.name.endswith(end) for end in ends)]
    if not fitting:
        raise LookupError(f"no proposal for {start!r} ends in {ends}: {[node.name for node in proposals]}")
    await episode.act(Click(fitting[0].selector), Click(one(nodes, "button", "Submit").selector))


def _fill(fields: list[Node], values: list[str]) -> list[SetValue]:
    return [SetValue(field.selector, value) for field, value in zip(fields, values, strict=True)]


def _last_button(nodes: list[Node]) -> Node:
    return [node for node in nodes if node.role == "button" or (node.has("clickable") and node.name)][-1]


POLICIES: dict[str, Policy] = {
    "login-user": log_in,
    "login-user-popup": log_in_despite_dialog,
    "multi-layouts": search_movies,
    "multi-orderings": search_movies,
    "use-autocomplete": take_proposal,
    "use-autocomplete-nodelay": take_proposal,
}
