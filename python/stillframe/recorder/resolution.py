"""Turn drafts into the actions of a recording: selectors in place of elements, names in place of secrets."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.recorder.drafts import Draft
from stillframe.scripts.durable import Known, named_after
from stillframe.scripts.script import ScriptAction

if TYPE_CHECKING:
    from stillframe.core import Redactor
    from stillframe.recorder.identification import Identification


class SecretNames:
    """The names of the secrets of a recording: each is named after the field that it is typed into first.

    Two texts never have one name, since a replay would type one of them into both fields. A text that a field hides is
    known to be the same within its document only; in another one it gets a name of its own.
    """

    def __init__(self) -> None:
        self._names: dict[object, str] = {}

    def name_of(self, secret: object, field: str) -> str:
        """Return the name of a text, which any hashable value stands for, that is typed into a field."""
        if secret not in self._names:
            name, taken = named_after(field), set(self._names.values())
            numbered = (f"{name}_{number}" for number in count(2))
            self._names[secret] = name if name not in taken else next(each for each in numbered if each not in taken)
        return self._names[secret]


async def resolved(
    draft: Draft, known: Identification, secrets: Redactor, names: SecretNames
) -> tuple[ScriptAction, ...]:
    """Return the actions of a draft: what to hover first, the action itself, and what to wait for.

    Returns nothing if its element went away before anything was known about it.
    """
    action = await _with_elements(draft, known, secrets, names)
    if action is None:
        return ()
    hovers = [await _with_elements(Draft(action="hover", element=each), known, secrets, names) for each in draft.hovers]
    waits = [] if draft.expect is None else [ScriptAction(action={"action": "wait_for", **draft.expect})]
    return (*(each for each in hovers if each is not None), action, *waits)


async def _with_elements(
    draft: Draft, known: Identification, secrets: Redactor, names: SecretNames
) -> ScriptAction | None:
    source = Known("") if draft.element is None else await known.known(draft.element)
    drop = Known("") if draft.target is None else await known.known(draft.target)
    if source is None or drop is None:
        return None
    selectors = {"selector": source.selector, "target": drop.selector}
    plain = {"action": draft.action, **{name: text for name, text in selectors.items() if text}, **draft.fields}
    if "value" in plain:
        plain["value"] = _value(draft, plain["value"], source, secrets, names)
    identity = msgspec.structs.asdict(source.target)
    return ScriptAction(action=plain, drop=None if draft.target is None else drop.target, **identity)


def _value(draft: Draft, value: Any, known: Known, secrets: Redactor, names: SecretNames) -> Any:
    """Return a value as the file has it: a secret only by name, also one that is typed where all can read it."""
    shows_secret = isinstance(value, str) and secrets.redact(value) != value
    if draft.secret is None and not shows_secret:
        return value
    return {"secretName": names.name_of(draft.secret or value, known.target.target)}
