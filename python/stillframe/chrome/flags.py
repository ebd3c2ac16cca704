"""The command line of the browser, as a table with a reason for each switch.

Nothing here weakens the web platform: site isolation, the sandbox and web security stay as they are.
"""

from __future__ import annotations

import os
import sys

from stillframe.chrome.options import LaunchOptions, Proxy
from stillframe.errors import OptionInvalid
from stillframe.model.suggest import did_you_mean
from stillframe.security.redaction import logger

log = logger("stillframe.chrome")

# switch -> why it is there. Order is kept on the command line.
DEFAULTS: dict[str, str] = {
    "--no-first-run": "no welcome page, no import from other browsers",
    "--no-default-browser-check": "no question at start",
    "--no-startup-window": "no new-tab page: it loads from the network, is a target nobody asked for, costs 0.1 s",
    "--disable-background-networking": "no update checks, no safe-browsing lists, no field-trial seed while we measure",
    "--disable-component-update": "components are otherwise downloaded into every fresh profile",
    "--disable-sync": "no account traffic",
    "--disable-field-trial-config": "experiments differ between runs and builds; a benchmark needs the same browser",
    "--metrics-recording-only": "usage statistics are never sent",
    "--disable-quic": "one transport for all requests, the one that proxies and interception see",
    "--disable-default-apps": "no web apps installed into a fresh profile",
    "--disable-domain-reliability": "no reports about failed requests to the vendor",
    "--disable-backgrounding-occluded-windows": "a covered window must render, or settling never sees its frames",
    "--disable-renderer-backgrounding": "a tab in the background keeps its priority",
    "--disable-background-timer-throttling": "timers of a background tab run on time, so settling is the same there",
    # Not --disable-ipc-flooding-protection: without it a page that pushes history entries in a loop holds up the whole
    # browser, so that its other tabs answer nothing and this one cannot even be closed (Chromium 156).
    "--disable-hang-monitor": "no dialog over a busy page; we have deadlines of our own",
    "--disable-prompt-on-repost": "a reload after a POST must not wait for a dialog that CDP cannot answer",
    "--disable-search-engine-choice-screen": "no full-page question in a fresh profile",
    "--disable-infobars": "bars change the size of the page while it is open",
    # Not --disable-crashpad-for-testing: with it every navigation over http fails with net::ERR_ABORTED (Chromium 156).
    "--password-store=basic": "never the desktop's keyring: it asks the user",
    "--use-mock-keychain": "the same on macOS",
    "--mute-audio": "an unattended machine has nobody to listen",
    "--force-color-profile=srgb": "screenshots have the same colours on every machine",
}

# Features switched off, in one switch because Chrome honours only the last --disable-features.
DISABLED_FEATURES: dict[str, str] = {
    "Translate": "its bar changes the layout after load and asks the network for the language",
    "MediaRouter": "searches the local network for screens, and asks for permission on macOS",
    "OptimizationHints": "downloads models and hints in the background",
    "OptimizationGuideModelDownloading": "downloads models in the background",
    "DialMediaRouteProvider": "searches the local network",
    "WebUIOmniboxPopup": "the address bar's list is a hidden page with a renderer of its own in every window",
    "WebUIOmniboxAimPopup": "the same; with both off a window costs one renderer less (Chromium 156)",
    "HttpsUpgrades": "rewrites http navigations to https and retries: the URL asked for must be the URL loaded",
}

HEADLESS = {
    "--headless=new": "the same browser without a window",
    "--hide-scrollbars": "screenshots without scrollbars, whose width differs between machines",
}

# Not for every browser: idle tasks such as encoding a canvas then take seconds (Chromium 156).
VIRTUAL_TIME = {
    "--run-all-compositor-stages-before-draw": "frames wait for the page, not for its clock, which is ours",
}

