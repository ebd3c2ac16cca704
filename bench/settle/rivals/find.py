"""Where the rivals are on this machine, or in one sentence why they are not and what to do."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
MODULES = HERE / "node_modules"
INSTALL_LOG = HERE / "install.log"
"""What npm said when it failed; `make bench` writes it, and removes it when all is well."""
NODE_MIN = (20, 19)
"""The oldest Node that all pinned programs run on; the same number stands in package.json."""
VERSION_TIMEOUT_S = 10


class Found(NamedTuple):
    """How to run a rival and which version it is; or, in `missing`, why it cannot run."""

    command: tuple[str, ...] = ()
    version: str = ""
    missing: str | None = None


def npm_program(package: str, script: Path | str) -> Found:
    """Find a program that runs in Node: `script` is its path inside the package, or a file of our own that uses it."""
    problem = node_problem() or _package_problem(package)
    if problem is not None:
        return Found(missing=problem)
    path = script if isinstance(script, Path) else MODULES / package / script
    version = json.loads((MODULES / package / "package.json").read_text())["version"]
    return Found((str(shutil.which("node")), str(path)), version)


def node_problem() -> str | None:
    """Say why no program can run in Node here, or None."""
    node = shutil.which("node")
    if node is None:
        return "Node is not installed; install Node 20.19 or newer with npm and run make bench"
    version = _node_version(node)
    if version is None or version < NODE_MIN:
        said = ".".join(map(str, version)) if version else "one that does not run"
        return f"Node {'.'.join(map(str, NODE_MIN))} or newer is needed and this is {said}; install one, run make bench"
    return None


def python_program(module: str, script: Path) -> Found:
    """Find a Python that has `module`: ours, or that of the benchmarks' environment which `make bench` makes."""
    if importlib.util.find_spec(module) is not None:
        return Found((sys.executable, str(script)), importlib.metadata.version(module))
    python = ROOT / ".venv-bench" / "bin" / "python"
    for info in sorted(python.parents[1].glob(f"lib/python*/site-packages/{module}-*.dist-info")):
        return Found((str(python), str(script)), info.name.removesuffix(".dist-info").partition("-")[2])
    return Found(missing=f"the Python package {module} is not installed; run make bench")


def _package_problem(package: str) -> str | None:
    if (MODULES / package / "package.json").exists():
        return None
    if shutil.which("npm") is None:
        return f"{package} is not installed and npm is not at hand; install npm and run make bench"
    if INSTALL_LOG.exists():
        words = next(iter(reversed(INSTALL_LOG.read_text(errors="replace").strip().splitlines())), "nothing")
        return f"npm could not install {package} (it said: {words}); run make bench again"
    return f"{package} is not installed; run make bench"


@cache
def _node_version(node: str) -> tuple[int, ...] | None:
    try:
        done = subprocess.run(
            [node, "--version"], capture_output=True, text=True, timeout=VERSION_TIMEOUT_S, check=True
        )
        return tuple(int(part) for part in done.stdout.strip().removeprefix("v").split(".")[:2])
    except (OSError, subprocess.SubprocessError, ValueError):
        return None


def quiet_environment(home: Path) -> dict[str, str]:
    """The variables that keep a rival from asking the network for anything and from writing outside of `home`."""
    folders = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TMPDIR")
    return {
        **dict.fromkeys(folders, os.fspath(home)),
        "PUPPETEER_SKIP_DOWNLOAD": "1",
        "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1",
        "CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS": "1",
        "CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS": "1",
        "NO_UPDATE_NOTIFIER": "1",
        "DO_NOT_TRACK": "1",
    }
