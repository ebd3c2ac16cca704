"""Put HTML, scripts and style sheets into a document."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from stillframe.cdp_types import page as cdp_page
from stillframe.errors import ContextLost, EvaluationFailed, OptionInvalid
from stillframe.injected import elements
from stillframe.security.input_files import InputRefused, decode_text, read_file
from stillframe.tab.navigation.loading import WAIT_UNTIL

if TYPE_CHECKING:
    import os

    from stillframe.tab.deadline import Deadline
    from stillframe.tab.frames import Frame
    from stillframe.tab.navigation.loading import WaitUntil

Tag = Literal["script", "style"]


async def set_content(frame: Frame, html: str, *, until: WaitUntil, deadline: Deadline) -> None:
    """Replace the content of a document, and wait until it has loaded; raises OptionInvalid, CommandTimeout."""
    if until not in WAIT_UNTIL:
        names = ", ".join(map(repr, WAIT_UNTIL))
        raise OptionInvalid(
            f"until is {until!r}: it must be one of {names}; to wait until the page is still, call page.settle() then",
            option="until",
        )
    if not isinstance(html, str):
        raise OptionInvalid(f"html is {html!r}: it must be a text", option="html")
    command = cdp_page.SetDocumentContent(frame_id=frame.id, html=html)
    await frame.session.send(command, timeout=deadline.left_s)
    while until != "commit":
        try:
            await frame.call(elements.reached(until), timeout=deadline.left_s)
        except ContextLost:
            if not deadline.left_s:
                raise
            continue  # a script of it has loaded another document
        return


async def add_tag(
    frame: Frame,
    kind: Tag,
    *,
    url: str | None,
    path: str | os.PathLike[str] | None,
    content: str | None,
    type: str = "",
    deadline: Deadline,
) -> None:
    """Add a script or a style sheet to a document; raises OptionInvalid, EvaluationFailed, CommandTimeout."""
    if sum(each is not None for each in (url, path, content)) != 1:
        raise OptionInvalid(f"add_{kind}_tag takes exactly one of url, path and content", option="url")
    text = content if path is None else await asyncio.to_thread(_read, path, kind)
    try:
        await frame.call(elements.add_tag(kind, url, text, type), timeout=deadline.left_s)
    except EvaluationFailed as error:
        reason = error.text.partition("\n")[0].removeprefix("Error: ")
        raise EvaluationFailed(f"an error for add_{kind}_tag: {reason}", method="Runtime.callFunctionOn") from None


def _read(path: str | os.PathLike[str], kind: Tag) -> str:
    try:
        text = decode_text(read_file(path))
    except InputRefused as error:
        raise OptionInvalid(f"option path: cannot read {path}: {error}", option="path") from None
    source = Path(path).absolute().as_uri()
    return f"{text}\n//# sourceURL={source}" if kind == "script" else f"{text}\n/*# sourceURL={source}*/"
