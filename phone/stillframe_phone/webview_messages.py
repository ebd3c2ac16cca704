"""What a WebView, or Chrome for Android, makes of the messages of the DevTools protocol; no I/O.

`Disguise` says what the browser pretends to be, and `Traffic` rewrites the messages of one connection.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import count
from typing import Any, Literal, NamedTuple

import msgspec

from stillframe.chrome import protocol_history
from stillframe.chrome.capabilities import Capabilities

Kind = Literal["webview", "chrome"]
Message = dict[str, Any]

OWN_IDS = 2**30
"""The first id of commands that the facade itself sends on a client's connection; ids are 32-bit integers."""
TARGET_IDS_SINCE = 112
"""The milestone since which Chrome for Android answers Target.createTarget with a target's id, not a tab's number."""
BROWSER_COOKIES_SINCE = 140
"""The milestone since which WebViews have Storage.getCookies; the fix is of 2025, the exact milestone not known."""

UNANSWERED_WHILE_HIDDEN = frozenset(
    {
        *("Input.dispatchTouchEvent", "Input.synthesizeTapGesture", "Input.synthesizeScrollGesture"),
        *("Input.synthesizePinchGesture", "Page.captureScreenshot"),
    }
)
"""Commands that wait for a frame of the page, which a view that is not shown never draws."""

COOKIE_COMMANDS = frozenset({"Storage.getCookies", "Storage.setCookies", "Storage.clearCookies"})
OF_THE_CONTEXT = COOKIE_COMMANDS | {
    *("Target.createTarget", "Browser.setPermission", "Browser.grantPermissions", "Browser.resetPermissions"),
    *("Browser.setDownloadBehavior",),
}
"""Commands at browser scope that concern one browser context: the app's."""
OF_A_TARGET = frozenset(
    {"Target.attachToTarget", "Target.activateTarget", "Target.closeTarget", "Target.getTargetInfo"}
)


class Refusal(NamedTuple):
    """An error that a command is answered with."""

    code: int
    message: str


def not_found(method: str) -> Refusal:
    """Return what a browser answers to a command that it does not know (measured)."""
    return Refusal(-32601, f"'{method}' wasn't found")


NO_CONTEXTS = Refusal(-32000, "Browser context management is not supported.")
DESKTOP_ONLY = (
    *("Browser.getWindowForTarget", "Browser.getWindowBounds", "Browser.setWindowBounds", "Browser.setDockTile"),
    *("Browser.setContentsSize", "Browser.executeBrowserCommand"),
)
ANDROID_REFUSALS = {
    "Target.createBrowserContext": Refusal(-32000, "Failed to create browser context."),
    **{method: not_found(method) for method in DESKTOP_ONLY},
}
REFUSALS: dict[Kind, dict[str, Refusal]] = {
    "webview": {
        **ANDROID_REFUSALS,
        "Target.createTarget": Refusal(-32000, "Not supported"),
        "Browser.close": not_found("Browser.close"),
        "Browser.setDownloadBehavior": NO_CONTEXTS,
    },
    "chrome": ANDROID_REFUSALS,
}
"""What each kind refuses at browser scope (Chromium's sources; Browser.close and windows: they are not built there)."""


class View(msgspec.Struct, kw_only=True, frozen=True):
    """The state of an Android view, as the `description` of a target has it; positions and sizes in screen pixels."""

    attached: bool = True
    never_attached: bool = False
    visible: bool = True
    empty: bool = False
    screen_x: int = 0
    screen_y: int = 63
    width: int = 1080
    height: int = 1731


