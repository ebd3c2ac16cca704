"""Read role selectors: the role, the accessible name and the states of an element. No I/O."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from stillframe import _core
from stillframe.model.suggest import did_you_mean
from stillframe.tab.locating.quoting import ROLE_PART, collapse, invalid, unquoted
from stillframe.tab.locating.steps import Pattern, Role
from stillframe.tab.locating.words import pattern, refuse_pattern


def role(text: str, source: str) -> Role:
    """Read what follows `role=`; raises SelectorInvalid."""
    head = _ROLE.match(source)
    if head is None:
        invalid(text, 'write a role selector as role=button or role=button[name="Save"]')
    name, exact, found, hidden, states, at = None, True, None, None, {}, head.end()
    while at < len(source):
        part = ROLE_PART.match(source, at)
        if part is None:
            invalid(text, f'expected [name="…"] or [state] at {source[at : at + 20]!r}')
        key, quoted, at = part["key"], part["quoted"], part.end()
        value = part["regex"] or (part["bare"] and part["bare"].strip())
        value = value if quoted is None else unquoted(text, quoted, "name=")
        if key == "name":
            name, exact, found = _name(text, part, value)
        elif key == "include-hidden":
            hidden = _truth(text, key, value)
        else:
            states[key] = _state(text, key, value)
    return Role(_role_word(text, head[0].lower(), states), name, exact, states, found, hidden)


def _name(text: str, part: re.Match[str], value: str | None) -> tuple[str, bool, Pattern | None]:
    if value is None:
        invalid(text, 'write the name of a role selector as name="…" or name*="…"')
    if part["regex"] is None:
        return collapse(value), part["operator"] == "=", None
    if part["operator"] != "=":
        refuse_pattern(text, value, f"name{part['operator']}")
    found = pattern(text, value)
    assert found is not None, "ROLE_PART says so"
    return found[0], False, found


def _role_word(text: str, word: str, states: Iterable[str]) -> str:
    """Return the role that a word means; refuses a word that is not a role, and states that the role does not have."""
    if word in _MEANINGLESS:
        invalid(text, f"{word!r} stands for elements without a role, which no role selector finds; use CSS or text=")
    if word not in _ROLES:
        hint = f" (did you mean {_MEANT[word]!r}?)" if word in _MEANT else did_you_mean(word, _COMMON_ROLES)
        invalid(text, f"unknown role {word!r}{hint}; roles are words of ARIA such as button, link")
    role = _ROLES[word].get("synonym") or word
    for state in states:
        having = _STATEFUL[state]
        if role not in having:
            own = ", ".join(other for other in STATES if role in _STATEFUL[other])
            invalid(text, f"role={role} never has the state {state!r}, only {own}; roles with it: {', '.join(having)}")
    return role


def _state(text: str, key: str, value: str | None) -> bool | int | str:
    if key not in STATES:
        known = ("name", *STATES, "include-hidden")
        invalid(text, f"unknown state {key!r}{did_you_mean(key, known)}; known: {', '.join(known)}")
    if key == "level":
        if value is None or not _LEVEL.fullmatch(value):
            invalid(text, "level takes a number from 1 to 99, for example [level=2]")
        return int(value)
    if value == "mixed" and key in MIXED:
        return "mixed"
    return _truth(text, key, value)


def _truth(text: str, key: str, value: str | None) -> bool:
    if value not in (None, "true", "false"):
        invalid(text, f"{key} must be true or false{' or mixed' if key in MIXED else ''}, not {value[:40]!r}")
    return value != "false"


_ROLES = _core.aria_roles()
_COMMON_ROLES = [role for role in _ROLES if "-" not in role]
_MEANT = {
    "a": "link",
    "anchor": "link",
    "dropdown": "combobox",
    "field": "textbox",
    "input": "textbox",
    "li": "listitem",
    "modal": "dialog",
    "nav": "navigation",
    "ol": "list",
    "password": "textbox",
    "popup": "dialog",
    "select": "combobox",
    "submit": "button",
    "td": "cell",
    "text": "textbox",
    "textarea": "textbox",
    "th": "columnheader",
    "title": "heading",
    "toggle": "switch",
    "tr": "row",
    "ul": "list",
    **{f"h{level}": f"heading[level={level}]" for level in range(1, 7)},
}
"""The roles that people mean by tags and words of their own."""

_MEANINGLESS = ("generic", "none", "presentation")

STATEFUL_ROLES = {
    "checked": ("checkbox", "menuitemcheckbox", "menuitemradio", "option", "radio", "switch", "treeitem"),
    "pressed": ("button",),
    "selected": ("columnheader", "gridcell", "option", "row", "rowheader", "tab", "treeitem"),
    "expanded": (
        *("application", "button", "checkbox", "columnheader", "combobox", "gridcell", "link", "listbox", "menuitem"),
        *("menuitemcheckbox", "menuitemradio", "row", "rowheader", "switch", "tab", "treeitem"),
    ),
    "level": ("heading", "listitem", "row", "treeitem"),
    "disabled": (
        *("application", "button", "checkbox", "columnheader", "combobox", "grid", "gridcell", "group", "link"),
        *("listbox", "menu", "menubar", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "radio"),
        *("radiogroup", "row", "rowheader", "scrollbar", "searchbox", "separator", "slider", "spinbutton", "switch"),
        *("tab", "tablist", "textbox", "toolbar", "tree", "treegrid", "treeitem"),
    ),
}
"""The roles that have each state (ARIA 1.2, "Used in Roles" and "Inherits into Roles")."""

_STATEFUL: dict[str, Collection[str]] = {
    **STATEFUL_ROLES,
    "expanded": (*STATEFUL_ROLES["expanded"], "group"),  # the role of <details>
    "disabled": _ROLES,  # a fieldset disables whatever it holds
}

STATES = ("checked", "selected", "expanded", "pressed", "disabled", "level")
"""The states that a role selector can require."""

MIXED = ("checked", "pressed")
"""The states that can be mixed (ARIA: tristate)."""
_ROLE = re.compile(r"[A-Za-z]+[0-9]?(?:-[A-Za-z]+)*", re.ASCII)
_LEVEL = re.compile(r"[1-9][0-9]?", re.ASCII)
