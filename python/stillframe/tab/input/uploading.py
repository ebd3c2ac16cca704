"""Choosing files: in a file input, or through whatever opens the browser's file dialog when it is clicked."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import msgspec

from stillframe.cdp_types import dom
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import ActionInvalid, ElementUnsuitable, StillframeError
from stillframe.model import actions as a
from stillframe.tab.deadline import Deadline
from stillframe.tab.frames import ElementHandle
from stillframe.tab.input import actionability as need
from stillframe.tab.input.actionability import Ready, fault_error, ready
from stillframe.tab.input.attempt import Attempt
from stillframe.tab.input.press import click, strike
from stillframe.tab.locating.sought import Report
from stillframe.tab.tab import Tab

CHOOSER_S = 1.0
"""Seconds that a click has to open the file dialog: a handler may ask a server first."""

FOLDER_S = 2.0
"""Seconds that the browser has to list the files of a folder, which it does beside us."""


class Paths(msgspec.Struct, frozen=True):
    """What is to be uploaded: absolute paths, and how many of them are files and folders."""

    paths: list[str]
    files: int
    folders: int

    @classmethod
    def of(cls, action: a.UploadFile) -> Paths:
        """Return the paths of an action; raises ActionInvalid if one does not exist."""
        given = [action.paths] if isinstance(action.paths, str | os.PathLike) else action.paths
        paths = [Path(path) for path in given]
        missing = [str(path) for path in paths if not path.exists()]
        if not paths or missing:
            what = f"no such file: {', '.join(missing)}" if missing else "there is no path"
            raise ActionInvalid(f"upload_file: {what}; paths are of the machine this runs on", field="paths")
        folders = sum(path.is_dir() for path in paths)
        return cls([str(path.resolve()) for path in paths], len(paths) - folders, folders)

    @property
    def counts(self) -> dict[str, Any]:
        """What the page learns before it takes them."""
        return {"files": self.files, "folders": self.folders}

    def hold_files(self) -> bool:
        """Whether there is any file among them, or below them."""
        return self.files > 0 or any(names for path in self.paths for _, _, names in os.walk(path))


async def upload_file(attempt: Attempt, action: a.UploadFile, timeout: float) -> None:
    """Give files to an input, or to the input that a click on a button asks files for; raises ActionFailed."""
    deadline = Deadline(timeout)
    paths = await asyncio.to_thread(Paths.of, action)
    async with deadline.enforced(f"upload_file to {action.selector}"):
        target = await ready(attempt, action.selector, need.UPLOAD, paths.counts, timeout=timeout)
        if target.kind == "file":
            await _give(await target.handle(), paths, deadline)
        else:
            await _through_dialog(attempt, action.selector, target, paths, deadline)


async def _give(handle: ElementHandle, paths: Paths, deadline: Deadline) -> None:
    await handle.session.send(dom.SetFileInputFiles(files=paths.paths, object_id=handle.object_id))
    if paths.folders and await asyncio.to_thread(paths.hold_files):
        ms = min(FOLDER_S, deadline.late) * 1000
        await handle.call("function(ms) { return __sf.filled(this, ms) }", ms, timeout=ms / 1000 + deadline.late)


async def _through_dialog(attempt: Attempt, selector: str, target: Ready, paths: Paths, deadline: Deadline) -> None:
    """Click, and give the files to the dialog that opens; the dialog itself is never shown."""
    session = target.frame.session
    await session.send(cdp_page.SetInterceptFileChooserDialog(enabled=True))
    try:
        with session.subscribe(cdp_page.FileChooserOpened) as opened:
            await strike(attempt, selector, need.UPLOAD, paths.counts, click(attempt), timeout=deadline.left)
            chooser = await opened.get(min(CHOOSER_S, deadline.late))
    except StillframeError:
        raise
    except TimeoutError:
        raise ElementUnsuitable(
            f"{selector} is {target.what}; it was clicked and asked for no file: name the file input, or what opens it",
            selector=selector,
        ) from None
    finally:
        session.post(cdp_page.SetInterceptFileChooserDialog(enabled=False))
    await _answer(attempt.tab, selector, chooser, paths, deadline)


async def _answer(
    tab: Tab, selector: str, chooser: cdp_page.FileChooserOpened, paths: Paths, deadline: Deadline
) -> None:
    frame = tab.frames.by_id.get(chooser.frame_id)
    if frame is None or not chooser.backend_node_id:
        raise ElementUnsuitable(
            f"{selector} was clicked and asked for files by showOpenFilePicker(), which cannot be answered",
            selector=selector,
        )
    # The input may be in no document at all.
    handle = await frame.handle(chooser.backend_node_id)
    fault = await handle.call("function(counts) { return __sf.refusesFiles(this, counts) }", paths.counts)
    if fault:
        raise fault_error(msgspec.convert(fault, Report), selector, frame, deadline)
    await _give(handle, paths, deadline)
