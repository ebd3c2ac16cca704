"""The cookies of a browser context."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from msgspec import structs

from stillframe.cdp_types import network
from stillframe.cdp_types import storage as cdp_storage
from stillframe.errors import CdpError, OptionInvalid
from stillframe.security.urls import origin_of
from stillframe.tab.context.http_cookies import is_sent_to
from stillframe.tab.context.storage_state import CookieState, SameSite

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession


async def get_cookies(root: CDPSession, context_id: str | None) -> list[CookieState]:
    """Return the cookies of a context."""
    reply = await root.send(cdp_storage.GetCookies(browser_context_id=context_id))
    return [_cookie_state(cookie) for cookie in reply.cookies]


async def set_cookies(root: CDPSession, context_id: str | None, cookies: Iterable[CookieState]) -> None:
    """Add cookies to a context; raises OptionInvalid that names a cookie the browser rejects."""
    wanted = list(cookies)
    params = [_cookie_param(cookie) for cookie in wanted]
    try:
        await root.send(cdp_storage.SetCookies(cookies=params, browser_context_id=context_id))
    except CdpError as error:
        raise OptionInvalid(f"cookies: the browser rejected all of them: {error.text}", option="cookies") from None
    # Chrome reports success for cookies that its rules forbid, and drops them.
    there = {cookie.name for cookie in await get_cookies(root, context_id)}
    for cookie in wanted:
        if cookie.name not in there and (cookie.expires == -1 or cookie.expires > time.time()):
            raise OptionInvalid(
                f"cookies: the browser dropped {cookie.name!r}; SameSite=None requires secure, and a __Host- name "
                "requires secure and the path /",
                option="cookies",
            )


async def clear_cookies(root: CDPSession, context_id: str | None) -> None:
    """Delete all cookies of a context."""
    await root.send(cdp_storage.ClearCookies(browser_context_id=context_id))


async def expire(root: CDPSession, context_id: str | None, cookies: Iterable[CookieState]) -> None:
    """Delete these cookies of a context."""
    params = [_cookie_param(structs.replace(cookie, expires=1.0)) for cookie in cookies]
    if params:
        await root.send(cdp_storage.SetCookies(cookies=params, browser_context_id=context_id))


def is_wanted(cookie: CookieState, wanted: Mapping[str, str | re.Pattern[str] | None]) -> bool:
    """Return whether the fields of a cookie are those wanted; an expression is searched in its field."""
    return all(
        pattern is None
        or (
            pattern.search(getattr(cookie, name)) is not None
            if isinstance(pattern, re.Pattern)
            else pattern == getattr(cookie, name)
        )
        for name, pattern in wanted.items()
    )


def is_sent(cookie: CookieState, urls: str | Sequence[str] | None) -> bool:
    """Return whether a request to one of the URLs sends a cookie; None is any."""
    return urls is None or any(is_sent_to(url, cookie) for url in ([urls] if isinstance(urls, str) else urls))


def cookie_builtins(cookie: CookieState) -> dict[str, Any]:
    """Return a cookie in Playwright's JSON shape, with every key that it expects."""
    plain = {
        "name": cookie.name,
        "value": cookie.value,
        "domain": cookie.domain,
        "path": cookie.path,
        "expires": cookie.expires,
        "httpOnly": cookie.http_only,
        "secure": cookie.secure,
        # Chrome treats a cookie without the attribute as Lax.
        "sameSite": cookie.same_site or "Lax",
    }
    if cookie.partition_key is None:
        return plain
    return plain | {
        "partitionKey": cookie.partition_key,
        "_crHasCrossSiteAncestor": cookie.has_cross_site_ancestor,
    }


def _cookie_state(cookie: network.Cookie) -> CookieState:
    return CookieState(
        name=cookie.name,
        value=cookie.value,
        domain=cookie.domain,
        path=cookie.path,
        expires=-1 if cookie.session else cookie.expires,
        http_only=cookie.http_only,
        secure=cookie.secure,
        same_site=cast("SameSite | None", cookie.same_site),
        partition_key=cookie.partition_key.top_level_site if cookie.partition_key else None,
        has_cross_site_ancestor=cookie.partition_key.has_cross_site_ancestor if cookie.partition_key else None,
    )


def _cookie_param(cookie: CookieState) -> network.CookieParam:
    return network.CookieParam(
        name=cookie.name,
        value=cookie.value,
        url=cookie.url,
        domain=cookie.domain,
        path=cookie.path,
        expires=None if cookie.expires == -1 else cookie.expires,
        http_only=cookie.http_only,
        secure=cookie.secure,
        same_site=cookie.same_site,
        partition_key=_partition(cookie, cookie.partition_key) if cookie.partition_key else None,
    )


def _partition(cookie: CookieState, site: str) -> network.CookiePartitionKey:
    within_another = cookie.has_cross_site_ancestor
    if within_another is None:
        within_another = not _is_of(cookie, site)
    return network.CookiePartitionKey(top_level_site=site, has_cross_site_ancestor=within_another)


def _is_of(cookie: CookieState, site: str) -> bool:
    """Return whether a cookie's domain belongs to a site, which is `scheme://registrable-domain`."""
    own = cookie.domain or origin_of(cookie.url or "").partition("://")[2].partition(":")[0]
    domain, host = own.lstrip("."), site.partition("://")[2]
    return domain == host or domain.endswith(f".{host}")
