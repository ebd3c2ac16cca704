"""Typed errors as tool results: their text, and `{code, message, advice, …}` in the metadata of the result.

An error has no structured content: the output schema of a tool describes what it returns when it works, and clients on
the official TypeScript SDK refuse each result that does not match it, so that no model would read the error.
"""

from __future__ import annotations

from typing import Any

import mcp_types as types

from stillframe.errors import InputError, StillframeError
from stillframe.security.redaction import Redaction
from stillframe.security.untrusted_text import escape_all, escape_invisible, map_texts, mark_untrusted

MAX_MESSAGE_CHARS = 1_200
"""Characters of a message; the longest ones, with candidates, have about 600."""

ADVICE: dict[str, str] = {
    "session_unknown": "use an open session, or open this one: sessions {action: open, sessionId: …}",
    "session_exists": "use the open session, or close it first",
    "session_lost": "close the session and open a new one",
    "session_detached": "close the session and open a new one",
    "target_closed": "the tab is gone: switch to another tab of the session, or close the session and open a new one",
    "target_crashed": "the page crashed: navigate to load it again",
    "connection_lost": "the browser is gone: close the session and open a new one, which launches a browser",
    "app_killed": "the app ended: start it on the device, then call again; refs of before are stale",
    "transport_lost": "reconnect the device, then call again; refs of before are stale",
    "adb_server_died": "start the adb server again (adb start-server), then call again; refs of before are stale",
    "adb_server_unavailable": "start the adb server: adb start-server",
    "device_not_found": "connect the device that the server was started for",
    "device_unauthorized": "a person has to allow USB debugging on the device; then call again",
    "device_offline": "reconnect the device, then call again",
    "app_not_running": "start the app on the device, then call again",
    "app_frozen": "bring the app to the foreground on the device, then call again",
    "no_debuggable_webview": "open the screen with the WebView; the app must allow debugging of its WebViews",
    "webview_has_no_pages": "open the screen of the app that has the WebView, then call again",
    "webview_ambiguous": "start the server with a --webview that names one of the candidates",
    "target_not_visible": "bring the app to the foreground and switch the screen on, then call again",
    "unsupported_by_browser": "a WebView, or an old one, cannot do this; try another way",
    "url_refused": "the policy of this server does not allow this URL, and no call can change it; use another URL",
    "navigation_failed": "check the URL, and whether its server runs",
    "element_not_found": "call aria_snapshot, or use one of the candidates",
    "ambiguous_selector": "use the ref of the element you mean",
    "dialog_open": "a dialog blocks the page: answer it with answer_dialog {accept: true or false}, then call again",
    "no_dialog": "nothing waits for an answer: go on without it",
    "ref_stale": "call aria_snapshot for new refs",
    "loop_refused": "the page did not change after the last identical actions: try another way",
    "secret_unknown": "use the name of a secret that the server was started with",
    "secret_refused": "this secret may not be used on this site",
    "action_invalid": "nothing ran; correct the action and call again",
    "option_invalid": "nothing ran; correct the argument and call again",
    "selector_invalid": "nothing ran; correct the selector and call again",
    "declined": "nothing ran; do not call again for the same: go on without it, or ask the person what to do instead",
    "confirmation_impossible": "nothing ran; ask the person to do this, or to use a client that can ask (elicitation)",
    "ask_failed": "nothing ran; ask the person in your own words, then call again",
    "client_left": "the session is usable; call aria_snapshot to see how far the page has come, then go on from there",
    "session_required": "call navigate or sessions {action: open}, and send the sessionId of the reply with each "
    "call; a person can also name this client by the header Stillframe-Client, or by ?client=NAME in the server's URL",
    "too_many_clients": "close sessions that are no longer needed: sessions {action: close, sessionId: …}",
    "webmcp_unavailable": "act on the page itself; pages offer tools only over https: or from localhost, and only in a "
    "browser with WebMCP, which a person gets with --caps webmcp (and --connect: Chrome with --enable-features=WebMCP)",
    "webmcp_tool_not_found": "call list_webmcp_tools for what the page offers now; a tool of a frame needs its frameId",
    "webmcp_input_invalid": "the tool was not called; correct the input and call again",
    "webmcp_tool_failed": "call aria_snapshot to see what the tool changed until then",
    "webmcp_timeout": "call aria_snapshot: the page may wait for something; else call again with a longer timeoutMs",
    "webmcp_output_too_large": "the tool ran: call aria_snapshot for what it changed, or ask it for less",
    "deadline": "the session is usable; call aria_snapshot to see how far the page has come, then go on from there",
    "upload_refused": "only files in the directories of --allow-upload may be uploaded",
    "browser_not_found": "install Chrome or Chromium, or set STILLFRAME_CHROME",
    "launch_failed": "read the log of the server",
    "profile_locked": "close the other browser that uses the profile, or start the server with another --profile",
    "connect_failed": "start the browser that --connect names",
    "tool_hidden": "this server was started without that option, and no call can switch it on: a person has to restart "
    "`stillframe mcp` with it; use the tools that the server lists",
    "download_unknown": "call downloads without a number for the list",
    "download_failed": "the file is not there: start the download again",
    "file_too_large": "take less of it: for a PDF a part of the pages (pageRanges)",
    "asking_impossible": "decide on your own if that is safe, or end your turn with the question",
    "recording_running": "call tracing with action stop first, which replies with the file so far",
    "recording_unknown": "call tracing with action start first",
    "point_outside": "scroll, or take the coordinates from a new picture of the viewport",
    "tab_unknown": "call tabs with action list for the open ones",
    "last_tab": "a session needs a tab: navigate it to another page, or close the session with sessions",
    "request_unknown": "call network_requests for the numbers; only the last 1000 requests of a tab are kept",
    "prompt_invalid": "see prompts/list and resources/templates/list for what there is",
    "resource_gone": "it was stored for a short time; call the tool again",
    "model_refused": "a person has to correct the model of this server (--agent-model) or its key",
    "internal": "this is a bug in the server; read its log",
}
"""What to do about an error, by its code. Errors without an entry have a message that says enough."""

