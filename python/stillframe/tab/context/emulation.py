"""CDP commands that emulate the device, user and location of a context's options.

Which target takes which command was measured on Chromium 156: the page size goes to the top-level target only; touch,
media, time zone and locale go to every frame target as well; the user agent, which includes the language, goes to
workers as well. A dedicated worker shares the time zone and locale of its page's process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from stillframe import injected
from stillframe.cdp_types import emulation, network
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import OptionInvalid
from stillframe.model.suggest import unknown
from stillframe.tab.context.keywords import EmulationKeywords
from stillframe.tab.context.options import ContextOptions, Viewport, as_device, parse_context_options

Kind = Literal["page", "iframe", "worker"]
Step = tuple[str, Any]
"""The option that requires a command, and the command."""

CHROMIUM = re.compile(r"Chrome/(\d+)((?:\.\d+)*)")

# Substring of a user agent -> navigator.platform, Sec-CH-UA-Platform, and the pattern of its version.
PLATFORMS: tuple[tuple[str, str, str, str], ...] = (
    ("Windows", "Win32", "Windows", r"Windows NT ([\d.]+)"),
    ("Android", "Linux armv81", "Android", r"Android ([\d.]+)"),
    ("iPhone", "iPhone", "iOS", r"OS ([\d_]+) like"),
    ("iPad", "iPad", "iOS", r"OS ([\d_]+) like"),
    ("Macintosh", "MacIntel", "macOS", r"Mac OS X ([\d_.]+)"),
    ("CrOS", "Linux x86_64", "Chrome OS", r"CrOS \S+ ([\d.]+)"),
    ("Linux", "Linux x86_64", "Linux", r"(?!)"),
)


def commands(options: ContextOptions, kind: Kind, media: Mapping[str, str] = {}) -> Iterator[Step]:
    """Yield the commands that a target of the given kind needs before its first script runs.

    `media` are the media features of the page alone, and its medium; see `Page.emulate_media`.
    """
    if options.user_agent is not None or options.locale is not None:
        yield "user_agent" if options.user_agent else "locale", user_agent(options)
    if kind == "page" and options.viewport is not None:
        yield "viewport", metrics(options.viewport)
    if options.ignore_https_errors:
        from stillframe.cdp_types import security  # only for this option

        yield "ignore_https_errors", security.SetIgnoreCertificateErrors(ignore=True)
    if kind == "worker":
        return
    yield from _restrictions(options)
    if options.viewport is not None:
        yield "viewport", touch(options.viewport)
    if options.locale is not None:
        yield "locale", emulation.SetLocaleOverride(locale=options.locale)
    if options.timezone is not None:
        yield "timezone", emulation.SetTimezoneOverride(timezone_id=options.timezone)
    yield from media_commands(options, media)
    if options.geolocation is not None:
        position = options.geolocation
        yield (
            "geolocation",
            emulation.SetGeolocationOverride(
                latitude=position.latitude, longitude=position.longitude, accuracy=position.accuracy
            ),
        )


def _restrictions(options: ContextOptions) -> Iterator[Step]:
    """Yield the commands about what the documents of a context may do."""
    if not options.java_script_enabled:
        yield "java_script_enabled", emulation.SetScriptExecutionDisabled(value=True)
    if options.bypass_csp:
        yield "bypass_csp", cdp_page.SetBypassCSP(enabled=True)
    if options.service_workers == "block":
        yield "service_workers", network.Enable()
        yield "service_workers", network.SetBypassServiceWorker(bypass=True)
        source = f"{injected.read('no_service_workers')}()"
        script = cdp_page.AddScriptToEvaluateOnNewDocument(source=source, run_immediately=True)
        yield "service_workers", script


EMULATED = tuple(EmulationKeywords.__annotations__)
"""The options that can change while a context is open."""


def changed(before: ContextOptions, given: Mapping[str, Any], major: int | None) -> ContextOptions:
    """Return options with the given ones in place of theirs; raises OptionInvalid.

    A device brings its viewport and its user agent, and takes those of the device before with it.
    """
    for name in given:
        if name not in EMULATED:
            raise OptionInvalid(unknown("option", name, EMULATED), option=name)
    parsed = parse_context_options({name: value for name, value in given.items() if value is not None})
    names = {*given, *(("viewport", "user_agent") if "device" in given else ())}
    new = as_device(parsed, major)
    return msgspec.structs.replace(before, **{name: getattr(new, name) for name in names})


def resets(before: ContextOptions, after: ContextOptions, kind: Kind) -> Iterator[Step]:
    """Yield the commands that give back the browser's own for what options no longer set.

    A locale is given back before it changes as well, because Chrome refuses another one in the same process.
    """

    def ends(name: str) -> bool:
        return getattr(before, name) is not None and getattr(after, name) is None

    if ends("user_agent") or ends("locale"):
        yield "user_agent", user_agent(after)
    if kind == "page" and ends("viewport"):
        yield "viewport", emulation.ClearDeviceMetricsOverride()
    if kind == "worker":
        return
    if ends("viewport"):
        yield "viewport", emulation.SetTouchEmulationEnabled(enabled=False)
    if before.locale is not None and before.locale != after.locale:
        yield "locale", emulation.SetLocaleOverride()
    if ends("timezone"):
        yield "timezone", emulation.SetTimezoneOverride(timezone_id="")
    if any(map(ends, FEATURES)):
        yield "color_scheme", emulation.SetEmulatedMedia(features=[])
    if ends("geolocation"):
        yield "geolocation", emulation.ClearGeolocationOverride()


def metrics(viewport: Viewport) -> emulation.SetDeviceMetricsOverride:
    """Return the command that sets a page's size; the screen gets the same size unless it has its own."""
    screen = viewport.screen or viewport
    return emulation.SetDeviceMetricsOverride(
        width=viewport.width,
        height=viewport.height,
        device_scale_factor=viewport.device_scale_factor,
        mobile=viewport.mobile,
        screen_width=screen.width,
        screen_height=screen.height,
    )


