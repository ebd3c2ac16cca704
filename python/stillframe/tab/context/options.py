"""The options of a browser context, checked as a whole before anything is opened."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec

from stillframe.chrome.client_certificates import ClientCertificate, read_certificates
from stillframe.chrome.options import Proxy, parse_proxy
from stillframe.errors import OptionInvalid
from stillframe.model.options import Milliseconds, Observe
from stillframe.model.secret import REDACTED
from stillframe.model.suggest import did_you_mean, unknown
from stillframe.security.policy import UrlPolicy, parse_policy
from stillframe.security.secret_store import Secrets, parse_secrets
from stillframe.security.urls import is_origin
from stillframe.tab.context.devices import OLDEST_MAJOR, find_device
from stillframe.tab.context.names import translated
from stillframe.tab.context.permissions import checked as checked_permissions
from stillframe.tab.context.storage_state import StorageState, read_state
from stillframe.tab.events.dialogs import DIALOG_TIMEOUT_MS, DialogPolicy

LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A token of RFC 9110 §5.6.2."""

DIALOGS = ("accept", "dismiss", "ask")
"""The words of the option `dialogs`."""

Pixels = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]
"""The upper bound of Emulation.setDeviceMetricsOverride."""


class ScreenSize(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The size of a screen in CSS pixels."""

    width: Pixels
    height: Pixels


class Viewport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The size of a page in CSS pixels, and the kind of screen it sees."""

    width: Pixels
    height: Pixels
    device_scale_factor: Annotated[float, msgspec.Meta(gt=0, le=10)] = 1
    mobile: bool = False
    """Lay out like a phone: the viewport `meta` applies, and scrollbars overlay the page."""
    touch: bool = False
    screen: ScreenSize | None = None
    """The size of the screen, which is what `window.screen` says; by default that of the page."""


class Geolocation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A geographic position in degrees, with its accuracy in metres."""

    latitude: Annotated[float, msgspec.Meta(ge=-90, le=90)]
    longitude: Annotated[float, msgspec.Meta(ge=-180, le=180)]
    accuracy: Annotated[float, msgspec.Meta(ge=0)] = 0


class HttpCredentials(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Credentials for HTTP authentication.

    `origin` (`https://example.org`) names the only server that may get them; without it every server that asks does.
    """

    username: str
    password: str
    origin: str | None = None

    def __repr__(self) -> str:
        return f"HttpCredentials({self.username!r}, {REDACTED!r}, origin={self.origin!r})"


class ContextOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How the pages of a context appear, and what they may do. None keeps the browser's default."""

    device: str | None = None
    """A device to appear as, such as `Pixel 7` or `iPhone 15 landscape`: its viewport and user agent, where these
    options do not name others."""
    viewport: Viewport | None = None
    """The size of pages; by default that of the window."""
    user_agent: str | None = None
    """Also decides `navigator.platform` and, for a Chromium, the client hints."""
    locale: str | None = None
    """A language tag such as `de-CH`: `navigator.language`, Accept-Language and the defaults of `Intl`."""
    timezone: str | None = None
    """An IANA name such as `Europe/Zurich`."""
    color_scheme: Literal["light", "dark", "no-preference"] | None = None
    """What the media feature `prefers-color-scheme` says."""
    reduced_motion: Literal["reduce", "no-preference"] | None = None
    """What the media feature `prefers-reduced-motion` says."""
    forced_colors: Literal["active", "none"] | None = None
    """What the media feature `forced-colors` says."""
    contrast: Literal["more", "no-preference"] | None = None
    """What the media feature `prefers-contrast` says."""
    geolocation: Geolocation | None = None
    """Pages may read it without asking the user for permission."""
    permissions: tuple[str, ...] = ()
    """What pages may do without asking the user: `camera`, `clipboard-read`, `notifications` and so on."""
    base_url: str | None = None
    """The URL that relative URLs of navigations belong to: with `https://example.org/shop/`, `page.goto("cart")` loads
    `https://example.org/shop/cart`."""
    java_script_enabled: bool = True
    """Whether pages run their scripts."""
    bypass_csp: bool = False
    """Whether pages ignore the Content-Security-Policy of their documents."""
    service_workers: Literal["allow", "block"] = "allow"
    """With `block`, pages can register no service worker, and none that is registered answers their requests."""
    ignore_https_errors: bool = False
    """Whether pages accept certificates that are invalid, such as self-signed ones."""
    extra_headers: dict[str, str] = {}
    """Sent with every request, to every server."""
    offline: bool = False
    """Start without a network; `context.set_offline` changes it."""
    block: tuple[str, ...] = ()
    """Patterns of URLs to block, documents included: `*` matches any text, `?` any one character, a backslash escapes
    them. A pattern must match the whole URL."""
    proxy: Proxy | str | None = None
    """A proxy, as in `LaunchOptions`; only the proxy gets its credentials, never a server."""
    http_credentials: HttpCredentials | None = None
    """For servers that ask for HTTP authentication."""
    client_certificates: tuple[ClientCertificate, ...] = ()
    """Certificates that servers ask for, of pages and of `context.request`: a list of mappings with an `origin`
    (`https://example.org`); `cert` and `key` (PEM), or `pfx`, each as bytes, or as a path by the name `certPath`,
    `keyPath` or `pfxPath`; and the `passphrase` of an encrypted one. It needs the extra `stillframe[certificates]`, and
    a browser that stillframe has launched."""
    storage_state: StorageState | None = None
    """Initial cookies and storage: a dict as `storage_state()` returns it, or the path of its JSON file."""
    downloads: str | bool = True
    """True keeps downloads in a private directory that is deleted with the context, a path keeps them there, False
    refuses them."""
    dialogs: DialogPolicy = "dismiss"
    """`accept`, `dismiss`, or a function of the dialog that returns whether to accept it, or the text for a prompt;
    with `ask`, each dialog waits for `Page.answer_dialog`."""
    dialog_timeout_ms: Annotated[float, msgspec.Meta(gt=0)] = DIALOG_TIMEOUT_MS
    """How long a dialog waits with `dialogs="ask"`; it is dismissed then, and the next result says so."""
    policy: UrlPolicy | None = None
    """Which URLs may be loaded by any means; None only checks the schemes of navigations by the API."""
    secrets: Secrets | None = None
    """Declared secrets that actions may name (`SecretName`); a mapping of names to texts works too."""
    observe: Observe = "calls"
    """How closely settling observes the pages, unless a sequence overrides it; see `SequenceOptions`."""
    trace: str | None = None
    """A directory in which each page gets a trace file; see `Page.trace`."""
    trace_screenshots: bool = False
    """Whether these traces have a screenshot before and after each sequence."""
    record_video_dir: str | None = None
    """A directory in which each page gets a film, a WebM file; see `Page.video`. It needs ffmpeg."""
    record_video_size: ScreenSize | None = None
    """The size of these films in pixels; by default that of `viewport` scaled down to fit 800×800, or 800×450. Pages
    are scaled down to fit."""
    slow_mo: Milliseconds = 0
    """Milliseconds to wait before each action, for people who watch; limits do not count them."""

    def resolved_proxy(self) -> Proxy | None:
        """Return the proxy as a value, with its credentials extracted from a URL."""
        return parse_proxy(self.proxy) if isinstance(self.proxy, str) else self.proxy


CONTEXT_FIELDS = ContextOptions.__struct_fields__


def as_device(options: ContextOptions, major: int | None) -> ContextOptions:
    """Return options with the viewport and the user agent of their device; `major` is the version of the browser."""
    if options.device is None:
        return options
    device = find_device(options.device)
    viewport = Viewport(device.width, device.height, device.scale, mobile=device.mobile, touch=device.mobile)
    agent = device.user_agent.replace("{chrome}", str(major or OLDEST_MAJOR))
    return msgspec.structs.replace(
        options, viewport=options.viewport or viewport, user_agent=options.user_agent or agent
    )


class _Checked(ContextOptions, frozen=True, kw_only=True):
    """The same options with types that msgspec can check; functions and files are checked separately."""

    client_certificates: Any = None
    dialogs: Any = "dismiss"
    storage_state: Any = None
    policy: Any = None
    secrets: Any = None


def parse_context_options(options: Mapping[str, Any]) -> ContextOptions:
    """Validate the options of a context.

    Raises OptionInvalid that names the option: an unknown one (with the nearest known name), a wrong type, a value
    out of range, a file that cannot be read.
    """
    options = translated(options)
    for name in options:
        if name not in CONTEXT_FIELDS:
            raise OptionInvalid(unknown("option", name, CONTEXT_FIELDS), option=name)
    checked = _convert({name: _plain(value) for name, value in options.items()})
    _check_values(checked)
    state = None if checked.storage_state is None else read_state(checked.storage_state)
    policy = None if checked.policy is None else parse_policy(checked.policy)
    secrets = None if checked.secrets is None else parse_secrets(checked.secrets)
    certificates = () if checked.client_certificates is None else read_certificates(checked.client_certificates)
    fields = {"client_certificates": certificates, "storage_state": state, "policy": policy, "secrets": secrets}
    return ContextOptions(**msgspec.structs.asdict(checked) | fields)


def check_viewport(options: Mapping[str, Any]) -> Viewport:
    """Validate the fields of a viewport; raises OptionInvalid."""
    viewport = _convert({"viewport": dict(options)}).viewport
    assert viewport is not None  # a dict never converts to None
    return viewport


def check_headers(headers: Mapping[str, str], option: str) -> None:
    """Raise OptionInvalid, which names the option, for headers that cannot be sent."""
    for name, value in headers.items():
        _require(isinstance(name, str) and HEADER_NAME.fullmatch(name), option, name, "is not a valid header name")
        _require(isinstance(value, str), option, name, "needs a string as its value")
        _require(not set(value) & set("\r\n\0"), option, name, "has a line break in its value")


def _check_directory(option: str, directory: str) -> None:
    """Make a directory that only its owner can read, unless it is there; raises OptionInvalid."""
    try:
        Path(directory).mkdir(mode=0o700, parents=True, exist_ok=True)
        problem = None if os.access(directory, os.W_OK) else "permission denied"
    except OSError as error:
        problem = error.strerror
    if problem is not None:
        raise OptionInvalid(f"option {option}: cannot write in {directory}: {problem}", option=option)


def _plain(value: Any) -> Any:
    # msgspec does not check a Struct when it is built, so convert it to a dict and check that.
    if isinstance(value, msgspec.Struct) and not isinstance(value, (StorageState, UrlPolicy)):
        return {name: item for name, item in msgspec.structs.asdict(value).items() if item is not None}
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _convert(options: dict[str, Any]) -> _Checked:
    try:
        return msgspec.convert(options, _Checked)
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, OptionInvalid):
            raise error.__cause__ from None
        reason, _, path = str(error).partition(" - at `$.")
        option = path.rstrip("`") or None
        raise OptionInvalid(f"option {option}: {reason[:1].lower()}{reason[1:]}", option=option) from None


