"""The options of a launch, validated before anything starts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.model.suggest import unknown

PROXY_SCHEMES = ("http", "https", "socks4", "socks5")


class Proxy(msgspec.Struct, frozen=True):
    """A forward proxy for the whole browser.

    `server` is `host:port` or `scheme://host:port` (http, https, socks4, socks5). `bypass` lists host patterns that
    connect directly; Chrome adds loopback unless the pattern `<-loopback>` is present. Chrome takes no credentials on
    its command line, so each context answers the proxy's challenge with `username` and `password`. It cannot log in at
    a SOCKS proxy.
    """

    server: str
    bypass: tuple[str, ...] = ()
    username: str | None = None
    password: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.server, str):  # validating the options reports a wrong type with its option
            _check_proxy_server(self.server)
            _check_proxy_login(self)

    def __repr__(self) -> str:
        login = f", username={self.username!r}" if self.username else ""
        return f"Proxy({self.server!r}, bypass={self.bypass!r}{login})"


class LaunchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How to launch a browser; the defaults suit an unattended machine."""

    executable: str | None = None
    """Path or name of the browser; None searches for one."""
    headless: bool = True
    """Run in Chrome's new headless mode, without a window; False needs a display."""
    args: tuple[str, ...] = ()
    """More command-line switches, each `--name` or `--name=value`; they override the defaults."""
    ignore_default_args: tuple[str, ...] = ()
    """Names of default switches to omit, for example `--disable-quic`."""
    profile: str | None = None
    """The caller's own profile directory: created if missing, never deleted. None uses a temporary profile."""
    pipe: Literal["auto", "cbor", "json"] = "auto"
    """The encoding of messages; "auto" is "cbor" if the browser has it (experimental in Chromium 156), else "json".
    CBOR saves nine tenths of the work that a DOM snapshot causes in the browser process, which all tabs share
    (Chromium 156). `BrowserInfo.encoding` is the encoding in use."""
    port: int | None = None
    """Also listen on this loopback port for other DevTools clients; 0 lets Chrome choose one, None opens no port."""
    sandbox: bool | None = None
    """Use Chrome's sandbox. None means yes, except for root on Linux, where Chrome does not start with it."""
    env: dict[str, str] | None = None
    """Environment variables to add to this process's, or to replace there."""
    timeout_ms: float = 30_000.0
    """Milliseconds from the start to the browser's first answer."""
    proxy: Proxy | str | None = None
    """A proxy, or its address as `[scheme://][user:password@]host:port`."""
    window_size: tuple[int, int] = (1280, 800)
    """Outer width and height of new windows in pixels; the page is smaller by the browser's toolbars."""
    virtual_time: bool = False
    """Allow `settle="virtual"` to control the clocks of pages. Frames then wait for the page instead of its clock,
    which leaves little time for Chrome's idle tasks such as encoding a canvas."""
    webmcp: bool = False
    """Let pages offer tools to agents by WebMCP (`document.modelContext`), for `Page.webmcp`; an experiment of Chromium
    156. Pages notice that the browser offers it."""
    lang: str | None = None
    """A language tag such as `de-CH`, for the browser and for the Accept-Language of its requests."""

    def resolved_proxy(self) -> Proxy | None:
        """Return the proxy as a `Proxy`, with its credentials separate from its address."""
        return parse_proxy(self.proxy) if isinstance(self.proxy, str) else self.proxy


def launch_options(**options: Any) -> LaunchOptions:
    """Build LaunchOptions from keywords or JSON values.

    Raises OptionInvalid for an unknown name (with the nearest known one), a wrong type or a value out of range.
    """
    for name in options:
        if name not in LaunchOptions.__struct_fields__:
            raise OptionInvalid(unknown("launch option", name, LaunchOptions.__struct_fields__), option=name)
    plain = {name: _plain(value) for name, value in options.items()}
    try:
        built = msgspec.convert(plain, LaunchOptions)
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, OptionInvalid):
            raise error.__cause__ from None
        raise _wrong_type(str(error)) from None
    _check_ranges(built)
    return built


