"""Names of Playwright that objects here do not have, and ours for them; only a name that is missing is looked up.

A name that an object has does not belong into the tables: `tests/api/test_playwright_names.py` says which to remove.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

EVENTS = {
    "once": "page.on(event, handler), which returns a function that takes the handler back",
    "remove_listener": "page.on(event, handler), which returns a function that takes the handler back",
}
ELEMENTS = {
    "drag_and_drop": "page.drag_to(selector, target)",
    "eval_on_selector": "page.locator(selector).evaluate(function)",
    "eval_on_selector_all": "page.evaluate(\"[...document.querySelectorAll('li')].map((item) => item.id)\")",
    "query_selector": "page.locator(selector); it looks for the element in each call",
    "query_selector_all": "page.locator(selector).all()",
    "wait_for_selector": "page.wait_for(selector), or the option expect={'selector': selector} of the action before",
    "wait_for_timeout": "page.settle(), which waits until the page is still; actions do so by themselves",
}
"""What Playwright's pages and frames share."""

NAMES: dict[str, dict[str, str]] = {
    "Page": EVENTS
    | ELEMENTS
    | {
        "clock": "page.execute_sequence(actions, settle='virtual'), which runs on a virtual clock",
        "expose_binding": "page.expose_function(name, function)",
        "is_closed": "page.closed",
        "pause": "no debugger; page.trace(path) records what happens",
        "request_gc": "page.cdp_session.send(cdp_types.heap_profiler.CollectGarbage())",
        "set_viewport_size": "page.set_viewport(width, height)",
        "unroute_all": "page.unroute(pattern), for each pattern",
        "viewport_size": "page.viewport",
    },
    "Frame": ELEMENTS
    | {
        "child_frames": "frame.children",
        "drag_and_drop": "frame.drag_to(selector, target)",
        "eval_on_selector": "frame.locator(selector).evaluate(function)",
        "eval_on_selector_all": "frame.evaluate(\"[...document.querySelectorAll('li')].map((item) => item.id)\")",
        "goto": "page.goto(url) for the main frame, and frame.evaluate('location.href = …') for others",
        "is_detached": "frame.detached",
        "parent_frame": "frame.parent",
        "query_selector": "frame.locator(selector); it looks for the element in each call",
        "query_selector_all": "frame.locator(selector).all()",
        "wait_for_selector": "frame.wait_for(selector), or the option expect of the action before",
    },
    "Locator": {
        "element_handle": "the locator itself, which looks for the element in each call",
        "element_handles": "locator.all()",
    },
    "BrowserContext": {
        "expose_binding": "page.expose_function(name, function), for each page",
        "expose_function": "page.expose_function(name, function), for each page",
        "new_cdp_session": "page.cdp_session",
        "once": "context.on(event, handler), which returns a function that takes the handler back",
        "remove_listener": "context.on(event, handler), which returns a function that takes the handler back",
        "tracing": "page.trace(path), or the option trace of new_context",
        "unroute_all": "context.unroute(pattern), for each pattern",
    },
    "Browser": {
        "browser_type": "one type, Chrome; stillframe.launch() opens it",
        "is_connected": "not browser.closed",
        "new_browser_cdp_session": "browser.cdp_session",
        "on": "context.on(event, handler), or page.on(event, handler)",
        "start_tracing": "page.trace(path)",
        "stop_tracing": "page.trace(path), whose block ends the trace",
        "version": "browser.info.product",
    },
}
"""Ours for each name that is missing, by the class that Playwright has it in."""


def missing(kind: type, name: str) -> str | None:
    """Return the message for a name of Playwright that a class does not have, or None for any other name.

    Synchronous and asynchronous classes have the same names.
    """
    ours = NAMES.get(kind.__name__, {}).get(name)
    if ours is None or hasattr(kind, name):
        return None
    return f"{kind.__name__!r} object has no attribute {name!r}: that is Playwright's name; stillframe has {ours}"


class PlaywrightNames:
    """Says what stands for a name of Playwright where the attribute is missing."""

    if not TYPE_CHECKING:  # type checkers must not take it for a class with any attribute

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError; Python calls this only where the usual way to find an attribute has failed."""
            if (message := missing(type(self), name)) is not None:
                raise AttributeError(message, name=name)
            # Raises the usual error, or what a property has raised.
            return object.__getattribute__(self, name)
