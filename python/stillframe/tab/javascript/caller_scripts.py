"""Run a caller's script in a page's own world: for a page, a frame, the element of a locator, and a handle.

A script is an expression, statements, or a function. As with Playwright, what it comes to decides: a function is called
with what the caller gives, and anything else is the value.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from stillframe import injected
from stillframe.cdp_types import runtime
from stillframe.errors import CdpError, CommandError, ContextLost, EvaluationFailed
from stillframe.tab import remote
from stillframe.tab.javascript import values as javascript
from stillframe.tab.javascript.arguments import Arguments, encode
from stillframe.tab.javascript.page_objects import PageObject
from stillframe.tab.locating.quoting import shortened

if TYPE_CHECKING:
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.frames import Frame

_WITHIN = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`(?:\\.|[^`\\])*`|\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
"""Texts, and brackets without brackets in them."""
_ASSIGNMENT = re.compile(r"(?<![=!<>])=(?!=)")

FUNCTION = re.compile(r"\s*(?:async\s+)?function\b")
"""How a function begins that is an expression in brackets only: by itself it is a declaration, or does not parse."""

LEAVES = re.compile(
    r"\blocation(\.href)?\s*=[^=]|\blocation\.(assign|replace|reload)\(|\.(submit|requestSubmit|click)\("
    r"|\bhistory\.(back|forward|go)\(|\bnavigation\.(navigate|reload|back|forward|traverseTo)\("
)
"""What a script says that replaces its document: its value is requested with the reply, because it is gone soon after.
For other scripts that would be ten times as slow as a second question (measured on 100,000 numbers)."""
AT_ONCE = runtime.SerializationOptions(serialization="deep", max_depth=20, additional_parameters={"maxNodeDepth": 0})

EVENTS_S = 0.3
"""Seconds to wait for the events that came before an answer; an idle page takes some milliseconds."""


class Given(NamedTuple):
    """What a script is called with: the object that it is for, if any, and the caller's argument."""

    argument: Any = None
    subject: PageObject | None = None
    subject_name: str = "element"

    @property
    def values(self) -> list[Any]:
        """What a function is called with, in order."""
        return [self.argument] if self.subject is None else [self.subject, self.argument]

    @property
    def parameters(self) -> str:
        """How a function takes what must not be ignored; "" if nothing was given."""
        subject = [] if self.subject is None else [self.subject_name]
        return ", ".join(subject if self.argument is None else [*subject, "arg"])


NOTHING = Given()


async def evaluate(
    frame: Frame, script: str, given: Given = NOTHING, *, user_gesture: bool = False, deadline: Deadline
) -> Any:
    """Run a script in the frame's own world and return its value; a promise is awaited.

    At the deadline the script is ended. Raises ArgumentInvalid, HandleForeign and HandleReleased before
    it runs; EvaluationFailed, EvaluationTimeout, and ContextLost if the document goes away meanwhile.
    """
    arguments = encode(given.values, frame)
    async with frame.running_script(deadline):
        made = await _made(frame, script, given, user_gesture)
        try:
            if is_value(made, given, script):
                return await remote.read(frame.session, made)
            function = _calling(len(given.values), by_value=True)
            command = function_call(made, function, arguments, by_value=True, user_gesture=user_gesture)
            async with telling_released(arguments):
                return javascript.read((await _result(frame, command)).value)
        finally:
            release(frame, made)


async def evaluate_handle(
    frame: Frame, script: str, given: Given = NOTHING, *, user_gesture: bool = False, deadline: Deadline
) -> PageObject:
    """Run a script as `evaluate` does, and return what it comes to as an object that stays in the page."""
    arguments, loader_id = encode(given.values, frame), frame.loader_id
    async with frame.running_script(deadline):
        made = await _made(frame, script, given, user_gesture)
        if not given.parameters and is_value(made, given, script):
            return PageObject(frame, loader_id, made)
        try:
            is_value(made, given, script)  # raises for what nothing takes
            function = _calling(len(given.values), by_value=False)
            command = function_call(made, function, arguments, user_gesture=user_gesture)
            async with telling_released(arguments):
                return PageObject(frame, loader_id, await _result(frame, command))
        finally:
            release(frame, made)


async def compiled(frame: Frame, script: str) -> runtime.RemoteObject:
    """Return a function of the page that runs a script again at each call; raises EvaluationFailed.

    Statements are no expression: they take `eval`, which a content security policy may forbid.
    """
    context_id = await frame.main_world_context()
    forms = (f"() => {_in_brackets(script)}", f"() => (0, eval)({json.dumps(script)})")
    return await _first_that_parses(frame, [runtime.Evaluate(expression=each, context_id=context_id) for each in forms])


