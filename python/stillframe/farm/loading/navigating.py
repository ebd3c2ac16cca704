"""The navigation of a page of a crawl, which ends with a whole document of what was asked for, or with an error."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from stillframe import Page, Route
from stillframe.errors import NavigationFailed
from stillframe.farm.loading.links import is_web
from stillframe.farm.loading.whole import BLANK, BLANK_MS, load_whole
from stillframe.farm.output.bodies import content_type_of, is_in_document
from stillframe.farm.playwright_names import goto_options, referer_of
from stillframe.farm.reasons import DOWNLOAD
from stillframe.model.result import NavigationResult


@dataclass(frozen=True)
class Destination:
    """What a page of a crawl asks for."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    payload: bytes | None = None


@dataclass(frozen=True)
class LoadOptions:
    """How pages of a crawl are loaded.

    `goto` are options of `Page.goto`, also by Playwright's names. A download of one of `download_types` is a page that
    shows nothing. A document with more than `max_document_bytes` is too large, None for any size.
    """

    navigation_s: float
    goto: Mapping[str, Any] = field(default_factory=dict)
    max_document_bytes: int | None = None
    download_types: Container[str] = ()


@dataclass(frozen=True)
class Loaded:
    """A page that has arrived: its URL, its response and the headers of it, by their names in lower case.

    `way` are the URLs that led to it, the first and the last included.
    `empty` says that the server answered without a document, as with 204; the page then shows an empty one.
    """

    url: str
    way: tuple[str, ...]
    response: NavigationResult
    headers: dict[str, str]
    empty: bool

    @property
    def is_document(self) -> bool:
        """Whether its content stands in the document that Chrome shows, so that a snapshot is one of it."""
        return not self.empty and is_in_document(content_type_of(self.headers))


async def leave_document(page: Page, url: str) -> None:
    """Show an empty document if the page shows that of the URL: a fragment alone would load nothing, and wait for less.

    Raises what `Page.goto` raises.
    """
    before, fragment, _ = url.partition("#")
    if fragment and page.url.partition("#")[0] == before:
        await page.goto(BLANK, timeout_ms=BLANK_MS)


async def load(page: Page, asked: Destination, options: LoadOptions) -> Loaded:
    """Navigate a page to its destination, and wait until it is still.

    A response without a document leaves the page empty. Raises what `Page.goto` raises, NavigationFailed with the
    reason DOWNLOAD for a download of a type that is not one of the download types, and TOO_LARGE for a document over
    its limit, DocumentTruncated, DocumentReplaced, and RendererHung.
    """
    given = {"timeout_ms": 1000 * options.navigation_s, **goto_options(options.goto, where="goto_options")}
    await leave_document(page, asked.url)
    await replace_navigation(page, asked, referer_of(options.goto))
    answered = await load_whole(page, asked.url, given, options.max_document_bytes)
    content_type = content_type_of(page.response_headers)
    if is_download(page) and content_type not in options.download_types:
        kind = f"a download of the type {content_type}" if content_type else "a download without a type"
        raise NavigationFailed(
            f"{asked.url} is {kind}, and the page still shows what it showed before",
            url=asked.url,
            reason=DOWNLOAD,
            cause="download",
        )
    url = page.url if is_web(page.url) and not is_download(page) else asked.url
    return Loaded(
        url=url,
        way=tuple(dict.fromkeys((*answered.hops, url))),
        response=answered.response,
        headers=page.response_headers,
        empty=page.url == BLANK,
    )


def is_download(page: Page) -> bool:
    """Return whether the last navigation became a download, so that the page shows what it showed before."""
    return page.verdict is not None and page.verdict.reason == DOWNLOAD


async def replace_navigation(page: Page, asked: Destination, more: Mapping[str, str]) -> None:
    """Send the navigation with the method, headers and payload of a destination, and with more headers."""
    headers = {**asked.headers, **more}
    if asked.method == "GET" and not headers and asked.payload is None:
        return
    first = True

    async def change(route: Route) -> None:
        nonlocal first
        if not first or not route.request.is_navigation_request:
            await route.fallback()
            return
        first = False
        await route.continue_(
            method=asked.method, headers={**route.request.headers, **headers}, post_data=asked.payload
        )

    await page.route("**", change, use_cache=True)
