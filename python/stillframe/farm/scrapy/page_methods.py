"""Page methods: what a spider wants done on a page, by the names of Playwright or as actions."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from stillframe import Page
from stillframe.errors import ActionInvalid
from stillframe.model import actions
from stillframe.model.result import SequenceResult


class PageMethod:
    """A method of a page, by its name, or a function that takes the page; `result` is what it returned."""

    def __init__(self, method: str | Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        self.method = method
        self.args = args
        self.kwargs = kwargs
        self.result: Any = None

    def __repr__(self) -> str:
        return f"<PageMethod for method {self.method!r}>"


ACTIONS: dict[str, Callable[..., actions.Action]] = {
    "check": actions.Check,
    "click": actions.Click,
    "dblclick": actions.DoubleClick,
    "drag_and_drop": lambda source, target, **fields: actions.DragTo(source, target=target, **fields),
    "fill": actions.SetValue,
    "focus": actions.Focus,
    "go_back": actions.GoBack,
    "go_forward": actions.GoForward,
    "goto": actions.Navigate,
    "hover": actions.Hover,
    "press": actions.PressKey,
    "press_sequentially": actions.TypeText,
    "reload": actions.Reload,
    "select_option": actions.SelectOption,
    "set_input_files": actions.UploadFile,
    "tap": actions.Tap,
    "type": actions.TypeText,
    "uncheck": actions.Uncheck,
    "wait_for_selector": lambda selector, **fields: actions.WaitFor(selector=selector, **fields),
    "wait_for_url": lambda url, **fields: actions.WaitFor(url=url, **fields),
}
"""The actions for methods of Playwright's page."""
READING = frozenset(
    "content pdf screenshot title wait_for_load_state wait_for_selector wait_for_timeout wait_for_url".split()  # noqa: SIM905
)
"""Methods that change nothing, so that a page whose browser ended in them can be loaded again."""
Work = actions.Action | Mapping[str, Any]


async def _wait(page: Page, timeout: float) -> None:
    """Let time pass that a spider asks for, and wait until the page is still."""
    await asyncio.sleep(timeout / 1000)
    await page.settle()


async def _settle(
    page: Page,
    state: str = "load",  # noqa: ARG001  a page that is still has reached every state
    timeout: float | None = None,
) -> Any:
    return await (page.settle() if timeout is None else page.settle(timeout_ms=timeout))


async def _saved(data: bytes, path: Any) -> bytes:
    if path is not None:
        target = Path(path)
        await asyncio.to_thread(target.parent.mkdir, parents=True, exist_ok=True)
        await asyncio.to_thread(target.write_bytes, data)
    return data


async def _screenshot(page: Page, *, path: Any = None, **options: Any) -> bytes:
    """Take a picture; `path` is where it is written, too."""
    names = {"type": "format", "timeout": "timeout_ms"}
    return await _saved(await page.screenshot(**{names.get(name, name): each for name, each in options.items()}), path)


async def _pdf(page: Page, *, path: Any = None, **options: Any) -> bytes:
    return await _saved(await page.pdf(**options), path)


CALLS: dict[str, Callable[..., Any]] = {
    "pdf": _pdf,
    "screenshot": _screenshot,
    "wait_for_load_state": _settle,
    "wait_for_timeout": _wait,
}
"""Methods of Playwright's page whose arguments differ from those of stillframe's."""


def action_of(method: Any) -> Work | None:
    """Return the action that a page method stands for; None for a method of the page or a function.

    Raises ActionInvalid for arguments that the action does not take.
    """
    if isinstance(method, Mapping | actions.BaseAction):
        return method  # type: ignore[return-value]
    make = ACTIONS.get(method.method) if isinstance(getattr(method, "method", None), str) else None
    if make is None:
        return None
    fields = {{"timeout": "timeout_ms"}.get(name, name): value for name, value in method.kwargs.items()}
    try:
        return make(*method.args, **fields)
    except TypeError as error:
        raise ActionInvalid(f"page method {method.method!r}: {error}") from error


async def apply(page: Page, methods: Iterable[Any] | Mapping[Any, Any] | None) -> list[SequenceResult]:
    """Run page methods in their order, actions next to each other as one sequence, and return the sequences' results.

    Raises the error of an action that failed, and ActionInvalid for a method that the page does not have.
    """
    results: list[SequenceResult] = []
    waiting: list[tuple[Any, Work]] = []
    for method in _each(methods):
        if (action := action_of(method)) is not None:
            waiting.append((method, action))
            continue
        await _flush(page, waiting, results)
        await _call(page, method)
    await _flush(page, waiting, results)
    return results


def only_read(methods: Iterable[Any] | Mapping[Any, Any] | None) -> bool:
    """Return whether page methods change nothing on the page or the server."""
    return all(isinstance(each, actions.WaitFor) or _name_of(each) in READING for each in _each(methods))


def _name_of(method: Any) -> str | None:
    name = getattr(method, "method", None)
    return name if isinstance(name, str) else None


def _each(methods: Iterable[Any] | Mapping[Any, Any] | None) -> list[Any]:
    return list(methods.values() if isinstance(methods, Mapping) else methods or ())


async def _flush(page: Page, waiting: list[tuple[Any, Work]], results: list[SequenceResult]) -> None:
    if not waiting:
        return
    result = await page.execute_sequence([action for _, action in waiting])
    results.append(result)
    for method, _ in waiting:
        if hasattr(method, "result"):
            method.result = result
    waiting.clear()
    result.raise_for_failure()


async def _call(page: Page, method: Any) -> None:
    function = _function(page, getattr(method, "method", None))
    if function is None:
        raise ActionInvalid(f"{method!r} is neither an action nor a method of a page: see ACTIONS and stillframe.Page")
    try:
        result = function(*method.args, **method.kwargs)
    except TypeError as error:
        if callable(method.method):
            raise
        raise ActionInvalid(f"page method {method.method!r}: {error}") from error
    method.result = await result if inspect.isawaitable(result) else result


def _function(page: Page, name: Any) -> Callable[..., Any] | None:
    if callable(name):
        return partial(name, page)
    if isinstance(name, str):
        return partial(CALLS[name], page) if name in CALLS else getattr(page, name, None)
    return None
