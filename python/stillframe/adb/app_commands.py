"""The commands that start and stop apps, and what Android prints about apps. No I/O."""

from __future__ import annotations

import re
import shlex

from stillframe.errors import OptionInvalid

_PACKAGE = re.compile(r"[A-Za-z]\w*(?:\.[A-Za-z]\w*)+", re.ASCII)
_ACTIVITY = re.compile(r"\.?[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*", re.ASCII)
_COMPONENT = re.compile(r"^(?P<package>[\w.]+)/(?P<activity>[\w.$]+)\s*$", re.MULTILINE | re.ASCII)
_RESUMED = re.compile(r"(?:topResumedActivity|mResumedActivity|ResumedActivity)\s*[=:]\s*ActivityRecord\{([^}\n]*)")
_FOCUSED = re.compile(r"mCurrentFocus=Window\{([^}\n]*)")
_IN_RECORD = re.compile(r"(?<!\S)([A-Za-z][\w.]*)/[\w.$]+", re.ASCII)
_FAILED = re.compile(r"^(?:Error|Exception|java\.\S+|Security exception).*", re.MULTILINE)


def checked_package(package: str) -> str:
    """Return the name of a package. Raises OptionInvalid for one that Android does not allow."""
    if len(package) > 255 or _PACKAGE.fullmatch(package) is None:
        raise OptionInvalid(
            f"option 'package': {package!r} is not a package name such as com.example.shop", option="package"
        )
    return package


def component(package: str, activity: str) -> str:
    """Return package and activity as `am start -n` takes them; `activity` may contain a package before a slash.

    Raises OptionInvalid.
    """
    owner, _, name = activity.rpartition("/")
    if _ACTIVITY.fullmatch(name) is None:
        raise OptionInvalid(
            f"option 'activity': {activity!r} is not an activity such as .MainActivity or com.example.Main",
            option="activity",
        )
    return f"{checked_package(owner or package)}/{name}"


def start_command(package: str, activity: str | None = None, url: str | None = None) -> str:
    """Return the command that starts an activity of a package, or what opens a URL in it. Raises OptionInvalid."""
    words = ["am", "start"]
    if url is not None:
        words += ["-a", "android.intent.action.VIEW", "-d", url]
    # Without an activity, Android looks in the package for one that opens the URL.
    words += ["-n", component(package, activity)] if activity else ["-p", checked_package(package)]
    return shlex.join(words)


def resolve_command(package: str) -> str:
    """Return the command that prints the activity that a launcher would start (Android 7 and later)."""
    words = ("cmd", "package", "resolve-activity", "--brief", "-c", "android.intent.category.LAUNCHER")
    return shlex.join([*words, checked_package(package)])


def launcher_command(package: str) -> str:
    """Return the command that starts an app as a launcher does, on any version."""
    return shlex.join(["monkey", "-p", checked_package(package), "-c", "android.intent.category.LAUNCHER", "1"])


def resolved_activity(output: str) -> str | None:
    """Return `package/activity` from the output of `resolve_command`; None if there is none."""
    match = _COMPONENT.search(output)
    return match[0].strip() if match else None


def start_failure(output: str) -> str:
    """Return the line with which `am start` or `monkey` says that it failed; "" if it does not."""
    if "No activities found to run" in output:
        return "No activities found to run"
    match = _FAILED.search(output)
    return match[0].strip() if match else ""


def resumed_package(activities: str) -> str | None:
    """Return the package in front, from `dumpsys activity activities`; None if that does not say.

    Android 10 and later name the top one of several resumed activities; earlier ones have one.
    """
    records = sorted(_RESUMED.finditer(activities), key=lambda match: not match[0].startswith("top"))
    return next((found[1] for record in records if (found := _IN_RECORD.search(record[1]))), None)


def focused_package(windows: str) -> str | None:
    """Return the package of the window with the focus, from `dumpsys window`; None if that does not say."""
    for record in _FOCUSED.finditer(windows):
        if found := _IN_RECORD.search(record[1]):
            return found[1]
    return None


def installed_packages(listed: str) -> frozenset[str]:
    """Return the packages that `pm list packages` prints."""
    lines = (line.strip() for line in listed.splitlines())
    return frozenset(line.removeprefix("package:") for line in lines if line.startswith("package:"))
