"""What a public page, its frames and its locators share, and how their calls begin and end."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from functools import wraps
from inspect import signature
from typing import Any, Protocol, TypeVar, cast

from stillframe.api.playwright_names import PlaywrightNames
from stillframe.engine import sequence
from stillframe.engine.page_parts import PageParts
from stillframe.errors import StillframeError
from stillframe.model.actions import Action
from stillframe.model.call_options import split_check
from stillframe.model.playwright_parameters import bind
from stillframe.model.result import SequenceResult
from stillframe.tab.context.timeouts import Timeouts
from stillframe.tab.deadline import Deadline
from stillframe.tab.events.held_dialogs import until_dialog

Method = TypeVar("Method", bound=Callable[..., Coroutine[Any, Any, Any]])
Passing = TypeVar("Passing", bound=Callable[..., Any])


BESIDE_DIALOGS = frozenset({"execute_sequence", "settle"})
"""The calls that say in their results that a dialog waits for an answer; it ends every other call with DialogOpen."""


def page_call(method: Method) -> Method:
    """Wrap a method of a page part: it attaches to the tab first, ends in time, and its errors show no secret.

    A method with a `timeout_ms` ends `LATE_S` after it at the latest, attaching included. A call that gives none has
    the default of its page or context, if that was set.
    """
    name, operation = method.__name__, method.__qualname__.lower()
    parameters = signature(method).parameters
    limit = parameters.get("timeout_ms")
    is_public, is_beside_dialogs = not name.startswith("_"), name in BESIDE_DIALOGS

    @wraps(method)
    async def wrapper(self: PagePart, *args: Any, **kwargs: Any) -> Any:
        if limit is not None:
            kwargs = self._tab.timeouts.applied(name, kwargs)
        async with AsyncExitStack() as stack:
            stack.enter_context(self._errors_redacted())
            if is_public and (observers := self._parts.history.observers):
                arguments = {**dict(zip(tuple(parameters)[1:], args, strict=False)), **kwargs}
                for observer in observers:
                    stack.enter_context(observer.call(name, arguments))
            if limit is not None:
                deadline = Deadline.of_ms(kwargs.get("timeout_ms", limit.default))
                await stack.enter_async_context(deadline.enforced(operation))
            await self._parts.attach()
            if not is_beside_dialogs:
                await stack.enter_async_context(until_dialog(self._tab.dialogs))
            return await bind(method, (self, *args), kwargs)

    return cast("Method", wrapper)


class HasTimeouts(Protocol):
    """A page, one of its parts, or a context."""

    @property
    def _timeouts(self) -> Timeouts: ...


def default_limit(method: Passing) -> Passing:
    """Wrap a method that passes its `timeout_ms` on: a call that gives none has the default of its page or context."""

    @wraps(method)
    def wrapper(self: HasTimeouts, *args: Any, **kwargs: Any) -> Any:
        return bind(method, (self, *args), self._timeouts.applied(method.__name__, kwargs))

    return cast("Passing", wrapper)


class PagePart(PlaywrightNames):
    """A page, one of its frames or a locator."""

    def __init__(self, parts: PageParts) -> None:
        self._parts = parts
        self._tab = parts.tab

    @property
    def _timeouts(self) -> Timeouts:
        return self._tab.timeouts

    @contextmanager
    def _errors_redacted(self) -> Iterator[None]:
        """Keep the secrets of the context out of the errors of the block."""
        try:
            yield
        except StillframeError as error:
            self._tab.context.redaction.redact_error(error)
            raise

    async def _act(self, action: Action, options: Mapping[str, Any]) -> SequenceResult:
        """Run one action as a sequence of one; raises the error of its failure unless the option `check` is False."""
        __tracebackhide__ = True
        with self._errors_redacted():
            await self._parts.attach()
            check, options = split_check(options)
            result = await sequence.execute(self._parts.settler, self._parts.history, [action], options)
            return result.raise_for_failure() if check else result


class PartOfPage(PagePart):
    """A part that leads back to its page."""

    @property
    def page(self) -> Any:
        """The page that it belongs to."""
        return self._tab.events.extras["page"]
