"""The browsers of Android that speak the DevTools protocol: one table. No I/O."""

from __future__ import annotations

from typing import NamedTuple

FOLDER = "/data/local/tmp"
"""Where Chromium looks for the file with its command line (its class CommandLineInitUtil)."""


class AndroidBrowser(NamedTuple):
    """A browser: the activity that opens a URL, the socket that it opens by itself, and the file of its command line.

    `activity` is None if unknown; Android then finds the activity by the package.
    """

    package: str
    name: str
    activity: str | None
    socket: str = "chrome_devtools_remote"
    command_line_file: str = f"{FOLDER}/chrome-command-line"


_MAIN = "com.google.android.apps.chrome.Main"
"""The activity of Chrome, which other browsers made from it have kept."""
_EDGE = "com.microsoft.ruby.Main"
_SAMSUNG = "com.sec.android.app.sbrowser.SBrowserMainActivity"
_TERRACE = ("Terrace_devtools_remote", f"{FOLDER}/terrace-command-line")

CHROME = "com.android.chrome"

BROWSERS: dict[str, AndroidBrowser] = {
    each.package: each
    for each in (
        AndroidBrowser(CHROME, "Chrome", _MAIN),
        AndroidBrowser("com.chrome.beta", "Chrome Beta", _MAIN),
        AndroidBrowser("com.chrome.dev", "Chrome Dev", _MAIN),
        AndroidBrowser("com.chrome.canary", "Chrome Canary", _MAIN),
        AndroidBrowser("org.chromium.chrome", "Chromium", _MAIN),
        AndroidBrowser("com.microsoft.emmx", "Edge", _EDGE),
        AndroidBrowser("com.microsoft.emmx.beta", "Edge Beta", _EDGE),
        AndroidBrowser("com.microsoft.emmx.dev", "Edge Dev", _EDGE),
        AndroidBrowser("com.microsoft.emmx.canary", "Edge Canary", _EDGE),
        AndroidBrowser("com.brave.browser", "Brave", _MAIN),
        AndroidBrowser("com.brave.browser_beta", "Brave Beta", _MAIN),
        AndroidBrowser("com.brave.browser_nightly", "Brave Nightly", _MAIN),
        AndroidBrowser("com.vivaldi.browser", "Vivaldi", _MAIN),
        AndroidBrowser("com.kiwibrowser.browser", "Kiwi", _MAIN),
        AndroidBrowser("com.sec.android.app.sbrowser", "Samsung Internet", _SAMSUNG, *_TERRACE),
        AndroidBrowser("com.sec.android.app.sbrowser.beta", "Samsung Internet Beta", _SAMSUNG, *_TERRACE),
        AndroidBrowser("com.opera.browser", "Opera", "com.opera.Opera", "com.opera.browser.devtools"),
        AndroidBrowser(
            "org.chromium.content_shell_apk",
            "Content Shell",
            "org.chromium.content_shell_apk.ContentShellActivity",
            "content_shell_devtools_remote",
            f"{FOLDER}/content-shell-command-line",
        ),
    )
}
"""Browsers by package. Chrome, Chromium and Content Shell are known from Chromium's sources; Edge, Samsung Internet and
Opera from tools that drive them. The others are made from Chromium and are taken to be like it. None has been tried on
a device."""


def browser_of(package: str) -> AndroidBrowser:
    """Return what is known about a browser; one that is not in the table is taken to be like Chrome."""
    return BROWSERS.get(package) or AndroidBrowser(package, package, None)
