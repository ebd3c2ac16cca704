"""Flows on applications and component libraries that others wrote, those of `bench/apps` that npm alone installs."""

from __future__ import annotations

from typing import NamedTuple

from bench.next.flows import Flow, flow


class AppFlow(NamedTuple):
    """A flow and the application that it is on, by the name that the catalogue has for it."""

    app: str
    flow: Flow


def on(app: str, name: str, kind: str, *steps: tuple[str, ...], says: str) -> AppFlow:
    """Return a flow on an application."""
    return AppFlow(app, flow(f"{app}, {name}", kind, *steps, says=says))


APP_FLOWS: tuple[AppFlow, ...] = (
    on("jquery-ui", "choose a day", "grid", ("textbox", "Day"), ("link", "17"), says="/17/"),
    on(
        "jquery-ui",
        "dialog",
        "dialog",
        ("button", "Open dialog"),
        ("textbox", "Note", "late"),
        ("button", "Cancel"),
        says="Open dialog",
    ),
    on("select2", "choose a town", "list box", ("combobox", "Oslo"), ("option", "Bari"), says="Bari"),
    on("select2", "choose a class", "list box", ("combobox", "Any class"), ("option", "Second"), says="Second"),
    on("ant-design", "choose a city", "list box", ("combobox", "City"), ("option", "Turku"), says="Turku"),
    on(
        "ant-design",
        "filter a column",
        "menu",
        ("button", "filter"),
        ("menuitem", "Bari"),
        ("button", "OK"),
        says="Bari",
    ),
    on(
        "ant-design",
        "invite",
        "dialog",
        ("button", "Open dialog"),
        ("textbox", "Mail address", "a@b.c"),
        ("button", "OK"),
        says="Open dialog",
    ),
    on("mui", "choose a genre", "list box", ("combobox", "Genre"), ("option", "Comedy"), says="Comedy"),
    on(
        "mui",
        "lend a film",
        "dialog",
        ("button", "Lend"),
        ("textbox", "To", "Ann"),
        ("button", "Lend it"),
        says="Restored",
    ),
    on("mui", "turn pages", "list", ("button", "Go to page 2"), ("button", "Go to page 3"), says="page 3"),
    on("shoelace", "choose a kind", "list box", ("combobox", "Kind"), ("option", "Cargo bike"), says="Cargo bike"),
    on(
        "shoelace",
        "ask",
        "dialog",
        ("button", "Ask"),
        ("textbox", "Your question", "How far?"),
        ("button", "Close"),
        says="Helmet",
    ),
    on("shoelace", "more", "menu", ("button", "More"), ("menuitem", "Repair"), says="Helmet"),
    on(
        "element-plus",
        "cancel the order",
        "dialog",
        ("button", "Cancel the order"),
        ("button", "Yes, cancel"),
        says="Loaves",
    ),
    on("element-plus", "choose a town", "list box", ("combobox", "Town"), ("option", "Oslo"), says="Oslo"),
    on(
        "element-plus",
        "filter by grain",
        "dialog",
        ("button", "Filter by Grain"),
        ("checkbox", "Oat"),
        ("button", "Confirm"),
        says="Loaf 2",
    ),
    on("element-plus", "staff", "tab panel", ("tab", "Staff"), ("checkbox", "Ben"), says="1/3"),
    on("mantine", "copy", "menu", ("button", "More"), ("menuitem", "Copy"), says="Copied"),
    on("mantine", "choose a floor", "list box", ("combobox", "Floor"), ("option", "Attic"), says="Attic"),
    on("mantine", "choose a day", "grid", ("button", "Starts"), ("button", "17 March 2026"), says="17"),
    on("react-aria", "choose a tool", "menu", ("button", "Tools"), ("menuitem", "Rake"), says="rake"),
    on(
        "react-aria",
        "plan",
        "dialog",
        ("button", "Plan"),
        ("textbox", "Who", "Ann"),
        ("button", "Plan it"),
        says="Ann",
    ),
    on("react-aria", "choose a soil", "list box", ("button", "Select an item Soil"), ("option", "Loam"), says="Loam"),
    on(
        "fullcalendar",
        "more events",
        "dialog",
        ("button", "+3 more"),
        ("button", "Fair 4"),
        says="Fair 4",
    ),
    on("fullcalendar", "list of events", "list", ("tab", "List view"), ("button", "Chess"), says="Chess on"),
    on(
        "sb-admin",
        "log out",
        "menu",
        ("button", "Douglas McGee"),
        ("link", "Logout"),
        ("button", "Cancel"),
        says="Dashboard",
    ),
    on("sb-admin", "cards", "menu", ("link", "Components"), ("link", "Cards"), says="Basic Card Example"),
)
