"""Turn the actions that are about to run into actions of a script: durable selectors, fingerprints, no secret."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from heapq import nlargest
from typing import Any, NamedTuple

import msgspec

from stillframe import Page
from stillframe.core import Snapshot
from stillframe.errors import ActionFailed, CommandError
from stillframe.extend import page_state
from stillframe.model.actions import Action
from stillframe.model.bounds import short
from stillframe.model.secret import Secret
from stillframe.scripts.identity import IN, lasting_fingerprint, rivals
from stillframe.scripts.rows import row_of, shared_words, twins
from stillframe.scripts.script import ScriptAction, ScriptTarget
from stillframe.scripts.targets import TARGET_FIELDS, Place, described, durable_selectors, frame_path, place_of

TYPED_FIELDS = frozenset({"value", "text"})
"""The fields of actions whose text is typed. The text that a WaitFor waits for is never a declared secret's."""
HIDES = ("type", "password")
"""The attribute of a field that hides what is typed into it."""
MAX_ROWS = 5
"""Rows of others that are kept: the core reports as many other elements."""
MAX_TARGET_CHARS = 200
"""Characters of what a target is called."""


class Known(NamedTuple):
    """A selector of an element, and what identifies the element."""

    selector: str
    target: ScriptTarget = ScriptTarget()


async def durable_actions(page: Page, actions: Sequence[Action]) -> tuple[ScriptAction, ...]:
    """Return actions as a script keeps them. Called before they run, while their elements are as they were chosen.

    A selector that means no element now stays as it is, without a fingerprint: its element may come later. A secret
    becomes the name of the declared secret with its text, or else a name that says what it is typed into.
    """
    snapshot = await _snapshot(page)
    return tuple([await _durable(page, snapshot, action) for action in actions])


async def known_element(page: Page, snapshot: Snapshot, selector: str) -> Known:
    """Return what a script keeps of the element that a selector means now; the selector alone if there is none."""
    try:
        place = await place_of(page, selector)
    except (ActionFailed, CommandError):
        return Known(selector)
    return await known_place(page, snapshot, place, selector)


async def known_place(page: Page, snapshot: Snapshot, place: Place, selector: str, *, alternatives: int = 0) -> Known:
    """Return what a script keeps of an element, with at most this many `alternatives` to its selector.

    `selector` is kept if no lasting one means the element, and alone if the snapshot does not have it.
    """
    fingerprint = snapshot.fingerprint(*place.key, secrets=page_state(page).redactor)
    if fingerprint is None:
        return Known(selector)
    found, *selectors = await durable_selectors(page, snapshot, place, 1 + alternatives) or [selector]
    lasting = lasting_fingerprint(fingerprint)
    others = rivals(snapshot, lasting, place, page_state(page).redactor)
    words = short(described(fingerprint), MAX_TARGET_CHARS)
    row, rows = await _rows(page, found, lasting, place) if found else ("", [])
    others = (*(f"{words}{IN}{each}" for each in rows), *others)
    target = ScriptTarget(
        selectors=tuple(selectors),
        target=words,
        row=row,
        others=others,
        frame_path=frame_path(page, place.frame_id),
        fingerprint=lasting,
    )
    return Known(found, target)


async def _rows(page: Page, selector: str, fingerprint: dict[str, Any], place: Place) -> tuple[str, list[str]]:
    """Return the row of an element and the most similar rows of others of its role and name; nothing without those."""
    rows = [twin.row for twin in await twins(page, selector, fingerprint) if twin.place.key != place.key]
    if not rows:
        return "", []
    try:
        own = await row_of(page, selector)
    except (ActionFailed, CommandError):
        return "", []  # it has just left the page
    return own, nlargest(MAX_ROWS, rows, key=partial(shared_words, own))


async def _snapshot(page: Page) -> Snapshot | None:
    try:
        return await page.snapshot()
    except CommandError:
        return None


async def _durable(page: Page, snapshot: Snapshot | None, action: Action) -> ScriptAction:
    fields = {name: selector for name in TARGET_FIELDS if (selector := getattr(action, name, None)) is not None}
    known = {name: Known(selector) for name, selector in fields.items()}
    if snapshot is not None:
        known = {name: await known_element(page, snapshot, selector) for name, selector in fields.items()}
    source, drop = known.get("selector", Known("")).target, known["target"].target if "target" in known else None
    selectors = {name: each.selector for name, each in known.items()}
    plain = {**_without_secrets(page, action, source), **selectors}
    return ScriptAction(action=plain, drop=drop, **msgspec.structs.asdict(source))


def _without_secrets(page: Page, action: Action, target: ScriptTarget) -> dict[str, Any]:
    """Return the JSON form of an action in which secrets have names and defaults are left out."""
    secrets = page_state(page).secrets
    declared = {secrets.find(name).value: name for name in secrets}
    changed: dict[str, Any] = {}
    for field in msgspec.structs.fields(action):
        value = getattr(action, field.name)
        name = _secret_name(value, declared, target) if field.name in TYPED_FIELDS else None
        changed |= {} if name is None else {field.name: Secret(name=name)}
    kept = msgspec.structs.replace(action, **changed)
    defaults = {field.encode_name: field.default for field in msgspec.structs.fields(action)}
    plain = {
        name: value
        for name, value in msgspec.json.decode(msgspec.json.encode(kept)).items()
        if value != _plain(defaults.get(name))
    }
    return page_state(page).redact(plain)


def _plain(default: Any) -> Any:
    return list(default) if isinstance(default, tuple) else default


def _secret_name(value: Any, declared: Mapping[str, str], target: ScriptTarget) -> str | None:
    """Return the name of the secret that a value is, None if it is not a secret."""
    text = value.reveal() if isinstance(value, Secret) else value
    if isinstance(value, Secret) and value.name is not None:
        return value.name
    if isinstance(text, str) and text in declared:
        return declared[text]
    attributes = (target.fingerprint or {}).get("attributes", [])
    hides = any(pair == HIDES for pair in zip(attributes[::2], attributes[1::2], strict=False))
    return named_after(target.target) if isinstance(value, Secret) or (hides and text) else None


def named_after(words: str) -> str:
    """Return a name for a secret that is typed into an element: `password` for `textbox "Password"`."""
    shown = words.partition('"')[2] or words
    return "_".join(re.findall(r"[a-z0-9]+", shown.lower())[:4]) or "secret"
