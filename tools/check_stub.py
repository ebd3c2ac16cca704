"""Compare `_core.pyi`, the manual of the native core, with the binary that is installed.

Exit code 0 if they agree, 1 with every difference otherwise. Each public name must also have a docstring in the stub.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "python" / "stillframe" / "_core.pyi"


def undocumented(tree: ast.Module) -> list[str]:
    """Name the public definitions of the stub that say nothing."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    found = [(node.name, node) for node in tree.body if isinstance(node, kinds)]
    for _, node in list(found):
        inner = node.body if isinstance(node, ast.ClassDef) else []
        found += [(f"{node.name}.{item.name}", item) for item in inner if isinstance(item, kinds)]
    return [name for name, node in found if not node.name.startswith("__") and ast.get_docstring(node) is None]


def main() -> int:
    silent = undocumented(ast.parse(STUB.read_text(encoding="utf-8")))
    for name in silent:
        print(f"{STUB.name}: {name} has no docstring")
    command = [
        sys.executable,
        "-m",
        "mypy.stubtest",
        "stillframe._core",
        "--concise",
        "--mypy-config-file",
        "pyproject.toml",
    ]
    compared = subprocess.run(command, cwd=ROOT, check=False)
    return 1 if silent or compared.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
