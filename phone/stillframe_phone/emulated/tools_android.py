"""Programs of Android on an emulated device: `getprop`, `ps`, `input`, `screencap` and so on."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping

from stillframe_phone.emulated.device_state import DeviceState, NativeInput
from stillframe_phone.emulated.processes import EmulatedProcess
from stillframe_phone.emulated.shell_io import Call, Program, cause
from stillframe_phone.emulated.tools_text import options

DeviceProgram = Callable[[DeviceState, Call], int | None]
TOYBOX_PS = 26
"""The first API level whose `ps` is toybox's and shows all processes only with -A (Android 8)."""

# -- properties and settings


def getprop(device: DeviceState, call: Call) -> None:
    """`getprop [name [default]]`."""
    if call.arguments:
        default = call.arguments[1] if len(call.arguments) > 1 else ""
        call.out((device.properties.get(call.arguments[0]) or default) + "\n")
    else:
        call.out("".join(f"[{name}]: [{value}]\n" for name, value in sorted(device.properties.items())))


def setprop(device: DeviceState, call: Call) -> int:
    """`setprop name value`; the shell may set few of them."""
    if len(call.arguments) != 2:
        return call.fail("usage: setprop NAME VALUE")
    name, value = call.arguments
    if not name.startswith(("debug.", "log.", "persist.log.", "sys.usb.")):
        return call.fail(f"failed to set property '{name}' to '{value}': Permission denied")
    device.properties[name] = value
    return 0


def settings(device: DeviceState, call: Call) -> int:
    """Answer `settings get|put|delete namespace key [value]`."""
    match call.arguments:
        case ["get", namespace, key]:
            call.out(device.settings.get((namespace, key), "null") + "\n")
        case ["put", namespace, key, value, *_]:
            device.settings[namespace, key] = value
        case ["delete", namespace, key]:
            count = int(device.settings.pop((namespace, key), None) is not None)
            call.out(f"Deleted {count} rows\n")
        case _:
            return call.fail("Bad arguments", 255)
    return 0


# -- processes

PS_COLUMNS: dict[str, tuple[int, Callable[[EmulatedProcess], object]]] = {
    "USER": (-14, lambda each: each.user),
    "PID": (6, lambda each: each.pid),
    "PPID": (6, lambda each: each.ppid),
    "VSZ": (9, lambda each: 0 if each.name.startswith("[") else 14_000_000 + each.pid),
    "RSS": (7, lambda each: 0 if each.name.startswith("[") else 90_000 + each.pid),
    "WCHAN": (-22, lambda each: "do_freezer_trap" if each.frozen else "do_epoll_wait"),
    "ADDR": (16, lambda _each: 0),
    "S": (0, lambda _each: "S"),
    "NAME": (0, lambda each: each.name),
    "ARGS": (0, lambda each: each.name),
    "CMD": (0, lambda each: each.name.rpartition("/")[2][-15:]),
}
"""Width (negative: to the left) and value of the columns of toybox's `ps`."""
PS_DEFAULT = ("USER", "PID", "PPID", "VSZ", "RSS", "WCHAN", "ADDR", "S", "NAME")


def ps(device: DeviceState, call: Call) -> int:
    """`ps -A`, `ps -e`, `ps -o columns`, `ps -p pid`; before Android 8 `ps [start of a name]`."""
    if device.sdk < TOYBOX_PS:
        return _old_ps(device, call)
    given = options(call.arguments, "op")
    names = tuple(given.values["o"].upper().split(",")) if "o" in given.values else PS_DEFAULT
    if unknown := [name for name in names if name.partition("=")[0] not in PS_COLUMNS]:
        return call.fail(f"bad -o '{unknown[0]}'")
    call.out(_ps_line([(name, PS_COLUMNS[name][0], name) for name in names]))
    for each in _ps_selected(device, given.flags, given.values.get("p", "")):
        call.out(_ps_line([(name, PS_COLUMNS[name][0], PS_COLUMNS[name][1](each)) for name in names]))
    return 0


def _ps_selected(device: DeviceState, flags: frozenset[str], pids: str) -> list[EmulatedProcess]:
    """Without -A only what the user `shell` runs from this terminal: the shell, and `ps` itself."""
    if flags & {"A", "e"}:
        return list(device.processes)
    if pids:
        wanted = {int(pid) for pid in pids.split(",") if pid.isdecimal()}
        return [each for each in device.processes if each.pid in wanted]
    return [
        EmulatedProcess(9876, "sh", user="shell", ppid=402),
        EmulatedProcess(9877, "ps", user="shell", ppid=9876),
    ]


def _ps_line(cells: list[tuple[str, int, object]]) -> str:
    line = " ".join(f"{value!s:<{-width}}" if width < 0 else f"{value!s:>{width}}" for _, width, value in cells)
    return f"{line.rstrip()}\n"


