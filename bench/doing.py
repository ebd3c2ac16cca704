"""Short words for the actions that the tables of the benchmarks are made of: the JSON form of `execute_sequence`."""

from __future__ import annotations

from typing import Any

Do = dict[str, Any]
"""An action."""


def click(selector: str, **more: Any) -> Do:
    """Click an element."""
    return {"action": "click_element", "selector": selector, **more}


def double_click(selector: str, **more: Any) -> Do:
    """Click twice."""
    return {"action": "double_click", "selector": selector, **more}


def right_click(selector: str, **more: Any) -> Do:
    """Click with the right button."""
    return {"action": "right_click", "selector": selector, **more}


def hover(selector: str, **more: Any) -> Do:
    """Move the mouse over an element."""
    return {"action": "hover", "selector": selector, **more}


def fill(selector: str, value: str | bool) -> Do:
    """Set the value of a field."""
    return {"action": "set_value", "selector": selector, "value": value}


def typed(selector: str, text: str) -> Do:
    """Type text into an element."""
    return {"action": "type_text", "selector": selector, "text": text}


def keys(text: str) -> Do:
    """Type text into whatever has the focus."""
    return {"action": "type_text", "text": text}


def press(key: str, selector: str | None = None, **more: Any) -> Do:
    """Press a key."""
    return {"action": "press_key", "key": key, **({"selector": selector} if selector else {}), **more}


def check(selector: str) -> Do:
    """Switch something on."""
    return {"action": "check", "selector": selector}


def uncheck(selector: str) -> Do:
    """Switch something off."""
    return {"action": "uncheck", "selector": selector}


def choose(selector: str, value: str | list[str]) -> Do:
    """Choose an option, or several."""
    return {"action": "select_option", "selector": selector, "value": value}


def focus(selector: str) -> Do:
    """Give an element the focus."""
    return {"action": "focus", "selector": selector}


def mark(selector: str) -> Do:
    """Select the text of an element."""
    return {"action": "select_text", "selector": selector}


def upload(selector: str, *paths: str) -> Do:
    """Give files to an input; `{files}` in a path stands for a folder with `note.txt` and `folder/inner.txt`."""
    return {"action": "upload_file", "selector": selector, "paths": paths}


def drag(selector: str, target: str | None = None, **more: Any) -> Do:
    """Drag an element onto another one or by an offset."""
    return {"action": "drag_to", "selector": selector, **({"target": target} if target else {}), **more}


def navigate(url: str, **more: Any) -> Do:
    """Load a URL, which may be relative to the page's."""
    return {"action": "navigate", "url": url, **more}


def go_back() -> Do:
    """Go back in the history."""
    return {"action": "go_back"}


def go_forward() -> Do:
    """Go forward in the history."""
    return {"action": "go_forward"}


def reload() -> Do:
    """Load the page again."""
    return {"action": "reload"}


def in_new_page(do: Do, then: dict[str, Any]) -> Do:
    """Do something in the first page that the last sequence opened, where `then` must be true afterwards."""
    return {"action": "in_new_page", "do": do, "then": then}


def wait_for(**what: Any) -> Do:
    """Wait for a condition."""
    return {"action": "wait_for", **what}
