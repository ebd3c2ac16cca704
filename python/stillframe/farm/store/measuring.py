"""How long the operations of a store take, and why they are tried again: told to who asks for it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")
OTHER = "other"
"""Operations without a name of their own."""
RUNS_FOR: ContextVar[str] = ContextVar("store_operation", default=OTHER)
"""The operation that a transaction belongs to."""

LOCK, POOL, SERVER, UNREACHABLE = "lock", "pool", "server", "unreachable"
"""Why a transaction is tried again: another connection keeps a lock; all connections of this worker are in use; the
server answers and has ended it; the server does not answer."""
WHYS = (LOCK, POOL, SERVER, UNREACHABLE)


Called = Callable[[str, float], None]
"""Told that an operation has ended, well or not, and the seconds that it took, all of its tries included."""
TriedAgain = Callable[[str, str], None]
"""Told that a try of an operation has failed, for one of `WHYS`, and another one may follow."""


@contextmanager
def operation(name: str) -> Iterator[None]:
    """Let the transactions of the block count as an operation, unless they are part of another one."""
    if RUNS_FOR.get() != OTHER:
        yield
        return
    token = RUNS_FOR.set(name)
    try:
        yield
    finally:
        RUNS_FOR.reset(token)


def named(store: type[T]) -> type[T]:
    """Let each public coroutine method of a class be an operation by its own name."""
    for name, method in list(vars(store).items()):
        if inspect.iscoroutinefunction(method) and not name.startswith("_"):
            setattr(store, name, _named(name, method))
    return store


def _named(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    async def call(*arguments: Any, **options: Any) -> Any:
        with operation(name):
            return await method(*arguments, **options)

    return call
