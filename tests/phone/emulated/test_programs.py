"""The programs of the emulated device answer in the words of Android."""

from __future__ import annotations

import doctest
import re

import pytest

from stillframe_phone import EmulatedApp, EmulatedDevice, NativeInput
from stillframe_phone.emulated import device_state, shell_words, tools_patterns, tools_text
from stillframe_phone.emulated.apps import EXIT_REASONS, chrome
from stillframe_phone.emulated.shell_io import Call, Input, Streams

PACKAGE = "com.example.shop"


@pytest.fixture
def phone() -> EmulatedDevice:
    """A device with one app, without adbd."""
    device = EmulatedDevice()
    device.install(EmulatedApp(PACKAGE))
    return device


async def run(device: EmulatedDevice, command: str) -> tuple[int, str, str]:
    """Return status, output and errors of a command."""
    out, err = bytearray(), bytearray()
    status = await device.run_shell(command, Streams(Input(), out.extend, err.extend))
    return status, out.decode(errors="replace"), err.decode()


async def output(device: EmulatedDevice, command: str) -> str:
    status, out, err = await run(device, command)
    assert (status, err) == (0, "")
    return out


@pytest.mark.parametrize("module", [device_state, shell_words, tools_patterns, tools_text])
def test_the_examples_in_the_modules(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


# -- properties, settings, the screen


async def test_properties(phone: EmulatedDevice) -> None:
    names = ("ro.build.version.sdk", "ro.build.version.release", "ro.product.model", "ro.debuggable", "no.such")
    script = "; ".join(f"getprop {name}" for name in names)
    assert await output(phone, script) == "34\n14\nPixel 7\n0\n\n"
    assert await output(phone, "getprop no.such fallback") == "fallback\n"
    assert "[ro.product.name]: [panther]\n" in await output(phone, "getprop")
    phone.properties["ro.product.model"] = "Other"
    assert await output(phone, "getprop ro.product.model") == "Other\n"
    assert await output(phone, "setprop debug.x 1; getprop debug.x") == "1\n"
    assert (await run(phone, "setprop ro.x 1"))[0] == 1


def test_a_debug_build_says_so() -> None:
    properties = EmulatedDevice(debuggable_build=True, sdk=32).properties
    assert (properties["ro.debuggable"], properties["ro.build.type"]) == ("1", "userdebug")
    assert properties["ro.build.version.release"] == "12"


async def test_settings(phone: EmulatedDevice) -> None:
    script = "settings get global x; settings put global x 1; settings get global x; settings delete global x"
    assert await output(phone, script) == "null\n1\nDeleted 1 rows\n"


async def test_input_is_recorded(phone: EmulatedDevice) -> None:
    script = "input tap 1 2; input touchscreen swipe 1 2 3 4 300; input text 'a%sb'; input keyevent 111 KEYCODE_BACK"
    assert await output(phone, script) == ""
    assert phone.inputs == [
        NativeInput("tap", ("1", "2")),
        NativeInput("swipe", ("1", "2", "3", "4", "300")),
        NativeInput("text", ("a%sb",)),
        NativeInput("keyevent", ("111", "KEYCODE_BACK")),
    ]


@pytest.mark.parametrize("command", ["input", "input tap 1", "input fly", "input text"])
async def test_wrong_input_fails(phone: EmulatedDevice, command: str) -> None:
    status, out, err = await run(phone, command)
    assert (status, out) == (255, "")
    assert err.startswith("Error: ")
    assert phone.inputs == []


async def test_keys_switch_the_screen(phone: EmulatedDevice) -> None:
    assert "mWakefulness=Awake" in await output(phone, "dumpsys power")
    assert "mWakefulness=Asleep" in await output(phone, "input keyevent 26; dumpsys power")
    assert "mWakefulness=Awake" in await output(phone, "input keyevent KEYCODE_WAKEUP; dumpsys power | grep mWake")


async def test_the_home_key_sends_the_app_to_the_background(phone: EmulatedDevice) -> None:
    process = phone.apps[PACKAGE].start()
    assert process.oom_score_adj == 0
    await output(phone, "input keyevent KEYCODE_HOME")
    assert process.oom_score_adj == 700


async def test_size_and_density(phone: EmulatedDevice) -> None:
    assert await output(phone, "wm size; wm density") == "Physical size: 1080x2400\nPhysical density: 420\n"


async def test_a_screenshot_is_a_png_of_the_screen(phone: EmulatedDevice) -> None:
    out = bytearray()
    await phone.run_shell("screencap -p", Streams(Input(), out.extend, out.extend))
    assert out.startswith(b"\x89PNG\r\n\x1a\n")
    assert out[16:24] == (1080).to_bytes(4) + (2400).to_bytes(4)
    phone.screenshot = b"mine"
    assert await output(phone, "screencap -p /sdcard/s.png; cat /sdcard/s.png") == "mine"
    phone.screen_secure = True
    assert await run(phone, "screencap -p") == (1, "", "Capturing failed.\n")


async def test_the_tree_of_the_screen(phone: EmulatedDevice) -> None:
    phone.ui_tree = "<hierarchy/>"
    said = "UI hierchary dumped to: "
    assert await output(phone, "uiautomator dump") == f"{said}/sdcard/window_dump.xml\n"
    assert await output(phone, "cat /sdcard/window_dump.xml") == "<hierarchy/>"
    assert await output(phone, "uiautomator dump /dev/tty") == f"<hierarchy/>{said}/dev/tty\n"
    phone.ui_tree = None
    assert await run(phone, "uiautomator dump /dev/tty") == (0, "", "ERROR: could not get idle state.\n")


# -- processes


async def test_ps_of_android_8_and_later(phone: EmulatedDevice) -> None:
    pid = phone.apps[PACKAGE].start().pid
    heading, *rows = (await output(phone, "ps -A")).splitlines()
    assert heading.split() == ["USER", "PID", "PPID", "VSZ", "RSS", "WCHAN", "ADDR", "S", "NAME"]
    found = [row.split() for row in rows if row.endswith(PACKAGE)]
    assert [(row[0], row[1], row[-1]) for row in found] == [("u0_a150", str(pid), PACKAGE)]
    assert PACKAGE not in await output(phone, "ps")
    assert await output(phone, f"ps -A -o PID,NAME | grep {PACKAGE}") == f"{pid:>6} {PACKAGE}\n"
    assert await output(phone, f"ps -p {pid} -o NAME") == f"NAME\n{PACKAGE}\n"
    assert await output(phone, f"pidof {PACKAGE}") == f"{pid}\n"
    assert (await run(phone, "pidof none"))[0] == 1
    assert (await run(phone, "ps -o NONSENSE"))[0] == 1


async def test_ps_before_android_8_takes_an_option_for_a_name() -> None:
    device = EmulatedDevice(sdk=25)
    device.install(EmulatedApp(PACKAGE)).start()
    assert re.search(rf"^u0_a150 +4321 .* S {PACKAGE}$", await output(device, "ps"), re.MULTILINE)
    assert (await output(device, "ps -A")).count("\n") == 1


async def test_the_files_of_a_process(phone: EmulatedDevice) -> None:
    pid = phone.apps[PACKAGE].start(":web").pid
    assert await output(phone, f"cat /proc/{pid}/cmdline") == f"{PACKAGE}:web\0"
    assert await output(phone, f"cat /proc/{pid}/oom_score_adj /proc/{pid}/comm") == "0\nxample.shop:web\n"
    assert f"Pid:\t{pid}\n" in await output(phone, f"cat /proc/{pid}/status")


async def test_the_shell_may_not_end_an_app(phone: EmulatedDevice) -> None:
    pid = phone.apps[PACKAGE].start().pid
    assert await run(phone, f"kill -9 {pid} 99") == (
        1,
        "",
        f"kill: {pid}: Operation not permitted\nkill: 99: No such process\n",
    )
    assert phone.apps[PACKAGE].running


# -- apps


@pytest.mark.parametrize(
    "command",
    [
        f"am start -n {PACKAGE}/.MainActivity",
        f"am start -W -n {PACKAGE}/{PACKAGE}.MainActivity -a android.intent.action.VIEW -d https://x.test/ --es key v",
        f"am start --user 0 {PACKAGE}",
        f"am start -a android.intent.action.VIEW -d https://x.test/ {PACKAGE}",
        f"cmd activity start-activity -n {PACKAGE}/.MainActivity",
        f"monkey -p {PACKAGE} -c android.intent.category.LAUNCHER 1",
    ],
)
async def test_an_app_is_started(phone: EmulatedDevice, command: str) -> None:
    await output(phone, command)
    assert phone.apps[PACKAGE].pid == 4321
    assert f"mCurrentFocus=Window{{5d1a0c u0 {PACKAGE}/{PACKAGE}.MainActivity}}" in await output(
        phone, "dumpsys window"
    )
    activities = await output(phone, "dumpsys activity activities")
    assert f"topResumedActivity=ActivityRecord{{7a3b5c1 u0 {PACKAGE}/.MainActivity t12}}" in activities


async def test_what_am_start_prints(phone: EmulatedDevice) -> None:
    out = await output(phone, f"am start -W -n {PACKAGE}/.MainActivity -d https://x.test/")
    assert out.startswith(f"Starting: Intent {{ cmp={PACKAGE}/.MainActivity dat=https://x.test/ }}\nStatus: ok\n")
    assert out.endswith("Complete\n")
    assert phone.apps[PACKAGE].intents == [["-W", "-n", f"{PACKAGE}/.MainActivity", "-d", "https://x.test/"]]


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("am start -n com.none/.Main", "Error: Activity class {com.none/com.none.Main} does not exist."),
        (f"am start -n {PACKAGE}/.None", f"Error: Activity class {{{PACKAGE}/{PACKAGE}.None}} does not exist."),
        ("am start -a android.intent.action.VIEW -d https://x.test/", "unable to resolve Intent"),
        ("monkey -p com.none 1", "No activities found"),
    ],
)
async def test_what_cannot_be_started(phone: EmulatedDevice, command: str, error: str) -> None:
    status, out, _ = await run(phone, command)
    assert status != 0
    assert error in out
    assert not phone.apps[PACKAGE].running


