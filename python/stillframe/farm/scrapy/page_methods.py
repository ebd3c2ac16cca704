"""Page methods: what a spider wants done on a page, by the names of Playwright or as actions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from stillframe.api.page import PageBase
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
NEEDLESS = ("wait_for_load_state", "wait_for_timeout")
"""Methods that do nothing here, because each sequence of actions waits until the page is still."""
Work = actions.Action | Mapping[str, Any]


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


async def apply(page: PageBase, methods: Iterable[Any] | Mapping[Any, Any] | None) -> list[SequenceResult]:
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


def _each(methods: Iterable[Any] | Mapping[Any, Any] | None) -> list[Any]:
    return list(methods.values() if isinstance(methods, Mapping) else methods or ())


async def _flush(page: PageBase, waiting: list[tuple[Any, Work]], results: list[SequenceResult]) -> None:
    if not waiting:
        return
    result = await page.execute_sequence([action for _, action in waiting])
    results.append(result)
    for method, _ in waiting:
        if hasattr(method, "result"):
            method.result = result
    waiting.clear()
    result.raise_for_failure()


async def _call(page: PageBase, method: Any) -> None:
    name = getattr(method, "method", None)
    if name in NEEDLESS:
        return
    function = name if callable(name) else getattr(page, name, None) if isinstance(name, str) else None
    if function is None:
        raise ActionInvalid(f"{method!r} is no action, and no method of a page: see ACTIONS and stillframe.Page")
    result = (
        function(page, *method.args, **method.kwargs) if callable(name) else function(*method.args, **method.kwargs)
    )
    method.result = await result if inspect.isawaitable(result) else result
