"""House rules that no other test would notice being broken."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

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


def test_what_launches_brings_neither_the_doors_nor_all_domains() -> None:
    code = "import sys, stillframe; stillframe.launch; print(*sys.modules)"
    names = set(python(code).split())
    assert not names & {"typer", "rich", "stillframe.cli", "stillframe.demo"}
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

    assert stillframe.__version__ == tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]["version"]


def requirements() -> Iterator[str]:
    project = PROJECT["project"]
    yield from PROJECT["build-system"]["requires"]
    yield from project["dependencies"]
    for extra in project["optional-dependencies"].values():
        yield from extra
    for group in PROJECT["dependency-groups"].values():
        yield from group


def test_the_lock_file_holds_a_fitting_version_of_everything_declared() -> None:
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    lines = (ROOT / "requirements-dev.lock").read_text().splitlines()
    pins = (line.split("==") for line in lines if "==" in line)
    locked = {canonicalize_name(name): version for name, version in pins}
    for text in requirements():
        wanted = Requirement(text)
        assert wanted.specifier.contains(locked[canonicalize_name(wanted.name)]), text


@pytest.mark.parametrize("name", ["demo", "check", "test", "bench", "lint", "wheel", "clean"])
def test_make_describes_its_targets(name: str) -> None:
    shown = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.search(rf"^{name} +\S", shown, re.MULTILINE)
