"""Commands that start apps, and what Android prints about apps, from version 5 to 16."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.app_commands import (
    checked_package,
    component,
    focused_package,
    installed_packages,
    launcher_command,
    resolve_command,
    resolved_activity,
    resumed_package,
    start_command,
    start_failure,
)
from stillframe.errors import OptionInvalid

SHOP = "com.example.shop"


@pytest.mark.parametrize("package", ["", "shop", "com.", "com.example.shop; reboot", "com.example.9", "a.b\n", "é.b.c"])
def test_what_is_not_a_package_is_refused(package: str) -> None:
    for refuse in (checked_package, launcher_command, resolve_command, start_command):
        with pytest.raises(OptionInvalid) as caught:
            refuse(package)
        assert caught.value.option == "package"


@pytest.mark.parametrize(
    ("activity", "written"),
    [
        (".Main", f"{SHOP}/.Main"),
        ("com.example.shop.Main", f"{SHOP}/com.example.shop.Main"),
        (f"{SHOP}/.Main", f"{SHOP}/.Main"),
        ("org.other/org.other.Main$Inner", "org.other/org.other.Main$Inner"),
    ],
)
def test_an_activity_is_written_with_its_package(activity: str, written: str) -> None:
    assert component(SHOP, activity) == written


@pytest.mark.parametrize("activity", ["", ".", "Main Activity", "a/b/c", "x;y", "/"])
def test_what_is_not_an_activity_is_refused(activity: str) -> None:
    with pytest.raises(OptionInvalid):
        component(SHOP, activity)


def test_commands() -> None:
    assert start_command(SHOP, ".Main") == f"am start -n {SHOP}/.Main"
    assert start_command(SHOP) == f"am start -p {SHOP}"
    assert launcher_command(SHOP) == f"monkey -p {SHOP} -c android.intent.category.LAUNCHER 1"
    assert start_command(SHOP, "a.Main$B", "http://h/?a=1&b='c d'") == (
        f"am start -a android.intent.action.VIEW -d 'http://h/?a=1&b='\"'\"'c d'\"'\"'' -n '{SHOP}/a.Main$B'"
    )


@given(st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"])))
def test_a_url_reaches_am_as_one_word(url: str) -> None:
    assert shlex.split(start_command(SHOP, None, url))[5] == url


@pytest.mark.parametrize(
    ("printed", "activity"),
    [
        ("priority=0 preferredOrder=0 match=0x108000\ncom.example.shop/.Main\n", "com.example.shop/.Main"),
        ("com.example.shop/com.example.shop.Main\r\n", "com.example.shop/com.example.shop.Main"),
        ("No activity found\n", None),
        ("", None),
        ("cmd: Can't find service: package", None),
    ],
)
def test_the_activity_of_the_launcher(printed: str, activity: str | None) -> None:
    assert resolved_activity(printed) == activity


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        ("Starting: Intent { cmp=a.b/.C }\n", ""),
        (
            "Starting: Intent { }\nWarning: Activity not started, its current task has been brought to the front\n",
            "",
        ),
        (
            "Starting: Intent { }\nError type 3\nError: Activity class {a.b/a.b.C} does not exist.\n",
            "Error type 3",
        ),
        ("Error: Activity not started, unable to resolve Intent { act=… }", "Error: Activity not started, unable"),
        ("Security exception: Permission Denial: starting Intent", "Security exception: Permission Denial"),
        ("java.lang.SecurityException: Permission Denial", "java.lang.SecurityException"),
        ("** No activities found to run, monkey aborted.\n", "No activities found to run"),
    ],
)
def test_a_refusal_of_am(printed: str, reason: str) -> None:
    assert start_failure(printed).startswith(reason)
    assert bool(start_failure(printed)) == bool(reason)


@pytest.mark.parametrize(
    ("printed", "package"),
    [
        ("  mResumedActivity: ActivityRecord{1a2b u0 com.example.shop/.Main t42}", SHOP),
        ("  ResumedActivity: ActivityRecord{1a2b u10 com.example.shop/com.example.shop.Main t42}", SHOP),
        ("    topResumedActivity=ActivityRecord{1a2b u0 com.example.shop/.Main t7}", SHOP),
        (
            "  mResumedActivity: ActivityRecord{1 u0 org.other/.A t1}\n"
            "  topResumedActivity=ActivityRecord{2 u0 com.example.shop/.Main t2}",
            SHOP,
        ),
        ("  mResumedActivity: null\n", None),
        ("  topResumedActivity=ActivityRecord{broken", None),
        ("", None),
    ],
)
def test_the_package_in_front(printed: str, package: str | None) -> None:
    assert resumed_package(printed) == package


@pytest.mark.parametrize(
    ("printed", "package"),
    [
        ("  mCurrentFocus=Window{5d1a u0 com.example.shop/com.example.shop.Main}", SHOP),
        ("  mCurrentFocus=Window{5d1a u0 NotificationShade}\n  mCurrentFocus=Window{6 u0 a.b/.C}", "a.b"),
        ("  mCurrentFocus=null", None),
    ],
)
def test_the_package_with_the_focus(printed: str, package: str | None) -> None:
    assert focused_package(printed) == package


def test_installed_packages() -> None:
    listed = "package:com.android.chrome\r\npackage:com.example.shop\nWARNING: linker: x\n\n"
    assert installed_packages(listed) == {"com.android.chrome", SHOP}


@given(st.text())
def test_any_output_is_read_without_an_error(text: str) -> None:
    for read in (resolved_activity, resumed_package, focused_package, installed_packages, start_failure):
        read(text)
