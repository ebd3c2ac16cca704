"""What the applications are made of: a virtual environment, npm packages and sources, installed when first needed.

All lie in `bench/apps/installed`, or where STILLFRAME_APPS says. They are kept until the list that they were installed
from changes. Nothing of it is a dependency of the package, and `make test` never comes here.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
ROOT = Path(os.environ.get("STILLFRAME_APPS", HERE / "installed")).absolute()
VENV = ROOT / "venv"
PYTHON = VENV / "bin" / "python"
NODE_MODULES = ROOT / "npm" / "node_modules"
REQUIREMENTS = HERE / "requirements.txt"
SOURCES = ROOT / "sources"
SOURCES_LIST = HERE / "sources.txt"
NPM_FILES = (HERE / "package.json", HERE / "package-lock.json")
NPM_CI = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier")
"""No scripts: some would download what the package already brings."""


class NotInstalled(RuntimeError):
    """What an application is made of could not be installed; the message says what, and what the installer said."""


_tried: dict[str, str | None] = {}
"""What was tried to be installed, with the message if that failed: an hour of attempts helps nobody."""


def python_packages() -> None:
    """Install the packages of requirements.txt, each alone if not all can be had together.

    Those that cannot be had are named on standard error; the programs that need them then do not start. Raises
    NotInstalled if there is no virtual environment or none of them can be had.
    """
    _once("the virtual environment", _python_packages)


def npm_packages() -> None:
    """Install the packages of package-lock.json. Raises NotInstalled, also without npm."""
    _once("the packages from npm", _npm_packages)


def sources() -> None:
    """Unpack the source distributions of sources.txt in `SOURCES`. Raises NotInstalled."""
    _once("the source distributions", _sources)


def _once(what: str, install: Callable[[], None]) -> None:
    if what not in _tried:
        try:
            install()
        except (subprocess.CalledProcessError, OSError) as error:
            _tried[what] = f"{what} could not be installed: {error}"
        else:
            _tried[what] = None
    if (problem := _tried[what]) is not None:
        raise NotInstalled(problem)


def _python_packages() -> None:
    stamp = ROOT / "venv.installed"
    if _same(stamp, REQUIREMENTS):
        return
    if not PYTHON.is_file():
        _run(sys.executable, "-m", "venv", str(VENV))
    try:
        _pip("--requirement", str(REQUIREMENTS))
    except subprocess.CalledProcessError:
        _each_alone()
    else:
        stamp.write_text(_digest(REQUIREMENTS))


def _each_alone() -> None:
    lines = [line for line in REQUIREMENTS.read_text().splitlines() if line and not line.startswith("#")]
    failed: dict[str, subprocess.CalledProcessError] = {}
    for line in lines:
        try:
            _pip(line)
        except subprocess.CalledProcessError as error:
            failed[line] = error
    if len(failed) == len(lines):
        raise failed[lines[-1]]
    print(f"not installed: {', '.join(failed)}", file=sys.stderr, flush=True)


def _pip(*what: str) -> None:
    _run(str(PYTHON), "-m", "pip", "install", "--quiet", *what)


def _npm_packages() -> None:
    stamp = ROOT / "npm.installed"
    if _same(stamp, *NPM_FILES):
        return
    folder = NODE_MODULES.parent
    folder.mkdir(parents=True, exist_ok=True)
    for file in NPM_FILES:
        shutil.copy(file, folder)
    _run(*NPM_CI, cwd=folder)
    stamp.write_text(_digest(*NPM_FILES))


def _sources() -> None:
    stamp = ROOT / "sources.installed"
    if _same(stamp, SOURCES_LIST):
        return
    shutil.rmtree(SOURCES, ignore_errors=True)
    options = ("--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(SOURCES))
    _run(sys.executable, "-m", "pip", "download", *options, "--requirement", str(SOURCES_LIST))
    for archive in SOURCES.glob("*.tar.gz"):
        with tarfile.open(archive) as packed:
            packed.extractall(SOURCES, filter="data")
    stamp.write_text(_digest(SOURCES_LIST))


def _run(*command: str, cwd: Path | None = None) -> None:
    subprocess.run(command, check=True, cwd=cwd, stdout=subprocess.DEVNULL)


def _digest(*files: Path) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _same(stamp: Path, *files: Path) -> bool:
    return stamp.is_file() and stamp.read_text() == _digest(*files)
