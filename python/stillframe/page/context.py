"""Browser contexts: separate cookies, storage and proxy, and what every page in them is made to look like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.cdp import Session
from stillframe.cdp_types import target
from stillframe.errors import CommandError, OptionInvalid
from stillframe.model.suggest import did_you_mean
from stillframe.page.page import Page

if TYPE_CHECKING:
    from stillframe.page.browser import Browser


class ContextOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the pages of a context are made to look like."""

    dialogs: Any = "dismiss"


def parse_context_options(options: dict[str, Any]) -> ContextOptions:
    """Validate the options of a context; raises OptionInvalid naming the option and the nearest known name."""
    for name in options:
        if name not in ContextOptions.__struct_fields__:
            hint = did_you_mean(name, ContextOptions.__struct_fields__)
            known = ", ".join(ContextOptions.__struct_fields__)
            raise OptionInvalid(f"unknown option {name!r}{hint}; known: {known}", option=name)
    try:
        return msgspec.convert(options, ContextOptions)
    except msgspec.ValidationError as error:
        raise OptionInvalid(f"context options: {error}") from None


class BrowserContext:
    """A group of pages that share cookies and storage with each other only; `id` is None for the browser's own."""

    def __init__(self, browser: Browser, context_id: str | None, options: ContextOptions) -> None:
        self.browser = browser
        self.id = context_id
        self.options = options
        self.pages: list[Page] = []

    async def new_page(self, url: str | None = None) -> Page:
        """Open a tab in this context; see `Browser.new_page`."""
        return await self.browser.new_page(url, context=self)

    def prepare(self, session: Session) -> None:
        """Make a frame session look as the options say, before its first script runs."""

    async def close(self) -> None:
        """Close all pages of the context and forget its cookies and storage."""
        for page in tuple(self.pages):
            await page.close()
        if self.id is not None:
            try:
                await self.browser.connection.root.send(target.DisposeBrowserContext(browser_context_id=self.id))
            except CommandError:
                return

    async def __aenter__(self) -> BrowserContext:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()
