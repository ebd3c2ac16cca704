"""Skips tests for want of what tools/needs.py lists, says so before the first test, and counts them at the end.

A test says what it needs by the marker `needs`; a fixture calls `require`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from needs import NEEDS as OF_THE_MACHINE
from needs import Need

ROOT = Path(__file__).parent.parent

OF_THE_GROUP = {
    package: Need(lambda package=package: find_spec(package) is not None, without, "run make test")  # type: ignore[misc]
    for package, without in (
        (
            "basedpyright",
            "pyright checks no types, because it is in the group of packages that only make test installs",
        ),
        ("playwright", "nothing is compared with Playwright, which only make test installs"),
        ("fastmcp", "the MCP server is not called by fastmcp and pydantic-ai, which only make test installs"),
    )
}
CLIENTS_PYTHON = ROOT / ".venv-clients/bin/python"
CLIENTS_MODULES = ROOT / "tests/mcp/clients/node_modules"
OF_THE_CLIENTS = {
    "mcp-clients": Need(
        CLIENTS_PYTHON.exists,
        "the MCP server is not called by the Python SDK 1.x and by langchain, which have an environment of their own",
        "run make test",
    ),
    "typescript-sdk": Need(
        CLIENTS_MODULES.exists,
        "the MCP server is not called by the SDKs in TypeScript, which npm installs",
        "run make test, which says why it cannot install them",
    ),
}
OF_THE_PAGE_SCRIPTS = {
    "page-scripts": Need(
        (ROOT / "js/node_modules").exists,
        "the scripts for pages are neither checked nor tested by themselves, because the packages of js/ are missing",
        "run make lint, which installs them where there is Node.js 20.19 or newer with npm",
    ),
}
NEEDS = {**OF_THE_MACHINE, **OF_THE_GROUP, **OF_THE_CLIENTS, **OF_THE_PAGE_SCRIPTS}


@cache
def reason_without(name: str) -> str | None:
    """Return why a test that needs something is skipped, None if that is there."""
    need = NEEDS[name]
    return None if need.is_here() else need.reason


def require(name: str) -> None:
    """Skip the test that asks, unless what it needs is there."""
    if reason := reason_without(name):
        pytest.skip(reason)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"needs(*names): runs only where all of them are: {', '.join(NEEDS)}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for reason in filter(None, map(reason_without, names_of(item))):
            item.add_marker(pytest.mark.skip(reason=reason))


def names_of(item: pytest.Item) -> Iterator[str]:
    return (name for marker in item.iter_markers("needs") for name in marker.args)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Repeat what the machine lacks, and how many tests that left out."""
    reasons = [need.reason for need in NEEDS.values()]
    skipped = terminalreporter.stats.get("skipped", [])
    counts = Counter(reason for report in skipped for reason in reasons if reason in str(report.longrepr))
    if counts:
        terminalreporter.section("left out on this machine")
    for reason, count in counts.items():
        terminalreporter.write_line(f"{count} {'test' if count == 1 else 'tests'}: {reason}")
