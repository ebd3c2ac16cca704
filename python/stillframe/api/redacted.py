"""What a page raises goes to its caller without the secrets of its context."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from stillframe.errors import StillframeError

if TYPE_CHECKING:
    from stillframe.api.page import Page

Method = TypeVar("Method", bound=Callable[..., Coroutine[Any, Any, Any]])


def masked(method: Method) -> Method:
    """Wrap a method of `Page` so that the errors it raises show no secret: not in words, data or causes."""

    @wraps(method)
    async def wrapper(page: Page, *args: Any, **kwargs: Any) -> Any:
        try:
            return await method(page, *args, **kwargs)
        except StillframeError as error:
            page.context.redaction.redact_error(error)
            raise

    return cast(Method, wrapper)