META_KEY = "stillframe/error"
"""The key of the error's fields in the `_meta` of a result."""

_SKIPPED = frozenset({"args", "stderr", "sample"})


class ToolError(StillframeError):
    """An error that only the server finds; each instance has its own `code`."""

    def __init__(self, code: str, message: str, **data: Any) -> None:
        super().__init__(message)
        self.code = code  # type: ignore[misc]
        self.data = data


def error_to_dict(error: StillframeError) -> dict[str, Any]:
    """Return an error as `{code, message, advice}` and its data, without secrets and invisible characters."""
    data = error.data if isinstance(error, ToolError) else vars(error)
    extra = {_camel(name): value for name, value in data.items() if name not in _SKIPPED and _is_plain(value)}
    message = str(error)
    short = message if len(message) <= MAX_MESSAGE_CHARS else f"{message[:MAX_MESSAGE_CHARS]}…"
    head = {"code": error.code, "message": short, "advice": ADVICE.get(error.code, "")}
    # Redact the secrets of all pages: an error may come from code that knows no page.
    redacted: dict[str, Any] = map_texts(escape_all(head | extra), Redaction.redact_everywhere)
    return redacted


def error_result(error: StillframeError) -> types.CallToolResult:
    """Return the tool result of an error; markers enclose a message that may quote the page."""
    fields = error_to_dict(error)
    quotes_page = not isinstance(error, InputError | ToolError) or error.code == "url_refused"
    message = mark_untrusted([fields["message"]]) if quotes_page else escape_invisible(fields["message"])
    parts = [f"error {fields['code']}", fields["advice"], message]
    return types.CallToolResult(
        content=[types.TextContent(text="\n".join(part for part in parts if part))],
        is_error=True,
        _meta={META_KEY: fields},
    )


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(isinstance(each, str) for each in value)
    return value is not None and isinstance(value, str | int | float | bool)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)
