"""Errors leave the public objects without the secrets of their context."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, TypeVar, cast

from stillframe.errors import StillframeError

Method = TypeVar("Method", bound=Callable[..., Coroutine[Any, Any, Any]])


def redacted(method: Method) -> Method:
    """Wrap a method of an object with a `_tab` so that the errors it raises show no secret: not in messages, data or causes."""

    @wraps(method)
    async def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return await method(self, *args, **kwargs)
        except StillframeError as error:
            self._tab.context.redaction.redact_error(error)
            raise

    return cast(Method, wrapper)
