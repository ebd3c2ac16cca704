"""The errors of failed launches: from exit status and stderr to a message that says what to do."""

from __future__ import annotations

import re
import signal

import msgspec

from stillframe.chrome.profile import Profile, lock_holder
from stillframe.errors import LaunchFailed, ProfileLocked

PROFILE_IN_USE = 21
"""Chrome's exit status RESULT_CODE_PROFILE_IN_USE (chrome/common/chrome_result_codes.h)."""
QUOTED_LINES = 12
"""Lines of stderr that a message quotes: half a screen."""
# Every healthy browser logs these on a machine without a desktop; they would push out the line that matters.
NOISE = re.compile(r"dbus/|Floss manager|vaapi|vulkan|gpu_init|ContextResult::|google_apis/gcm", re.IGNORECASE)

# Pattern on stderr -> what to do about it. The first match counts.
ADVICE: tuple[tuple[str, str], ...] = (
    (
        r"Running as root without --no-sandbox",
        "Chrome's sandbox does not work for root: run as another user, or launch with sandbox=False",
    ),
    (
        r"No usable sandbox|sandbox_host_linux|credentials\.cc|namespace_sandbox|setuid sandbox",
        "this system does not let Chrome build its sandbox: allow unprivileged user namespaces, or launch with "
        "sandbox=False if the pages are trusted",
    ),
    (
        r"error while loading shared libraries: (?P<what>\S+)",
        "the library {what} is missing: install the browser with its dependencies through the package manager",
    ),
    (
        r"Missing X server|cannot open display|Unable to open X display|Failed to create the Wayland",
        "a browser with a window needs a display: launch with headless=True, or under xvfb-run",
    ),
    (r"No space left on device", "the disk is full: free space in the temporary directory, or set TMPDIR"),
    (
        r"Read-only file system|Permission denied",
        "the browser may not write or execute a file that it needs: see the quoted lines",
    ),
    (
        r"shared memory|/dev/shm",
        "shared memory is too small or not writable: give the container a bigger --shm-size, or launch with "
        "args=['--disable-dev-shm-usage']",
    ),
)


class FailedLaunch(msgspec.Struct, frozen=True):
    """The state of a browser that failed to start; `returncode` is None if it was still running."""

    returncode: int | None
    stderr: str
    timeout: float | None
    cause: str


def launch_error(failed: FailedLaunch, executable: str, profile: Profile) -> LaunchFailed:
    """Return the error for a failed launch."""
    if _is_locked(failed):
        return _locked(failed, profile)
    message = f"{executable} {_what_happened(failed)}"
    if advice := advice_for(failed.stderr):
        message += f"; {advice}"
    if quote := quoted(failed.stderr):
        message += f"\nits stderr:\n{quote}"
    return LaunchFailed(message, returncode=failed.returncode, stderr=failed.stderr)


def advice_for(stderr: str) -> str | None:
    """Return what to do about the first known problem in `stderr`, or None."""
    for pattern, advice in ADVICE:
        if found := re.search(pattern, stderr):
            return advice.format_map(found.groupdict())
    return None


def quoted(stderr: str) -> str:
    """Return the last meaningful lines of `stderr`, indented."""
    lines = [line for line in stderr.splitlines() if line.strip() and not NOISE.search(line)]
    return "\n".join(f"  {line[:500]}" for line in lines[-QUOTED_LINES:])


def _what_happened(failed: FailedLaunch) -> str:
    if failed.returncode is None and failed.timeout is not None:
        return f"did not answer within {failed.timeout:g} s (raise `timeout` if the machine is slow)"
    if failed.returncode is None:
        return f"started, but failed: {failed.cause}"
    if failed.returncode < 0:
        return f"was killed by {_signal_name(-failed.returncode)} before it answered"
    return f"exited with status {failed.returncode} before it answered"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _is_locked(failed: FailedLaunch) -> bool:
    # A browser with a window passes its URL to the running browser and exits with status 0.
    return failed.returncode == PROFILE_IN_USE or "Opening in existing browser session" in failed.stderr


def _locked(failed: FailedLaunch, profile: Profile) -> ProfileLocked:
    pid = lock_holder(profile.path) or None
    holder = f"process {pid}" if pid else "another browser"
    return ProfileLocked(
        f"the profile {str(profile.path)!r} is in use by {holder}: close that browser, or launch with another "
        "`profile` (without one, the browser gets a temporary profile)",
        pid=pid,
        returncode=failed.returncode,
        stderr=failed.stderr,
    )
