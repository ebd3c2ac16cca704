"""The command line of the browser: a table of switches with the reason for each.

No default weakens the web platform: site isolation, the sandbox and web security stay on.
"""

from __future__ import annotations

import os
import sys

from stillframe.chrome.loopback_key import SWITCH
from stillframe.chrome.options import LaunchOptions, Proxy
from stillframe.errors import OptionInvalid
from stillframe.model.suggest import did_you_mean
from stillframe.security.redaction import logger

log = logger("stillframe.chrome")

# Switch -> reason. The command line keeps this order.
DEFAULTS: dict[str, str] = {
    "--no-first-run": "no welcome page, no import from other browsers",
    "--no-default-browser-check": "no question at startup",
    "--no-startup-window": "no new-tab page: an unwanted target that loads from the network and costs 0.1 s",
    "--disable-background-networking": "no update checks, safe-browsing lists or field-trial seed on the network",
    "--disable-component-update": "otherwise every new profile downloads components",
    "--disable-sync": "no account traffic",
    "--disable-field-trial-config": "experiments differ between runs and builds; every run needs the same browser",
    "--metrics-recording-only": "usage statistics are never sent",
    "--disable-quic": "all requests use the transport that proxies and interception see",
    "--disable-default-apps": "no web apps installed into a new profile",
    "--disable-domain-reliability": "no reports to the vendor about failed requests",
    "--disable-backgrounding-occluded-windows": "a covered window must render, or settling sees no frames",
    "--disable-renderer-backgrounding": "a background tab keeps its priority",
    "--disable-background-timer-throttling": "timers of a background tab run on time, so it settles like any other",
    # Not --disable-ipc-flooding-protection: without it, a page that pushes history entries in a loop blocks the whole
    # browser, so that no other tab answers and the page cannot be closed (Chromium 156).
    "--disable-hang-monitor": "no dialog over a busy page; every call has a time limit",
    "--disable-prompt-on-repost": "a reload after a POST must not wait for a dialog that CDP cannot answer",
    "--disable-search-engine-choice-screen": "no full-page question in a new profile",
    "--disable-popup-blocking": "Chrome blocks windows that no person's gesture opens, and a page reports none of that",
    "--disable-infobars": "an info bar changes the size of the page",
    # Not --disable-crashpad-for-testing: it makes every http navigation fail with net::ERR_ABORTED (Chromium 156).
    "--password-store=basic": "not the desktop's keyring, which asks the user",
    "--use-mock-keychain": "the same on macOS",
    "--mute-audio": "nobody listens on an unattended machine",
    "--force-color-profile=srgb": "screenshots have the same colours on every machine",
}

# Disabled features, in one switch because Chrome honours only the last --disable-features.
DISABLED_FEATURES: dict[str, str] = {
    "Translate": "its bar changes the layout after the load and asks the network for the language",
    "MediaRouter": "searches the local network for screens, and asks for permission on macOS",
    "OptimizationHints": "downloads models and hints in the background",
    "OptimizationGuideModelDownloading": "downloads models in the background",
    "DialMediaRouteProvider": "searches the local network",
    "WebUIOmniboxPopup": "the address bar's list is a hidden page with its own renderer in every window",
    "WebUIOmniboxAimPopup": "the same; with both off, a window needs one renderer less (Chromium 156)",
    "HttpsUpgrades": "rewrites http navigations to https; the requested URL must be the loaded URL",
}

HEADLESS = {
    "--headless=new": "the same browser without a window",
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4": (
        "media queries see the mouse that input events come from; without a window there is none (Chromium 156)"
    ),
    "--hide-scrollbars": "no scrollbars in screenshots; their width differs between machines",
}

# Not a default: idle tasks such as encoding a canvas then take seconds (Chromium 156).
VIRTUAL_TIME = {
    "--run-all-compositor-stages-before-draw": "frames wait for the page, not for its clock",
}

WEBMCP = {
    "--enable-features=WebMCP": "pages may register tools with document.modelContext (Chromium 156)",
}

# For a browser that must send everything through its policy proxy, which sees only connections made over a proxy.
NO_DIRECT_WEBRTC = "--webrtc-ip-handling-policy=disable_non_proxied_udp"
POLICY_PROXY = {
    NO_DIRECT_WEBRTC: "otherwise WebRTC bypasses the proxy with UDP; --force-webrtc-ip-handling-policy has no effect",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1": "no lookups by the browser: they leak names",
}

BYPASSES = frozenset({
    "--proxy-pac-url", "--no-proxy-server", "--proxy-auto-detect", "--host-resolver-rules", "--host-rules",
    "--enable-quic", "--origin-to-force-quic-on", "--webrtc-ip-handling-policy", "--disable-web-security",
    "--load-extension",
})  # fmt: skip
"""Switches with which a browser would bypass its policy proxy, or load code that the policy never checks."""


