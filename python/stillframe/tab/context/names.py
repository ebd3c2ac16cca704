"""Options of contexts by the names of Playwright, and in its forms: they become ours, or the error names ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from stillframe.errors import OptionInvalid

RENAMED = {
    "timezone_id": "timezone",
    "extra_http_headers": "extra_headers",
    "accept_downloads": "downloads",
}
"""Playwright's names of options that mean the same here."""

SCREEN = {
    "device_scale_factor": "device_scale_factor",
    "is_mobile": "mobile",
    "has_touch": "touch",
    "screen": "screen",
}
"""Playwright's names of options that are fields of `viewport` here."""

SIZE = {"width": 1280, "height": 720}
"""The size of a page whose options say what kind of screen it has and not how large it is, as in Playwright."""

UNSET = "null"
"""Playwright's word for a media feature that is not emulated."""

MEDIA = ("color_scheme", "reduced_motion", "forced_colors", "contrast")

HAR = "use `async with context.record_har(path)`; page.trace(path), or the option trace, records the actions as well"
REFUSED: dict[str, str] = {
    "record_video_fps": "videos have 25 frames per second",
    **dict.fromkeys(("record_har_path", "record_har_mode", "record_har_content"), HAR),
    **dict.fromkeys(("record_har_omit_content", "record_har_url_filter"), HAR),
}
"""Playwright's options that have no equal here, and what to do."""

DROPPED = ("default_browser_type", "no_viewport", "strict_selectors")
"""Playwright's options that say what is so anyway."""

NAMES = (*RENAMED, *SCREEN, *REFUSED, *DROPPED)
"""Playwright's names of options that are not ours."""


def translated(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with our names and forms for those of Playwright.

    Raises OptionInvalid for an option that is given under both names, and for one that has no equal here.
    """
    found = dict(options)
    for name in REFUSED:
        if found.pop(name, None) is not None:
            raise OptionInvalid(f"option {name} is not supported: {REFUSED[name]}", option=name)
    if found.pop("strict_selectors", None) is False:
        raise OptionInvalid(
            "option strict_selectors: selectors are always strict; use locator.first or nth to choose one of several",
            option="strict_selectors",
        )
    for name, ours in RENAMED.items():
        if (value := found.pop(name, None)) is not None:
            if found.get(ours) is not None:
                raise OptionInvalid(
                    f"option {name} is Playwright's name of {ours}, which is given as well", option=name
                )
            found[ours] = value
    for name in MEDIA:
        if found.get(name) == UNSET:
            found[name] = None
    found.pop("default_browser_type", None)
    return _with_viewport(found)


def _with_viewport(found: dict[str, Any]) -> dict[str, Any]:
    """Return options whose viewport has the fields that Playwright has as options of their own."""
    kind = {SCREEN[name]: value for name in SCREEN if (value := found.pop(name, None)) is not None}
    viewport = _mapping(found.get("viewport"))
    if found.pop("no_viewport", None):
        if viewport is not None or kind:
            raise OptionInvalid("option no_viewport: a viewport is given as well", option="no_viewport")
        found["viewport"] = None
    if kind and viewport is not None and not isinstance(viewport, Mapping):
        return found  # the check of the options reports what is wrong with it
    if kind and viewport is None and found.get("device") is not None:
        name = next(name for name, field in SCREEN.items() if field in kind)
        raise OptionInvalid(
            f"option {name}: the option device says what the screen is; give a viewport to change it", option=name
        )
    if kind or viewport is not None:
        found["viewport"] = {**(SIZE if viewport is None else viewport), **kind} if kind else viewport
    return found


def _mapping(viewport: Any) -> Any:
    """Return a viewport as a mapping; a pair of numbers is its width and height."""
    if isinstance(viewport, msgspec.Struct):
        return {key: value for key, value in msgspec.structs.asdict(viewport).items() if value is not None}
    is_pair = isinstance(viewport, Sequence) and not isinstance(viewport, str | bytes) and len(viewport) == 2
    return dict(zip(("width", "height"), viewport, strict=True)) if is_pair else viewport
