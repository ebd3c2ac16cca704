"""The two ways in: launch a browser, or connect to one that runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from stillframe import chrome
from stillframe.api.browser import Browser
from stillframe.engine.sequence import Engine
from stillframe.errors import OptionInvalid
from stillframe.model.suggest import did_you_mean
from stillframe.tab.deadline import CALL_S
from stillframe.tab.options import ContextOptions, parse_context_options


@asynccontextmanager
async def launch(*, allow_schemes: Iterable[str] = (), **options: Any) -> AsyncIterator[Browser]:
    """Launch a browser that ends with the block, whatever happens in it.

    `options` are the fields of `chrome.LaunchOptions` and of `ContextOptions` (the latter for the browser's own
    context). `allow_schemes` adds to the URL schemes that may be loaded. With a `policy`, a policy proxy carries and
    checks everything that the browser sends, in this and in every later context. Raises OptionInvalid,
    BrowserNotFound, LaunchFailed.
    """
    launch_options, context_options = _split(options)
    async with AsyncExitStack() as stack:
        policy_proxy = None
        if context_options.policy is not None:
            policy_proxy = chrome.PolicyProxy(context_options.policy, upstream=context_options.resolved_proxy())
            await stack.enter_async_context(policy_proxy)
            launch_options = _with_policy_proxy(launch_options, policy_proxy)
        process = await stack.enter_async_context(chrome.launched(chrome.LaunchOptions(**launch_options)))
        browser = Browser(
            process.connection,
            process.info,
            Engine(),
            options=context_options,
            allow_schemes=frozenset(allow_schemes),
            policy_proxy=policy_proxy,
        )
        await browser.start(timeout=launch_options.get("timeout", CALL_S))
        try:
            yield browser
        finally:
            browser.release()


@asynccontextmanager
async def connect(
    endpoint: str, *, timeout: float = 30.0, allow_schemes: Iterable[str] = (), **options: Any
) -> AsyncIterator[Browser]:
    """Connect to a running browser at `http://host:port` or `ws://…`, and leave it running after the block.

    Pages and contexts that the block opened are closed. A policy proxy enforces a `policy` in new contexts
    (`new_context`); in the browser's own context, whose proxy was chosen at its launch, it is no boundary: requests are
    stopped by name, and those of sockets and of workers without a page are not. Raises ConnectFailed if no DevTools
    endpoint answers there.
    """
    context_options = parse_context_options(options)
    if context_options.proxy is not None:
        raise OptionInvalid(
            "the proxy of a running browser was chosen at its launch; give one to browser.new_context(proxy=…)",
            option="proxy",
        )
    connection, info = await chrome.connect(endpoint, timeout=timeout)
    async with connection:
        browser = Browser(connection, info, Engine(), options=context_options, allow_schemes=frozenset(allow_schemes))
        try:
            await browser.start(timeout=timeout)
            yield browser
        finally:
            await browser.close()


def _with_policy_proxy(options: dict[str, Any], policy_proxy: chrome.PolicyProxy) -> dict[str, Any]:
    """The options of a launch whose every connection goes through a policy proxy."""
    args = chrome.policy_proxy_args(tuple(options.get("args", ())), tuple(options.get("ignore_default_args", ())))
    return options | {"proxy": policy_proxy.proxy, "args": args}


def _split(options: dict[str, Any]) -> tuple[dict[str, Any], ContextOptions]:
    launch_fields = chrome.LaunchOptions.__struct_fields__
    context_fields = ContextOptions.__struct_fields__
    for name in options:
        if name not in launch_fields and name not in context_fields:
            hint = did_you_mean(name, (*launch_fields, *context_fields))
            raise OptionInvalid(f"unknown option {name!r}{hint}", option=name)
    ours = {name: value for name, value in options.items() if name in launch_fields}
    # The proxy is in both: its address concerns the browser, its login the pages.
    return ours, parse_context_options({name: value for name, value in options.items() if name in context_fields})