def _old_ps(device: DeviceState, call: Call) -> int:
    """Before Android 8 an argument is the start of a name, also "-A", and the state has no heading (AOSP, toolbox)."""
    call.out("USER      PID   PPID  VSIZE  RSS   WCHAN            PC  NAME\n")
    start = next(iter(call.arguments), "")
    for each in device.processes:
        if each.name.startswith(start) or start == str(each.pid):
            numbers = f"{each.pid:<5} {each.ppid:<5} {1_000_000 + each.pid} {60_000 + each.pid}"
            call.out(f"{each.user:<9} {numbers} SyS_epoll_ 00000000 S {each.name}\n")
    return 0


def pidof(device: DeviceState, call: Call) -> int:
    """`pidof name ...`: pids of processes whose whole name this is."""
    found = [str(each.pid) for each in device.processes if each.name in call.arguments]
    call.out(" ".join(found) + "\n" if found else "")
    return int(not found)


def kill(device: DeviceState, call: Call) -> int:
    """`kill pid`: the shell may not end apps."""
    pids = [int(each) for each in call.arguments if each.isdecimal()]
    for pid in pids:
        number = errno.EPERM if device.processes.get(pid) else errno.ESRCH
        call.fail(f"{pid}: {'Operation not permitted' if number == errno.EPERM else 'No such process'}")
    return 1


# -- the screen

WAKING = {"KEYCODE_WAKEUP": True, "224": True, "KEYCODE_SLEEP": False, "223": False}
POWER = ("KEYCODE_POWER", "26")
HOME = ("KEYCODE_HOME", "3")
LAUNCHER = "com.android.launcher3"
INPUT_ARGUMENTS = {
    "tap": (2, 2),
    "swipe": (4, 5),
    "draganddrop": (4, 5),
    "text": (1, 1),
    "keyevent": (1, 99),
    "press": (0, 0),
}
"""How many arguments each kind of input takes at least and at most."""


def input_events(device: DeviceState, call: Call) -> int:
    """`input [source] tap|swipe|text|keyevent ...`: recorded in `device.inputs`."""
    words = [each for each in call.arguments if each not in ("touchscreen", "keyboard", "mouse", "touchpad")]
    kind, *arguments = words or [""]
    if kind not in INPUT_ARGUMENTS:
        call.err(f"Error: Unknown command: {kind}")
        return 255
    low, high = INPUT_ARGUMENTS[kind]
    if not low <= len(arguments) <= high:
        call.err(f"Error: Invalid arguments for command: {kind}")
        return 255
    device.inputs.append(NativeInput(kind, tuple(arguments)))
    for key in arguments if kind == "keyevent" else ():
        _press(device, key)
    return 0


def _press(device: DeviceState, key: str) -> None:
    device.screen_on = not device.screen_on if key in POWER else WAKING.get(key, device.screen_on)
    if key in HOME:
        device.processes.bring_to_front(LAUNCHER)


def screencap(device: DeviceState, call: Call) -> int:
    """`screencap -p [file]`; only PNG."""
    given = options(call.arguments, "d")
    if device.screen_secure:
        call.err("Capturing failed.")
        return 1
    return _store(call, given.operands, device.picture())


def uiautomator(device: DeviceState, call: Call) -> int:
    """`uiautomator dump [--compressed] [file]`."""
    if call.arguments[:1] != ["dump"]:
        call.err("Unknown command")
        return 1
    if device.ui_tree is None:
        call.err("ERROR: could not get idle state.")
        return 0
    path = next(iter(options(call.arguments[1:]).operands), "/sdcard/window_dump.xml")
    if path == "/dev/tty":
        call.out(device.ui_tree)
    elif status := _store(call, [path], device.ui_tree.encode()):
        return status
    call.out(f"UI hierchary dumped to: {path}\n")  # Android spells it so
    return 0


def _store(call: Call, paths: list[str], content: bytes) -> int:
    if not paths:
        call.out(content)
        return 0
    try:
        call.files.write(paths[0], content)
    except OSError as failure:
        return call.fail(f"Error opening file: {paths[0]} ({cause(failure)})")
    return 0


def wm(device: DeviceState, call: Call) -> int:
    """`wm size`, `wm density`."""
    width, height = device.screen_size
    answers = {"size": f"Physical size: {width}x{height}\n", "density": f"Physical density: {device.density}\n"}
    if not call.arguments or call.arguments[0] not in answers:
        call.err("Unknown command")
        return 255
    call.out(answers[call.arguments[0]])
    return 0


def nothing(device: DeviceState, call: Call) -> None:
    """Do nothing, successfully."""


DEVICE_TOOLS: dict[str, DeviceProgram] = {
    "getprop": getprop,
    "input": input_events,
    "kill": kill,
    "logcat": nothing,
    "pidof": pidof,
    "ps": ps,
    "screencap": screencap,
    "setprop": setprop,
    "settings": settings,
    "svc": nothing,
    "uiautomator": uiautomator,
    "wm": wm,
}


def lookup(programs: Mapping[str, Program], call: Call) -> int:
    """`which name`, `command -v name`."""
    found = [each for each in call.arguments if each in programs]
    call.out("".join(f"/system/bin/{each}\n" for each in found))
    return int(not found)
