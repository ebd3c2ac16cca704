"""The settings of a Scrapy project that begin with STILLFRAME_, read and checked."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from stillframe.errors import OptionInvalid
from stillframe.extend.browsers import launch_options
from stillframe.extend.options import CONTEXT_FIELDS, parse_context_options
from stillframe.farm.pool import PoolSettings
from stillframe.model.suggest import did_you_mean

PREFIX = "STILLFRAME_"
NAMES = (
    "ABORT_REQUEST",
    "BLOCK",
    "BROWSERS",
    "CONTEXTS",
    "DEFAULT_NAVIGATION_TIMEOUT",
    "DOWNLOAD_TIMEOUT",
    "LAUNCH_OPTIONS",
    "MAX_CONTEXTS",
    "MAX_PAGES_PER_CONTEXT",
    "PROCESS_REQUEST_HEADERS",
)
REFUSED = {
    "BROWSER_PROVIDER": f"the pool launches Chromium: {PREFIX}LAUNCH_OPTIONS takes the `executable` of another",
    "CDP_KWARGS": "the pool launches its browsers and connects to none",
    "CDP_URL": "the pool launches its browsers and connects to none: leave it away",
    "CONNECT_KWARGS": "the pool launches its browsers and connects to none",
    "CONNECT_URL": "it is the address of a server of Playwright, which stillframe does not speak to: leave it away",
    "TARGET_CLOSED_MAX_RETRIES": "a page whose browser ended is retried by Scrapy: set RETRY_TIMES",
}
"""Settings of scrapy-playwright without a meaning here, and what to do."""
ONLY = {"BROWSER_TYPE": ("chromium", "chrome"), "RESTART_DISCONNECTED_BROWSER": (True, "True", "true", 1, "1")}
"""Settings of scrapy-playwright with the values that say what this handler does anyway."""
LAUNCH_NAMES = {"chromium_sandbox": "sandbox", "executable_path": "executable", "timeout": "timeout_ms"}
CONTEXT_NAMES = {"accept_downloads": "downloads", "extra_http_headers": "extra_headers", "timezone_id": "timezone"}
"""Options of Playwright that have other names here."""
NAVIGATION_MS = 30_000.0
"""The default of `Page.goto`, and of Playwright."""
SCRAPY_HEADERS = "scrapy"
"""The default of PROCESS_REQUEST_HEADERS: the document is requested with the headers of the Scrapy request."""


@dataclass(frozen=True, kw_only=True)
class HandlerSettings:
    """The settings of the download handler; times are in milliseconds."""

    pool: PoolSettings
    max_pages_per_context: int
    launch_options: Mapping[str, Any] = field(default_factory=dict)
    contexts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    block: tuple[str, ...] = ()
    navigation_timeout_ms: float = NAVIGATION_MS
    download_timeout_ms: float = NAVIGATION_MS
    max_document_bytes: int = 0
    """Scrapy's own DOWNLOAD_MAXSIZE; 0 for any size."""
    abort_request: Callable[..., Any] | None = None
    process_headers: Callable[..., Any] | str | None = SCRAPY_HEADERS

    def context_options(self, name: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the options of a context: those of its name, or else those that its first request gives.

        Raises OptionInvalid.
        """
        options = renamed(self.contexts.get(name, given or {}), CONTEXT_NAMES)
        parse_context_options(options)
        if self.block:
            options["block"] = (*options.get("block", ()), *self.block)
        return options


def read_settings(settings: BaseSettings) -> HandlerSettings:
    """Read the settings of a project; raises OptionInvalid for an unknown name or a value out of range."""
    _check_names(settings)
    concurrent = settings.getint("CONCURRENT_REQUESTS")
    pages = settings.getint(PREFIX + "MAX_PAGES_PER_CONTEXT") or concurrent
    abort = settings.get(PREFIX + "ABORT_REQUEST")
    read = HandlerSettings(
        pool=PoolSettings(
            browsers=settings.getint(PREFIX + "BROWSERS", 1),
            pages_per_browser=max(pages, concurrent),
            contexts_per_browser=settings.getint(PREFIX + "MAX_CONTEXTS") or 8,
        ),
        max_pages_per_context=pages,
        launch_options=renamed(settings.getdict(PREFIX + "LAUNCH_OPTIONS"), LAUNCH_NAMES),
        contexts=settings.getdict(PREFIX + "CONTEXTS"),
        block=tuple(settings.getlist(PREFIX + "BLOCK")),
        navigation_timeout_ms=_milliseconds(settings, "DEFAULT_NAVIGATION_TIMEOUT"),
        download_timeout_ms=_milliseconds(settings, "DOWNLOAD_TIMEOUT"),
        max_document_bytes=settings.getint("DOWNLOAD_MAXSIZE"),
        abort_request=load_object(abort) if abort else None,
        process_headers=_header_function(settings),
    )
    launch_options(**{name: value for name, value in read.launch_options.items() if name not in CONTEXT_FIELDS})
    for name in read.contexts:
        read.context_options(name, None)
    return read


def renamed(options: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return options with the names of Playwright replaced."""
    return {names.get(name, name): value for name, value in options.items()}


def _check_names(settings: BaseSettings) -> None:
    known = tuple(PREFIX + each for each in NAMES)
    for name in settings:
        if not isinstance(name, str) or not name.startswith(PREFIX):
            continue
        short = name.removeprefix(PREFIX)
        if short in NAMES or (short in ONLY and settings.get(name) in ONLY[short]):
            continue
        if short in ONLY:
            raise OptionInvalid(f"setting {name}: only {ONLY[short][0]!r} can be had; leave it away", option=name)
        if short in REFUSED:
            raise OptionInvalid(f"setting {name}: {REFUSED[short]}", option=name)
        hint = did_you_mean(name, known)
        raise OptionInvalid(f"no setting {name}{hint}; known: {', '.join(known)}", option=name)


def _milliseconds(settings: BaseSettings, short: str) -> float:
    name = PREFIX + short
    value = settings.getfloat(name, NAVIGATION_MS)
    if value <= 0:
        raise OptionInvalid(f"setting {name}: {value:g} is not a number of milliseconds above 0", option=name)
    return value


def _header_function(settings: BaseSettings) -> Callable[..., Any] | str | None:
    name = PREFIX + "PROCESS_REQUEST_HEADERS"
    value = settings.get(name, SCRAPY_HEADERS)
    if value in (None, SCRAPY_HEADERS):
        return value  # type: ignore[no-any-return]
    function = load_object(value)
    try:
        inspect.signature(function).bind(page_request=None, scrapy_request=None)
    except TypeError as error:
        raise OptionInvalid(
            f"setting {name}: the function is called with the keywords page_request and scrapy_request ({error})",
            option=name,
        ) from None
    return function  # type: ignore[no-any-return]
