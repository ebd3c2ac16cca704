"""The settings of a Scrapy project that begin with STILLFRAME_, read and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from stillframe.errors import OptionInvalid
from stillframe.farm.pool import PoolSettings
from stillframe.model.suggest import did_you_mean

PREFIX = "STILLFRAME_"
NAMES = (
    "ABORT_REQUEST",
    "BLOCK",
    "BROWSERS",
    "CONTEXTS",
    "DEFAULT_NAVIGATION_TIMEOUT",
    "LAUNCH_OPTIONS",
    "MAX_CONTEXTS",
    "MAX_PAGES_PER_CONTEXT",
    "PROCESS_REQUEST_HEADERS",
)
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
    abort_request: Callable[..., Any] | None = None
    process_headers: Callable[..., Any] | str | None = SCRAPY_HEADERS

    def context_options(self, name: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the options of a context: those of its name, or else those that its first request gives."""
        options = dict(self.contexts.get(name, given or {}))
        if self.block:
            options["block"] = (*options.get("block", ()), *self.block)
        return options


def read_settings(settings: BaseSettings) -> HandlerSettings:
    """Read the settings of a project; raises OptionInvalid for an unknown name or a value out of range."""
    _check_names(settings)
    concurrent = settings.getint("CONCURRENT_REQUESTS")
    pages = settings.getint(PREFIX + "MAX_PAGES_PER_CONTEXT") or concurrent
    abort = settings.get(PREFIX + "ABORT_REQUEST")
    return HandlerSettings(
        pool=PoolSettings(
            browsers=settings.getint(PREFIX + "BROWSERS", 1),
            pages_per_browser=max(pages, concurrent),
            contexts_per_browser=settings.getint(PREFIX + "MAX_CONTEXTS") or 8,
        ),
        max_pages_per_context=pages,
        launch_options=settings.getdict(PREFIX + "LAUNCH_OPTIONS"),
        contexts=settings.getdict(PREFIX + "CONTEXTS"),
        block=tuple(settings.getlist(PREFIX + "BLOCK")),
        navigation_timeout_ms=_milliseconds(settings),
        abort_request=load_object(abort) if abort else None,
        process_headers=_header_function(settings),
    )


def _check_names(settings: BaseSettings) -> None:
    for name in settings:
        if isinstance(name, str) and name.startswith(PREFIX) and name.removeprefix(PREFIX) not in NAMES:
            known = tuple(PREFIX + each for each in NAMES)
            hint = did_you_mean(name, known)
            raise OptionInvalid(f"no setting {name}{hint}; known: {', '.join(known)}", option=name)


def _milliseconds(settings: BaseSettings) -> float:
    name = PREFIX + "DEFAULT_NAVIGATION_TIMEOUT"
    value = settings.getfloat(name, NAVIGATION_MS)
    if value <= 0:
        raise OptionInvalid(f"setting {name}: {value:g} is not a number of milliseconds above 0", option=name)
    return value


def _header_function(settings: BaseSettings) -> Callable[..., Any] | str | None:
    value = settings.get(PREFIX + "PROCESS_REQUEST_HEADERS", SCRAPY_HEADERS)
    return value if value in (None, SCRAPY_HEADERS) else load_object(value)  # type: ignore[no-any-return]
