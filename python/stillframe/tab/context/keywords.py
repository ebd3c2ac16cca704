"""The options of contexts and pages as keywords, for type checkers: `**options: Unpack[ContextKeywords]`.

`ContextOptions`, `Viewport` and `PrintToPDF` have the documentation and validate the values;
`tests/typing/test_keywords.py` keeps each pair equal.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypedDict

from stillframe.chrome.client_certificates import ClientCertificate
from stillframe.chrome.keywords import LaunchKeywords, ProcessKeywords, ProxyFields
from stillframe.chrome.options import Proxy
from stillframe.model.keywords import WaitTimes
from stillframe.model.options import Observe
from stillframe.security.policy import UrlPolicy
from stillframe.security.secret_store import Secrets
from stillframe.tab.context.names import NAMES
from stillframe.tab.context.options import Geolocation, HttpCredentials, ScreenSize, Viewport
from stillframe.tab.context.storage_state import StorageState
from stillframe.tab.events.dialogs import DialogPolicy


class ScreenFields(TypedDict, total=False):
    """The fields of `ScreenSize` as a mapping."""

    width: Required[int]
    height: Required[int]


class ScreenKeywords(TypedDict, total=False):
    """The options of `Page.set_viewport` besides width and height."""

    device_scale_factor: float
    mobile: bool
    touch: bool
    screen: ScreenSize | ScreenFields | None


class ViewportFields(ScreenKeywords, total=False):
    """The fields of `Viewport` as a mapping."""

    width: Required[int]
    height: Required[int]


class GeolocationFields(TypedDict, total=False):
    """The fields of `Geolocation` as a mapping."""

    latitude: Required[float]
    longitude: Required[float]
    accuracy: float


class HttpCredentialsFields(TypedDict, total=False):
    """The fields of `HttpCredentials` as a mapping."""

    username: Required[str]
    password: Required[str]
    origin: str | None


class ClientCertificateFields(TypedDict, total=False):
    """A client certificate as a mapping; `cert_path`, `key_path` and `pfx_path` are read as well."""

    origin: Required[str]
    cert: bytes | str
    certPath: str | os.PathLike[str]
    key: bytes | str
    keyPath: str | os.PathLike[str]
    pfx: bytes
    pfxPath: str | os.PathLike[str]
    passphrase: str


class UrlPolicyFields(TypedDict, total=False):
    """The fields of `UrlPolicy` as a mapping."""

    allowed_hosts: Sequence[str]
    denied_hosts: Sequence[str]
    allowed_schemes: Sequence[str]
    allow_private: bool


class EmulationKeywords(TypedDict, total=False):
    """The options of `BrowserContext.emulate`: the fields of `ContextOptions` about what a page sees."""

    device: str | None
    viewport: Viewport | ViewportFields | tuple[int, int] | None
    user_agent: str | None
    locale: str | None
    timezone: str | None
    color_scheme: Literal["light", "dark", "no-preference"] | None
    reduced_motion: Literal["reduce", "no-preference"] | None
    forced_colors: Literal["active", "none"] | None
    contrast: Literal["more", "no-preference"] | None
    geolocation: Geolocation | GeolocationFields | None


class PlaywrightKeywords(TypedDict, total=False):
    """The options of contexts that Playwright names in another way; see `tab/context/names.py`."""

    timezone_id: str | None
    extra_http_headers: Mapping[str, str] | None
    accept_downloads: bool | None
    device_scale_factor: float | None
    is_mobile: bool | None
    has_touch: bool | None
    screen: ScreenSize | ScreenFields | None
    no_viewport: bool | None
    default_browser_type: str | None


class ContextKeywords(EmulationKeywords, PlaywrightKeywords, total=False):
    """The options of `Browser.new_context` and of `connect`: the fields of `ContextOptions`."""

    permissions: Sequence[str]
    base_url: str | None
    java_script_enabled: bool
    bypass_csp: bool
    service_workers: Literal["allow", "block"]
    ignore_https_errors: bool
    extra_headers: Mapping[str, str]
    offline: bool
    block: Sequence[str]
    proxy: Proxy | ProxyFields | str | None
    http_credentials: HttpCredentials | HttpCredentialsFields | None
    client_certificates: Sequence[ClientCertificate] | Sequence[ClientCertificateFields]
    storage_state: StorageState | Mapping[str, Any] | str | os.PathLike[str] | None
    downloads: str | os.PathLike[str] | bool
    dialogs: DialogPolicy
    dialog_timeout_ms: float
    policy: UrlPolicy | UrlPolicyFields | None
    secrets: Secrets | Mapping[str, str] | None
    observe: Observe
    trace: str | os.PathLike[str] | None
    trace_screenshots: bool
    record_video_dir: str | os.PathLike[str] | None
    record_video_size: ScreenSize | ScreenFields | None
    slow_mo: float


class NewPageKeywords(ContextKeywords, WaitTimes, total=False):
    """The options of `Browser.new_page`: those of a context for the page alone, and those of `Page.goto`."""

    settle_timeout_ms: float


OF_CONTEXTS = frozenset((*ContextKeywords.__annotations__, *NAMES)) - {"observe"}
"""Options that open a context for a page; `observe` is how `Page.goto` waits as well."""


def split_context_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options that are of a context, and the others."""
    own = {name: value for name, value in options.items() if name in OF_CONTEXTS}
    return own, {name: value for name, value in options.items() if name not in own}


class BrowserKeywords(LaunchKeywords, ContextKeywords, total=False):
    """The options of `launch` and `Sessions`: those of the browser process and of its own context."""


class SessionKeywords(ProcessKeywords, ContextKeywords, total=False):
    """The options of `Sessions.open`, whose `timeout_ms` covers more than the launch."""


class PdfMargins(TypedDict, total=False):
    """The margins of a PDF: CSS pixels, or texts with a unit such as `1cm`."""

    top: float | str
    right: float | str
    bottom: float | str
    left: float | str


class PaperKeywords(TypedDict, total=False):
    """The options of `Page.pdf` about the paper: lengths are CSS pixels, or texts with a unit such as `1cm`."""

    format: str | None
    width: float | str | None
    height: float | str | None
    margin: PdfMargins | float | str | None
    outline: bool | None
    tagged: bool | None


class PdfKeywords(PaperKeywords, total=False):
    """The options of `Page.pdf`: the fields of `PrintToPDF`, lengths in inches; None leaves Chrome's default."""

    landscape: bool | None
    display_header_footer: bool | None
    print_background: bool | None
    scale: float | None
    paper_width: float | None
    paper_height: float | None
    margin_top: float | None
    margin_bottom: float | None
    margin_left: float | None
    margin_right: float | None
    page_ranges: str | None
    header_template: str | None
    footer_template: str | None
    prefer_css_page_size: bool | None
    generate_tagged_pdf: bool | None
    generate_document_outline: bool | None