def _check_values(options: ContextOptions) -> None:
    if options.device is not None:
        find_device(options.device)
    _require(
        options.locale is None or LANGUAGE_TAG.fullmatch(options.locale),
        "locale",
        options.locale,
        "is not a language tag such as de-CH",
    )
    _require(options.timezone != "", "timezone", options.timezone, "is not a time zone such as Europe/Zurich")
    _require(options.user_agent != "", "user_agent", options.user_agent, "is empty; omit it to keep the browser's own")
    _require(
        options.user_agent is None or options.user_agent.isprintable(),
        "user_agent",
        options.user_agent,
        "has characters that a header cannot contain",
    )
    _require(options.downloads != "", "downloads", options.downloads, "is not a directory")
    for option, directory in (("trace", options.trace), ("record_video_dir", options.record_video_dir)):
        _require(directory != "", option, directory, "is not a directory")
        if directory is not None:
            _check_directory(option, directory)
    check_headers(options.extra_headers, "extra_headers")
    checked_permissions(options.permissions)
    if options.base_url is not None:
        _check_base(options.base_url)
    for pattern in options.block:
        _check_pattern(pattern)
    _check_dialogs(options.dialogs)
    if options.proxy is not None:
        options.resolved_proxy()
    if options.http_credentials is not None and options.http_credentials.origin is not None:
        _check_origin(options.http_credentials.origin)


