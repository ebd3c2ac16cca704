"""What is known about a browser that we talk to."""

from __future__ import annotations

from typing import Literal

import msgspec


class BrowserInfo(msgspec.Struct, frozen=True, rename="camel"):
    """A browser's own words about itself, and how we came to it.

    From the browser (`Browser.getVersion`): `product` such as `Chrome/156.0.8078.79`, `protocol_version`, `revision`,
    `user_agent`, `js_version`. From the launch, None for a browser that we only attached to: `executable`, `pid`,
    `profile` (directory), `sandbox` (False: it runs with --no-sandbox). `endpoint` is its DevTools address for other
    clients, `http://127.0.0.1:port`, when it has one. `flags` are the switches it was started with.
    `encoding` is what it speaks over `transport`.
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
        """Whether this is a whole browser without a visible window; chrome-headless-shell has no windows at all."""
        told = "--headless=new" in self.flags or "HeadlessChrome/" in self.user_agent
        return told and self.product.startswith("Chrome/")
