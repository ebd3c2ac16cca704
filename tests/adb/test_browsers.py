"""The table of browsers."""

from __future__ import annotations

import pytest

from stillframe.adb.app_commands import component
from stillframe.adb.browsers import BROWSERS, CHROME, AndroidBrowser, browser_of
from stillframe.adb.devtools.unix_sockets import PACKAGES


@pytest.mark.parametrize("browser", BROWSERS.values(), ids=lambda browser: browser.package)
def test_each_browser_can_be_started(browser: AndroidBrowser) -> None:
    assert browser.activity is not None
    assert component(browser.package, browser.activity).startswith(f"{browser.package}/")
    assert browser.command_line_file.startswith("/data/local/tmp/")
    assert browser.command_line_file.endswith("-command-line")


def test_every_browser_whose_socket_is_known_by_name_is_in_the_table() -> None:
    assert {package for packages in PACKAGES.values() for package in packages} <= BROWSERS.keys()


def test_an_unknown_browser_is_taken_to_be_like_chrome() -> None:
    unknown, chrome = browser_of("com.example.browser"), browser_of(CHROME)
    assert (unknown.package, unknown.activity) == ("com.example.browser", None)
    assert (unknown.socket, unknown.command_line_file) == (chrome.socket, chrome.command_line_file)
