"""Show the objects that a page logs, as `{a: 1}`, without Runtime.enable.

Console.messageAdded tells texts alone, in which every object is `[object Object]`. Breakpoints on the console's methods
keep the arguments that are objects, and announce them by a message of their own: the next one of the session is theirs.
Pages see neither. Arguments in a frame of the page's process are read through an object of its document, since nothing
else leads into its main world without Runtime.enable.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from stillframe import injected
from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import debugger, runtime
from stillframe.cdp_types import page as cdp_page
from stillframe.tab.session_tree import shows_documents

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.tab.events.worker_debuggers import WorkerDebuggers
    from stillframe.tab.frames import Frame

KEY = f"_{secrets.token_hex(8)}"
"""The beginning of the names under which documents keep arguments, random per process, so that no page can guess it."""

READ_S = 1.0
"""Seconds for a page to hand over what it has logged; one that is busy for longer keeps it."""

ANSWERS = (runtime.EvaluateResult, runtime.CallFunctionOnResult)

REALMS = 64
"""Realms that are remembered, so that what they log next is read at once, and none is looked for twice."""

STACK = "\n    at "
"""What the stack in the description of an error begins with."""


class ConsoleObjects:
    """The breakpoints in the documents or the worker of one session, and the arguments that they keep.

    Each listening of a tab has another `number`: a document may still have what an earlier one put there, whose
    breakpoints are gone.
    """

    def __init__(
        self,
        session: CDPSession,
        number: int,
        frames: Callable[[CDPSession], Iterable[Frame]],
        debuggers: WorkerDebuggers,
    ) -> None:
        self._session = session
        self._frames = frames
        self._debuggers = debuggers
        self._searches: dict[str, asyncio.Task[str | None]] = {}
        """The searches for the documents of realms that announced arguments and are not the session's own."""
        self._key = f"{KEY}{number}"
        source = f"{injected.read('console')}({json.dumps(self._key)}, debug, undebug)"
        self._script: asyncio.Future[Any] = (
            self._watch_documents(source) if shows_documents(session) else self._watch_worker(source)
        )

    def _watch_documents(self, source: str) -> asyncio.Future[Any]:
        self._session.post(debugger.Enable())
        # Nothing of the page pauses: neither these breakpoints nor its own `debugger` statements.
        self._session.post(debugger.SetSkipAllPauses(skip=True))
        command = cdp_page.AddScriptToEvaluateOnNewDocument(
            source=source, include_command_line_api=True, run_immediately=True
        )
        return self._session.post(command)

    def _watch_worker(self, source: str) -> asyncio.Future[Any]:
        self._debuggers.use(self._session)
        return self._session.post(runtime.Evaluate(expression=source, include_command_line_api=True, silent=True))

    def remove(self) -> None:
        """Take the breakpoints away; awaits nothing."""
        self._forget_searches()
        if self._session.error is not None:
            return
        if shows_documents(self._session):
            self._session.post(debugger.Disable())
            self._script.add_done_callback(self._forget)
        else:
            # Chrome keeps the breakpoints of a worker whose debugger stays on for the call hooks.
            self._session.post(runtime.Evaluate(expression=f"{self._held}?.stop()", silent=True))
            self._debuggers.leave(self._session)

    def _forget(self, script: asyncio.Future[cdp_page.AddScriptToEvaluateOnNewDocumentResult]) -> None:
        if not script.cancelled() and script.exception() is None and self._session.error is None:
            identifier = script.result().identifier
            self._session.post(cdp_page.RemoveScriptToEvaluateOnNewDocument(identifier=identifier))

    def announced(self, text: str) -> str | None:
        """Return where the arguments of the next message are, if a message announces them."""
        return text[len(self._key) + 1 :] if text.startswith(f"{self._key} ") else None

    def read(self, place: str) -> asyncio.Future[list[Any]]:
        """Ask for the arguments of a message at once, before the page goes on; `text_of` takes what comes."""
        realm, *call = place.split(",")
        document = self._found(realm)
        return asyncio.ensure_future(self._read(realm, call, document, self._ask(realm, call, document)))

    async def _read(
        self, realm: str, call: Sequence[str], document: str | None, asked: asyncio.Future[list[Any]]
    ) -> list[Any]:
        replies = await asked
        if document is not None or text_of(replies) is not None:
            return replies
        document = await asyncio.shield(self._search(realm))
        return replies if document is None else await self._ask(realm, call, document)

    def _ask(self, realm: str, call: Sequence[str], document: str | None) -> asyncio.Future[list[Any]]:
        number, first, length = call
        group = f"{self._key} {realm},{number}"
        replies = [
            self._session.post(self._command(f"give({realm}, {number}, {index})", document, group), timeout=READ_S)
            for index in range(int(first), int(length))
        ]
        self._session.post(runtime.ReleaseObjectGroup(object_group=group))
        return asyncio.gather(*replies, return_exceptions=True)

    def _command(self, member: str, document: str | None, group: str) -> runtime.Evaluate | runtime.CallFunctionOn:
        script = f"{self._held}.{member}"
        if document is None:
            return runtime.Evaluate(expression=script, object_group=group, generate_preview=True, silent=True)
        return runtime.CallFunctionOn(
            function_declaration=f"function() {{ return {script} }}",
            object_id=document,
            object_group=group,
            generate_preview=True,
            silent=True,
        )

    @property
    def _held(self) -> str:
        return f"(async function*() {{}}).{self._key}"

    # -- documents of frames in the session's process

    def _found(self, realm: str) -> str | None:
        search = self._searches.get(realm)
        return search.result() if search is not None and search.done() and not search.cancelled() else None

    def _search(self, realm: str) -> asyncio.Task[str | None]:
        if realm not in self._searches:
            if len(self._searches) == REALMS:
                self._forget_searches()
            self._searches[realm] = asyncio.create_task(self._document_of(realm), name="stillframe-console-realm")
        return self._searches[realm]

    def _forget_searches(self) -> None:
        for search in self._searches.values():
            search.cancel()
        self._searches.clear()

    async def _document_of(self, realm: str) -> str | None:
        """Return the object id of the document whose realm it is; None if no frame of the process shows it in time."""
        frames = [frame for frame in self._frames(self._session) if not frame.is_process_root]
        try:
            async with time_limit(READ_S):
                found = await asyncio.gather(*(self._realm_of(frame) for frame in frames), return_exceptions=True)
        except TimeoutError:
            return None
        return next((each[1] for each in found if isinstance(each, tuple) and each[0] == realm), None)

    async def _realm_of(self, frame: Frame) -> tuple[str, str]:
        document = await frame.document_object()
        function = f"function() {{ return {self._held}.realm }}"
        command = runtime.CallFunctionOn(function_declaration=function, object_id=document, silent=True)
        return str((await self._session.send(command)).result.value), document


def text_of(replies: Sequence[Any]) -> str | None:
    """Return the text of a message from its arguments, or None if one of them could not be read."""
    read = [each for each in replies if isinstance(each, ANSWERS) and each.exception_details is None]
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
