"""What a run may touch: the hosts that its page may load documents from, and the files that it may upload."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from stillframe import Page, Route
from stillframe.errors import ActionInvalid, CommandError, StillframeError
from stillframe.extend import page_state
from stillframe.model.actions import Action, DropFiles, Navigate, UploadFile
from stillframe.security.policy import UrlPolicy


class Permissions:
    """The policy of a run, its files, and the URLs that it has refused since the last turn."""

    def __init__(self, allowed_domains: tuple[str, ...], files: Iterable[str | os.PathLike[str]] = ()) -> None:
        """`files` are the files and folders that may be uploaded. Raises OptionInvalid for a bad domain."""
        self.policy = UrlPolicy(allowed_hosts=allowed_domains) if allowed_domains else None
        self._files = tuple(Path(file).expanduser().resolve() for file in files)
        self._refused: list[str] = []

    def first_refused(self, page: Page, actions: tuple[Action, ...]) -> tuple[int, StillframeError] | None:
        """Return the index of the first action that is not allowed or cannot run on any page, with the reason."""
        for index, action in enumerate(actions):
            try:
                self._check(action)
                page_state(page).check(action)
            except StillframeError as error:
                return index, error
        return None

    def _check(self, action: Action) -> None:
        if self.policy is not None and isinstance(action, Navigate):
            self.policy.check(action.url)
        if isinstance(action, UploadFile | DropFiles):
            paths = (action.paths,) if isinstance(action.paths, str | os.PathLike) else action.paths
            for path in paths:
                self._check_file(os.fspath(path), action.kind)

    def _check_file(self, path: str, kind: str) -> None:
        resolved = Path(path).expanduser().resolve()
        if not any(resolved == file or file in resolved.parents for file in self._files):
            raise ActionInvalid(f"{kind}: {path} is not one of the files of this run", field="paths")

    def take_refused(self) -> tuple[str, ...]:
        """Return the URLs refused since the last call."""
        refused, self._refused = tuple(dict.fromkeys(self._refused)), []
        return refused

    def _refuses(self, url: str) -> bool:
        return self.policy is not None and self.policy.judge(url) is not None

    async def _abort_document(self, route: Route) -> None:
        if not route.request.is_navigation_request:
            await route.fallback()
            return
        self._refused.append(route.request.url)
        await route.abort("aborted")  # unlike any other reason, this one leaves the page where it is

    @asynccontextmanager
    async def kept(self, page: Page) -> AsyncIterator[None]:
        """Refuse documents of other hosts within the block: by links, scripts and redirects, in popups and frames too.

        The other pages of the context are under the same rule until then, because a popup is one of them.
        """
        if self.policy is None:
            yield
            return
        routed = page.context if isinstance(page, Page) else page
        await routed.route(self._refuses, self._abort_document, use_cache=True)
        try:
            yield
        finally:
            with suppress(CommandError):  # the page or the browser is gone, and its routes with it
                await routed.unroute(self._refuses, self._abort_document)
