"""The applications as files: packages from npm, installed when first needed, and what their build makes of the sources.

Both lie in `bench/todomvc/installed`, or where STILLFRAME_TODOMVC says, and are kept until the packages or the sources
change. No test needs them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.apps import install

HERE = Path(__file__).parent
ROOT = Path(os.environ.get("STILLFRAME_TODOMVC", HERE / "installed")).absolute()
PACKAGES = ROOT / "npm"
BUILDS = ROOT / "builds"
SOURCES = HERE / "sources"
SCRIPT = HERE / "build.mjs"
NPM_FILES = (HERE / "package.json", HERE / "package-lock.json")


def built() -> Path:
    """Return the folder that holds a folder for each framework; install and build what is missing.

    Raises NotInstalled, also without npm.
    """
    try:
        _kept("npm", NPM_FILES, _install)
        _kept("builds", (*NPM_FILES, SCRIPT, *sorted(SOURCES.iterdir())), _build)
    except (subprocess.CalledProcessError, OSError) as error:
        raise install.NotInstalled(f"the TodoMVC applications could not be built: {error}") from error
    return BUILDS


def _kept(name: str, made_from: Sequence[Path], make: Callable[[], None]) -> None:
    """Make something unless it was made from the same files before."""
    stamp = ROOT / f"{name}.made"
    if not install._same(stamp, *made_from):
        make()
        stamp.write_text(install._digest(*made_from))


def _install() -> None:
    PACKAGES.mkdir(parents=True, exist_ok=True)
    for file in NPM_FILES:
        shutil.copy(file, PACKAGES)
    install._run(*install.NPM_CI, cwd=PACKAGES)


def _build() -> None:
    shutil.rmtree(BUILDS, ignore_errors=True)
    install._run("node", str(SCRIPT), str(SOURCES), str(BUILDS), cwd=PACKAGES)
