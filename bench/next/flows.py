"""Flows of two to five steps on small pages: what an agent presses next is on the page only because of the step before.

A step names its target as a person would, by role and name. `says` is what the page shows once all steps arrived where
they belong.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

PAGES = Path(__file__).parent / "pages"


class Step(NamedTuple):
    """Click a target, fill `value` into it, or select `value` if `how` is "select"."""

    role: str
    name: str
    value: str | None = None
    how: str = ""


class Flow(NamedTuple):
    """A page, the steps on it, and what it says in the end; `kind` is what appears or changes."""

    name: str
    kind: str
    steps: tuple[Step, ...]
    says: str

    @property
    def page(self) -> str:
        """Return the name of the page's file."""
        return f"{re.sub(r'[^a-z]+', '-', self.name)}.html"


def flow(name: str, kind: str, *steps: tuple[str, ...], says: str) -> Flow:
    """Return a flow of steps that are given as tuples."""
    return Flow(name, kind, tuple(Step(*step) for step in steps), says)


FLOWS: tuple[Flow, ...] = (
    flow("account menu", "menu", ("button", "Account"), ("menuitem", "Settings"), says="Settings opened"),
    flow("menu of links", "menu", ("button", "More"), ("link", "Press"), says="Press page"),
    flow(
        "menu with boxes",
        "menu",
        ("button", "View"),
        ("menuitemcheckbox", "Ruler"),
        ("menuitemcheckbox", "Guides"),
        says="Guides on",
    ),
    flow("submenu", "menu", ("button", "File"), ("menuitem", "Export"), ("menuitem", "CSV"), says="CSV opened"),
    flow(
        "context of a row",
        "menu",
        ("button", "Actions for Invoice 1"),
        ("button", "Duplicate"),
        says="Invoice 1: Duplicate",
    ),
    flow("confirm dialog", "dialog", ("button", "Delete account"), ("button", "Delete"), says="Account deleted"),
    flow(
        "form in a dialog",
        "dialog",
        ("button", "New project"),
        ("textbox", "Title", "Apollo"),
        ("textbox", "Owner", "Ada"),
        ("button", "Create"),
        says="Project Apollo of Ada",
    ),
    flow(
        "dialog of a dialog",
        "dialog",
        ("button", "Settings"),
        ("button", "Reset all"),
        ("button", "Yes, reset"),
        says="All reset",
    ),
    flow(
        "cookie banner",
        "dialog",
        ("button", "Privacy settings"),
        ("button", "Choose"),
        ("checkbox", "Statistics"),
        ("button", "Save choice"),
        says="Statistics on",
    ),
    flow(
        "wizard",
        "wizard",
        ("textbox", "Name", "Ada"),
        ("button", "Next"),
        ("textbox", "Email", "a@b.c"),
        ("button", "Continue"),
        ("button", "Finish"),
        says="Ada a@b.c registered",
    ),
    flow("tabs", "tab panel", ("tab", "Billing"), ("button", "Edit Billing"), says="Billing edited"),
    flow(
        "tab with a form",
        "tab panel",
        ("tab", "Sign up"),
        ("textbox", "Your email", "x@y.z"),
        ("button", "Register"),
        says="Welcome x@y.z",
    ),
    flow("accordion", "accordion", ("button", "Section 2"), ("button", "Mark 2 as read"), says="Read 2"),
    flow("details", "accordion", ("button", "Shipping"), ("radio", "Express"), says="Express chosen"),
    flow("tree", "tree", ("treeitem", "src"), ("treeitem", "util.py"), says="util.py selected"),
    flow("date picker", "grid", ("button", "Choose date"), ("button", "17"), says="Day 17 chosen"),
    flow("grid of cells", "grid", ("button", "Row B"), ("gridcell", "B3"), says="Seat B3 taken"),
    flow("combobox", "list box", ("combobox", "City", "Ber"), ("option", "Bergen"), says="Bergen it is"),
    flow("long list of options", "list box", ("button", "Size"), ("option", "Size 24"), says="Size 24 chosen"),
    flow(
        "suggestions without roles",
        "list box",
        ("textbox", "Search", "red"),
        ("listitem", "red hat"),
        says="Found red hat",
    ),
    flow("toolbar", "toolbar", ("button", "Edit text"), ("button", "Italic"), says="Italic set"),
    flow(
        "to-do",
        "list item",
        ("textbox", "New task", "Call Bob"),
        ("button", "Add"),
        ("checkbox", "Call Bob"),
        says="Call Bob done",
    ),
    flow(
        "edit in place",
        "list item",
        ("button", "Rename"),
        ("textbox", "Name", "Final"),
        ("button", "Save"),
        says="Saved Final",
    ),
    flow(
        "form on demand",
        "form",
        ("button", "Add address"),
        ("textbox", "Zip", "0150"),
        ("button", "Save address"),
        says="Sent to 0150",
    ),
    flow(
        "bare fields",
        "form",
        ("button", "Pay by card"),
        ("textbox", "Card", "4242"),
        ("textbox", "Code", "123"),
        ("button", "Pay now"),
        says="Paid",
    ),
    flow(
        "validation error",
        "validation",
        ("textbox", "Email", "ada"),
        ("button", "Subscribe"),
        ("textbox", "Email", "a@b"),
        ("button", "Subscribe"),
        says="Subscribed",
    ),
    flow(
        "login with one error",
        "validation",
        ("textbox", "User", "ada"),
        ("textbox", "Password", "wrong"),
        ("button", "Log in"),
        ("textbox", "Password", "right"),
        ("button", "Log in"),
        says="Hello Ada",
    ),
    flow(
        "chat",
        "chat reply",
        ("textbox", "Message", "hi"),
        ("button", "Send"),
        ("button", "Refund"),
        says="You chose Refund",
    ),
    flow(
        "frame",
        "frame",
        ("button", "Check out"),
        ("textbox", "Card number", "4111"),
        ("button", "Confirm"),
        says="Card 4111",
    ),
    flow("shadow tree", "shadow tree", ("button", "Open list"), ("link", "Second"), says="Second opened"),
    flow("closed shadow tree", "shadow tree", ("button", "Ask"), ("button", "Go ahead"), says="Went ahead"),
    flow("removal", "removal", ("button", "Delete 2"), ("button", "Delete 3"), ("button", "Delete 1"), says="All gone"),
    flow("dismissed message", "removal", ("button", "Dismiss"), ("button", "Save draft"), says="Saved"),
    flow("counter", "text", ("button", "Increase"), ("button", "Increase"), says="Two"),
    flow(
        "cart", "text", ("button", "Buy lamp 2"), ("button", "Buy lamp 3"), ("button", "Check out"), says="Checked out"
    ),
    flow("load more", "repeated items", ("button", "Load more"), ("button", "Add 11"), says="Product 11 added"),
    flow(
        "search results",
        "repeated items",
        ("textbox", "Find", "tea"),
        ("button", "Search now"),
        ("link", "Result 2"),
        says="Result 2 opened",
    ),
    flow("sort", "repeated items", ("button", "Name"), ("button", "Archive d"), says="d archived"),
    flow("button becomes enabled", "state", ("checkbox", "I agree"), ("button", "Sign"), says="Contract signed"),
    flow(
        "dependent list",
        "state",
        ("combobox", "Country", "Norway", "select"),
        ("combobox", "Town", "Bergen", "select"),
        says="Bergen chosen",
    ),
    flow(
        "one field after the other",
        "state",
        ("textbox", "First", "A"),
        ("textbox", "Last", "B"),
        ("textbox", "City", "C"),
        ("button", "Submit"),
        says="ABC",
    ),
    flow("toast with undo", "message", ("button", "Archive"), ("button", "Undo"), says="Restored"),
    flow(
        "page of an application",
        "navigation",
        ("link", "Orders"),
        ("link", "Details of order 2"),
        ("button", "Cancel order"),
        says="Order 2 cancelled",
    ),
)