def _check_pattern(pattern: str) -> None:
    # Chrome matches a pattern against the whole URL: one without a scheme or a leading wildcard never matches.
    _require(
        pattern.startswith(("*", "?")) or ":" in pattern,
        "block",
        pattern,
        f"would match no URL; did you mean {'*' + pattern.strip('*') + '*'!r}?",
    )


def _check_base(url: str) -> None:
    parts = urlsplit(url)
    _require(
        parts.scheme in ("http", "https") and parts.netloc,
        "base_url",
        url,
        "is not a URL with a scheme and a host, such as https://example.org/",
    )


def _check_dialogs(policy: DialogPolicy) -> None:
    if not callable(policy) and policy not in DIALOGS:
        hint = did_you_mean(policy, DIALOGS) if isinstance(policy, str) else ""
        message = f"option dialogs: {policy!r} is not accept, dismiss, ask or a function{hint}"
        raise OptionInvalid(message, option="dialogs")


def _check_origin(origin: str) -> None:
    _require(
        is_origin(origin),
        "http_credentials.origin",
        origin,
        "is not an origin; write scheme://host[:port] without a path",
    )


def _require(condition: object, option: str, value: object, problem: str) -> None:
    if not condition:
        raise OptionInvalid(f"option {option}: {value!r} {problem}", option=option)
