"""House rules that no other test would notice being broken."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
MAX_IMPORT_SECONDS = 0.15
HEAVY = ("asyncio", "rich", "stillframe.cdp_types.page", "stillframe.cli", "stillframe.tab", "typer", "websockets")


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_importing_the_package_brings_nothing_heavy() -> None:
    code = f"import sys, stillframe; print([name for name in {HEAVY} if name in sys.modules])"
    assert python(code) == "[]\n"


def test_importing_the_package_is_quick() -> None:
    # Its own time: what others do meanwhile does not count.
    code = "from time import process_time as now; t = now(); import stillframe; print(now() - t)"
    # The best of some: the others tell of the machine.
    assert min(float(python(code)) for _ in range(5)) < MAX_IMPORT_SECONDS


NOT_FOR_A_LAUNCH = {
    "typer",
    "rich",
    "stillframe.cli",
    "stillframe.demo",
    "websockets",
    "h11",
    "rapidfuzz",
}
"""The doors, the WebSocket and the proxies that a browser on a pipe has no need of, and what only mistakes need."""


def test_what_launches_brings_only_what_it_needs() -> None:
    code = "import sys, stillframe; stillframe.launch; print(*sys.modules)"
    names = set(python(code).split())
    assert not names & NOT_FOR_A_LAUNCH
    domains = {name for name in names if re.fullmatch(r"stillframe\.cdp_types\.[a-z]\w*", name)}
    assert len(domains) < 20, sorted(domains)


def test_every_public_name_is_there_and_no_other() -> None:
    import stillframe

    for name in stillframe.__all__:
        assert getattr(stillframe, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Clik'"):
        stillframe.Clik  # noqa: B018


def test_the_version_is_that_of_the_crate() -> None:
    import stillframe

    assert stillframe.__version__ == tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]


GROUPS = PROJECT["dependency-groups"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
LOCKS = {"demo": ("cli",), "check": tuple(EXTRAS), "test": tuple(EXTRAS), "docs": None, "clients": None}
"""The extras that each lock holds beside its group; None for a group that holds none."""
APART = {"clients"}
"""Groups in an environment of their own, with versions of their own."""


def in_group(name: str) -> Iterator[str]:
    for each in GROUPS[name]:
        if isinstance(each, str):
            yield each
        else:
            yield from in_group(each["include-group"])


def requirements(group: str) -> Iterator[str]:
    yield from in_group(group)
    extras = LOCKS[group]
    if extras is not None:
        yield from PROJECT["build-system"]["requires"]
        yield from PROJECT["project"]["dependencies"]
        for extra in extras:
            yield from EXTRAS[extra]


def lock_lines(group: str) -> list[str]:
    lines = (ROOT / "requirements" / f"{group}.txt").read_text().splitlines()
    return [line for line in lines if not line.startswith("#")]


def locked(group: str) -> set[Requirement]:
    return {Requirement(line) for line in lock_lines(group)}


def allows(wanted: Requirement, pin: Requirement) -> bool:
    (only,) = pin.specifier
    return wanted.specifier.contains(only.version)


def test_there_is_a_lock_for_each_group_that_a_command_installs() -> None:
    assert {path.stem for path in (ROOT / "requirements").iterdir()} == set(LOCKS)
    assert set(in_group("dev")) == {text for group in set(LOCKS) - APART for text in in_group(group)}


@pytest.mark.parametrize("group", LOCKS)
def test_a_lock_holds_a_fitting_version_of_everything_declared(group: str) -> None:
    pins = locked(group)
    for text in requirements(group):
        wanted = Requirement(text)
        found = [pin for pin in pins if canonicalize_name(pin.name) == canonicalize_name(wanted.name)]
        assert found, f"{text} is missing in requirements/{group}.txt: run make lock"
        assert all(allows(wanted, pin) for pin in found), f"{text} is not {found}: run make lock"


@pytest.mark.parametrize("group", LOCKS)
def test_a_lock_holds_exact_versions_and_says_nothing_of_where_they_come_from(group: str) -> None:
    assert [line for line in lock_lines(group) if not re.fullmatch(r"[\w.-]+==[\w.]+( ; .+)?", line)] == []


@pytest.mark.parametrize("group", sorted(set(LOCKS) - {"test"} - APART))
def test_the_groups_share_their_versions(group: str) -> None:
    """Otherwise one command would undo what another one installed."""
    versions = {pin.name: pin.specifier for pin in locked("test")}
    assert [pin for pin in locked(group) if versions.get(pin.name, pin.specifier) != pin.specifier] == []


@pytest.mark.parametrize("name", ["demo", "check", "test", "bench", "lint", "wheel", "clean"])
def test_make_describes_its_targets(name: str) -> None:
    shown = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.search(rf"^{name} +\S", shown, re.MULTILINE)
