"""Objects of a page's own world that the caller holds: what a `JSHandle` stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillframe.cdp_types import runtime
from stillframe.errors import CommandError, HandleReleased

if TYPE_CHECKING:
    from stillframe.tab.frames import Frame


class PageObject:
    """A value of a script that stays in the page, an object or a primitive.

    Chrome keeps an object until it is released, or until its document is replaced.
    """

    def __init__(self, frame: Frame, loader_id: str, remote: runtime.RemoteObject) -> None:
        self.frame = frame
        self.session = frame.session
        self.remote = remote
        self.released = False
        self.loader_id = loader_id

    @property
    def object_id(self) -> str | None:
        """The id of the object; None for a primitive."""
        return self.remote.object_id

    @property
    def is_node(self) -> bool:
        """Whether it is a node of a document."""
        return self.remote.subtype == "node"

    @property
    def shown(self) -> str:
        """The value in a few words, for a representation."""
        remote = self.remote
        if remote.object_id is not None:
            return remote.description or remote.type
        return str(remote.unserializable_value or remote.subtype or _shown(remote))

    def require_usable(self) -> None:
        """Raise HandleReleased if the object was released or its document is gone, or what ended the page."""
        if self.released:
            raise HandleReleased(f"the handle {self.shown!r} was released by dispose; get another one")
        if self.object_id is None:
            return
        if self.frame.session is self.session and self.session.error is not None:
            raise self.session.error
        if self.frame.detached or self.frame.session is not self.session or self.frame.loader_id != self.loader_id:
            raise HandleReleased(
                f"the document of the handle {self.shown!r} is gone: {self.frame.describe()} has left it, and its "
                "objects with it; get another handle"
            )

    def __enter__(self) -> PageObject:
        return self

    def __exit__(self, *exc: object) -> None:
        self.forget()

    async def release(self) -> None:
        """Release the object; never fails, since a document that is gone has released it already."""
        was, self.released = self.released, True
        if was or self.object_id is None:
            return
        try:
            await self.session.send(runtime.ReleaseObject(object_id=self.object_id))
        except CommandError:
            return

    def forget(self) -> None:
        """Release the object without waiting for the browser."""
        was, self.released = self.released, True
        if not was and self.object_id is not None and self.session.error is None:
            self.session.post(runtime.ReleaseObject(object_id=self.object_id))


def _shown(remote: runtime.RemoteObject) -> str:
    return remote.type if remote.value is None else repr(remote.value)
