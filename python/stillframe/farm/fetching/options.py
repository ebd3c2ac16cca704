"""The way of a crawl's pages, from the options of their contexts and browsers."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any
from urllib.parse import quote, urlsplit

from stillframe.farm.fetching.fetcher import Fetcher, Proxy
from stillframe.security.policy import parse_policy
from stillframe.security.urls import DEFAULT_PORTS

SOCKS_PORT = 1080
PRODUCT = "stillframe"
"""How a crawler without a name of its own calls itself."""


def default_user_agent() -> str:
    """Return how requests for robots.txt and sitemaps call themselves without a user agent of the crawl."""
    try:
        return f"{PRODUCT}/{version('stillframe')}"
    except PackageNotFoundError:
        return PRODUCT


def fetcher_of(options: Mapping[str, Any], *, user_agent: str | None = None, proxy: Proxy | None = None) -> Fetcher:
    """Return what goes the way of pages: `options` are those of contexts and browsers, `proxy` replaces theirs."""
    policy = options.get("policy")

    async def of_context(url: str) -> str | None:
        return proxy_url(options.get("proxy"), url)

    return Fetcher(
        user_agent=user_agent or options.get("user_agent") or default_user_agent(),
        proxy=proxy or of_context,
        policy=None if policy is None else parse_policy(policy),
        headers=options.get("extra_headers") or {},
        login=options.get("http_credentials"),
        verify=not options.get("ignore_https_errors"),
    )


def proxy_url(proxy: Any, url: str) -> str | None:
    """Return the URL of the option `proxy` of a context, login included; None for a URL that does not go through it."""
    if proxy is None:
        return None
    given = {"server": proxy} if isinstance(proxy, str) else proxy
    read = given.get if isinstance(given, Mapping) else lambda name: getattr(given, name, None)
    bypass = read("bypass") or ()
    if _bypasses(bypass.split(",") if isinstance(bypass, str) else bypass, urlsplit(url).hostname or ""):
        return None
    server = str(read("server"))
    parts = urlsplit(server if "://" in server else f"http://{server}")
    username, password = (
        quote(str(own), safe="") if (own := read(name)) else getattr(parts, name) or ""
        for name in ("username", "password")
    )
    login = f"{username}:{password}@" if username else ""
    port = parts.port or DEFAULT_PORTS.get(parts.scheme, SOCKS_PORT)
    return f"{parts.scheme}://{login}{parts.hostname}:{port}"


def _bypasses(rules: Any, host: str) -> bool:
    """Return whether Chrome goes to a host without the proxy: to loopback, unless the rules say `<-loopback>`."""
    names = [str(rule).strip().partition(":")[0] for rule in rules]
    if host == "localhost" or host.endswith(".localhost") or host.startswith("127.") or host == "::1":
        return "<-loopback>" not in names
    return any(name == "*" or host == name or host.endswith("." + name.lstrip("*.")) for name in names if name)