# For a browser whose every context goes through a policy proxy (chrome.policy_proxy), which sees connections made over a proxy.
NO_DIRECT_WEBRTC = "--webrtc-ip-handling-policy=disable_non_proxied_udp"
GATED = {
    NO_DIRECT_WEBRTC: "WebRTC otherwise sends UDP past the proxy; --force-webrtc-ip-handling-policy does nothing (156)",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1": "no name is looked up but by the policy proxy: that tells too",
}

AROUND_GATE = frozenset({
    "--proxy-pac-url", "--no-proxy-server", "--proxy-auto-detect", "--host-resolver-rules", "--host-rules",
    "--enable-quic", "--origin-to-force-quic-on", "--webrtc-ip-handling-policy", "--disable-web-security",
    "--load-extension",
})  # fmt: skip
"""Switches of a caller that would lead past a policy proxy, or let something in that is not asked."""


def policy_proxy_args(args: tuple[str, ...], ignored: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the switches of a launch with a policy proxy; raises OptionInvalid for those that would lead past it."""
    for arg in args:
        if _name(arg) in AROUND_GATE:
            raise OptionInvalid(f"launch option 'args': {arg!r} would lead past the policy", option="args")
    if "--disable-quic" in map(_name, ignored):
        raise OptionInvalid(
            "launch option 'ignore_default_args': without --disable-quic requests would lead past the policy",
            option="ignore_default_args",
        )
    return (*GATED, *args)


# What has an option of its own must be given there, so that `info` tells the truth.
OWNED = {
    "--remote-debugging-pipe": "the pipe is always on; use the option `pipe`",
    "--remote-debugging-port": "use the option `port`",
    "--remote-debugging-address": "the port is on loopback only",
    "--remote-allow-origins": "no web page may talk to the browser",
    "--user-data-dir": "use the option `profile`",
    "--headless": "use the option `headless`",
    "--no-sandbox": "use the option `sandbox`",
    "--proxy-server": "use the option `proxy`",
    "--proxy-bypass-list": "use the option `proxy`",
    "--window-size": "use the option `window_size`",
    "--lang": "use the option `lang`",
    "--accept-lang": "use the option `lang`",
}

MERGED = ("--disable-features", "--enable-features")

_sandbox_warned = False


def command_line(options: LaunchOptions, profile: str, sandbox: bool) -> tuple[str, ...]:
    """Return the switches for a launch, without the executable; raises OptionInvalid for switches that cannot be."""
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
    """Say whether Chrome shall be sandboxed: as asked for, else yes unless it cannot start so (root on Linux).

    Going without is logged once per process as a warning of the logger `stillframe.chrome` (not through `warnings`,
    so that callers who turn warnings into errors can still launch), and recorded in `BrowserInfo.sandbox`.
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
            "user to have it, or pass sandbox=False to say that this is meant"
        )


def _defaults(options: LaunchOptions) -> list[str]:
    features = "--disable-features=" + ",".join(DISABLED_FEATURES)
    optional = (*(HEADLESS if options.headless else ()), *(VIRTUAL_TIME if options.virtual_time else ()))
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
    # --lang alone moves neither navigator.language nor Accept-Language (seen on Chromium 156).
    return (f"--lang={lang}", f"--accept-lang={','.join(dict.fromkeys((lang, lang.partition('-')[0])))}")


def _proxy(proxy: Proxy | None) -> tuple[str, ...]:
    if proxy is None:
        return ()
    bypass = (f"--proxy-bypass-list={';'.join(proxy.bypass)}",) if proxy.bypass else ()
    return (f"--proxy-server={proxy.server}", *bypass)


def _check_args(args: tuple[str, ...]) -> None:
    for arg in args:
        if advice := OWNED.get(_name(arg)):
            raise OptionInvalid(f"launch option 'args': {arg!r} is stillframe's own: {advice}", option="args")


def _merge_features(switches: list[str]) -> list[str]:
    """Join repeated feature lists, of which Chrome would honour only the last one."""
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
