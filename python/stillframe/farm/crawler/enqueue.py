"""`extract_links` of a handler: the links of the page as requests, filtered as crawlee filters them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from crawlee import Request, RequestOptions

from stillframe.farm.crawler.contexts import StillframePostNavCrawlingContext
from stillframe.farm.loading.links import links_of

Transform = Callable[[RequestOptions], Any]


def make_extract_links(crawler: Any, context: StillframePostNavCrawlingContext) -> Callable[..., Awaitable[list[Any]]]:
    """Return crawlee's `extract_links` for the page of a context; robots.txt is honoured if the crawler does."""

    async def extract_links(
        *,
        selector: str = "a",
        attribute: str = "href",
        label: str | None = None,
        user_data: Mapping[str, Any] | None = None,
        transform_request_function: Transform | None = None,
        **kwargs: Any,
    ) -> list[Request]:
        strategy = kwargs.setdefault("strategy", "same-hostname")
        urls = await links_of(context.page, selector, attribute)
        allowed = await crawler.without_forbidden(urls)
        found = crawler._enqueue_links_filter_iterator(iter(allowed), context.request.url, **kwargs)
        given = {"label": label, "user_data": dict(user_data or {}), "enqueue_strategy": strategy}
        return list(_requests(found, given, transform_request_function))

    return extract_links


def _requests(urls: Iterator[str], given: Mapping[str, Any], transform: Transform | None) -> Iterator[Request]:
    for url in urls:
        options: Any = {"url": url, **given}
        changed: Any = transform(options) if transform is not None else "unchanged"
        if changed == "skip":
            continue
        try:
            yield Request.from_url(**(options if changed == "unchanged" else changed))
        except ValueError:
            continue  # pydantic's error: a URL that crawlee does not accept
