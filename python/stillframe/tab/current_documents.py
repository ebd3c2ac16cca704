"""Run scripts in the documents that are open already, for browsers that run added scripts in new documents only.

From Chrome 117 on, `Page.addScriptToEvaluateOnNewDocument` takes `runImmediately` and runs them in both. The scripts
that this package adds do nothing where they have run before, so it does not matter which documents are new by then.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from stillframe.cdp_types import runtime
from stillframe.errors import CommandError

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.tab.context.context import ContextState
    from stillframe.tab.frame_tree import FrameTree
    from stillframe.tab.frames import Frame

NATIVE = "Page.addScriptToEvaluateOnNewDocument(runImmediately)"


class CurrentDocuments:
    """The open documents of one tab; sends nothing to browsers that need no help."""

    def __init__(self, frames: FrameTree, context: ContextState) -> None:
        self._frames = frames
        self._background = context.background
        self._needed = not context.capabilities.has(NATIVE)
        self._sources: dict[str, CDPSession] = {}
        """The sources that frames get once they are known, and the last session that each was added to."""
        if self._needed:
            frames.on_listed(self._listed)

    def run(self, session: CDPSession, source: str) -> None:
        """Run a source in the main world of all documents of a session; awaits nothing."""
        if not self._needed:
            return
        self._sources[source] = session
        session.post(runtime.Evaluate(expression=source, silent=True))
        for frame in self._frames.of_session(session):
            if not frame.is_process_root:
                self._start(frame, source)

    def run_isolated(self, source: str) -> None:
        """Run a source in the isolated worlds of all documents, now or when they are made; awaits nothing."""
        if not self._needed:
            return
        self._frames.scripts.sources.append(source)
        for frame in self._frames.of_session():
            if frame.context_id is not None and frame.session.error is None:
                frame.session.post(runtime.Evaluate(expression=source, context_id=frame.context_id, silent=True))

    def forget(self, source: str) -> None:
        """Stop running a source in frames that become known later."""
        self._sources.pop(source, None)

    def _listed(self, frame: Frame) -> None:
        if not frame.is_process_root:
            for source in self._sources:
                self._start(frame, source)

    def _start(self, frame: Frame, source: str) -> None:
        self._background.start(_run(frame, source), "script in an open document")


async def _run(frame: Frame, source: str) -> None:
    # A document that goes away meanwhile makes place for one that runs the script by itself.
    with suppress(CommandError):
        await frame.run_in_main_world(source)
