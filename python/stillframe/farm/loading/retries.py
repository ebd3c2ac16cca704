"""What becomes of a page that failed: pure decisions."""

from __future__ import annotations

from stillframe.errors import NavigationFailed, OptionInvalid, StillframeError, TargetCrashed, UrlRefused
from stillframe.farm.errors import HostBusy, RendererHung, RobotsUnreachable

LASTING_CAUSES = frozenset({"download", "too_large", "refused", "tls"})
"""Causes that another try does not mend."""
LASTING = frozenset(
    {
        "net::ERR_NAME_NOT_RESOLVED",
        "net::ERR_TOO_MANY_REDIRECTS",
        "net::ERR_INVALID_URL",
        "net::ERR_UNKNOWN_URL_SCHEME",
        "net::ERR_UNSAFE_PORT",
        "net::ERR_UNSAFE_REDIRECT",
        "net::ERR_DISALLOWED_URL_SCHEME",
        "net::ERR_BLOCKED_BY_CLIENT",
        "net::ERR_INVALID_AUTH_CREDENTIALS",
    }
)
"""Net errors of which the same is true."""


CRASHES = 2
"""After this many crashes of its renderer, a page is not tried again: it most likely runs out of memory, which stalls
the whole machine for some seconds each time. One that hangs takes all of the time limits."""


def is_lasting(error: BaseException, tries: int = 1) -> bool:
    """Return whether loading the page again would fail in the same way; `tries` is how often it was loaded."""
    if isinstance(error, TargetCrashed | RendererHung):
        return tries >= CRASHES
    if isinstance(error, NavigationFailed):
        return error.cause in LASTING_CAUSES or error.reason in LASTING
    return isinstance(error, UrlRefused | OptionInvalid | RobotsUnreachable | HostBusy)


def blames_browser(error: BaseException) -> bool:
    """Return whether another browser should load the page next: the page did not answer, or its browser ended."""
    return isinstance(error, StillframeError | TimeoutError) and not is_lasting(error)


def retry_pause_s(tries: int) -> float:
    """Return how long a page waits after its n-th try in seconds: 0.5, doubling, 30 at most; our choice."""
    return min(0.25 * 2.0 ** min(tries, 64), 30.0)