async def test_apps_are_stopped(phone: EmulatedDevice) -> None:
    app = phone.apps[PACKAGE]
    app.start()
    app.start(":web")
    await output(phone, f"am kill {PACKAGE}")
    assert app.running  # it is in front
    await output(phone, f"am force-stop {PACKAGE}; am force-stop com.none")
    assert not app.running
    first = app.start().pid
    await output(phone, f"am start -S -n {app.component}")
    assert app.pid not in (None, first)


async def test_packages(phone: EmulatedDevice) -> None:
    phone.install(chrome())
    assert await output(phone, "pm list packages") == f"package:{PACKAGE}\npackage:com.android.chrome\n"
    assert await output(phone, "pm list packages -3") == f"package:{PACKAGE}\n"
    assert await output(phone, "cmd package list packages chrome") == "package:com.android.chrome\n"
    assert await output(phone, f"pm path {PACKAGE}") == f"package:/data/app/{PACKAGE}/base.apk\n"
    assert (await run(phone, "pm path com.none"))[0] == 1
    assert await output(phone, f"pm clear {PACKAGE}") == "Success\n"
    resolved = await output(phone, f"cmd package resolve-activity --brief {PACKAGE}")
    assert resolved.splitlines()[-1] == f"{PACKAGE}/.MainActivity"
    phone.uninstall(PACKAGE)
    assert await output(phone, "pm list packages -3") == ""


