"""Typed errors as tools report them: `{code, message, advice, …}` in structured content, the same in short as text."""

from __future__ import annotations

from typing import Any

import mcp_types as types

from stillframe.errors import InputError, StillframeError
from stillframe.mcp.framing import all_visible, framed, visible, with_texts
from stillframe.security.redaction import Redaction

MESSAGE_CHARS = 1_200
"""Characters of a message; the longest of ours, with candidates, have some 600."""

ADVICE: dict[str, str] = {
    "session_unknown": "use an open session, or open this one: sessions {action: open, sessionId: …}",
    "session_exists": "use it as it is, or close it first",
    "session_lost": "close the session and open a new one",
    "session_detached": "close the session and open a new one",
    "target_closed": "the tab is gone: switch to another one of the session, or close it and open a new one",
    "target_crashed": "the page crashed: navigate to load it again",
    "connection_lost": "the browser is gone: close the session and open a new one; its browser is launched anew",
    "url_refused": "the rules this server was started with do not allow it, and no call can change them; go elsewhere",
    "navigation_failed": "check the URL, or whether the server is up",
    "element_not_found": "take a snapshot, or use one of the candidates",
    "ambiguous_selector": "use the ref of the one you mean",
    "ref_stale": "take a snapshot for fresh refs",
    "loop_refused": "the page has not changed after the last such calls: try another way",
    "secret_unknown": "use one of the names that were declared at the start of the server",
    "secret_refused": "the secret is not meant for this site",
    "action_invalid": "nothing was run; correct the action and call again",
    "option_invalid": "nothing was run; correct the argument and call again",
    "selector_invalid": "nothing was run; correct the selector and call again",
    "deadline": "the session is usable; look at it with snapshot, then call again with fewer actions",
    "upload_refused": "only files below the directories of --allow-upload may be uploaded",
    "browser_not_found": "install Chrome or Chromium, or name one in STILLFRAME_CHROME",
    "launch_failed": "see the log of the server",
    "connect_failed": "start the browser that --connect names",
    "resource_gone": "it was kept for a while only; call again",
    "internal": "this is a fault of the server; its log says more",
}
"""What to do about an error, by its code; without an entry its message alone has to do."""

_SKIPPED = frozenset({"args", "stderr", "sample"})


class CallFault(StillframeError):
    """What only the server itself finds wrong; `code` is per instance."""

    def __init__(self, code: str, message: str, **data: Any) -> None:
        super().__init__(message)
        self.code = code  # type: ignore[misc]
        self.data = data


def describe(error: StillframeError) -> dict[str, Any]:
    """Return an error as `{code, message, advice}` and its data, without what is secret or unseen."""
    data = error.data if isinstance(error, CallFault) else vars(error)
    told = {_camel(name): value for name, value in data.items() if name not in _SKIPPED and _is_plain(value)}
    message = str(error)
    short = message if len(message) <= MESSAGE_CHARS else f"{message[:MESSAGE_CHARS]}…"
    first = {"code": error.code, "message": short, "advice": ADVICE.get(error.code, "")}
    # Without the secrets of all pages: an error may come from where no page is known.
    plain: dict[str, Any] = with_texts(all_visible(first | told), Redaction.redact_everywhere)
    return plain


def result_of(error: StillframeError) -> types.CallToolResult:
    """Return the reply of a call that ended with an error; the message stands in a frame if a page may be quoted."""
    told = describe(error)
    quotes_page = not isinstance(error, InputError | CallFault) or error.code == "url_refused"
    message = framed([told["message"]]) if quotes_page else visible(told["message"])
    parts = [f"error {told['code']}", told["advice"], message]
    return types.CallToolResult(
        content=[types.TextContent(text="\n".join(part for part in parts if part))],
        structured_content=told,
        is_error=True,
    )


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(isinstance(each, str) for each in value)
    return value is not None and isinstance(value, str | int | float | bool)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)
