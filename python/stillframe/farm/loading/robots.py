"""robots.txt in a crawler: fetched with the user agent, through the proxy and within the policy of its pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any
from urllib.parse import urlsplit

from crawlee import Request
from crawlee.proxy_configuration import ProxyConfiguration, ProxyInfo

from stillframe.errors import OptionInvalid
from stillframe.farm.robots.fetching import RobotsClient
from stillframe.security.policy import parse_policy

TOKEN = "stillframe"  # noqa: S105  the product token of RFC 9309, no secret
"""The product token of a crawler that gives none."""
DEFAULT_PORTS = {"http": 80, "https": 443}
_PRODUCT = re.compile(r"[A-Za-z0-9_-]+")
"""A product token; digits are not in the grammar of RFC 9309, but in the names of crawlers."""
_COMPATIBLE = re.compile(r"compatible;\s*([A-Za-z0-9_-]+)")


def default_user_agent() -> str:
    """Return how requests for robots.txt and sitemaps call themselves without a user agent of the crawl."""
    try:
        return f"{TOKEN}/{version('stillframe')}"
    except PackageNotFoundError:
        return TOKEN


def token_of(user_agent: str | None, token: str | None = None) -> str:
    """Return the product token whose groups in robots.txt count: the one given, or that of the user agent.

    `ShopBot/1.0 (+https://shop.example/bot)` and `Mozilla/5.0 (compatible; ShopBot/1.0)` have the token `ShopBot`; that
    of a browser, and of no user agent, is `stillframe`. Raises OptionInvalid for a token that robots.txt cannot name.
    """
    if token is not None:
        if _PRODUCT.fullmatch(token) is None:
            raise OptionInvalid(
                f"option robots_token: {token!r} is not a product token; use letters, digits, '_' and '-'",
                option="robots_token",
            )
        return token
    found = _COMPATIBLE.search(user_agent or "") or _PRODUCT.match(user_agent or "")
    name = found.group(found.lastindex or 0) if found else TOKEN
    return TOKEN if name == "Mozilla" else name


def robots_client(
    options: Mapping[str, Any], *, user_agent: str | None = None, proxies: ProxyConfiguration | None = None
) -> RobotsClient:
    """Return the client that goes the way of pages: `options` are those of their contexts and browsers."""
    policy = options.get("policy")

    async def proxy(url: str) -> ProxyInfo | None:
        if proxies is not None:
            return await proxies.new_proxy_info(None, Request.from_url(url), None)
        return proxy_info(options.get("proxy"), url)

    return RobotsClient(
        user_agent=user_agent or options.get("user_agent") or default_user_agent(),
        proxy=proxy,
        policy=None if policy is None else parse_policy(policy),
    )


def proxy_info(proxy: Any, url: str) -> ProxyInfo | None:
    """Return the option `proxy` of a context as crawlee has it; None for a URL that it does not go through."""
    if proxy is None:
        return None
    given = {"server": proxy} if isinstance(proxy, str) else proxy
    read = given.get if isinstance(given, Mapping) else lambda name: getattr(given, name, None)
    bypass = read("bypass") or ()
    if _bypasses(bypass.split(",") if isinstance(bypass, str) else bypass, urlsplit(url).hostname or ""):
        return None
    server = str(read("server"))
    parts = urlsplit(server if "://" in server else f"http://{server}")
    username, password = read("username") or parts.username or "", read("password") or parts.password or ""
    login = f"{username}:{password}@" if username else ""
    port = parts.port or DEFAULT_PORTS.get(parts.scheme, 1080)
    return ProxyInfo(
        url=f"{parts.scheme}://{login}{parts.hostname}:{port}",
        scheme=parts.scheme,
        hostname=parts.hostname or "",
        port=port,
        username=username,
        password=password,
    )


def _bypasses(rules: Any, host: str) -> bool:
    """Return whether Chrome goes to a host without the proxy: to loopback, unless the rules say `<-loopback>`."""
    names = [str(rule).strip().partition(":")[0] for rule in rules]
    if host == "localhost" or host.endswith(".localhost") or host.startswith("127.") or host == "::1":
        return "<-loopback>" not in names
    return any(name == "*" or host == name or host.endswith("." + name.lstrip("*.")) for name in names if name)
