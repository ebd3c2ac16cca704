"""The keys of `Request.meta` that this handler reads and writes."""

from __future__ import annotations

from scrapy import Request

from stillframe.errors import OptionInvalid
from stillframe.model.suggest import did_you_mean

PREFIX, THEIRS = "stillframe", "playwright"
READ = (
    "stillframe",
    "stillframe_context",
    "stillframe_context_kwargs",
    "stillframe_include_page",
    "stillframe_page",
    "stillframe_page_event_handlers",
    "stillframe_page_goto_kwargs",
    "stillframe_page_init_callback",
    "stillframe_page_methods",
)
WRITTEN = (
    "stillframe_delta",
    "stillframe_results",
    "stillframe_security_details",
    "stillframe_suggested_filename",
    "stillframe_verdict",
)


def check_keys(request: Request) -> None:
    """Refuse keys without an effect: raises OptionInvalid for unknown ones, and for those of scrapy-playwright."""
    for key in request.meta:
        if not isinstance(key, str) or key in READ or key in WRITTEN:
            continue
        if key == THEIRS or key.startswith(f"{THEIRS}_"):
            named = PREFIX + key.removeprefix(THEIRS)
            hint = f"its name here is {named}" if named in READ else "nothing here has its effect"
            raise OptionInvalid(f"{request.url}: the meta key {key} is scrapy-playwright's: {hint}", option=key)
        if key.startswith(f"{PREFIX}_"):
            known = ", ".join(READ)
            raise OptionInvalid(
                f"{request.url}: no meta key {key}{did_you_mean(key, READ)}; known: {known}", option=key
            )


def forget_written(request: Request) -> None:
    """Remove what another response has left in the meta, where a spider passes it on."""
    for key in WRITTEN:
        request.meta.pop(key, None)
