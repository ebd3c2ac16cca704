"""The cookies and the storage of a context: read, written, saved and restored."""

from __future__ import annotations

import asyncio
import json
import os
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from stillframe.cdp import CDPSession
from stillframe.errors import StorageNotPortable
from stillframe.security.private_files import write_private
from stillframe.tab.context import cookies as jar
from stillframe.tab.context.context import ContextState
from stillframe.tab.context.origin_storage import EmptyDocuments, empty_documents, place_of
from stillframe.tab.context.setup import Setup
from stillframe.tab.context.storage_state import (
    OriginState,
    Place,
    StorageState,
    empty_storage,
    read_cookies,
    read_state,
    storage_builtins,
)
from stillframe.tab.deadline import CALL_MS, time_limited
from stillframe.tab.frames import Frame
from stillframe.tab.locating.writing import TextOrPattern
from stillframe.tab.tab import Tab


class BlankTab(NamedTuple):
    """An empty tab, and the commands that set it up."""

    tab: Tab
    setup: Setup


class ContextStorage(ABC):
    """The cookies and the storage of a context."""

    _state: ContextState
    _root: CDPSession

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._places: set[Place] = set()
        """Where documents of its pages have kept their storage; `storage_state` returns it."""

    @time_limited
    async def cookies(
        self, urls: str | Sequence[str] | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> list[dict[str, Any]]:
        """Return all cookies, or those that a request to some URLs sends.

        Args:
            urls: One URL or several; by default all cookies are returned.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Returns:
            Each cookie as `{name, value, domain, path, expires, httpOnly, secure, sameSite}`. `expires` is in seconds
            since 1970, -1 for a cookie that ends with the session.
        """
        found = await jar.get_cookies(self._root, self._state.id)
        return [jar.cookie_builtins(cookie) for cookie in found if jar.is_sent(cookie, urls)]

    @time_limited
    async def add_cookies(self, cookies: Iterable[Mapping[str, Any]], *, timeout_ms: float | None = CALL_MS) -> None:
        """Add cookies.

        Args:
            cookies: Cookies of the shape that `cookies` returns; `url` may stand for `domain` and `path`.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            OptionInvalid: A cookie is invalid, or the browser refuses it.
        """
        await jar.set_cookies(self._root, self._state.id, read_cookies([dict(cookie) for cookie in cookies]))

    @time_limited
    async def clear_cookies(
        self,
        *,
        name: TextOrPattern | None = None,
        domain: TextOrPattern | None = None,
        path: TextOrPattern | None = None,
        timeout_ms: float | None = CALL_MS,
    ) -> None:
        """Delete all cookies, or those of a name, a domain and a path.

        Args:
            name: The name, as a text or a compiled regular expression.
            domain: The domain, in the same way.
            path: The path, in the same way.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.
        """
        wanted = {"name": name, "domain": domain, "path": path}
        if set(wanted.values()) == {None}:
            await jar.clear_cookies(self._root, self._state.id)
            return
        found = await jar.get_cookies(self._root, self._state.id)
        await jar.expire(self._root, self._state.id, [cookie for cookie in found if jar.is_wanted(cookie, wanted)])

    @time_limited
    async def storage_state(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        indexed_db: bool = False,
        opfs: bool = False,
        timeout_ms: float | None = CALL_MS,
    ) -> dict[str, Any]:
        """Return the cookies and the storage of the context, as Playwright does.

        The origins are those that pages of this context and their frames have shown, and those that were restored. The
        storage of frames within pages of other sites is listed apart, as `partitionedOrigins` with their `ancestors`.
        If there are any origins, the call opens a page for a moment, which no event tells of.

        Args:
            path: The file to write the state to as well; only its owner can read it.
            indexed_db: Whether each origin has its databases as well (`indexedDB`), where Firebase and MSAL keep
                logins.
            opfs: Whether each origin has its private files as well (the origin private file system).
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Returns:
            `{"cookies": […], "origins": [{"origin", "localStorage": [{"name", "value"}]}]}`.

        Raises:
            StorageNotPortable: A database has a value that no file can keep.
        """
        found = await jar.get_cookies(self._root, self._state.id)
        storages: list[OriginState] = []
        if self._places:
            async with self._empty_documents() as documents:
                storages = await documents.read(self._places, indexed_db=indexed_db, opfs=opfs)
        state = {"cookies": [jar.cookie_builtins(cookie) for cookie in found], **storage_builtins(storages)}
        if path is not None:
            await asyncio.to_thread(write_private, path, json.dumps(state).encode())
        return state

    @time_limited
    async def set_storage_state(
        self, storage_state: Mapping[str, Any] | str | os.PathLike[str], *, timeout_ms: float | None = CALL_MS
    ) -> None:
        """Replace all cookies, and the storage of origins; what the state does not have is deleted, databases included.

        The origins are those that `storage_state` returns and those that the state names. The call loads and runs
        nothing of the sites; connections of open pages to their databases are closed.

        Args:
            storage_state: What the method of that name returns, or the path of its JSON.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            OptionInvalid: The state is invalid.
            CommandError: The browser refuses to show an origin.
        """
        parsed = read_state(storage_state)
        await self.clear_cookies()
        await self._restore(parsed)

    async def _restore(self, state: StorageState) -> None:
        if state.cookies:
            await jar.set_cookies(self._root, self._state.id, state.cookies)
        named = {storage.place for storage in state.storages}
        if named or self._places:
            async with self._empty_documents() as documents:
                # First, because several places may have one storage: an origin in frames of two pages of one site.
                await documents.write(map(empty_storage, self._places - named))
                await documents.write(state.storages)
            self._places |= named

    @asynccontextmanager
    async def _empty_documents(self) -> AsyncIterator[EmptyDocuments]:
        blank = await self._open_blank()
        try:
            async with empty_documents(blank.tab, blank.setup) as documents:
                yield documents
        except StorageNotPortable as error:
            self._state.redaction.redact_error(error)
            raise

    @abstractmethod
    async def _open_blank(self) -> BlankTab:
        """Open an empty tab for the use of the context itself."""

    def _shown(self, frame: Frame) -> None:
        if (place := place_of(frame)) is not None:
            self._places |= {place, place[-1:]}
