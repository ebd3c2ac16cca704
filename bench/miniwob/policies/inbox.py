"""Tasks in an inbox: delete a mail, mark it, reply to it or forward it, whatever words the goal has for that."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, find, one
from stillframe import Click, SetValue

MESSAGE = re.compile(r'"\s*"?([^"]+?)"')
"""The text of a reply; some goals double a quote."""
DELETING = re.compile(r"delet|trash|remove|\brid\b|recycl|throw|discard|out of my inbox|don't want", re.IGNORECASE)
FORWARDING = re.compile(r"forward|foward|send|sent to|wants|give", re.IGNORECASE)
RECIPIENT = re.compile(r"\bto (?:the )?([A-Z]\w+)")
SENDER_SIGNS = (
    (4, r"(?:from|by)\s+{name}"),
    (2, r"{name}'?s\b"),
    (2, r"{name}(?:'s)?\s+(?:sent|wrote|e-?mail|message)"),
    (-1, r"\b(?:send|sending|give|forward|forwarded|let|want|email|needs?)\s+{name}"),
    (-4, r"\bto\s+{name}"),
)
"""What speaks for the sender of the mail, and against: then it is who gets the mail."""


def threads(nodes: list[Node]) -> list[Node]:
    """Return the mails in the list: each has a sender, a subject, a beginning and icons."""
    return [
        node for node in find(nodes, "generic", clickable=True) if _icon(node, "star") and find(node.children, "text")
    ]


def sender(thread: Node) -> str:
    """Return the sender of a mail in the list: its first text."""
    return thread.children[0].name


def _icon(thread: Node, word: str) -> Node | None:
    return next((node for node in thread.walk() if word in node.states.get("hint", "")), None)


def named(goal: str, names: set[str]) -> list[str]:
    """Return which of the names the goal has, those in it that speak most for a sender first."""
    found = {name for name in names if re.search(rf"{name}(?=s?\b)", goal)}
    return sorted(found, key=lambda name: -_likeness(goal, name))


def _likeness(goal: str, name: str) -> int:
    signs = ((weight, pattern.format(name=re.escape(name))) for weight, pattern in SENDER_SIGNS)
    return sum(weight for weight, pattern in signs if re.search(pattern, goal, re.IGNORECASE))


def recipient(goal: str, names: list[str]) -> str:
    """Return who gets the mail: the other name that the goal and the inbox have, or a word after `to`."""
    if len(names) > 1:
        return names[1]
    match = RECIPIENT.search(goal)
    return match[1] if match else names[0]


async def handle_mail(episode: Episode) -> None:
    """Find the mail and do with it what the goal says."""
    await episode.page.settle()  # the icons load once
    mails = threads(await episode.nodes())
    names = named(episode.goal, {sender(mail) for mail in mails})
    if not names:
        raise LookupError(f"no mail in the inbox is from a person in the goal: {episode.goal}")
    mail = next(mail for mail in mails if sender(mail) == names[0])
    await _deed(episode.goal, names)(episode, mail, names)


Deed = Callable[[Episode, Node, list[str]], Awaitable[None]]


def _deed(goal: str, names: list[str]) -> Deed:
    if '"' in goal:
        return _reply
    if len(names) > 1 or (FORWARDING.search(goal) and RECIPIENT.search(goal)):
        return _forward
    return _delete if DELETING.search(goal) else _mark


async def _delete(episode: Episode, mail: Node, _names: list[str]) -> None:
    await _click_icon(episode, mail, "trash")


async def _mark(episode: Episode, mail: Node, _names: list[str]) -> None:
    await _click_icon(episode, mail, "star")


async def _click_icon(episode: Episode, mail: Node, word: str) -> None:
    icon = _icon(mail, word)
    if icon is None:
        raise LookupError(f"the mail of {sender(mail)} has no icon {word}")
    await episode.act(Click(icon.selector))


async def _reply(episode: Episode, mail: Node, _names: list[str]) -> None:
    message = MESSAGE.search(episode.goal)
    await episode.act(Click(mail.selector), Click('text="Reply"'))
    await _fill_and_send(episode, message[1] if message else "", multiline=True)


async def _forward(episode: Episode, mail: Node, names: list[str]) -> None:
    await episode.act(Click(mail.selector), Click('text="Forward"'))
    await _fill_and_send(episode, recipient(episode.goal, names), multiline=False)


async def _fill_and_send(episode: Episode, text: str, *, multiline: bool) -> None:
    nodes = await episode.nodes()
    field = one(nodes, "textbox", multiline=multiline)
    icons = [icon for node in nodes if (icon := _icon(node, "send"))]
    await episode.act(SetValue(field.selector, text), Click(icons[0].selector))


POLICIES: dict[str, Policy] = dict.fromkeys(
    (
        "email-inbox",
        "email-inbox-delete",
        "email-inbox-forward",
        "email-inbox-forward-nl",
        "email-inbox-forward-nl-turk",
        "email-inbox-important",
        "email-inbox-nl-turk",
        "email-inbox-noscroll",
        "email-inbox-reply",
        "email-inbox-star-reply",
    ),
    handle_mail,
)
