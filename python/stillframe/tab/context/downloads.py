"""Downloads: the directory they go to, their file names, and the page that reports them.

Chrome saves a download under its id; once complete, it is renamed to the name the server suggested, sanitized and made
unique. So a name from the web never decides where a file is while it is written.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from stillframe.cdp_types import browser as cdp_browser
from stillframe.model.events import DownloadReport
from stillframe.security.private_files import open_private
from stillframe.security.redaction import logger

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.tab.tab import Tab

DIRECTORY_PREFIX = "stillframe-downloads-"

MAX_NAME_BYTES = 200
"""Common file systems allow 255; the rest leaves room for a number that makes a name unique."""

_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?$")
"""Names that Windows reserves for devices."""

log = logger("stillframe.tab")


def safe_name(suggested: str) -> str:
    """Return a file name without path, control characters, or outer dots and spaces; "download" if nothing is left."""
    name = _FORBIDDEN.sub("_", re.split(r"[/\\]", suggested)[-1]).strip(". ")
    if _RESERVED.match(name):
        name = f"_{name}"
    stem, suffix = Path(name).stem, Path(name).suffix
    suffix = _cut(suffix, MAX_NAME_BYTES // 4)
    return _cut(stem, MAX_NAME_BYTES - len(suffix.encode())) + suffix or "download"


def keep(source: Path, suggested: str) -> Path:
    """Rename a file to a safe name that is unused in its directory, and return the new path; raises OSError."""
    name = Path(safe_name(suggested))
    number = 0
    while True:
        target = source.with_name(f"{name.stem} ({number}){name.suffix}" if number else name.name)
        try:
            # Creating the name exclusively first lets two browsers share a directory.
            os.close(open_private(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            number += 1
            continue
        source.replace(target)
        return target


def _cut(text: str, size: int) -> str:
    return text.encode("utf-8", "replace")[:size].decode("utf-8", "ignore")


class DownloadDirectory:
    """The download directory of one context; `path` is None if downloads are refused."""

    def __init__(self, wanted: str | bool, home: str | None) -> None:
        self._private = wanted is True
        self.path: Path | None = None
        if wanted is True:
            # Inside the browser's profile it is deleted with it even if this process is killed. mkdtemp sets mode 0700.
            self.path = Path(tempfile.mkdtemp(prefix=DIRECTORY_PREFIX, dir=home))
        elif wanted is not False:
            self.path = Path(wanted).expanduser().absolute()
            self.path.mkdir(parents=True, exist_ok=True)

    def behaviour(self, context_id: str | None) -> cdp_browser.SetDownloadBehavior:
        """Return the command that sends a context's downloads to this directory."""
        return cdp_browser.SetDownloadBehavior(
            behavior="allowAndName" if self.path else "deny",
            browser_context_id=context_id,
            download_path=str(self.path) if self.path else None,
            events_enabled=True,
        )

    def remove(self) -> None:
        """Delete a private directory with its contents; keeps a directory that the caller chose."""
        if self._private and self.path is not None:
            shutil.rmtree(self.path, ignore_errors=True)


class Downloads:
    """Tracks the downloads of one context and reports each on the page that caused it."""

    def __init__(self, root: CDPSession, tabs: Callable[[], Iterable[Tab]], directory: DownloadDirectory) -> None:
        self._tabs = tabs
        self._directory = directory
        self._running: dict[str, tuple[cdp_browser.DownloadWillBegin, list[Tab]]] = {}
        self._removers = [
            root.on(cdp_browser.DownloadWillBegin, self._begun),
            root.on(cdp_browser.DownloadProgress, self._progress),
            root.on_closed(lambda _: self._cancel()),
        ]

    def stop(self) -> None:
        """Stop listening: the context is about to go, and its downloads with it."""
        for remove in self._removers:
            remove()
        self._cancel()

    def _cancel(self) -> None:
        """Report every running download as canceled: no event does that any more."""
        running, self._running = self._running, {}
        for begun, tabs in running.values():
            self._report(begun, tabs, "canceled", None)

    def _begun(self, event: cdp_browser.DownloadWillBegin) -> None:
        tab = next((tab for tab in self._tabs() if event.frame_id in tab.frames.by_id), None)
        if tab is None:
            return
        tabs = [tab]
        if tab.opener is not None and tab.url in ("", "about:blank"):
            # A popup that turns into a download closes again, so its opener reports the download too.
            tabs.append(tab.opener)
        self._running[event.guid] = (event, tabs)
        self._report(event, tabs, "inProgress", None)

    def _progress(self, event: cdp_browser.DownloadProgress) -> None:
        if event.state == "inProgress":
            return
        known = self._running.pop(event.guid, None)
        if known is not None:
            begun, tabs = known
            self._report(begun, tabs, event.state, self._kept(begun) if event.state == "completed" else None)

    def _kept(self, begun: cdp_browser.DownloadWillBegin) -> str | None:
        if self._directory.path is None:
            return None
        source = self._directory.path / begun.guid
        try:
            return str(keep(source, begun.suggested_filename))
        except OSError as error:
            log.warning("download %s stays at %s because it cannot be renamed: %s", begun.url, source, error)
            return str(source)

    def _report(self, begun: cdp_browser.DownloadWillBegin, tabs: list[Tab], state: str, path: str | None) -> None:
        report = DownloadReport(url=begun.url, suggested_filename=begun.suggested_filename, state=state, path=path)
        for tab in tabs:
            tab.recorder.add(report, begun.guid)