def assigns(script: str) -> bool:
    """Return whether a script assigns the function that it comes to, which nobody means to be called at once.

    >>> assigns("go.onclick = () => { total = 1 }"), assigns("(a = 1) => { total = a }")
    (True, False)
    """
    outer, before = script, ""
    while outer != before:
        outer, before = _WITHIN.sub("", outer), outer
    return _ASSIGNMENT.search(outer.partition("=>")[0]) is not None


def is_value(made: runtime.RemoteObject, given: Given, script: str) -> bool:
    """Return whether a script is a value by itself, not a function; raises EvaluationFailed if it was given something.

    What nothing takes would be ignored in silence.
    """
    if made.type == "function":
        return not given.parameters and assigns(script)
    if given.parameters:
        raise EvaluationFailed(
            "TypeError: the script is not a function, so nothing takes what it is given; write "
            f"({given.parameters}) => {shortened(script)}",
            method="Runtime.evaluate",
        )
    return True


def function_call(
    on: runtime.RemoteObject,
    declaration: str,
    arguments: Arguments,
    *before: runtime.CallArgument,
    by_value: bool = False,
    user_gesture: bool = False,
) -> runtime.CallFunctionOn:
    """Return the command that calls a function with the arguments that `decoding` decodes, after those `before`."""
    objects = [runtime.CallArgument(object_id=each.object_id) for each in arguments.objects]
    return runtime.CallFunctionOn(
        function_declaration=declaration.replace(_CONSTANTS, arguments.constants),
        arguments=[*before, runtime.CallArgument(value=arguments.nodes), *objects],
        object_id=on.object_id,
        return_by_value=by_value,
        user_gesture=user_gesture or None,
        await_promise=True,
    )


@asynccontextmanager
async def telling_released(arguments: Arguments) -> AsyncIterator[None]:
    """Raise HandleReleased for a call that Chrome refuses because the document of an object has just been replaced."""
    try:
        yield
    except ContextLost:
        raise
    except CdpError:
        for held in arguments.objects:
            with suppress(CommandError):
                await held.session.drain_events(timeout=EVENTS_S)  # the event that tells came before
            held.require_usable()
        raise


@cache
def decoding() -> str:
    """Return the JavaScript that decodes arguments from `nodes` and `objects`, the last parameters of a function."""
    return f"({injected.read('revive')})(nodes, {_CONSTANTS}, objects)"


def release(frame: Frame, made: runtime.RemoteObject) -> None:
    """Release an object without waiting for the browser."""
    if made.object_id is not None and frame.session.error is None:
        frame.session.post(runtime.ReleaseObject(object_id=made.object_id))


# -- its steps -----------------------------------------------------------------------------------

_CONSTANTS = "/* constants */[]"
"""Where the constants of a call stand in its source."""


async def _made(frame: Frame, script: str, given: Given, user_gesture: bool) -> runtime.RemoteObject:
    if given.subject is not None and given.subject.object_id is not None:
        context_id: int | None = remote.context_of(given.subject.object_id)
    else:
        context_id = await frame.main_world_context()
    forms = (_in_brackets(script), script) if FUNCTION.match(script) else (script,)
    commands = [
        runtime.Evaluate(
            expression=each,
            context_id=context_id,
            user_gesture=user_gesture or None,
            await_promise=True,
            serialization_options=AT_ONCE if LEAVES.search(each) else None,
        )
        for each in forms
    ]
    return await _first_that_parses(frame, commands)


async def _first_that_parses(frame: Frame, commands: list[runtime.Evaluate]) -> runtime.RemoteObject:
    """Return what the first script that parses comes to; if none does, raise the error of the first."""
    first: runtime.EvaluateResult | None = None
    for command in commands:
        reply = await frame.session.send(command, timeout=None)
        details = reply.exception_details
        if details is None or details.exception is None or details.exception.class_name != "SyntaxError":
            first = reply
            break
        first = first or reply
    assert first is not None
    remote.value_of(first, frame.session, "Runtime.evaluate")
    return first.result


async def _result(frame: Frame, command: runtime.CallFunctionOn) -> runtime.RemoteObject:
    reply = await frame.session.send(command, timeout=None)
    remote.value_of(reply, frame.session, "Runtime.callFunctionOn")
    return reply.result


def _in_brackets(script: str) -> str:
    return f"(\n{script.rstrip().rstrip(';')}\n)"


@cache
def _calling(count: int, *, by_value: bool) -> str:
    """Return a function that calls `this` with so many decoded arguments.

    The value is encoded in the task that made it: where a script leaves the page, nothing could ask for it later.
    """
    run = f"run({', '.join(f'given[{at}]' for at in range(count))})"
    begin = f"(nodes, ...objects) {{ const run = this, given = {decoding()};"
    if by_value:
        return f"async function{begin} return ({injected.read('serialize')})(await {run}); }}"
    return f"function{begin} return {run}; }}"
