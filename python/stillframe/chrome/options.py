"""The options of a launch, checked as a whole before anything is started."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.model.suggest import did_you_mean

PROXY_SCHEMES = ("http", "https", "socks4", "socks5")


class Proxy(msgspec.Struct, frozen=True):
    """A forward proxy for the whole browser.

    `server` is `host:port` or `scheme://host:port` (http, https, socks4, socks5). `bypass` are host patterns that go
    direct; Chrome leaves loopback out on its own, the pattern `<-loopback>` sends it through. Chrome takes no
    credentials on its command line: `username` and `password` are answered by the page layer when the proxy asks.
    """

    server: str
    bypass: tuple[str, ...] = ()
    username: str | None = None
    password: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.server, str):  # a wrong type is named with its option when the options are checked
            _check_proxy_server(self.server)

    def __repr__(self) -> str:
        login = f", username={self.username!r}" if self.username else ""
        return f"Proxy({self.server!r}, bypass={self.bypass!r}{login})"


class LaunchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How to launch a browser; every field has a default that suits an unattended machine."""

    executable: str | None = None
    """Path or name of the browser; None lets `find_executable` choose."""
    headless: bool = True
    """Run without a window (Chrome's new headless mode); False needs a display."""
    args: tuple[str, ...] = ()
    """Further command line switches, each `--name` or `--name=value`; they come after the defaults and win."""
    ignore_default_args: tuple[str, ...] = ()
    """Names of default switches to leave out, for example `--disable-quic`."""
    profile: str | None = None
    """A profile directory of the caller's own: created when missing, never deleted. None makes a temporary one."""
    pipe: Literal["auto", "cbor", "json"] = "auto"
    """How the browser and we talk: "auto" is "cbor" with a browser that knows it (which Chromium 156 calls
    experimental), else "json". CBOR takes nine tenths of the work of a capture off the browser's own process, which all
    tabs share. `BrowserInfo.encoding` says which one it is."""
    port: int | None = None
    """Also listen on this loopback port for other DevTools clients; 0 lets Chrome choose. None opens none."""
    sandbox: bool | None = None
    """Chrome's sandbox. None: on, except for root on Linux, where Chrome cannot start with it."""
    env: dict[str, str] | None = None
    """Environment variables to add to, or replace in, ours."""
    timeout: float = 30.0
    """Seconds from the start to the first answer."""
    proxy: Proxy | str | None = None
    """A proxy; text is `[scheme://][user:password@]host:port`."""
    window_size: tuple[int, int] = (1280, 800)
    """Outer size of new windows in pixels; the page is smaller by the browser's own bars."""
    virtual_time: bool = False
    """Let `settle="virtual"` take over the clocks of pages: frames then wait for the page and not for its clock, which
    also leaves Chrome's idle work (encoding a canvas, say) little time."""
    lang: str | None = None
    """A language tag such as `de-CH`: the browser's and the one that pages are asked for."""

    def resolved_proxy(self) -> Proxy | None:
        """Return the proxy as a value, with credentials taken out of a URL."""
        return parse_proxy(self.proxy) if isinstance(self.proxy, str) else self.proxy


def launch_options(**options: Any) -> LaunchOptions:
    """Build LaunchOptions from keywords or JSON values.

    Raises OptionInvalid: an unknown name (with the nearest known one), a wrong type, a value out of range.
    """
    for name in options:
        if name not in LaunchOptions.__struct_fields__:
            raise _unknown(name)
    plain = {name: _plain(value) for name, value in options.items()}
    try:
        built = msgspec.convert(plain, LaunchOptions)
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, OptionInvalid):
            raise error.__cause__ from None
        raise _wrong_type(str(error)) from None
    _check_ranges(built)
    return built


def checked(options: LaunchOptions) -> LaunchOptions:
    """Return `options` with the type and range of all fields checked, which building a LaunchOptions does not do."""
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


def _unknown(name: str) -> OptionInvalid:
    known = LaunchOptions.__struct_fields__
    hint = did_you_mean(name, known)
    return OptionInvalid(f"unknown launch option {name!r}{hint}; known are: {', '.join(known)}", option=name)


def _wrong_type(text: str) -> OptionInvalid:
    # msgspec ends its message with the path of the value: "Expected `int`, got `str` - at `$.port`".
    what, _, where = text.partition(" - at `$.")
    option = where.rstrip("`") or None
    return OptionInvalid(f"launch option {option!r}: {what[:1].lower()}{what[1:]}", option=option)


def _check_ranges(options: LaunchOptions) -> None:
    _require(options.port is None or 0 <= options.port <= 65535, "port", options.port, "must be 0 to 65535")
    _require(options.timeout > 0, "timeout", options.timeout, "must be more than 0 seconds")
    width, height = options.window_size
    _require(width > 0 and height > 0, "window_size", options.window_size, "needs a positive width and height")
    _require(options.lang is None or _is_language_tag(options.lang), "lang", options.lang, "is no language tag")
    for arg in options.args:
        _require(arg.startswith("--"), "args", arg, "is not a switch: each must begin with --")
        _require("\0" not in arg, "args", arg, "contains a NUL")
    if isinstance(options.proxy, str):
        parse_proxy(options.proxy)


def _require(condition: bool, option: str, value: object, problem: str) -> None:
    if not condition:
        raise OptionInvalid(f"launch option {option!r}: {value!r} {problem}", option=option)


def _is_language_tag(text: str) -> bool:
    return text.isascii() and text[:1].isalpha() and text.replace("-", "").isalnum()


def _check_proxy_server(server: str) -> None:
    """Raise OptionInvalid unless `server` is `[scheme://]host:port`; the text is not quoted when it holds a login."""
    if "@" in server:
        raise OptionInvalid(
            "launch option 'proxy': the server contains credentials; give them as username and password",
            option="proxy",
        )
    problem = _proxy_problem(server)
    if problem:
        expected = f"expected host:port or scheme://host:port with {', '.join(PROXY_SCHEMES)}"
        raise OptionInvalid(f"launch option 'proxy': {server!r} {problem}; {expected}", option="proxy")


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
    return "has more than host and port" if parts.path.strip("/") or parts.query else None
