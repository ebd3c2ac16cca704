"""Which WebView is meant: pure decisions over what the DevTools sockets of a device list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from stillframe.adb.devtools.frozen_apps import frozen
from stillframe.adb.devtools.targets import DevtoolsTarget, ranked_pages
from stillframe.adb.errors import (
    AndroidError,
    NoDebuggableWebView,
    TargetNotVisible,
    WebViewAmbiguous,
    WebViewHasNoPages,
)

if TYPE_CHECKING:
    from stillframe.adb.devtools.socket_listing import FoundSocket


class View(NamedTuple):
    """A page of a process: its DevTools socket and its target."""

    socket: FoundSocket
    target: DevtoolsTarget

    @property
    def visible(self) -> bool:
        """Whether the app shows it; True where the app does not say."""
        state = self.target.view
        return state is None or (state.visible and not state.empty)

    def __str__(self) -> str:
        return f"{self.socket.package or self.socket.name} ({self.target.url})"


class Look(NamedTuple):
    """What one look at a device found; `frozen` are the sockets that were not asked, or did not answer."""

    views: tuple[View, ...]
    sockets: tuple[FoundSocket, ...]
    frozen: tuple[FoundSocket, ...] = ()


class ViewQuery(NamedTuple):
    """Which WebView is wanted; None matches all. `process` is the part after the colon, `url` a predicate."""

    package: str | None = None
    process: str | None = None
    url: Callable[[str], bool] | None = None
    pattern: str = ""
    """The text of `url`, for messages."""
    hidden: bool = False
    """Whether one that the app does not show will do."""

    def wants(self, socket: FoundSocket) -> bool:
        """Return whether the WebView may be in this process."""
        if self.package is not None and socket.package != self.package:
            return False
        return self.process is None or process_suffix(socket) == self.process

    def matches(self, view: View) -> bool:
        """Return whether this is a WebView that is wanted, shown or not."""
        return self.wants(view.socket) and (self.url is None or self.url(view.target.url))

    def __str__(self) -> str:
        package = f" of {self.package}" if self.package else ""
        process = f" in the process :{self.process}" if self.process else ""
        return f"WebView{package}{process}" + (f" at {self.pattern}" if self.pattern else "")


def process_suffix(socket: FoundSocket) -> str:
    """Return the part of the process name after the colon; empty for the main process."""
    return (socket.process or "").partition(":")[2]


def context_name(socket: FoundSocket) -> str:
    """Return the name that Appium gives to the WebViews of a process: `WEBVIEW_<package>[:<process>]`."""
    suffix = process_suffix(socket)
    return f"WEBVIEW_{socket.package or socket.pid or socket.name}" + (f":{suffix}" if suffix else "")


def ranked(socket: FoundSocket, targets: Sequence[DevtoolsTarget]) -> list[View]:
    """Return the pages of a process, the one that a user most likely looks at first."""
    return [View(socket, target) for target in ranked_pages(targets)]


def choose_view(look: Look, query: ViewQuery) -> View | None:
    """Return the WebView that is meant, or None if there is none yet; raises WebViewAmbiguous.

    Of several WebViews of one process, the first one counts: the shown one, the largest one, the last active one.
    """
    matches = [view for view in look.views if query.matches(view) and (query.hidden or view.visible)]
    owners = {(view.socket.package, view.socket.name): view for view in matches}
    if len(owners) > 1:
        candidates = [str(view) for view in owners.values()]
        raise WebViewAmbiguous(
            f"{len(candidates)} apps or processes have a {query}: {'; '.join(candidates)}; name one with package=…, "
            "process=… or url=…",
            candidates=candidates,
        )
    return matches[0] if matches else None


def why_none(serial: str, look: Look, query: ViewQuery) -> AndroidError | None:
    """Return why no WebView matches, as far as a look at the sockets tells; None if only the app itself can tell."""
    hidden = [view for view in look.views if query.matches(view)]
    if hidden:
        return TargetNotVisible(
            f"the {query} is hidden, so it takes no touches and draws no picture: bring the app to the foreground and "
            "switch the screen on, or pass hidden=True",
            target_id=hidden[0].target.id,
        )
    if look.frozen:
        return frozen(serial, look.frozen[0], "Android may have frozen it")
    return None if query.package is not None else _no_app(serial, look, query)


def _no_app(serial: str, look: Look, query: ViewQuery) -> AndroidError:
    """Return the error for a query that names no app."""
    if look.views:
        pages = [str(view) for view in look.views]
        return WebViewHasNoPages(
            f"{serial} has no {query}: there are {'; '.join(pages)}",
            package=None,
            pages=[v.target.url for v in look.views],
        )
    return NoDebuggableWebView(
        f"no app on {serial} shows a WebView that can be debugged: start the app and open the screen with the WebView; "
        "the app must call WebView.setWebContentsDebuggingEnabled(true), unless it is a debug build on WebView 113 or "
        "newer",
        package=None,
        seen_sockets=[socket.name for socket in look.sockets],
    )
