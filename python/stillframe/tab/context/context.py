"""The state that the tabs of one browser context share."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from stillframe.errors import UrlRefused
from stillframe.security.redaction import Redaction
from stillframe.security.secret_store import Secrets
from stillframe.security.urls import ALLOWED_SCHEMES, check_url, parse_url
from stillframe.tab.background import Background
from stillframe.tab.context.gpu import GpuProcess
from stillframe.tab.context.options import ContextOptions, as_device
from stillframe.tab.context.timeouts import Timeouts
from stillframe.tab.events.dialogs import HeldDialogs
from stillframe.tab.refs import RefNumbers

if TYPE_CHECKING:
    from stillframe.chrome.browser_info import BrowserInfo
    from stillframe.chrome.client_certificates import Endpoint
    from stillframe.security.policy import UrlPolicy


class ContextState:
    """The state of a context below the public API: options, policy, secrets, refs; `id` is None for the default one."""

    def __init__(
        self,
        context_id: str | None,
        options: ContextOptions,
        info: BrowserInfo,
        *,
        allowed_schemes: frozenset[str] = ALLOWED_SCHEMES,
        painting: asyncio.Lock | None = None,
        gpu: GpuProcess | None = None,
        ref_numbers: RefNumbers | None = None,
    ) -> None:
        self.id = context_id
        self.options = as_device(options, info.milestone)
        self.info = info
        self.capabilities = info.capabilities
        self.allowed_schemes = allowed_schemes
        self.painting = painting or asyncio.Lock()
        """Held while a screenshot is taken: one at a time in a browser."""
        self.gpu = gpu or GpuProcess()
        """The GPU process, which all contexts of a browser share."""
        self.policy: UrlPolicy | None = options.policy and options.policy.with_schemes(
            allowed_schemes - ALLOWED_SCHEMES
        )
        """Which URLs its pages may load; None checks only the allowed schemes."""
        self.ref_numbers = ref_numbers or RefNumbers()
        """Shared by all tabs, so that a ref of one tab is never valid on another; on a device shared by all its apps,
        so that a ref is never valid after an app has started again."""
        self.secrets = Secrets() if options.secrets is None else options.secrets
        """The declared secrets that actions may name."""
        self.failed_certificates: Mapping[Endpoint, str] = {}
        """Why the latest connection to a server with a client certificate has failed, and what to do."""
        self.held_dialogs = HeldDialogs()
        """The dialogs that wait for the caller's answer."""
        self.timeouts = Timeouts()
        """The default time limits of the context's pages."""
        self.background = Background()
        """The caller's running functions: handlers of events and routes, and functions that pages call."""
        self.redaction = Redaction(self.secrets.redaction)
        """Removes declared and typed secrets from every result."""

    def absolute(self, url: str) -> str:
        """Return a URL as an absolute one: the option `base_url` of the context says where a relative one belongs."""
        base = self.options.base_url
        return url if base is None or not isinstance(url, str) else urljoin(base, url)

    def failed_certificate(self, url: str) -> str | None:
        """Return why the latest connection to the server of a URL with a client certificate has failed."""
        parsed = parse_url(url)
        return self.failed_certificates.get((parsed.host, parsed.port)) if parsed.host and parsed.port else None

    def check_url(self, url: str) -> None:
        """Raise UrlRefused unless the URL may be loaded in this context."""
        url = self.absolute(url)
        try:
            check_url(url, self.allowed_schemes) if self.policy is None else self.policy.check(url)
        except UrlRefused as error:
            self.redaction.redact_error(error)
            raise
