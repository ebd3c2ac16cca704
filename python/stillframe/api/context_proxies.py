"""The proxies on loopback that the connections of a context go through."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, NamedTuple

from stillframe import chrome
from stillframe.chrome.options import Proxy
from stillframe.errors import OptionInvalid
from stillframe.security.policy import UrlPolicy
from stillframe.tab.context.options import ContextOptions

if TYPE_CHECKING:
    from stillframe.chrome.interception import Interceptor
    from stillframe.chrome.loopback_key import LoopbackKey
    from stillframe.chrome.policy_proxy import PolicyProxy

ALL = UrlPolicy(allow_private=True)
"""The policy of a proxy that is there for the certificates: it connects to whatever the browser asks for."""

DIRECT = "direct://"
"""Chrome's word for no proxy."""


class ContextProxies(NamedTuple):
    """The way of a context's connections: the proxy for client certificates, the policy proxy, the caller's own.

    Each may be missing.
    """

    certificates: PolicyProxy | None = None
    policy: PolicyProxy | None = None
    given: Proxy | None = None

    @property
    def for_requests(self) -> Proxy | None:
        """Where requests outside of the pages begin, which show the certificates themselves."""
        return self.given if self.policy is None else self.policy.proxy

    @property
    def for_browser(self) -> Proxy | None:
        """Where the browser's connections begin."""
        if self.certificates is None:
            return self.for_requests
        proxy = self.certificates.proxy
        # Plain HTTP has no certificates: unless it goes through a proxy anyway, it takes its own way.
        return proxy if self.for_requests else Proxy(f"https={proxy.server}", bypass=proxy.bypass)

    @property
    def interceptor(self) -> Interceptor | None:
        """What serves the connections to origins with a certificate."""
        return None if self.certificates is None else self.certificates.interceptor

    def stop(self) -> None:
        """Stop all traffic. Idempotent."""
        for proxy in (self.certificates, self.policy):
            if proxy is not None:
                proxy.stop()

    async def aclose(self) -> None:
        """Stop, and wait until no connection is left."""
        for proxy in (self.certificates, self.policy):
            if proxy is not None:
                await proxy.aclose()


async def start_proxies(options: ContextOptions, key: LoopbackKey | None) -> ContextProxies:
    """Start the proxies that the options of a context need; the browser accepts certificates with `key`.

    Raises OptionInvalid, and OSError if no port is free.
    """
    check_certificates(options, key)
    proxies = ContextProxies(given=options.resolved_proxy())
    try:
        if options.policy is not None:
            policy_proxy = chrome.PolicyProxy(options.policy, upstream=proxies.given)
            proxies = proxies._replace(policy=await policy_proxy.start())
        if options.client_certificates and key is not None:
            from stillframe.chrome.interception import Interceptor  # only certificates need it

            interceptor = Interceptor(options.client_certificates, key, verify=not options.ignore_https_errors)
            proxy = chrome.PolicyProxy(ALL, upstream=proxies.for_requests, interceptor=interceptor)
            proxies = proxies._replace(certificates=await proxy.start())
    except BaseException:
        proxies.stop()
        raise
    return proxies


@contextlib.asynccontextmanager
async def started_proxies(options: ContextOptions, key: LoopbackKey | None) -> AsyncIterator[ContextProxies]:
    """Start the proxies as `start_proxies` does, and close them at the end of the block."""
    proxies = await start_proxies(options, key)
    try:
        yield proxies
    finally:
        await proxies.aclose()


def check_certificates(options: ContextOptions, key: LoopbackKey | None = None) -> None:
    """Raise OptionInvalid for client certificates in a browser that trusts no key of ours."""
    if options.client_certificates and key is None:
        raise OptionInvalid(
            "option client_certificates: stillframe shows the certificate in a proxy of its own, whose key a browser "
            "must know from its launch; let stillframe launch the browser, and give the option to launch or to "
            "new_context",
            option="client_certificates",
        )
