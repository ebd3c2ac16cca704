"""The package imports on Windows, which refuses launching, recording and sessions between commands only when asked.

No test runs on Windows: a process hides what Python does not have there and imports every module.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

AS_ON_WINDOWS = """
import importlib, json, os, signal, socket, sys

MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"}
NAMES = {
    os: "fork geteuid getpgid getuid killpg pidfd_open register_at_fork setsid statvfs O_NOFOLLOW O_CLOEXEC WNOHANG",
    signal: "SIGALRM SIGCHLD SIGHUP SIGKILL SIGUSR1",
    socket: "AF_UNIX SO_PEERCRED",
}


class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name in MODULES:
            raise ModuleNotFoundError(f"there is no {name} on Windows", name=name)


def import_all():
    failed = {}
    for name in sys.argv[1:]:
        try:
            importlib.import_module(name)
        except Exception as error:
            failed[name] = repr(error)
    return failed


# Other packages have their own branches for Windows, so they are imported before anything is hidden.
before = import_all()
for name in [name for name in sys.modules if name.startswith("stillframe") and name != "stillframe._core"]:
    del sys.modules[name]
for name in MODULES:
    sys.modules.pop(name, None)
for module, names in NAMES.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
sys.meta_path.insert(0, Hidden())
sys.platform = "win32"
after = import_all()
print(json.dumps([before, after]))
"""
PACKAGE = Path(__file__).parent.parent / "python" / "stillframe"
SKIPPED = {
    "__main__.py": "runs a program",
    "cdp_types": "generated, without an import of the system",
    "sync": "generated, without an import of the system",
    "crawl.py": "imports the farm",
    "agent": "its extra takes seconds to import",
    "farm": "its extras take seconds to import",
    "mcp": "its extra takes seconds to import",
}


def modules() -> Iterator[str]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        if not SKIPPED.keys() & {path.name, *parts}:
            yield ".".join(parts).removesuffix(".__init__")


@pytest.mark.heavy
def test_every_module_imports_on_windows() -> None:
    names = [*modules()]
    assert {"stillframe", "stillframe.cli.app", "stillframe.chrome.process", "stillframe.recorder.recorder"} <= {*names}
    command = [sys.executable, "-c", AS_ON_WINDOWS, *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [{}, {}]
