"""Information about a connected browser."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from stillframe.chrome.capabilities import Capabilities

MILESTONE = re.compile(r"(?:HeadlessChrome|Chrome|Chromium|Edg)/(\d+)\.")
"""How the products of Chromium, of chrome-headless-shell, of WebViews and of Edge name their milestone."""


class BrowserInfo(msgspec.Struct, frozen=True, rename="camel"):
    """What a browser says about itself, and how this client reached it.

    From `Browser.getVersion`: `product` such as `Chrome/156.0.8078.79`, `protocol_version`, `revision`, `user_agent`,
    `js_version`. From the launch, and None for a browser that this client only connected to: `executable`, `pid`,
    `profile` (its directory), `sandbox` (False means --no-sandbox). `endpoint` is the DevTools address for other
    clients, `http://127.0.0.1:port`, if there is one. `flags` are the command-line switches of the launch, and
    `encoding` is the encoding of messages on `transport`.
    """

    product: str
    protocol_version: str
    revision: str
    user_agent: str
    js_version: str
    transport: Literal["pipe", "websocket"]
    launched: bool
    encoding: Literal["json", "cbor"] = "json"
    executable: str | None = None
    pid: int | None = None
    profile: str | None = None
    sandbox: bool | None = None
    endpoint: str | None = None
    flags: tuple[str, ...] = ()

    @property
    def is_android(self) -> bool:
        """Whether it runs on Android, as Chrome or as the WebView of an app."""
        return "Android" in self.user_agent

    @property
    def is_headless(self) -> bool:
        """Whether this is Chrome in its new headless mode; chrome-headless-shell, which has no windows, is not."""
        headless = "--headless=new" in self.flags or "HeadlessChrome/" in self.user_agent
        return headless and self.product.startswith("Chrome/")

    @property
    def milestone(self) -> int | None:
        """The Chromium milestone, 156 for `Chrome/156.0.8078.79`; None if neither product nor user agent names it.

        QtWebEngine has the name of its application as the product, and its milestone in the user agent alone.
        """
        found = MILESTONE.match(self.product) or MILESTONE.search(self.user_agent)
        return int(found[1]) if found else None

    @property
    def capabilities(self) -> Capabilities:
        """What this browser knows of the protocol, by its milestone."""
        return Capabilities(self.milestone)
