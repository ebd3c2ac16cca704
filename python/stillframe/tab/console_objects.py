"""Show the objects that a page logs, as `{a: 1}`, without Runtime.enable.

Console.messageAdded tells texts alone, in which every object is `[object Object]`. Breakpoints on the console's methods
keep the arguments that are objects, and announce them by a message of their own: the next one of the session is theirs.
Pages see neither. Of frames only those with a process of their own are read, the main frame included.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from stillframe import injected
from stillframe.cdp_types import debugger, runtime
from stillframe.cdp_types import page as cdp_page

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession

KEY = f"_{secrets.token_hex(8)}"
"""The beginning of the names under which documents keep arguments, random per process, so that no page can guess it."""

READ_S = 1.0
"""Seconds for a page to hand over what it has logged; one that is busy for longer keeps it."""

STACK = "\n    at "
"""What the stack in the description of an error begins with."""


class ConsoleObjects:
    """The breakpoints in the documents of one session, and the arguments that they keep.

    Each listening of a tab has another `number`: a document may still have what an earlier one put there, whose
    breakpoints are gone.
    """

    def __init__(self, session: CDPSession, number: int) -> None:
        self._session = session
        self._key = f"{KEY}{number}"
        source = f"{injected.read('channel/console')}({json.dumps(self._key)}, debug)"
        session.post(debugger.Enable())
        # Nothing of the page pauses: neither these breakpoints nor its own `debugger` statements.
        session.post(debugger.SetSkipAllPauses(skip=True))
        command = cdp_page.AddScriptToEvaluateOnNewDocument(
            source=source, include_command_line_api=True, run_immediately=True
        )
        self._script: asyncio.Future[cdp_page.AddScriptToEvaluateOnNewDocumentResult] = session.post(command)

    def remove(self) -> None:
        """Take the breakpoints away; awaits nothing."""
        if self._session.error is None:
            self._session.post(debugger.Disable())
            self._script.add_done_callback(self._forget)

    def _forget(self, script: asyncio.Future[cdp_page.AddScriptToEvaluateOnNewDocumentResult]) -> None:
        if not script.cancelled() and script.exception() is None and self._session.error is None:
            identifier = script.result().identifier
            self._session.post(cdp_page.RemoveScriptToEvaluateOnNewDocument(identifier=identifier))

    def announced(self, text: str) -> str | None:
        """Return where the arguments of the next message are, if a message announces them."""
        return text[len(self._key) + 1 :] if text.startswith(f"{self._key} ") else None

    def read(self, place: str) -> asyncio.Future[list[Any]]:
        """Ask for the arguments of a message at once, before the page goes on; `text_of` takes what comes."""
        realm, number, first, length = place.split(",")
        group = f"{self._key} {place}"
        held = f"(async function*() {{}}).{self._key}"
        replies = [
            self._session.post(
                runtime.Evaluate(
                    expression=f"{held}.give({realm}, {number}, {index})",
                    object_group=group,
                    generate_preview=True,
                    silent=True,
                ),
                timeout=READ_S,
            )
            for index in range(int(first), int(length))
        ]
        self._session.post(runtime.ReleaseObjectGroup(object_group=group))
        return asyncio.gather(*replies, return_exceptions=True)


def text_of(replies: Sequence[Any]) -> str | None:
    """Return the text of a message from its arguments, or None if one of them could not be read."""
    read = [each for each in replies if isinstance(each, runtime.EvaluateResult) and each.exception_details is None]
    return " ".join(shown(each.result) for each in read) if len(read) == len(replies) else None


def shown(value: runtime.RemoteObject) -> str:
    """Return a logged value as text."""
    if value.type == "string":
        return str(value.value)
    if value.subtype == "null":
        return "null"
    preview, described = value.preview, value.description or value.unserializable_value
    if preview is not None and value.subtype == "array":
        return f"[{', '.join(_elements(preview))}]"
    if preview is not None and value.type == "object" and described == "Object":
        return f"{{{', '.join([*map(_member, preview.properties), *_rest(preview)])}}}"
    if value.subtype == "error":
        return (described or "Error").partition(STACK)[0]
    return described or (json.dumps(value.value) if value.type == "boolean" else value.type)


def _elements(preview: runtime.ObjectPreview) -> Iterator[str]:
    """Yield the elements of an array and its other properties, with how many are empty in between."""
    following = 0
    for each in preview.properties:
        if not each.name.isdecimal():
            yield _member(each)
            continue
        if gap := int(each.name) - following:
            yield f"empty × {gap}"
        following = int(each.name) + 1
        yield _value(each)
    yield from _rest(preview)


def _rest(preview: runtime.ObjectPreview) -> list[str]:
    return ["…"] if preview.overflow else []


def _member(each: runtime.PropertyPreview) -> str:
    return f"{each.name}: {_value(each)}"


def _value(each: runtime.PropertyPreview) -> str:
    words = {"function": "ƒ", "accessor": "(…)"}
    return words.get(each.type) or str(each.value or "")