class Disguise:
    """What the facade pretends to be, and which targets it shows."""

    def __init__(self, kind: Kind, milestone: int | None) -> None:
        self.kind = kind
        self.milestone = milestone
        self.product = ""
        self.user_agent = ""
        self.capabilities = Capabilities(milestone)
        self.context: str | None = None
        """The browser context whose targets are all shown: the app's."""
        self.views: dict[str, View] = {}
        """The views of pages whose state is not the default, and of pages outside the context."""
        self.targets: set[str] = set()
        """The ids of all targets that were ever shown."""
        self.commands: Counter[str] = Counter()
        """How often clients have sent each command."""
        self.tab_numbers = count(2)

    def owns(self, target: Message) -> bool:
        """Return whether a target is shown; remembers it then."""
        mine = target.get("browserContextId") == self.context or target["targetId"] in self.views
        if mine:
            self.targets.add(target["targetId"])
        return mine

    def view(self, target_id: str) -> View:
        """Return the state of a page's view."""
        return self.views.get(target_id) or View()

    def refusal(self, method: str) -> Refusal | None:
        """Return how a command at browser scope is refused, or None."""
        old = self.milestone is not None and self.milestone < BROWSER_COOKIES_SINCE
        if self.kind == "webview" and old and method in COOKIE_COMMANDS:
            return NO_CONTEXTS
        return REFUSALS[self.kind].get(method)


class Step(NamedTuple):
    """What follows from one message: texts for the browser and for the client."""

    to_browser: tuple[str, ...] = ()
    to_client: tuple[str, ...] = ()


