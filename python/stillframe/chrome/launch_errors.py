"""Why a launch failed, in words that say what to do: from exit status and stderr to an error."""

from __future__ import annotations

import re
import signal

import msgspec

from stillframe.chrome.profile import Profile, lock_holder
from stillframe.errors import LaunchFailed, ProfileLocked

# Chrome's RESULT_CODE_PROFILE_IN_USE.
PROFILE_IN_USE = 21
QUOTED_LINES = 12
# Complaints of every healthy browser on a machine without a desktop; they would push out the line that matters.
NOISE = re.compile(r"dbus/|Floss manager|vaapi|vulkan|gpu_init|ContextResult::|google_apis/gcm", re.IGNORECASE)

# What a browser says on stderr -> what to do about it. The first match counts.
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
        "the browser may not write or run something it needs: see the lines quoted",
    ),
    (
        r"shared memory|/dev/shm",
        "shared memory is too small or not writable: give the container a bigger --shm-size, or launch with "
        "args=['--disable-dev-shm-usage']",
    ),
)


class Ending(msgspec.Struct, frozen=True):
    """How a launch stood when it was given up; `returncode` is None when the browser was still running then."""

    returncode: int | None
    stderr: str
    timeout: float | None
    cause: str


def launch_failure(ending: Ending, executable: str, profile: Profile) -> LaunchFailed:
    """Return the error for a launch that was given up."""
    if _is_locked(ending):
        return _locked(ending, profile)
    message = f"{executable} {_what_happened(ending)}"
    if advice := advice_for(ending.stderr):
        message += f"; {advice}"
    if quote := quoted(ending.stderr):
        message += f"\nits stderr:\n{quote}"
    return LaunchFailed(message, returncode=ending.returncode, stderr=ending.stderr)


def advice_for(stderr: str) -> str | None:
    """Return what to do about the first known complaint in `stderr`."""
    for pattern, advice in ADVICE:
        if found := re.search(pattern, stderr):
            return advice.format_map(found.groupdict())
    return None


def quoted(stderr: str) -> str:
    """Return the last lines of `stderr` that say something, indented."""
    lines = [line for line in stderr.splitlines() if line.strip() and not NOISE.search(line)]
    return "\n".join(f"  {line[:500]}" for line in lines[-QUOTED_LINES:])


def _what_happened(ending: Ending) -> str:
    if ending.returncode is None and ending.timeout is not None:
        return f"did not answer within {ending.timeout:g} s (give a longer `timeout` if the machine is slow)"
    if ending.returncode is None:
        return f"started, but could not be used: {ending.cause}"
    if ending.returncode < 0:
        return f"was ended by {_signal_name(-ending.returncode)} before it answered"
    return f"exited with status {ending.returncode} before it answered"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _is_locked(ending: Ending) -> bool:
    # A browser with a window hands over to the running one and leaves with status 0.
    return ending.returncode == PROFILE_IN_USE or "Opening in existing browser session" in ending.stderr


def _locked(ending: Ending, profile: Profile) -> ProfileLocked:
    pid = lock_holder(profile.path) or None
    holder = f"process {pid}" if pid else "another browser"
    return ProfileLocked(
        f"the profile {str(profile.path)!r} is in use by {holder}: close it, or launch with another `profile` "
        "(leave it out for a temporary one)",
        pid=pid,
        returncode=ending.returncode,
        stderr=ending.stderr,
    )