def validated(options: LaunchOptions) -> LaunchOptions:
    """Return `options` after validating the type and range of each field, which its constructor does not do."""
    return launch_options(**msgspec.structs.asdict(options))


def parse_proxy(text: str) -> Proxy:
    """Split `[scheme://][user:password@]host:port` into a Proxy; raises OptionInvalid."""
    scheme, found, rest = text.rpartition("://")
    login, has_login, host = rest.rpartition("@")
    server = f"{scheme}{found}{host}"
    if not has_login:
        return Proxy(server)
    username, _, password = login.partition(":")
    return Proxy(server, username=unquote(username), password=unquote(password))


def _plain(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Proxy):
        return msgspec.structs.asdict(value)
    return dict(value) if isinstance(value, Mapping) else value


def _wrong_type(text: str) -> OptionInvalid:
    # msgspec ends its message with the path of the value: "Expected `int`, got `str` - at `$.port`".
    what, _, where = text.partition(" - at `$.")
    option = where.rstrip("`") or None
    return OptionInvalid(f"launch option {option!r}: {what[:1].lower()}{what[1:]}", option=option)


def _check_ranges(options: LaunchOptions) -> None:
    _require(options.port is None or 0 <= options.port <= 65535, "port", options.port, "must be between 0 and 65535")
    _require(options.timeout_ms > 0, "timeout_ms", options.timeout_ms, "must be more than 0 milliseconds")
    width, height = options.window_size
    _require(width > 0 and height > 0, "window_size", options.window_size, "needs a positive width and height")
    _require(
        options.lang is None or _is_language_tag(options.lang),
        "lang",
        options.lang,
        "is not a language tag such as 'de-CH'",
    )
    for arg in options.args:
        _require(arg.startswith("--"), "args", arg, "is not a switch: each must start with --")
        _require("\0" not in arg, "args", arg, "contains a NUL")
    if isinstance(options.proxy, str):
        parse_proxy(options.proxy)


def _require(condition: bool, option: str, value: object, problem: str) -> None:
    if not condition:
        raise OptionInvalid(f"launch option {option!r}: {value!r} {problem}", option=option)


def _is_language_tag(text: str) -> bool:
    return text.isascii() and text[:1].isalpha() and text.replace("-", "").isalnum()


def _check_proxy_server(server: str) -> None:
    """Raise OptionInvalid unless `server` is `[scheme://]host:port`; the message never quotes credentials."""
    if "@" in server:
        raise OptionInvalid(
            "launch option 'proxy': the server contains credentials; pass them as username and password",
            option="proxy",
        )
    problem = _proxy_problem(server)
    if problem:
        expected = f"expected host:port or scheme://host:port with {', '.join(PROXY_SCHEMES)}"
        raise OptionInvalid(f"launch option 'proxy': {server!r} {problem}; {expected}", option="proxy")


def _check_proxy_login(proxy: Proxy) -> None:
    if proxy.username is not None and proxy.server.lower().startswith("socks"):
        raise OptionInvalid(
            f"launch option 'proxy': Chrome cannot log in at a SOCKS proxy such as {proxy.server}; use an HTTP proxy "
            "instead, or a SOCKS proxy that lets this machine in without credentials",
            option="proxy",
        )


def _proxy_problem(server: str) -> str | None:
    try:
        parts = urlsplit(server if "://" in server else f"http://{server}")
        host, port = parts.hostname, parts.port
    except ValueError as error:
        return f"is not an address ({error})"
    if parts.scheme not in PROXY_SCHEMES:
        return f"has the unknown scheme {parts.scheme!r}"
    if not host or port is None:
        return "has no port" if host else "has no host"
    return "has more than a host and a port" if parts.path.strip("/") or parts.query else None
