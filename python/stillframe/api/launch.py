"""The two ways in: launch a browser, or connect to one that runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from typing import Any, Generic, TypeVar, Unpack

from stillframe import chrome
from stillframe.api.browser import Browser
from stillframe.api.context_proxies import ContextProxies, check_certificates, started_proxies
from stillframe.cdp import Connection
from stillframe.chrome.endpoint import targets_by_activity
from stillframe.chrome.loopback_key import LoopbackKey, own_key
from stillframe.errors import OptionInvalid
from stillframe.tab.context.browser_options import split_browser_options
from stillframe.tab.context.keywords import BrowserKeywords, ContextKeywords
from stillframe.tab.context.options import check_headers, parse_context_options
from stillframe.tab.deadline import CALL_MS, in_seconds

Opened = TypeVar("Opened", bound=AbstractAsyncContextManager[Any])


class Opening(Generic[Opened]):
    """What `launch`, `connect` and `android` return: await it, or enter it to have what it opens closed as well."""

    def __init__(self, opening: Coroutine[Any, Any, Opened]) -> None:
        self._opening = opening
        self._opened: Opened | None = None

    def __await__(self) -> Generator[Any, None, Opened]:
        return self._opening.__await__()

    async def __aenter__(self) -> Opened:
        self._opened = await self._opening
        return self._opened

    async def __aexit__(self, *exc: Any) -> None:
        assert self._opened is not None  # it was entered
        await self._opened.__aexit__(*exc)


def launch(*, allow_schemes: Iterable[str] = (), **options: Unpack[BrowserKeywords]) -> Opening[Browser]:
    """Launch a browser: `async with launch() as browser: …`, or `browser = await launch()` and `await browser.close()`.

    The browser ends with the block or with `close`, and in any case with this process. With a `policy`, everything that
    the browser sends goes through a proxy that enforces it, in this context and in later ones.

    Args:
        allow_schemes: URL schemes that pages may load besides the usual ones.
        **options: The fields of `chrome.LaunchOptions`, and those of `ContextOptions` for the default context.

    Returns:
        The Browser, once it is awaited or entered.

    Raises:
        OptionInvalid: An option is unknown or invalid.
        BrowserNotFound: There is no browser to launch.
        LaunchFailed: The browser does not start.
    """
    return Opening(launch_browser(frozenset(allow_schemes), {**options}))


async def launch_browser(
    allow_schemes: frozenset[str],
    options: dict[str, Any],
    connected: Callable[[Connection, chrome.BrowserInfo], object] | None = None,
) -> Browser:
    """Launch a browser as `launch` does, and call `connected` before anything else uses the connection."""
    split = split_browser_options(options)
    launch_options, context_options = split.launch, parse_context_options(split.context)
    async with AsyncExitStack() as stack:
        key = own_key()
        proxies = await stack.enter_async_context(started_proxies(context_options, key))
        launch_options = _with_proxies(launch_options, proxies, key)
        process = await stack.enter_async_context(chrome.launched(chrome.LaunchOptions(**launch_options)))
        if connected is not None:
            connected(process.connection, process.info)
        owned = stack.pop_all()
    browser = Browser(
        process.connection,
        process.info,
        options=context_options,
        allow_schemes=allow_schemes,
        proxies=proxies,
        loopback_key=key,
        owned=owned,
        by_activity=_by_activity(process.info),
    )
    return await started(browser, process.options.timeout_ms)


def connect(
    endpoint: str,
    *,
    headers: Mapping[str, str] | None = None,
    timeout_ms: float = CALL_MS,
    allow_schemes: Iterable[str] = (),
    **options: Unpack[ContextKeywords],
) -> Opening[Browser]:
    """Connect to a running browser at `http://host:port` or `ws://…`; use it as `launch`, and leave it running.

    `browser.pages` lists the tabs that are open, `browser.active_page()` returns the one in front. The first call on a
    page attaches to its tab; a tab that is not used is left alone. Pages and contexts opened here close with the block,
    other tabs stay open.

    A proxy enforces a `policy` in new contexts (`new_context`). In the default context, whose proxy was chosen at
    launch, a policy is not a boundary: requests are stopped by name, but not those of sockets and of workers without a
    page.

    Args:
        endpoint: The address of the DevTools endpoint.
        headers: What is sent with the requests to the endpoint, for one behind a gateway that wants to know who
            connects.
        timeout_ms: The limit of the call, in ms: 30,000 by default.
        allow_schemes: URL schemes that pages may load besides the usual ones.
        **options: The fields of `ContextOptions` for the default context; they apply to tabs once they are used.

    Returns:
        The Browser, once it is awaited or entered.

    Raises:
        OptionInvalid: An option is unknown or invalid.
        ConnectFailed: No DevTools endpoint answers there.
    """
    return Opening(connect_browser(endpoint, timeout_ms, frozenset(allow_schemes), {**options}, headers=headers))


async def connect_browser(
    endpoint: str,
    timeout_ms: float,
    allow_schemes: frozenset[str],
    options: dict[str, Any],
    connected: Callable[[Connection, chrome.BrowserInfo], object] | None = None,
    *,
    headers: Mapping[str, str] | None = None,
) -> Browser:
    """Connect as `connect` does, and call `connected` before anything else uses the connection."""
    context_options = parse_context_options(options)
    check_headers(headers or {}, "headers")
    if context_options.proxy is not None:
        raise OptionInvalid(
            "the proxy of a running browser was chosen at its launch; give one to browser.new_context(proxy=…)",
            option="proxy",
        )
    check_certificates(context_options)
    connection, info = await chrome.connect(endpoint, timeout=in_seconds(timeout_ms) or 0.0, headers=headers)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(connection)
        if connected is not None:
            connected(connection, info)
        owned = stack.pop_all()
    browser = Browser(
        connection,
        info,
        options=context_options,
        allow_schemes=allow_schemes,
        owned=owned,
        by_activity=_by_activity(info, headers),
    )
    return await started(browser, timeout_ms)


def _by_activity(
    info: chrome.BrowserInfo, headers: Mapping[str, str] | None = None
) -> Callable[[], Awaitable[list[str]]] | None:
    return None if info.endpoint is None else partial(targets_by_activity, info.endpoint, headers)


async def started(browser: Browser, timeout_ms: float) -> Browser:
    """Return the browser once it lists its tabs; close it if that fails."""
    try:
        await browser._start(timeout_ms=timeout_ms)
    except BaseException:
        await browser.close()
        raise
    return browser


def _with_proxies(options: dict[str, Any], proxies: ContextProxies, key: LoopbackKey | None) -> dict[str, Any]:
    """Return launch options that send connections through the proxies, and let contexts have such proxies later."""
    given = options.get("args", ())
    if isinstance(given, str) or not isinstance(given, Iterable):
        return options  # the check of the options reports what is wrong with it
    args = tuple(given)
    if proxies.policy is not None:
        args = chrome.policy_proxy_args(args, tuple(options.get("ignore_default_args", ())))
    trusted = () if key is None else (key.switch,)
    return options | {"proxy": proxies.for_browser, "args": (*args, *trusted)}
