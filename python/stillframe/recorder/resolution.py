"""Turn drafts into the actions of a recording: selectors in place of elements, names in place of secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.agent.scripts.durable import Known, named_after
from stillframe.agent.scripts.script import ScriptAction
from stillframe.recorder.drafts import Draft

if TYPE_CHECKING:
    from stillframe.core import Redactor
    from stillframe.recorder.identification import Identification


async def resolved(draft: Draft, known: Identification, secrets: Redactor) -> tuple[ScriptAction, ...]:
    """Return the actions of a draft: what to hover first, the action itself, and what to wait for.

    Returns nothing if its element went away before anything was known about it.
    """
    action = await _with_elements(draft, known, secrets)
    if action is None:
        return ()
    hovers = [await _with_elements(Draft(action="hover", element=each), known, secrets) for each in draft.hovers]
    waits = [] if draft.expect is None else [ScriptAction(action={"action": "wait_for", **draft.expect})]
    return (*(each for each in hovers if each is not None), action, *waits)


async def _with_elements(draft: Draft, known: Identification, secrets: Redactor) -> ScriptAction | None:
    source = Known("") if draft.element is None else await known.known(draft.element)
    drop = Known("") if draft.target is None else await known.known(draft.target)
    if source is None or drop is None:
        return None
    selectors = {"selector": source.selector, "target": drop.selector}
    plain = {"action": draft.action, **{name: text for name, text in selectors.items() if text}, **draft.fields}
    if "value" in plain:
        plain["value"] = _value(draft, plain["value"], source, secrets)
    identity = msgspec.structs.asdict(source.target)
    return ScriptAction(action=plain, drop=None if draft.target is None else drop.target, **identity)


def _value(draft: Draft, value: Any, known: Known, secrets: Redactor) -> Any:
    """Return a value as the file has it: a secret only by name, also one that is typed where all can read it."""
    shows_secret = isinstance(value, str) and secrets.redact(value) != value
    return {"secretName": named_after(known.target.target)} if draft.hidden or shows_secret else value