def touch(viewport: Viewport) -> emulation.SetTouchEmulationEnabled:
    """Return the command that turns touch emulation on or off."""
    return emulation.SetTouchEmulationEnabled(enabled=viewport.touch)


def user_agent(options: ContextOptions) -> emulation.SetUserAgentOverride:
    """Return the command that sets user agent and languages; an empty user agent keeps the browser's own."""
    agent = options.user_agent or ""
    return emulation.SetUserAgentOverride(
        user_agent=agent,
        accept_language=accept_language(options.locale) if options.locale else None,
        platform=_platform(agent)[1] or None,
        user_agent_metadata=metadata(agent),
    )


def accept_language(locale: str) -> str:
    """Return Accept-Language for a locale: `de-CH` gives `de-CH,de`. Chrome adds the weights."""
    return ",".join(dict.fromkeys((locale, locale.partition("-")[0])))


def metadata(agent: str) -> emulation.UserAgentMetadata | None:
    """Return the client hints that match a user agent; None for a browser that is not a Chromium and sends none."""
    chromium = CHROMIUM.search(agent)
    if chromium is None:
        return None
    _, _, platform, version_pattern = _platform(agent)
    version = re.search(version_pattern, agent)
    mobile = "Mobile" in agent
    model = re.search(r"Android [\d.]+; ([^;)]+?)(?: Build/[^;)]*)?[;)]", agent)
    return emulation.UserAgentMetadata(
        brands=_brands(chromium[1]),
        full_version_list=_brands(chromium[1] + chromium[2]),
        platform=platform,
        platform_version=version[1].replace("_", ".") if version else "",
        architecture="" if platform in ("Android", "iOS") else "x86",
        model=model[1] if model else "",
        mobile=mobile,
        bitness="" if platform in ("Android", "iOS") else "64",
        wow64=False,
    )


def _brands(version: str) -> list[emulation.UserAgentBrandVersion]:
    # Chromium puts a made-up brand first, so that servers do not rely on the list.
    made_up = "8" if "." not in version else "8.0.0.0"
    pairs = (("Not:A-Brand", made_up), ("Chromium", version), ("Google Chrome", version))
    return [emulation.UserAgentBrandVersion(brand=brand, version=number) for brand, number in pairs]


def _platform(agent: str) -> tuple[str, str, str, str]:
    return next((row for row in PLATFORMS if row[0] in agent), ("", "", "", r"(?!)"))


FEATURES = {
    "color_scheme": "prefers-color-scheme",
    "reduced_motion": "prefers-reduced-motion",
    "forced_colors": "forced-colors",
    "contrast": "prefers-contrast",
}
"""The options about media features, and the features."""

MEDIUM = "media"
"""The key of the medium (`screen`, `print`) among the media features of a page."""


def media_commands(options: ContextOptions, own: Mapping[str, str]) -> Iterator[Step]:
    """Yield the command for the media features of a context, in place of which a page may have its `own`."""
    wanted = {option: own.get(option) or getattr(options, option) for option in FEATURES}
    given = {option: value for option, value in wanted.items() if value is not None}
    if given or own.get(MEDIUM):
        features = [emulation.MediaFeature(name=FEATURES[option], value=value) for option, value in given.items()]
        yield next(iter(given), MEDIUM), emulation.SetEmulatedMedia(media=own.get(MEDIUM, ""), features=features)