@pytest.mark.parametrize("debuggable", [True, False])
async def test_the_flags_of_a_package(debuggable: bool) -> None:
    device = EmulatedDevice()
    device.install(EmulatedApp(PACKAGE, debuggable=debuggable, version_name="2.5"))
    dump = await output(device, f"dumpsys package {PACKAGE}")
    assert ("DEBUGGABLE" in dump) == debuggable
    assert "versionName=2.5\n" in dump
    assert await output(device, "dumpsys package com.none") == "Unable to find package: com.none\n"


async def test_the_provider_of_webviews(phone: EmulatedDevice) -> None:
    line = "Current WebView package (name, version): (com.google.android.webview, 113.0.5672.136)"
    assert line in await output(phone, "dumpsys webviewupdate")
    phone.webview = None
    assert "(name, version): null" in await output(phone, "dumpsys webviewupdate")


@pytest.mark.parametrize("reason", EXIT_REASONS)
async def test_why_a_process_ended(phone: EmulatedDevice, reason: str) -> None:
    app = phone.apps[PACKAGE]
    pid = app.start().pid
    app.kill(reason=reason)
    dump = await output(phone, f"dumpsys activity exit-info {PACKAGE}")
    number, name, status = EXIT_REASONS[reason]
    assert f" pid={pid} " in dump
    assert f"process={PACKAGE} reason={number} ({name}) subreason=0 (UNKNOWN) status={status}\n" in dump