def policy_proxy_args(args: tuple[str, ...], ignored: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the switches of a launch with a policy proxy; raises OptionInvalid for switches that bypass it."""
    for arg in args:
        if _name(arg) in BYPASSES:
            raise OptionInvalid(f"launch option 'args': {arg!r} would bypass the policy; remove it", option="args")
    if "--disable-quic" in map(_name, ignored):
        raise OptionInvalid(
            "launch option 'ignore_default_args': without --disable-quic, requests would bypass the policy; keep it",
            option="ignore_default_args",
        )
    return (*POLICY_PROXY, *args)


# Switches with an option of their own; setting them in `args` would make `BrowserInfo` wrong.
RESERVED = {
    "--remote-debugging-pipe": "the pipe is always on; use the option `pipe`",
    "--remote-debugging-port": "use the option `port`",
    "--remote-debugging-address": "the port is open on loopback only",
    "--remote-allow-origins": "no web page may connect to the browser",
    "--user-data-dir": "use the option `profile`",
    "--headless": "use the option `headless`",
    "--no-sandbox": "use the option `sandbox`",
    "--proxy-server": "use the option `proxy`",
    "--proxy-bypass-list": "use the option `proxy`",
    "--window-size": "use the option `window_size`",
    "--lang": "use the option `lang`",
    "--accept-lang": "use the option `lang`",
}

MERGED = ("--disable-features", "--enable-features", SWITCH)

_sandbox_warned = False


def command_line(options: LaunchOptions, profile: str, sandbox: bool) -> tuple[str, ...]:
    """Return the switches of a launch; raises OptionInvalid for reserved or unknown ones."""
    _check_args(options.args)
    switches = [
        *_defaults(options),
        *_chosen(options),
        *(() if sandbox else ("--no-sandbox",)),
        f"--user-data-dir={profile}",
        "--remote-debugging-pipe" if options.pipe == "json" else "--remote-debugging-pipe=cbor",
        *options.args,
    ]
    return tuple(_merge_features(switches))


def sandbox_wanted(options: LaunchOptions) -> bool:
    """Return whether to use Chrome's sandbox: as the option says, else yes, except for root on Linux.

    Launching without it is logged once per process as a warning of the logger `stillframe.chrome`, and recorded in
    `BrowserInfo.sandbox`. `warnings` would make launches fail for callers who turn warnings into errors.
    """
    if options.sandbox is not None:
        return options.sandbox
    if not (sys.platform == "linux" and os.geteuid() == 0):
        return True
    _warn_once()
    return False


def _warn_once() -> None:
    global _sandbox_warned
    if not _sandbox_warned:
        _sandbox_warned = True
        log.warning(
            "running as root, where Chrome cannot start with its sandbox: launched with --no-sandbox; run as another "
            "user to use the sandbox, or pass sandbox=False to silence this warning"
        )


def _defaults(options: LaunchOptions) -> list[str]:
    features = "--disable-features=" + ",".join(DISABLED_FEATURES)
    optional = (
        *(HEADLESS if options.headless else ()),
        *(VIRTUAL_TIME if options.virtual_time else ()),
        *(WEBMCP if options.webmcp else ()),
    )
    table = [*DEFAULTS, features, *optional]
    names = {_name(switch): switch for switch in table}
    for ignored in options.ignore_default_args:
        if names.pop(_name(ignored), None) is None:
            hint = did_you_mean(ignored, names)
            raise OptionInvalid(
                f"launch option 'ignore_default_args': {ignored!r} is not a default switch{hint}",
                option="ignore_default_args",
            )
    return list(names.values())


def _chosen(options: LaunchOptions) -> list[str]:
    width, height = options.window_size
    port = () if options.port is None else (f"--remote-debugging-port={options.port}",)
    return [f"--window-size={width},{height}", *port, *_language(options.lang), *_proxy(options.resolved_proxy())]


def _language(lang: str | None) -> tuple[str, ...]:
    if lang is None:
        return ()
    # --lang alone changes neither navigator.language nor Accept-Language (Chromium 156).
    return (f"--lang={lang}", f"--accept-lang={','.join(dict.fromkeys((lang, lang.partition('-')[0])))}")


def _proxy(proxy: Proxy | None) -> tuple[str, ...]:
    if proxy is None:
        return ()
    bypass = (f"--proxy-bypass-list={';'.join(proxy.bypass)}",) if proxy.bypass else ()
    return (f"--proxy-server={proxy.server}", *bypass)


def _check_args(args: tuple[str, ...]) -> None:
    for arg in args:
        if advice := RESERVED.get(_name(arg)):
            raise OptionInvalid(f"launch option 'args': {arg!r} is reserved: {advice}", option="args")


def _merge_features(switches: list[str]) -> list[str]:
    """Join repeated lists, because Chrome honours only the last one."""
    lists: dict[str, list[str]] = {}
    rest = []
    for switch in switches:
        name = _name(switch)
        if name in MERGED:
            lists.setdefault(name, []).extend(filter(None, switch.partition("=")[2].split(",")))
        else:
            rest.append(switch)
    return rest + [f"{name}={','.join(dict.fromkeys(values))}" for name, values in lists.items()]


def _name(switch: str) -> str:
    return switch.partition("=")[0]
