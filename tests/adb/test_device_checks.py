"""What the doctor says about adb and about a device."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.browsers import CHROME
from stillframe.adb.device_checks import (
    Check,
    adb_version,
    android_check,
    browsers_check,
    device_checks,
    of_device,
    package_version,
    screen_check,
    shell_check,
    silent_apps_check,
    socket_checks,
    usable,
    webview_check,
)
from stillframe.adb.device_info import DeviceInfo
from stillframe.adb.device_list import DeviceEntry
from stillframe.adb.devtools.socket_listing import FoundSocket, Listing

ONLINE = DeviceEntry("A1", "device", model="Pixel_7")
LOCKED = DeviceEntry("B2", "unauthorized")
OFFLINE = DeviceEntry("C3", "offline")


@pytest.mark.parametrize(
    ("printed", "version"),
    [
        (
            "Android Debug Bridge version 1.0.41\nVersion 36.0.0-13206524\nInstalled as /usr/bin/adb\n",
            "36.0.0-13206524",
        ),
        ("Android Debug Bridge version 1.0.39\nVersion 1:8.1.0+r23-5\n", "1:8.1.0+r23-5"),
        ("Android Debug Bridge version 1.0.31\n", "1.0.31"),
        ("", "unknown version"),
    ],
)
def test_the_version_of_adb(printed: str, version: str) -> None:
    assert adb_version(printed) == version


@pytest.mark.parametrize(
    ("entries", "serial", "states"),
    [
        ([], None, ["missing"]),
        ([ONLINE], None, ["ok"]),
        ([ONLINE, LOCKED], None, ["ok", "weak"]),
        ([LOCKED, OFFLINE], None, ["missing", "missing"]),
        ([ONLINE, LOCKED], "A1", ["ok", "weak"]),
        ([ONLINE, LOCKED, OFFLINE], "B2", ["ok", "missing", "weak"]),
        ([ONLINE], "Z9", ["ok", "missing"]),
    ],
)
def test_a_device_is_needed_and_the_one_that_is_named(
    entries: list[DeviceEntry], serial: str | None, states: list[str]
) -> None:
    assert [check.state for check in device_checks(entries, serial)] == states


def test_a_device_that_cannot_be_used_comes_with_what_to_do() -> None:
    online, locked, offline = device_checks([ONLINE, LOCKED, OFFLINE], None)
    assert (online.found, online.advice) == ("A1, Pixel_7", "")
    assert "accept the dialog" in locked.advice
    assert "cable" in offline.advice
    assert "connect one by USB" in device_checks([], None)[0].advice


def test_only_devices_that_answer_are_looked_into() -> None:
    assert usable([ONLINE, LOCKED], None) == ["A1"]
    assert usable([ONLINE, LOCKED], "B2") == []


def test_a_check_of_a_device_has_its_serial() -> None:
    assert of_device("A1", Check("shell", "ok", "v2")).name == "A1 shell"


@pytest.mark.parametrize(
    ("info", "state", "found"),
    [
        (DeviceInfo("A1", "Google", "Pixel 7", "14", 34), "ok", "14 (API 34), Google Pixel 7"),
        (DeviceInfo("A1", None, None, "5.1", 22), "ok", "5.1 (API 22)"),
        (DeviceInfo("A1"), "weak", "unknown (API unknown)"),
    ],
)
def test_android(info: DeviceInfo, state: str, found: str) -> None:
    check = android_check(info)
    assert (check.state, check.found) == (state, found)


def test_the_shell() -> None:
    assert shell_check({"shell_v2", "cmd"}).state == "ok"
    assert shell_check({"cmd"}).state == "weak"


@pytest.mark.parametrize(("state", "wakefulness"), [("ok", "Awake"), ("weak", "Asleep"), ("weak", "Dozing")])
def test_the_screen(state: str, wakefulness: str) -> None:
    check = screen_check(f"POWER MANAGER\n  mWakefulness={wakefulness}\n  mWakefulnessChanging=false\n")
    assert check is not None
    assert check.state == state


def test_a_device_that_says_nothing_about_its_screen_has_no_check_of_it() -> None:
    assert screen_check("Can't find service: power") is None


@pytest.mark.parametrize(
    ("version", "advised"),
    [("74.0.3729.185", True), ("113.0.5655.9", True), ("113.0.5656.0", False), ("124.0.6367.219", False)],
)
def test_old_webviews_come_with_what_apps_must_do(version: str, advised: bool) -> None:
    check = webview_check(f"  Current WebView package (name, version): (com.google.android.webview, {version})\n")
    assert (check.state, check.found) == ("ok", f"{version} (com.google.android.webview)")
    assert bool(check.advice) is advised


@pytest.mark.parametrize("printed", ["", "  Current WebView package is null\n", "Can't find service: webviewupdate"])
def test_an_unknown_webview_is_weak(printed: str) -> None:
    assert webview_check(printed).state == "weak"


def test_browsers() -> None:
    assert browsers_check({}).state == "optional"
    check = browsers_check({CHROME: "124.0.6367.219", "com.brave.browser": "1.60"})
    assert (check.state, check.found) == ("ok", "Chrome 124.0.6367.219, Brave 1.60")


def test_the_version_of_a_package() -> None:
    dump = "  Package [com.android.chrome] (1a):\n    versionCode=636721 minSdk=26\n    versionName=124.0.6367.219\n"
    assert package_version(dump) == "124.0.6367.219"
    assert package_version("Unable to find package: x") == "unknown version"


SHOP = FoundSocket("webview_devtools_remote_7", "webview", 7, "com.example.shop", "com.example.shop:web", 0)
FROZEN = FoundSocket("webview_devtools_remote_8", "webview", 8, "com.example.news", "com.example.news", 900)


def test_sockets_come_with_their_owners() -> None:
    awake, frozen = socket_checks([SHOP, FROZEN])
    assert (awake.state, awake.found) == ("ok", "webview_devtools_remote_7 of com.example.shop:web, pid 7")
    assert (frozen.state, frozen.advice[:17]) == ("weak", "bring the app to ")
    (unknown,) = socket_checks([FoundSocket("x_devtools_remote", "other")])
    assert unknown.found == "x_devtools_remote of an unknown process"


def test_no_socket_says_what_opens_one() -> None:
    (check,) = socket_checks([])
    assert check.state == "optional"
    assert "setWebContentsDebuggingEnabled" in check.advice


def test_apps_that_run_without_a_socket() -> None:
    processes = {7: "com.example.shop:web", 9: "com.example.clock", 10: "com.android.phone", 11: "system_server"}
    check = silent_apps_check(Listing([SHOP], processes), {"com.example.shop", "com.example.clock", "com.example.off"})
    assert check is not None
    assert (check.state, check.found) == ("optional", "com.example.clock")
    assert silent_apps_check(Listing([SHOP], processes), {"com.example.shop"}) is None


def test_many_apps_are_counted() -> None:
    processes = {pid: f"com.example.app{pid}" for pid in range(8)}
    check = silent_apps_check(Listing([], processes), set(processes.values()))
    assert check is not None
    assert check.found.endswith("com.example.app4 and 3 more")


@given(st.text())
def test_any_output_is_read(text: str) -> None:
    for read in (adb_version, screen_check, webview_check, package_version):
        read(text)
