"""A file dialog that a page wants to open, as the caller holds it."""

from __future__ import annotations

import asyncio

from stillframe.api.locator import Locator, locator_of_node
from stillframe.api.parts import PartOfPage, page_call
from stillframe.cdp_types import page as cdp_page
from stillframe.engine.page_parts import PageParts
from stillframe.errors import OptionInvalid
from stillframe.model.actions import Paths, Payloads, upload
from stillframe.tab.deadline import CALL_MS, Deadline
from stillframe.tab.events.frame_events import OpenedDialog
from stillframe.tab.input import uploading


class FileChooser(PartOfPage):
    """A dialog in which a person would choose files; `page.expect_file_chooser()` and the event `filechooser` give it.

    The browser does not open it. A page that gets no files goes on as if the person were still choosing.
    """

    def __init__(self, parts: PageParts, opened: OpenedDialog) -> None:
        super().__init__(parts)
        self._opened = opened

    def __repr__(self) -> str:
        return f"FileChooser({'several files' if self._opened.is_multiple else 'one file'})"

    def is_multiple(self) -> bool:
        """Return whether it takes several files."""
        return self._opened.is_multiple

    @property
    def element(self) -> Locator:
        """A locator for the file input that asks; raises OptionInvalid for a dialog of `showOpenFilePicker()`."""
        frame, node = self._tab.frames.by_id.get(self._opened.frame_id), self._opened.backend_node_id
        if frame is None or not node:
            raise OptionInvalid("this file dialog belongs to no file input of the page", option="element")
        return locator_of_node(self._parts, frame, node)

    @page_call
    async def set_files(self, files: Paths | Payloads, *, timeout_ms: float | None = CALL_MS) -> None:
        """Choose local files, files from memory, or a folder where the input takes one, in place of the person.

        Args:
            files: Paths, or files from memory, as for `Page.set_input_files`.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ActionInvalid: A file does not exist.
            ElementUnsuitable: The input does not take such files.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        deadline = Deadline.of_ms(timeout_ms)
        selector = "the file dialog"
        paths = await asyncio.to_thread(uploading.files_of, upload(selector, files))
        chooser = cdp_page.FileChooserOpened(
            frame_id=self._opened.frame_id,
            mode="selectMultiple" if self._opened.is_multiple else "selectSingle",
            backend_node_id=self._opened.backend_node_id,
        )
        await uploading.answer_dialog(self._tab, selector, chooser, paths, deadline)