async def test_the_latest_exit_comes_first(phone: EmulatedDevice) -> None:
    app = phone.apps[PACKAGE]
    pids = [app.start().pid, app.restart(reason="anr").pid]
    app.kill()
    dump = await output(phone, "dumpsys activity exit-info")
    assert [int(pid) for pid in re.findall(r" pid=(\d+)", dump)] == pids[::-1]


async def test_before_android_11_nobody_knows_why() -> None:
    device = EmulatedDevice(sdk=29)
    device.install(EmulatedApp(PACKAGE)).start()
    device.apps[PACKAGE].kill()
    assert "pid=" not in await output(device, f"dumpsys activity exit-info {PACKAGE}")


async def test_chrome_reads_its_command_line_if_it_is_the_debug_app(phone: EmulatedDevice) -> None:
    app = phone.install(chrome())
    app.listen("chrome_devtools_remote", 1)
    name = "stillframe_devtools_remote"
    file = "/data/local/tmp/chrome-command-line"
    await output(phone, f"echo '_ --remote-debugging-socket-name={name} --no-first-run' > {file}")
    await output(phone, f"am start -n {app.component}")
    assert [each.name for each in app.sockets] == ["chrome_devtools_remote"]
    await output(phone, "am set-debug-app --persistent com.android.chrome")
    assert phone.debug_app is not None
    assert phone.debug_app.persistent
    await output(phone, f"am force-stop {app.package}; am start -n {app.component}")
    assert [each.name for each in app.sockets] == [name]
    assert app.command_line[1] == "--no-first-run"
    await output(phone, f"am clear-debug-app; am force-stop {app.package}; am start -n {app.component}")
    assert [each.name for each in app.sockets] == ["chrome_devtools_remote"]


# -- unknown commands, and those of tests


@pytest.mark.parametrize(
    ("sdk", "words"), [(34, "inaccessible or not found"), (29, "inaccessible or not found"), (28, "not found")]
)
async def test_an_unknown_command(sdk: int, words: str) -> None:
    assert await run(EmulatedDevice(sdk=sdk), "su -c id") == (127, "", f"/system/bin/sh: su: {words}\n")


@pytest.mark.parametrize("command", ["am fly", "pm fly", "dumpsys nothing", "cmd nothing", "wm fly", "uiautomator fly"])
async def test_unknown_subcommands_complain(phone: EmulatedDevice, command: str) -> None:
    _, out, err = await run(phone, command)
    assert out == ""
    assert err


async def test_a_test_adds_programs(phone: EmulatedDevice) -> None:
    def su(call: Call) -> int:
        call.out(f"root runs {call.arguments}\n")
        return call.fail("no", 3)

    phone.programs["su"] = su
    assert await run(phone, "su -c id") == (3, "root runs ['-c', 'id']\n", "su: no\n")
    assert await output(phone, "which su; command -v getprop") == "/system/bin/su\n/system/bin/getprop\n"


async def test_a_program_that_raises_shows_its_traceback(phone: EmulatedDevice) -> None:
    def broken(call: Call) -> int:
        raise ZeroDivisionError("a fault of the test")

    phone.programs["broken"] = broken
    status, _, err = await run(phone, "broken")
    assert status == 255
    assert "ZeroDivisionError: a fault of the test" in err


async def test_command_lines_are_recorded(phone: EmulatedDevice) -> None:
    await run(phone, "echo a; echo b")
    assert phone.commands == ["echo a; echo b"]


async def test_the_table_of_sockets_cannot_be_searched_as_text(phone: EmulatedDevice) -> None:
    """One name is binary, as on many devices."""
    phone.listen("chrome_devtools_remote", 1)
    assert await output(phone, "grep devtools /proc/net/unix") == "Binary file /proc/net/unix matches\n"
    found = await output(phone, "grep -a devtools /proc/net/unix")
    *columns, name = found.split()
    assert (columns[3], columns[5], name) == ("00010000", "01", "@chrome_devtools_remote")