class Traffic:
    """Rewrites the messages of one connection; `target_id` is its page, None at browser scope."""

    def __init__(self, disguise: Disguise, target_id: str | None) -> None:
        self._disguise = disguise
        self._target_id = target_id
        self._sent: dict[tuple[str | None, int], str] = {}
        self._sessions: dict[str, str] = {}  # session → the target of its page
        self._foreign: set[str] = set()  # sessions with targets that are not shown
        self._ids = count(OWN_IDS)

    # -- from the client

    def from_client(self, text: str) -> Step:
        """Return what follows from a client's message; what is not a command goes on as it is."""
        message = _decode(text)
        if message is None or not isinstance(message.get("method"), str) or not isinstance(message.get("id"), int):
            return Step(to_browser=(text,))
        method, session = message["method"], message.get("sessionId")
        self._disguise.commands[method] += 1
        params = message.get("params")
        if refusal := self._refusal(method, session, params if isinstance(params, dict) else {}):
            return self._answer(message, error={"code": refusal.code, "message": refusal.message})
        if method in UNANSWERED_WHILE_HIDDEN and not self._disguise.view(self._page_of(session)).visible:
            return Step()
        if self._is_browser(session) and (self._disguise.kind, method) == ("chrome", "Browser.close"):
            return self._answer(message, result={})
        self._sent[(session, message["id"])] = method
        return Step(to_browser=(self._adapted(text, message),))

    def _refusal(self, method: str, session: str | None, params: Message) -> Refusal | None:
        if not self._disguise.capabilities.has(method):
            return not_found(method)
        if not self._is_browser(session):
            return None
        target = params.get("targetId")
        if method in OF_A_TARGET and target is not None and target not in self._disguise.targets:
            return Refusal(-32602, "No target with given id found")
        return self._disguise.refusal(method)

    def _adapted(self, text: str, message: Message) -> str:
        """Return the message for the browser, without what the milestone does not know, in the app's context."""
        method, params, milestone = message["method"], message.get("params"), self._disguise.milestone
        if isinstance(params, dict) and milestone is not None:
            protocol_history.prune(f"{method}()", params, milestone)
        elif not self._is_browser(message.get("sessionId")) or method not in OF_THE_CONTEXT:
            return text
        if self._is_browser(message.get("sessionId")) and method in OF_THE_CONTEXT:
            message["params"] = {**(params or {}), "browserContextId": self._disguise.context}
        return _encode(message)

    def _is_browser(self, session: str | None) -> bool:
        return self._target_id is None and session is None

    def _page_of(self, session: str | None) -> str:
        return self._sessions.get(session or "") or self._target_id or ""

    @staticmethod
    def _answer(message: Message, **answer: Message) -> Step:
        session = {"sessionId": message["sessionId"]} if "sessionId" in message else {}
        return Step(to_client=(_encode({"id": message["id"], **answer, **session}),))

    # -- from the browser

    def from_browser(self, text: str) -> Step:
        """Return what follows from a message of the browser."""
        message = _decode(text)
        if message is None:
            return Step(to_client=(text,))
        if message.get("sessionId") in self._foreign or message.get("id", 0) >= OWN_IDS:
            return Step()
        return self._reply(text, message) if "id" in message else self._event(text, message)

    def _reply(self, text: str, message: Message) -> Step:
        session = message.get("sessionId")
        method, result = self._sent.pop((session, message["id"]), ""), message.get("result")
        if not isinstance(result, dict):
            return Step(to_client=(text,))
        changed = self._change_result(method, session, result)
        if self._disguise.milestone is not None:
            protocol_history.prune(method, result, self._disguise.milestone)
            changed = True
        return Step(to_client=(_encode(message) if changed else text,))

    def _change_result(self, method: str, session: str | None, result: Message) -> bool:
        disguise = self._disguise
        if method == "Browser.getVersion":
            result |= {"product": disguise.product, "userAgent": disguise.user_agent}
        elif not self._is_browser(session):
            return False
        elif method == "Target.getTargets":
            result["targetInfos"] = [each for each in result["targetInfos"] if disguise.owns(each)]
        elif method == "Target.getBrowserContexts":
            result["browserContextIds"] = []
            if "defaultBrowserContextId" in result:
                result["defaultBrowserContextId"] = disguise.context
        elif method == "Target.createTarget":
            disguise.targets.add(result["targetId"])
            if disguise.milestone is not None and disguise.milestone < TARGET_IDS_SINCE:
                result["targetId"] = str(next(disguise.tab_numbers))
        else:
            return False
        return True

    def _event(self, text: str, message: Message) -> Step:
        method, params = message.get("method", ""), message.get("params")
        if not self._disguise.capabilities.has(method):
            return Step()
        if method.startswith("Target.") and isinstance(params, dict):
            if method == "Target.attachedToTarget":
                self._attached(params, message.get("sessionId"))
                if params["sessionId"] in self._foreign:
                    return self._let_go(params)
            elif self._is_browser(message.get("sessionId")) and not self._concerns(params):
                return Step()
        if isinstance(params, dict) and self._disguise.milestone is not None:
            protocol_history.prune(method, params, self._disguise.milestone)
            text = _encode(message)
        return Step(to_client=(text,))

    def _attached(self, params: Message, parent: str | None) -> None:
        session, target = params["sessionId"], params["targetInfo"]
        if not self._is_browser(parent):
            self._sessions[session] = self._page_of(parent)
        elif self._disguise.owns(target):
            self._sessions[session] = target["targetId"]
        else:
            self._foreign.add(session)

    def _let_go(self, params: Message) -> Step:
        """Detach from a target that is not shown: the browser attached to it because it shares its browser."""
        session = params["sessionId"]
        resume = {"id": next(self._ids), "method": "Runtime.runIfWaitingForDebugger", "sessionId": session}
        detach = {"id": next(self._ids), "method": "Target.detachFromTarget", "params": {"sessionId": session}}
        return Step(to_browser=(_encode(resume), _encode(detach)))

    def _concerns(self, params: Message) -> bool:
        """Return whether an event of the domain Target at browser scope is about a target that is shown."""
        if "targetInfo" in params:
            return self._disguise.owns(params["targetInfo"])
        if "sessionId" in params:
            return params["sessionId"] not in self._foreign
        return params.get("targetId") in self._disguise.targets


def _decode(text: str) -> Message | None:
    """Return the JSON object in a text, or None; lone surrogates stay what they are."""
    try:
        message = json.loads(text)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None


def _encode(message: Message) -> str:
    """Return the message as compact as the browser writes it."""
    return json.dumps(message, separators=(",", ":"))
