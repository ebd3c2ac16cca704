"""Choose files: in a file input, or through the file dialog that a click opens."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from stillframe.cdp_types import dom
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import ActionInvalid, ElementUnsuitable, StillframeError
from stillframe.injected import elements
from stillframe.model.file_payload import FilePayload
from stillframe.tab.input import actionability as need
from stillframe.tab.input.actionability import ReadyTarget, fault_error, make_ready
from stillframe.tab.input.press import Press, click
from stillframe.tab.locating.query import Report
from stillframe.tab.unsupported import unsupported

if TYPE_CHECKING:
    from stillframe.model import actions as a
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.frames import ElementHandle
    from stillframe.tab.input.attempt import Attempt
    from stillframe.tab.tab import Tab

CHOOSER_S = 1.0
"""Seconds for a click to open the file dialog: a handler may call a server first."""

MAX_CONTENT = 50 * 1024 * 1024
"""Bytes of files from memory: they go to the page as one text, as in Playwright, which has the same limit."""

FOLDER_S = 2.0
"""Seconds for the browser to list the files of a folder, which it does asynchronously."""


NEEDED = "Page.fileChooserOpened.backendNodeId"
"""What the answer to a file dialog takes."""


class Paths(msgspec.Struct, frozen=True):
    """Files of this machine: absolute paths, and how many of them are files and folders."""

    paths: list[str]
    files: int
    folders: int

    @classmethod
    def of(cls, action: a.UploadFile | a.DropFiles) -> Paths:
        """Return the paths of an action; raises ActionInvalid if one does not exist."""
        given = [action.paths] if isinstance(action.paths, str | os.PathLike) else action.paths
        paths = [Path(path) for path in given]
        missing = [str(path) for path in paths if not path.exists()]
        if missing:
            raise ActionInvalid(
                f"{action.kind}: no such file: {', '.join(missing)}; paths are on the machine that runs stillframe",
                field="paths",
            )
        folders = sum(path.is_dir() for path in paths)
        return cls([str(path.resolve()) for path in paths], len(paths) - folders, folders)

    @property
    def counts(self) -> dict[str, Any]:
        """Return the counts that the page checks before the upload."""
        return {"files": self.files, "folders": self.folders}

    def hold_files(self) -> bool:
        """Return whether there is any file among the paths, or below them."""
        return self.files > 0 or any(names for path in self.paths for _, _, names in os.walk(path))

    async def give(self, handle: ElementHandle, deadline: Deadline) -> None:
        """Let an input have these files."""
        await handle.session.send(dom.SetFileInputFiles(files=self.paths, object_id=handle.object_id))
        if self.folders and await asyncio.to_thread(self.hold_files):
            ms = min(FOLDER_S, deadline.hard_left_s) * 1000
            await handle.call(elements.wait_for_files(ms), timeout=ms / 1000 + deadline.hard_left_s)


class Contents(msgspec.Struct, frozen=True):
    """Files from memory."""

    payloads: tuple[FilePayload, ...]

    @property
    def counts(self) -> dict[str, Any]:
        """Return the counts that the page checks before the upload."""
        return {"files": len(self.payloads), "folders": 0}

    async def give(self, handle: ElementHandle, deadline: Deadline) -> None:
        """Let an input have these files; its `input` and `change` events come from a script."""
        payloads = msgspec.to_builtins(self.payloads)
        await handle.call(elements.set_payloads(payloads), timeout=deadline.hard_left_s)


Files = Paths | Contents


async def upload_file(attempt: Attempt, action: a.UploadFile | a.UploadContent, deadline: Deadline) -> None:
    """Set the files of an input, or of the file dialog that a click on another element opens; raises ActionFailed."""
    files = await asyncio.to_thread(files_of, action)
    async with deadline.enforced(f"{action.kind} to {action.selector}"):
        target = await make_ready(attempt, action.selector, need.UPLOAD, files.counts, deadline=deadline)
        if target.kind == "file":
            await files.give(await target.handle(), deadline)
        else:
            await _through_dialog(attempt, action.selector, target, files, deadline)


def files_of(action: a.UploadFile | a.UploadContent | a.DropFiles) -> Files:
    """Return the files of an action; raises ActionInvalid for a path that does not exist, and for too much content."""
    payloads: Any = getattr(action, "files", None)
    if payloads is None:
        paths = Paths.of(cast("a.UploadFile", action))
        return paths if paths.paths else Contents(())  # Chrome keeps the files if it gets an empty list (156)
    size = sum(len(payload.buffer) for payload in payloads)
    if size > MAX_CONTENT:
        raise ActionInvalid(
            f"upload_content: the files have {size:,} bytes, and at most {MAX_CONTENT:,} go from memory into a page: "
            "write them to a file and give its path",
            field="files",
        )
    return Contents(tuple(payloads))


async def _through_dialog(
    attempt: Attempt, selector: str, target: ReadyTarget, paths: Files, deadline: Deadline
) -> None:
    """Click, and set the files on the dialog that opens; the dialog itself is never shown."""
    capabilities = attempt.tab.context.capabilities
    if not capabilities.has(NEEDED):
        raise unsupported(capabilities, NEEDED, f"{selector} is {target.what}: select the file input itself")
    session = target.frame.session
    dialogs = attempt.tab.events.file_dialogs
    held = dialogs.hold(session)
    try:
        await held
        with session.subscribe(cdp_page.FileChooserOpened) as opened:
            await Press(attempt, selector, need.UPLOAD, paths.counts, click(attempt), deadline).send()
            chooser = await opened.get(min(CHOOSER_S, deadline.hard_left_s))
    except StillframeError:
        raise
    except TimeoutError:
        raise ElementUnsuitable(
            f"{selector} is {target.what}; it was clicked and opened no file dialog: select the file input, or the "
            "element that opens the dialog",
            selector=selector,
        ) from None
    finally:
        dialogs.release(session)
    await answer_dialog(attempt.tab, selector, chooser, paths, deadline)


async def answer_dialog(
    tab: Tab, selector: str, chooser: cdp_page.FileChooserOpened, paths: Files, deadline: Deadline
) -> None:
    """Set the files on the input that has asked for them; raises ElementUnsuitable."""
    frame = tab.frames.by_id.get(chooser.frame_id or "")
    if frame is None or not chooser.backend_node_id:
        raise ElementUnsuitable(
            f"{selector} opened the file dialog with showOpenFilePicker(), which cannot be answered; use a file input",
            selector=selector,
        )
    # The input may be outside any document.
    handle = await frame.handle(chooser.backend_node_id)
    fault = await handle.call(elements.refuses_files(paths.counts))
    if fault:
        raise fault_error(msgspec.convert(fault, Report), selector, frame, deadline)
    await paths.give(handle, deadline)
