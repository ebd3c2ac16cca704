"""What the applications are made of: a virtual environment and npm packages of their own, installed when first needed.

Both lie in `bench/apps/installed`, or where STILLFRAME_APPS says. They are kept until the list that they were installed
from changes. Nothing of it is a dependency of the package, and `make test` never comes here.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = Path(os.environ.get("STILLFRAME_APPS", HERE / "installed")).absolute()
VENV = ROOT / "venv"
PYTHON = VENV / "bin" / "python"
NODE_MODULES = ROOT / "npm" / "node_modules"
REQUIREMENTS = HERE / "requirements.txt"
NPM_FILES = (HERE / "package.json", HERE / "package-lock.json")
NPM_CI = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier")
"""No scripts: some would download what the package already brings."""


def python_packages() -> None:
    """Install the packages of requirements.txt. Raises CalledProcessError with pip's message on standard error."""
    stamp = ROOT / "venv.installed"
    if _same(stamp, REQUIREMENTS):
        return
    if not PYTHON.is_file():
        _run(sys.executable, "-m", "venv", str(VENV))
    _run(str(PYTHON), "-m", "pip", "install", "--quiet", "--requirement", str(REQUIREMENTS))
    stamp.write_text(_digest(REQUIREMENTS))


def npm_packages() -> None:
    """Install the packages of package-lock.json. Raises CalledProcessError, or FileNotFoundError without npm."""
    stamp = ROOT / "npm.installed"
    if _same(stamp, *NPM_FILES):
        return
    folder = NODE_MODULES.parent
    folder.mkdir(parents=True, exist_ok=True)
    for file in NPM_FILES:
        shutil.copy(file, folder)
    _run(*NPM_CI, cwd=folder)
    stamp.write_text(_digest(*NPM_FILES))


def _run(*command: str, cwd: Path | None = None) -> None:
    subprocess.run(command, check=True, cwd=cwd, stdout=subprocess.DEVNULL)


def _digest(*files: Path) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _same(stamp: Path, *files: Path) -> bool:
    return stamp.is_file() and stamp.read_text() == _digest(*files)
