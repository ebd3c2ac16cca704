"""What the generated classes of `stillframe.sync` share: how they call the asynchronous objects behind them."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import inspect
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any, ClassVar, Generic, Self, TypeVar
from weakref import WeakValueDictionary

from stillframe.api.playwright_names import PlaywrightNames
from stillframe.errors import ConnectionLost, OptionInvalid
from stillframe.model.events import PageValue
from stillframe.model.playwright_parameters import name_parameters
from stillframe.sync import loop_thread
from stillframe.sync.loop_thread import LoopThread, awaited

T = TypeVar("T")
W = TypeVar("W", bound="Wrapper")


class Wrapper(PlaywrightNames):
    """A synchronous object: each method runs the method of the same name on the loop's thread and waits for it."""

    _classes: ClassVar[dict[type, type[Wrapper]]] = {}
    """The synchronous class of each asynchronous one."""
    _known: ClassVar[WeakValueDictionary[int, Wrapper]] = WeakValueDictionary()
    """The wrappers in use, by the identity of what they wrap: one page has one wrapper."""
    _knowing: ClassVar[threading.Lock] = threading.Lock()

    _async: Any
    _thread: LoopThread

    def __init_subclass__(cls, *, wraps: type | None = None) -> None:
        if wraps is not None:
            Wrapper._classes[wraps] = name_parameters(cls)

    @classmethod
    def _of(cls, target: Any, thread: LoopThread) -> Self:
        """Return the wrapper of an asynchronous object."""
        with Wrapper._knowing:
            known = Wrapper._known.get(id(target))
            if isinstance(known, cls):
                return known
            wrapper = cls.__new__(cls)
            wrapper._set(target, thread)
            Wrapper._known[id(target)] = wrapper
            return wrapper

    def _set(self, target: Any, thread: LoopThread) -> None:
        self._async = target
        self._thread = thread

    def __repr__(self) -> str:
        return self._read(lambda: repr(self._async))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wrapper) and bool(self._async == other._async)

    def __hash__(self) -> int:
        return hash(self._async)

    @property
    def _page_object(self) -> Any:
        """What a handle passes to a script, so that one may stand anywhere in an argument; None for anything else."""
        return getattr(self._async, "_page_object", None)

    # -- calls -----------------------------------------------------------------------------------

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self._thread.wait(work)

    def _finish(self, work: Coroutine[Any, Any, None]) -> None:
        """Wait until something is closed, which must not stop half-way; with the loop, everything has closed."""
        if self._thread.running:
            self._thread.wait(work, interruptible=False)
        else:
            work.close()

    def _call(self, function: Callable[[], T]) -> T:
        return self._thread.call(function)

    def _read(self, function: Callable[[], T]) -> T:
        return self._thread.read(function)

    # -- values ----------------------------------------------------------------------------------

    def _one(self, cls: type[W], target: Any) -> W:
        """Return the wrapper of an object: of its own class, if that derives from the declared one."""
        own = Wrapper._classes.get(type(target), cls)
        return (own if issubclass(own, cls) else cls)._of(target, self._thread)

    def _maybe(self, cls: type[W], target: Any) -> W | None:
        return None if target is None else self._one(cls, target)

    def _all(self, cls: type[W], targets: Iterable[Any]) -> list[W]:
        return [self._one(cls, target) for target in targets]

    def _each(self, cls: type[W], targets: Mapping[str, Any]) -> dict[str, W]:
        return {name: self._one(cls, target) for name, target in targets.items()}

    def _targets(self, values: Any) -> Any:
        """Return the asynchronous objects of a list in which other values stay as they are."""
        if isinstance(values, Wrapper):
            return values._async
        return [self._targets(each) for each in values] if isinstance(values, list | tuple) else values

    def _value(self, value: Any) -> Any:
        return synchronous(value, self._thread)

    def _asynchronous(self, value: Any) -> Any:
        """Return what a wrapper wraps, and any other value as it is."""
        return value._async if isinstance(value, Wrapper) else value

    def _applied(self, function: Callable[[Any], Any]) -> Any:
        """Return what a function makes of the asynchronous object, in its synchronous form."""
        return self._value(function(self._async))

    def _function(self, function: Any) -> Any:
        """Return a function for the asynchronous object that gives synchronous objects to the caller's."""
        return Function(function, self._thread) if callable(function) else function

    def _handler(self, handler: Any) -> Any:
        return Handler(handler, self._thread) if callable(handler) else handler

    def _ordered_handler(self, handler: Any) -> Any:
        return OrderedHandler(handler, self._thread) if callable(handler) else handler

    def _remover(self, remove: Callable[[], None]) -> Callable[[], None]:
        def removed() -> None:
            with suppress(ConnectionLost):  # nothing calls handlers any more
                self._call(remove)

        return removed


class Owner(Wrapper):
    """A wrapper of what keeps the loop's thread running until it is closed."""

    def _end(self, work: Coroutine[Any, Any, None]) -> None:
        """Close what is wrapped, and let go of the thread."""
        try:
            self._finish(work)
        finally:
            loop_thread.release(self._thread, self._async)


