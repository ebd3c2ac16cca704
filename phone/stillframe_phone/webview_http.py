"""The HTTP half of a DevTools endpoint on Android: requests in, answers out; no I/O.

The forms and texts are Chromium's (measured with 156, where not said otherwise). Like Chromium, an answer never closes
the connection: clients have to read by its length.
"""

from __future__ import annotations

import ipaddress
import json
from http import HTTPStatus
from typing import Any, NamedTuple

from stillframe_phone.webview_messages import Disguise, View

BAD_HOST = "Host header is specified and is not an IP address or localhost."
BAD_VERB = "Using unsafe HTTP verb {0} to invoke /json/new. This action supports only PUT verb."
BAD_ORIGIN = (
    "Rejected an incoming WebSocket connection from the {0} origin. Use the command line flag "
    "--remote-allow-origins={0} to allow connections from this origin or --remote-allow-origins=* to allow all origins."
)
NO_TARGET = "No such target id: {0}"
NOT_CREATED = "Could not create new page"

ORIGIN_CHECK_SINCE = 111
PUT_SINCE = 111
"""The milestone since which /json/new demands PUT; it came with the check of origins."""
NEVER_ATTACHED_SINCE = 75
"""The field is absent in M74; when it came is not known."""


class Request(NamedTuple):
    """The head of a request; the names of headers in lower case."""

    method: str
    path: str
    headers: dict[str, str]

    @property
    def is_websocket(self) -> bool:
        """Whether the request opens a WebSocket."""
        return self.headers.get("upgrade", "").lower() == "websocket"


class Answer(NamedTuple):
    """An answer; `body` is sent as it is if it is a text, and else as JSON."""

    status: int
    body: Any = ""

    def encode(self) -> bytes:
        """Return the bytes of the answer."""
        is_text = isinstance(self.body, str)
        body = (self.body if is_text else json.dumps(self.body, indent=3)).encode()
        kind = "text/html" if is_text else "application/json; charset=UTF-8"
        reason = HTTPStatus(self.status).phrase
        head = f"HTTP/1.1 {self.status} {reason}\r\nContent-Length:{len(body)}\r\nContent-Type:{kind}\r\n\r\n"
        return head.encode() + body


def parse_request(head: bytes) -> Request | None:
    """Parse the head of a request up to its empty line; None if it is not HTTP."""
    lines = head.decode("latin-1").split("\r\n")
    method, _, rest = lines[0].partition(" ")
    path, _, version = rest.partition(" ")
    if not version.startswith("HTTP/1."):
        return None
    pairs = (line.partition(":") for line in lines[1:] if line)
    return Request(method, path, {name.strip().lower(): value.strip() for name, _, value in pairs})


def refusal(request: Request, milestone: int | None) -> Answer | None:
    """Return the answer to a request whose Host or Origin header is not allowed, or None."""
    host, origin = request.headers.get("host"), request.headers.get("origin")
    if host is not None and not is_address(host):
        return Answer(500, BAD_HOST)
    if origin is not None and request.is_websocket and (milestone is None or milestone >= ORIGIN_CHECK_SINCE):
        return Answer(403, BAD_ORIGIN.format(origin))
    return None


def is_address(host: str) -> bool:
    """Return whether a Host header names an IP address or localhost, with or without a port."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() and not host.endswith("]") else host
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def version(original: dict[str, Any], disguise: Disguise, package: str | None, host: str) -> dict[str, Any]:
    """Return the answer to /json/version, made from that of the real browser."""
    return {
        **({"Android-Package": package} if package else {}),
        "Browser": disguise.product,
        "Protocol-Version": original["Protocol-Version"],
        "User-Agent": disguise.user_agent,
        "V8-Version": original["V8-Version"],
        "WebKit-Version": original["WebKit-Version"],
        "webSocketDebuggerUrl": f"ws://{host}/devtools/browser",
    }


def target(original: dict[str, Any], disguise: Disguise, host: str) -> dict[str, Any]:
    """Return one row of /json/list, made from that of the real browser, whose titles are escaped already."""
    path = f"{host}/devtools/page/{original['id']}"
    is_view = disguise.kind == "webview" and original["type"] == "page"
    view = description(disguise.view(original["id"]), disguise.milestone) if is_view else ""
    frontend = original.get("devtoolsFrontendUrl", "").partition("?ws=")[0]
    return {
        **original,
        "description": view,
        "devtoolsFrontendUrl": f"{frontend}?ws={path}",
        "webSocketDebuggerUrl": f"ws://{path}",
    }


def description(view: View, milestone: int | None) -> str:
    """Return the JSON text that describes an Android view; a view without an area has no size."""
    state: dict[str, Any] = {"attached": view.attached, "empty": view.empty}
    if milestone is None or milestone >= NEVER_ATTACHED_SINCE:
        state["never_attached"] = view.never_attached
    if not view.empty:
        state |= {"height": view.height, "width": view.width}
    return json.dumps({**state, "screenX": view.screen_x, "screenY": view.screen_y, "visible": view.visible})
