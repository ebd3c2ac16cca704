"""Arguments as models and clients write them, turned into those of the schemas where the meaning is certain.

- An unset option as `null`: many clients send every property of a schema.
- A ref as page text prints it: `e12`, `[ref=e12]`, `@e12`, or `{"ref": "e12"}`.
- A list of actions as JSON text, or a single action without the list around it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from stillframe.errors import OptionInvalid

SELECTORS = ("selector", "target", "scope")
"""Arguments, and fields of actions, that name an element."""

_REF = re.compile(r"\[ref=(e[0-9]+)\]|@?(e[0-9]+)")


def tolerated(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call in the form of its schema; raises OptionInvalid for actions that are not JSON."""
    arguments = _set_fields(sent)
    if "actions" in arguments:
        arguments["actions"] = [
            _set_fields(action) if isinstance(action, dict) else action for action in _listed(arguments["actions"])
        ]
    return arguments


def _set_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: value for name, value in fields.items() if value is not None}
    return found | {name: _selector(found[name]) for name in SELECTORS if name in found}


def _selector(value: Any) -> Any:
    if isinstance(value, dict) and list(value) == ["ref"]:
        value = value["ref"]
    if not isinstance(value, str):
        return value
    ref = _REF.fullmatch(value.strip())
    return f"ref={ref[1] or ref[2]}" if ref else value


def _listed(actions: Any) -> Any:
    if isinstance(actions, str):
        try:
            actions = msgspec.json.decode(actions)
        except msgspec.DecodeError as error:
            raise OptionInvalid(
                f"argument actions: text that is not JSON ({error}); send a list of objects, such as "
                '[{"action": "click_element", "selector": "ref=e12"}]',
                option="actions",
            ) from None
    return [actions] if isinstance(actions, dict) else actions
