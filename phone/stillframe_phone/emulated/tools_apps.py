"""Programs of an emulated device that manage apps: `am`, `pm`, `cmd` and `monkey`."""

from __future__ import annotations

from collections.abc import Callable

from stillframe_phone.emulated.apps import EmulatedApp
from stillframe_phone.emulated.device_state import DebugApp, DeviceState
from stillframe_phone.emulated.shell_io import Call
from stillframe_phone.emulated.tools_text import options

# -- am


def am(device: DeviceState, call: Call) -> int:
    """`am <command>`: see `AM`."""
    name = next(iter(call.arguments), "")
    if name not in AM:
        call.err(f"Error: unknown command '{name}'")
        return 255
    return AM[name](device, call) or 0


def am_start(device: DeviceState, call: Call) -> int:
    """`am start [-W] [-S] [-a action] [-d url] [-n package/activity] [package]`."""
    arguments = call.arguments[1:]
    app = started_app(device, arguments)
    intent = " ".join(f"{key}={value}" for key, value in intent_parts(arguments).items())
    if "-S" in arguments and app is not None:
        app.kill(reason="user requested")
    call.out(f"Starting: Intent {{ {intent} }}\n")
    if app is None:
        return _am_start_failed(call, arguments)
    app.intents.append(arguments)
    app.start()
    if "-W" in arguments:
        call.out(f"Status: ok\nLaunchState: COLD\nActivity: {app.component}\nTotalTime: 312\nWaitTime: 318\nComplete\n")
    return 0


def _am_start_failed(call: Call, arguments: list[str]) -> int:
    if "-n" in arguments:
        package, _, activity = intent_parts(arguments)["cmp"].partition("/")
        whole = activity if not activity.startswith(".") else package + activity
        call.out(f"Error type 3\nError: Activity class {{{package}/{whole}}} does not exist.\n")
    else:
        call.out("Error: Activity not started, unable to resolve Intent\n")
    return 1


INTENT_OPTIONS = {"-a": "act", "-d": "dat", "-t": "typ", "-c": "cat", "-n": "cmp", "-f": "flg", "-p": "pkg"}
OPTIONS_WITH_TWO_VALUES = ("--es", "-e", "--ei", "--ez", "--el", "--ef", "--eu")
OPTIONS_WITH_A_VALUE = ("--user", "--display", "-P", "--activity-flag", "-R")


def intent_parts(arguments: list[str]) -> dict[str, str]:
    """Return the parts of an intent by the names under which `am` prints them; a bare word is a package, or a URL."""
    parts = dict[str, str]()
    words = iter(arguments)
    for word in words:
        if word in INTENT_OPTIONS:
            parts[INTENT_OPTIONS[word]] = next(words, "")
        elif word in OPTIONS_WITH_TWO_VALUES:
            next(words, None)
            next(words, None)
        elif word in OPTIONS_WITH_A_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            parts["dat" if ":" in word else "cmp" if "/" in word else "pkg"] = word
    return parts


def started_app(device: DeviceState, arguments: list[str]) -> EmulatedApp | None:
    """Return the app that an intent starts, None if it is not installed or has no such activity."""
    parts = intent_parts(arguments)
    if "cmp" in parts:
        package, _, activity = parts["cmp"].partition("/")
        app = device.apps.get(package)
        return app if app is not None and activity in activity_names(app) else None
    return device.apps.get(parts.get("pkg", ""))


def activity_names(app: EmulatedApp) -> tuple[str, str]:
    """Return the activity as it may be written: `.Main` and `com.example.Main`."""
    if app.activity.startswith("."):
        return app.activity, app.package + app.activity
    return app.activity, app.activity.removeprefix(app.package)


def am_force_stop(device: DeviceState, call: Call) -> None:
    """`am force-stop package`; one that is not installed is not an error."""
    if (app := device.apps.get(_package(call))) is not None:
        app.kill(reason="user requested")


def am_kill(device: DeviceState, call: Call) -> None:
    """`am kill package`: only if it is not in front."""
    app = device.apps.get(_package(call))
    if app is not None and device.processes.front != app.package:
        app.kill(reason="user requested")


def am_set_debug_app(device: DeviceState, call: Call) -> None:
    """`am set-debug-app [-w] [--persistent] package`."""
    device.debug_app = DebugApp(_package(call), "--persistent" in call.arguments)


def am_clear_debug_app(device: DeviceState, _call: Call) -> None:
    """`am clear-debug-app`."""
    device.debug_app = None


def _package(call: Call) -> str:
    given = options([each for each in call.arguments[1:] if each not in ("--user", "current", "0")])
    return given.operands[-1] if given.operands else ""


AM: dict[str, Callable[[DeviceState, Call], int | None]] = {
    "start": am_start,
    "start-activity": am_start,
    "force-stop": am_force_stop,
    "kill": am_kill,
    "set-debug-app": am_set_debug_app,
    "clear-debug-app": am_clear_debug_app,
    "get-current-user": lambda _device, call: call.out("0\n"),
}


def monkey(device: DeviceState, call: Call) -> int:
    """`monkey -p package 1`, which starts the main activity of a package."""
    given = options(call.arguments, "pc")
    app = device.apps.get(given.values.get("p", ""))
    if app is None:
        call.out("** No activities found to run, monkey aborted.\n")
        return 252
    app.start()
    call.out("Events injected: 1\n")
    return 0


# -- pm and cmd


def pm(device: DeviceState, call: Call) -> int:
    """`pm list packages [-3] [-s] [text]`, `pm path package`, `pm clear package`."""
    match call.arguments:
        case ["list", "packages", *rest]:
            given = options(rest)
            for app in device.apps.values():
                if _listed(app, given.flags) and all(each in app.package for each in given.operands):
                    call.out(f"package:{app.package}\n")
        case ["path", package]:
            if package not in device.apps:
                return 1
            call.out(f"package:/data/app/{package}/base.apk\n")
        case ["clear", package]:
            if package not in device.apps:
                call.out("Failed\n")
                return 1
            device.apps[package].kill(reason="user requested")
            call.out("Success\n")
        case _:
            call.err(f"Unknown command: {next(iter(call.arguments), '')}")
            return 255
    return 0


def _listed(app: EmulatedApp, flags: frozenset[str]) -> bool:
    return not ("3" in flags and app.system) and not ("s" in flags and not app.system)


def cmd(device: DeviceState, call: Call) -> int:
    """`cmd activity ...`, `cmd package ...`: as `am` and `pm`, and `cmd package resolve-activity --brief package`."""
    service, *rest = call.arguments or [""]
    if service == "activity":
        return am(device, call._replace(arguments=rest))
    if service != "package":
        call.err(f"cmd: Can't find service: {service}")
        return 20
    if rest[:1] != ["resolve-activity"]:
        return pm(device, call._replace(arguments=rest))
    app = started_app(device, rest[1:])
    call.out(f"priority=0 preferredOrder=0 match=0x108000\n{app.component}\n" if app else "No activity found\n")
    return 0


APP_TOOLS: dict[str, Callable[[DeviceState, Call], int | None]] = {"am": am, "cmd": cmd, "monkey": monkey, "pm": pm}
