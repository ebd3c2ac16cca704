"""Act on a web page, know when it is still, and get back exactly what changed.

    async with stillframe.launch() as browser:
        page = await browser.new_page("https://example.org/")
        result = await page.execute_sequence([stillframe.Click("text=More information")])

Names are imported when they are first used, so that `import stillframe` stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stillframe._core import __version__ as __version__
    from stillframe.adb.android import AndroidDevice as AndroidDevice
    from stillframe.adb.android import android as android
    from stillframe.adb.webview import WebView as WebView
    from stillframe.api.browser import Browser as Browser
    from stillframe.api.browser import BrowserContext as BrowserContext
    from stillframe.api.browser import Page as Page
    from stillframe.api.context_events import WebError as WebError
    from stillframe.api.dialogs import Dialog as Dialog
    from stillframe.api.downloads import Download as Download
    from stillframe.api.file_chooser import FileChooser as FileChooser
    from stillframe.api.frame import Frame as Frame
    from stillframe.api.handles import ElementHandle as ElementHandle
    from stillframe.api.handles import JSHandle as JSHandle
    from stillframe.api.har import HarRecording as HarRecording
    from stillframe.api.launch import connect as connect
    from stillframe.api.launch import launch as launch
    from stillframe.api.locator import FrameLocator as FrameLocator
    from stillframe.api.locator import Locator as Locator
    from stillframe.api.tracing import Tracing as Tracing
    from stillframe.api.video import Video as Video
    from stillframe.api.webmcp import WebMCP as WebMCP
    from stillframe.api.websockets import WebSocket as WebSocket
    from stillframe.api.workers import Worker as Worker
    from stillframe.core import Delta as Delta
    from stillframe.core import Fingerprint as Fingerprint
    from stillframe.core import MaskedDigests as MaskedDigests
    from stillframe.core import MaskLearner as MaskLearner
    from stillframe.core import Masks as Masks
    from stillframe.core import Relocation as Relocation
    from stillframe.core import Signature as Signature
    from stillframe.core import SignatureIndex as SignatureIndex
    from stillframe.core import SimilarityLevel as SimilarityLevel
    from stillframe.core import Snapshot as Snapshot
    from stillframe.errors import StillframeError as StillframeError
    from stillframe.loopguard import LoopEvent as LoopEvent
    from stillframe.loopguard import LoopGuard as LoopGuard
    from stillframe.loopguard import LoopLimits as LoopLimits
    from stillframe.model.actions import Action as Action
    from stillframe.model.actions import AnswerDialog as AnswerDialog
    from stillframe.model.actions import Blur as Blur
    from stillframe.model.actions import Check as Check
    from stillframe.model.actions import Click as Click
    from stillframe.model.actions import DispatchEvent as DispatchEvent
    from stillframe.model.actions import DoubleClick as DoubleClick
    from stillframe.model.actions import DragTo as DragTo
    from stillframe.model.actions import DropFiles as DropFiles
    from stillframe.model.actions import Focus as Focus
    from stillframe.model.actions import GoBack as GoBack
    from stillframe.model.actions import GoForward as GoForward
    from stillframe.model.actions import Hover as Hover
    from stillframe.model.actions import InsertText as InsertText
    from stillframe.model.actions import KeyDown as KeyDown
    from stillframe.model.actions import KeyUp as KeyUp
    from stillframe.model.actions import LongPress as LongPress
    from stillframe.model.actions import MouseClick as MouseClick
    from stillframe.model.actions import MouseDrag as MouseDrag
    from stillframe.model.actions import MouseMove as MouseMove
    from stillframe.model.actions import MouseWheel as MouseWheel
    from stillframe.model.actions import Navigate as Navigate
    from stillframe.model.actions import PressKey as PressKey
    from stillframe.model.actions import Reload as Reload
    from stillframe.model.actions import RightClick as RightClick
    from stillframe.model.actions import Scroll as Scroll
    from stillframe.model.actions import ScrollTo as ScrollTo
    from stillframe.model.actions import SelectOption as SelectOption
    from stillframe.model.actions import SelectText as SelectText
    from stillframe.model.actions import SetValue as SetValue
    from stillframe.model.actions import Swipe as Swipe
    from stillframe.model.actions import Tap as Tap
    from stillframe.model.actions import TypeText as TypeText
    from stillframe.model.actions import Uncheck as Uncheck
    from stillframe.model.actions import UploadContent as UploadContent
    from stillframe.model.actions import UploadFile as UploadFile
    from stillframe.model.actions import WaitFor as WaitFor
    from stillframe.model.aria_snapshot import AriaSnapshot as AriaSnapshot
    from stillframe.model.events import ConsoleMessage as ConsoleMessage
    from stillframe.model.events import PageError as PageError
    from stillframe.model.events import RequestFailure as RequestFailure
    from stillframe.model.file_payload import FilePayload as FilePayload
    from stillframe.model.options import Expect as Expect
    from stillframe.model.result import SequenceResult as SequenceResult
    from stillframe.model.secret import Secret as Secret
    from stillframe.model.secret import SecretName as SecretName
    from stillframe.model.webmcp import WebMCPResult as WebMCPResult
    from stillframe.model.webmcp import WebMCPTool as WebMCPTool
    from stillframe.security.policy import UrlPolicy as UrlPolicy
    from stillframe.security.secret_store import Secrets as Secrets
    from stillframe.sessions import Session as Session
    from stillframe.sessions import Sessions as Sessions
    from stillframe.tab.context.devices import devices as devices
    from stillframe.tab.network.api_request import APIRequestContext as APIRequestContext
    from stillframe.tab.network.api_response import APIResponse as APIResponse
    from stillframe.tab.network.requests import Request as Request
    from stillframe.tab.network.responses import Response as Response
    from stillframe.tab.network.routing import Route as Route
    from stillframe.tab.network.socket_routes import WebSocketRoute as WebSocketRoute

_ACTIONS = [
    "Action",
    "AnswerDialog",
    "Blur",
    "Check",
    "Click",
    "DispatchEvent",
    "DoubleClick",
    "DragTo",
    "DropFiles",
    "Focus",
    "GoBack",
    "GoForward",
    "Hover",
    "InsertText",
    "KeyDown",
    "KeyUp",
    "LongPress",
    "MouseClick",
    "MouseDrag",
    "MouseMove",
    "MouseWheel",
    "Navigate",
    "PressKey",
    "Reload",
    "RightClick",
    "Scroll",
    "ScrollTo",
    "SelectOption",
    "SelectText",
    "SetValue",
    "Swipe",
    "Tap",
    "TypeText",
    "Uncheck",
    "UploadContent",
    "UploadFile",
    "WaitFor",
]

_HOMES: dict[str, str] = {
    "launch": "stillframe.api.launch",
    "connect": "stillframe.api.launch",
    "android": "stillframe.adb.android",
    "AndroidDevice": "stillframe.adb.android",
    "WebView": "stillframe.adb.webview",
    "Browser": "stillframe.api.browser",
    "BrowserContext": "stillframe.api.browser",
    "Page": "stillframe.api.browser",
    "Frame": "stillframe.api.frame",
    "JSHandle": "stillframe.api.handles",
    "ElementHandle": "stillframe.api.handles",
    "Locator": "stillframe.api.locator",
    "FrameLocator": "stillframe.api.locator",
    "WebMCP": "stillframe.api.webmcp",
    "HarRecording": "stillframe.api.har",
    "Tracing": "stillframe.api.tracing",
    "Dialog": "stillframe.api.dialogs",
    "Download": "stillframe.api.downloads",
    "Video": "stillframe.api.video",
    "FileChooser": "stillframe.api.file_chooser",
    "WebError": "stillframe.api.context_events",
    "WebSocketRoute": "stillframe.tab.network.socket_routes",
    "WebSocket": "stillframe.api.websockets",
    "Worker": "stillframe.api.workers",
    "ConsoleMessage": "stillframe.model.events",
    "PageError": "stillframe.model.events",
    "Request": "stillframe.tab.network.requests",
    "RequestFailure": "stillframe.model.events",
    "APIRequestContext": "stillframe.tab.network.api_request",
    "APIResponse": "stillframe.tab.network.api_response",
    "Response": "stillframe.tab.network.responses",
    "Route": "stillframe.tab.network.routing",
    "devices": "stillframe.tab.context.devices",
    "Snapshot": "stillframe.core",
    "Fingerprint": "stillframe.core",
    "Relocation": "stillframe.core",
    "Delta": "stillframe.core",
    "MaskLearner": "stillframe.core",
    "MaskedDigests": "stillframe.core",
    "Masks": "stillframe.core",
    "Signature": "stillframe.core",
    "SignatureIndex": "stillframe.core",
    "SimilarityLevel": "stillframe.core",
    "StillframeError": "stillframe.errors",
    "Secret": "stillframe.model.secret",
    "SecretName": "stillframe.model.secret",
    "AriaSnapshot": "stillframe.model.aria_snapshot",
    "Secrets": "stillframe.security.secret_store",
    "UrlPolicy": "stillframe.security.policy",
    "FilePayload": "stillframe.model.file_payload",
    "Expect": "stillframe.model.options",
    "SequenceResult": "stillframe.model.result",
    "WebMCPResult": "stillframe.model.webmcp",
    "WebMCPTool": "stillframe.model.webmcp",
    "LoopLimits": "stillframe.loopguard",
    "LoopEvent": "stillframe.loopguard",
    "LoopGuard": "stillframe.loopguard",
    "Session": "stillframe.sessions",
    "Sessions": "stillframe.sessions",
    **dict.fromkeys(_ACTIONS, "stillframe.model.actions"),
}
"""Where each public name lives."""

__all__ = ["__version__", *_HOMES]


if not TYPE_CHECKING:  # a type checker would take every name for known

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            return import_module("stillframe._core").__version__
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'stillframe' has no attribute {name!r}")
        value = getattr(import_module(home), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
