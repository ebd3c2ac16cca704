"""The plugin for pytest: fixtures with a browser, traces of tests that fail, and cassettes.

It registers its fixtures when pytest has read its configuration, because their scope depends on the event loops of
pytest-asyncio. It imports nothing else of stillframe until a fixture is used: pytest loads it in every project.
"""

from __future__ import annotations

import shlex
from collections.abc import Generator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

import pytest

from stillframe.assertions.places import PLACES
from stillframe.assertions.soft import soft_assertions
from stillframe.testing.pytest_fixtures import FAILED, SCREENSHOTS, TRACES, VIDEOS, folder_of, make_fixtures

TRACE_MODES = ("off", "on", "retain-on-failure")
SCREENSHOT_MODES = ("off", "on", "only-on-failure")
VIDEO_MODES = ("off", "on", "retain-on-failure")
RECORD_MODES = ("none", "once", "all")

SHORT = {
    "headed": "--headed",
    "trace": "--tracing",
    "screenshot": "--screenshot",
    "video": "--video",
    "slowmo": "--slowmo",
    "output": "--output",
    "device": "--device",
    "base-url": "--base-url",
}
"""The names that pytest-playwright has for options, beside the long ones."""
OWNERS_OF_SHORT = ("pytest-playwright", "pytest-playwright-asyncio", "pytest-splinter", "pytest-selenium")
"""Plugins that have options of these names; beside one, only the long names exist. So it is with pytest-base-url, for
its own option."""


def names_of(option: str) -> tuple[str, ...]:
    """Return the names of an option, without those that another plugin uses."""
    owners = (*OWNERS_OF_SHORT, *(("pytest-base-url",) if option == "base-url" else ()))
    is_free = option in SHORT and not any(map(_is_installed, owners))
    return (f"--stillframe-{option}", *((SHORT[option],) if is_free else ()))


def _is_installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("stillframe", "stillframe: browsers, traces and cassettes")
    group.addoption(*names_of("headed"), action="store_true", help="show the windows of the browser")
    group.addoption(
        *names_of("device"), metavar="NAME", help="the device that pages appear on, such as 'Pixel 7': see devices"
    )
    group.addoption(*names_of("base-url"), metavar="URL", help="what relative URLs of pages and requests begin with")
    group.addoption(
        *names_of("screenshot"),
        choices=SCREENSHOT_MODES,
        default="off",
        help="take a screenshot of the page after each test, or after one that fails (default: off)",
    )
    group.addoption(
        *names_of("video"),
        choices=VIDEO_MODES,
        default="off",
        help="film the pages of each test by ffmpeg, and keep the films: never (default), always, or if the test fails",
    )
    group.addoption(
        *names_of("slowmo"),
        type=float,
        default=0.0,
        metavar="MS",
        help="milliseconds to wait before each action, for people who watch (default: 0)",
    )
    group.addoption(
        "--update-screenshots",
        action="store_true",
        help="write the screenshots again that expect(…).to_have_screenshot compares",
    )
    group.addoption(
        *names_of("trace"),
        choices=TRACE_MODES,
        default="retain-on-failure",
        help="trace the page of each test, and keep the trace: never, always, or if the test fails (default)",
    )
    group.addoption(
        *names_of("output"),
        default="test-results",
        metavar="DIR",
        help="the directory for traces, screenshots and films, relative to the root directory (default: test-results)",
    )
    group.addoption(
        "--stillframe-record",
        choices=RECORD_MODES,
        default="none",
        help="record the cassettes of stillframe_cassette: never (default), those that do not exist, or all",
    )


@pytest.hookimpl(trylast=True)  # once all options and other plugins are known
def pytest_configure(config: pytest.Config) -> None:
    """Register the fixtures in the form that fits the other plugins."""
    config.pluginmanager.register(_as_plugin(make_fixtures(config)), "stillframe-fixtures")


def _as_plugin(fixtures: dict[str, object]) -> ModuleType:
    module = ModuleType("stillframe_fixtures")
    vars(module).update(fixtures)
    return module


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Say where the screenshots of the test are; its fixtures may say otherwise."""
    PLACES.screenshots = item.path.parent / "screenshots" / item.path.stem
    PLACES.failures = folder_of(item)
    PLACES.update = bool(item.config.getoption("--update-screenshots"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """Collect the failures of soft assertions, and raise them when the test ends."""
    with soft_assertions():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note that a test failed, and name its traces in its report."""
    report = yield
    if report.failed:
        item.stash[FAILED] = True
        for path in item.stash.get(TRACES, []):
            report.sections.append(("stillframe trace", f"stillframe trace show {shown(path)}"))
        if VIDEOS in item.stash:
            report.sections.append(("stillframe video", f"in {shown(item.stash[VIDEOS])}"))
        if SCREENSHOTS in item.stash:
            report.sections.append(("stillframe screenshot", shown(item.stash[SCREENSHOTS])))
    return report


def shown(path: Path) -> str:
    """Return a path as a shell takes it, relative to the current directory if it is below it."""
    return shlex.quote(str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path))
