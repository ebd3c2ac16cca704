"""Information about a connected browser."""

from __future__ import annotations

from typing import Literal

import msgspec


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
    def is_headless(self) -> bool:
        """Whether this is Chrome in its new headless mode; chrome-headless-shell, which has no windows, is not."""
        headless = "--headless=new" in self.flags or "HeadlessChrome/" in self.user_agent
        return headless and self.product.startswith("Chrome/")
