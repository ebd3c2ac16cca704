"""Names of Playwright that objects here do not have, and ours for them; only a name that is missing is looked up.

A name that an object has does not belong into the tables: `tests/api/test_playwright_names.py` says which to remove.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

NAMES: dict[str, dict[str, str]] = {
    "Page": {
        "cancel_pick_locator": "none: there is no picker in the page; `stillframe record` watches what a person does",
        "clear_console_messages": "page.console_messages(), which keeps the last ones",
        "clear_page_errors": "page.page_errors(), which keeps the last ones",
        "clock": "page.execute_sequence(actions, settle='virtual'), which runs on a virtual clock",
        "expose_binding": "page.expose_function(name, function)",
        "get_by_ref": "page.locator('ref=e5')",
        "hide_highlight": "page.locator(selector).hide_highlight()",
        "pause": "no debugger; page.trace(path) records what happens",
        "pick_locator": "none: there is no picker in the page; `stillframe record` watches what a person does",
        "request_gc": "page.cdp_session.send(cdp_types.heap_profiler.CollectGarbage())",
        "screencast": "page.video, in a context with the option record_video_dir",
        "wait_for_timeout": "page.settle(), which waits until the page is still; actions do so by themselves",
    },
    "Frame": {
        "goto": "page.goto(url) for the main frame, and frame.evaluate('location.href = …') for others",
        "wait_for_timeout": "page.settle(), which waits until the page is still; actions do so by themselves",
    },
    "Locator": {
        "describe": "the text of the locator, repr(locator), which page.locator takes",
        "description": "the text of the locator, repr(locator), which page.locator takes",
        "normalize": "the text of the locator, repr(locator), which page.locator takes",
        "wait_for_function": "page.wait_for_function(function, argument)",
    },
    "BrowserContext": {
        "background_pages": "none: pages of extensions are not attached",
        "clock": "page.execute_sequence(actions, settle='virtual'), which runs on a virtual clock",
        "credentials": "none: Chrome's WebAuthn domain is there by page.cdp_session",
        "debugger": "none: no debugger; page.trace(path) records what happens",
        "expose_binding": "context.expose_function(name, function)",
        "is_closed": "context.on('close', handler)",
        "new_cdp_session": "page.cdp_session",
        "service_workers": "none: service workers are watched by settling and not handed out",
        "tracing": "page.trace(path), or the option trace of new_context",
    },
    "Browser": {
        "bind": "none: `stillframe mcp` and `stillframe session` share browsers between programs",
        "browser_type": "one type, Chrome; stillframe.launch() opens it",
        "new_browser_cdp_session": "browser.cdp_session",
        "start_tracing": "page.trace(path)",
        "stop_tracing": "page.trace(path), whose block ends the trace",
        "unbind": "none: `stillframe mcp` and `stillframe session` share browsers between programs",
    },
    "Request": {
        "existing_response": "await request.response()",
        "service_worker": "none: requests of service workers are not reported as the page's",
    },
    "Worker": {
        "evaluate_handle": "worker.evaluate(expression), which returns the value",
    },
    "ElementHandle": {
        "eval_on_selector": "page.locator(selector).evaluate(function)",
        "eval_on_selector_all": "page.locator(selector).evaluate_all(function)",
        "wait_for_element_state": "handle.wait_for(state=…)",
        "wait_for_selector": "page.locator(selector).wait_for()",
    },
    "APIRequestContext": {
        "add_cookies": "context.add_cookies(cookies), whose cookies it sends",
        "clear_cookies": "context.clear_cookies()",
        "cookies": "context.cookies()",
        "dispose": "context.close(), which ends it",
        "storage_state": "context.storage_state()",
        "tracing": "none: requests outside of pages are in no trace",
    },
    "APIResponse": {
        "security_details": "none: the HTTP client does not tell",
        "server_addr": "none: the HTTP client does not tell",
        "timing": "none: the HTTP client does not tell",
    },
}
"""Ours for each name that is missing, by the class that Playwright has it in; `none: ` begins the reason why not."""


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
