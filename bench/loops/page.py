"""Pages made up for agents to act on: each has a state, shows it as elements, and says what a call does to it.

They are written by what such pages do, in the words of their kind; no detector is mentioned here. What moves by itself
(a clock, a number of visitors, an advertisement) is added by `Noise`.
"""

from __future__ import annotations

from typing import NamedTuple

HOST = "http://shop.test"
ROLES = {"button": "button", "a": "link", "input": "textbox", "select": "combobox", "h1": "heading", "canvas": "canvas"}
VIEW = 3
"""Screens of a long page that there are, unless it says otherwise."""


class Call(NamedTuple):
    """What an agent does: an action, on the element of a key if it has one, with a value."""

    action: str
    key: str = ""
    value: str = ""


class Element(NamedTuple):
    """One element as a page shows it."""

    key: str
    tag: str
    text: str = ""
    label: str = ""
    value: str = ""
    state: str = ""
    hidden: bool = False

    @property
    def role(self) -> str:
        return ROLES.get(self.tag, self.tag)

    @property
    def name(self) -> str:
        return self.label or self.text


class Noise(NamedTuple):
    """What moves on a page by itself."""

    clock: bool = False
    visitors: bool = False
    adverts: bool = False

    def elements(self, now: int) -> list[Element]:
        shown = []
        if self.clock:
            shown.append(Element("clock", "span", f"12:{now // 60:02}:{now % 60:02}"))
        if self.visitors:
            shown.append(Element("visitors", "p", f"{300 + now * 7 % 41} people are looking at this"))
        if self.adverts:
            words = ("Cheap flights", "New phones", "Learn to cook", "Garden sale", "Fresh coffee")
            shown.append(Element("advert", "div", words[now % len(words)]))
        return shown


class Page:
    """A page that nothing changes; the others change something of it."""

    path = "/"
    screens = VIEW
    drawn = 0
    """What a canvas on it shows, if there is one."""
    churns = False
    """Whether the framework renders every element again when something is done."""

    def __init__(self) -> None:
        self.document = 1
        self.scrolled = 0
        self.focus = ""

    @property
    def url(self) -> str:
        return HOST + self.path

    def elements(self) -> list[Element]:
        return [Element("title", "h1", "Welcome")]

    def act(self, call: Call) -> str:
        """Do what the call asks for; returns the code of its failure, or "" ."""
        handler = getattr(self, f"on_{call.action}", None)
        return handler(call) or "" if handler else ""

    def on_scroll(self, call: Call) -> None:
        step = -1 if call.value == "up" else 1
        self.scrolled = min(max(self.scrolled + step, 0), self.screens - 1)

    def load(self, path: str | None = None) -> None:
        """Show another document."""
        self.path = self.path if path is None else path
        self.document += 1
        self.scrolled = 0
