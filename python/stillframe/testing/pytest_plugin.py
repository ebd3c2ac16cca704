"""The plugin for pytest: fixtures with a browser, traces of tests that fail, and cassettes.

It registers its fixtures when pytest has read its configuration, because their scope depends on the event loops of
pytest-asyncio. It imports nothing else of stillframe until a fixture is used: pytest loads it in every project.
"""

from __future__ import annotations

import shlex
from collections.abc import Generator
from pathlib import Path
from types import ModuleType

import pytest

from stillframe.testing.pytest_fixtures import FAILED, TRACES, make_fixtures

TRACE_MODES = ("off", "on", "retain-on-failure")
RECORD_MODES = ("none", "once", "all")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("stillframe", "stillframe: browsers, traces and cassettes")
    group.addoption("--stillframe-headed", action="store_true", help="show the windows of the browser")
    group.addoption(
        "--stillframe-trace",
        choices=TRACE_MODES,
        default="retain-on-failure",
        help="trace the page of each test, and keep the trace: never, always, or if the test fails (default)",
    )
    group.addoption(
        "--stillframe-output",
        default="test-results",
        metavar="DIR",
        help="the directory for traces, relative to the root directory (default: test-results)",
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note that a test failed, and name its traces in its report."""
    report = yield
    if report.failed:
        item.stash[FAILED] = True
        for path in item.stash.get(TRACES, []):
            report.sections.append(("stillframe trace", f"stillframe trace show {shown(path)}"))
    return report


def shown(path: Path) -> str:
    """Return a path as a shell takes it, relative to the current directory if it is below it."""
    return shlex.quote(str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path))