def opened(cls: type[W], opening: Callable[[], Awaitable[Any]]) -> W:
    """Open something on the shared thread and return its wrapper, which owns the thread until it is closed."""
    token = object()
    thread = loop_thread.acquire(token)
    try:
        target = thread.wait(_opened(opening))
        loop_thread.acquire(target)
        return cls._of(target, thread)
    finally:
        loop_thread.release(thread, token)


async def _opened(opening: Callable[[], Awaitable[T]]) -> T:
    return await opening()


def made(wrapper: Owner, make: Callable[[], Any]) -> None:
    """Construct on the shared thread what a wrapper owns."""
    token = object()
    thread = loop_thread.acquire(token)
    try:
        wrapper._thread = thread  # functions of the caller run through it
        target = thread.call(make)
        loop_thread.acquire(target)
        wrapper._set(target, thread)
    finally:
        loop_thread.release(thread, token)


def synchronous(value: Any, thread: LoopThread) -> Any:
    """Return the wrapper of an asynchronous object, and any other value as it is."""
    cls = Wrapper._classes.get(type(value))
    if cls is not None:
        return cls._of(value, thread)
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return type(value)._make(synchronous(each, thread) for each in value)
    if isinstance(value, PageValue) and value.page is not None:
        own = copy.copy(value)
        own.__dict__.update(value.__dict__, page=synchronous(value.page, thread))
        return own
    return value


# -- functions of the caller ---------------------------------------------------------------------


class Function:
    """A function of the caller that decides at once, on the loop's thread: it must not call methods of objects."""

    def __init__(self, function: Callable[..., Any], thread: LoopThread) -> None:
        if inspect.iscoroutinefunction(function):
            raise OptionInvalid(
                f"{function.__qualname__} is async: stillframe.sync takes plain functions", option="handler"
            )
        self._function = function
        self._thread = thread
        self.__wrapped__ = function  # `inspect.signature` tells how many values it takes

    # `unroute` finds a route by its pattern and its handler.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and other._function == self._function

    def __hash__(self) -> int:
        return hash(self._function)

    def __call__(self, *values: Any) -> Any:
        """Call the function with synchronous values."""
        return self._function(*self._converted(values))

    def _converted(self, values: Iterable[Any]) -> list[Any]:
        return [synchronous(value, self._thread) for value in values]


class Handler(Function):
    """A handler of the caller: it runs in a thread of its own, and may call any method."""

    def __call__(self, *values: Any) -> Any:
        """Start the handler in its thread, and return the task that waits for it."""
        return self._thread.start_task(self._run(self._converted(values)), "stillframe-sync-handler")

    async def _run(self, values: list[Any]) -> Any:
        return await _in_thread(self._function, values)


class OrderedHandler(Handler):
    """A handler of events: it runs for one event after another, in their order."""

    def __init__(self, function: Callable[..., Any], thread: LoopThread) -> None:
        super().__init__(function, thread)
        self._turn = asyncio.Lock()

    async def _run(self, values: list[Any]) -> Any:
        async with self._turn:
            return await super()._run(values)


async def _in_thread(function: Callable[..., T], values: list[Any]) -> T:
    """Call a function in a daemon thread of its own: a pool could be full of handlers that wait for each other."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def report(result: T | None, error: Exception | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)  # type: ignore[arg-type]
        else:
            future.set_exception(error)

    def run() -> None:
        result, error = None, None
        try:
            result = function(*values)
        except Exception as failure:
            error = failure
        except BaseException as failure:  # SystemExit and the like would end the loop
            error = RuntimeError(f"{function!r} ended with {failure!r}")
            error.__cause__ = failure
        with suppress(RuntimeError):  # the loop has stopped meanwhile
            loop.call_soon_threadsafe(report, result, error)

    # A handler that runs within a call (a locator handler) is a part of it, which the context says.
    within = contextvars.copy_context().run
    threading.Thread(target=within, args=(run,), name="stillframe-sync-handler", daemon=True).start()
    return await future


# -- waiting for what a block causes --------------------------------------------------------------


class Expected(Generic[T]):
    """What a block is expected to cause: `with page.expect_popup() as popup: …`, then `popup.value`."""

    def __init__(self, expecting: AbstractAsyncContextManager[asyncio.Future[Any]], thread: LoopThread) -> None:
        self._expecting = expecting
        self._thread = thread
        self._future: asyncio.Future[Any] | None = None

    def __enter__(self) -> Expected[T]:
        self._future = self._thread.wait(self._expecting.__aenter__())
        return self

    def __exit__(self, *exc: Any) -> None:
        self._thread.wait(self._expecting.__aexit__(*exc))

    @property
    def value(self) -> T:
        """What came. Within the block it waits for it; raises as the end of the block does, but has no time limit."""
        if self._future is None:
            raise OptionInvalid("this expectation has not begun: enter it with a `with` block", option="value")
        if self._future.done():
            return self._synchronous(self._future.result())
        return self._synchronous(self._thread.wait(awaited(asyncio.shield(self._future))))

    def is_done(self) -> bool:
        """Return whether it has come."""
        return self._future is not None and self._future.done()

    def _synchronous(self, value: Any) -> T:
        result: T = synchronous(value, self._thread)
        return result
