"""What checks the sources of the page scripts finds what would fail in a page: `tools/page_scripts.py check`."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from needs import find_node  # noqa: E402  see above

PACKAGES = ROOT / "js" / "node_modules"
pytestmark = [pytest.mark.heavy, pytest.mark.needs("node", "page-scripts")]

TYPES = ("node_modules/typescript/bin/tsc", "--project", ".")
LINT = "node_modules/eslint/bin/eslint.js"

NEWER = {
    "element?.id;": "optional chaining",
    "element.id ?? 1;": "nullish coalescing",
    "[1].at(-1);": "at",
    "Object.hasOwn({}, 'a');": "hasOwn",
    "element.checkVisibility();": "checkVisibility",
    "structuredClone({});": "structuredClone",
    "element.ariaLabel;": "ariaLabel",
    "element.querySelector(':has(a)');": ":has",
    "element.querySelector(':is(a, b)');": ":is",
    "element.querySelector('p:not(.a, .b)');": "a list in :not()",
    "method(Element.prototype, 'getHTML');": "getHTML",
}
"""A statement that Chrome 74 cannot run, and what the linter says of it."""

FINE = (
    "element.id;",
    "[1].flat();",
    "globalThis;",
    "element.querySelector('p:not(.a)');",
    "({ at: 1 }).at;",
    "10n ** 2n;",
)
"""What looks like it and is older, or our own."""


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Return a copy of js/ to plant faults in."""
    copy = tmp_path / "js"
    shutil.copytree(ROOT / "js", copy, ignore=shutil.ignore_patterns("node_modules", "install.log"))
    (copy / "node_modules").symlink_to(PACKAGES)
    (tmp_path / "python" / "stillframe").mkdir(parents=True)
    shutil.copytree(ROOT / "python" / "stillframe" / "injected", tmp_path / "python" / "stillframe" / "injected")
    return copy


def run(sources: Path, *command: str) -> subprocess.CompletedProcess[str]:
    node = find_node()
    assert node is not None
    return subprocess.run([node, *command], cwd=sources, capture_output=True, text=True, check=False)


def planted(sources: Path, file: str, text: str) -> int:
    """Append a line to a file and return its number."""
    path = sources / "src" / file
    before = path.read_text("utf-8") if path.exists() else ""
    path.write_text(f"{before}{text}\n", "utf-8")
    return before.count("\n") + 1


def test_a_missing_name_property_or_type_fails(sources: Path) -> None:
    name = planted(sources, "elements/held.ts", "export const first = (token: number) => recal(token);")
    prop = planted(sources, "elements/tree.ts", "export const second = (element: Element) => element.idd;")
    untyped = planted(sources, "page/hooks.ts", "export const third = (call) => call();")
    checked = run(sources, *TYPES)
    assert checked.returncode
    for file, line in (("elements/held.ts", name), ("elements/tree.ts", prop), ("page/hooks.ts", untyped)):
        assert f"src/{file}({line}," in checked.stdout


def test_what_the_oldest_engine_lacks_fails(sources: Path) -> None:
    head = 'import { method } from "./dom/nodes.ts";\ndeclare const element: Element;\n'
    path = sources / "src" / "planted.ts"
    path.write_text(head + "\n".join([*NEWER, *FINE]) + "\n", "utf-8")
    checked = run(sources, LINT, "src/planted.ts", "--format=json")
    assert checked.returncode == 1
    [report] = json.loads(checked.stdout)
    found = [each for each in report["messages"] if each["ruleId"].startswith(("es-x/", "old/"))]
    told = {line: [each["message"] for each in found if each["line"] == line] for line in {m["line"] for m in found}}
    for line, (statement, word) in enumerate(NEWER.items(), 3):
        assert any(word.lower() in message.lower() for message in told.pop(line, [])), (statement, told)
    assert told == {}


# -- JavaScript in Python --------------------------------------------------------------------------

SCRIPT = re.compile(r"=>|\bfunction\s*\(|\bglobalThis\b|\bdocument\.|\bnew Promise\b|\[scroll[XY]")


def javascript_in(python: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each string in a Python module that may be JavaScript, docstrings excepted."""
    tree = ast.parse(python)
    left_out = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    left_out |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        text = text_of(node)
        if text is not None and id(node) not in left_out and SCRIPT.search(text):
            yield node.lineno, text  # type: ignore[attr-defined]


def text_of(node: ast.AST) -> str | None:
    """Return the text of a string constant; `0` stands for what an f-string puts in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "0" for part in node.values)
    return None


def newer_in(sources: Path, scripts: Mapping[str, str]) -> dict[str, set[str]]:
    """Return what Chrome 74 lacks of each script; what cannot be read is prose, or a piece of a script."""
    folder = sources / "src" / "python"
    folder.mkdir()
    names = {f"{number}.ts": name for number, name in enumerate(scripts)}
    for file, name in names.items():
        (folder / file).write_text(f"export {{}};\nvoid (\n{scripts[name]}\n);\n", "utf-8")
    checked = run(sources, LINT, "src/python", "--format=json")
    found: dict[str, set[str]] = {}
    for report in json.loads(checked.stdout):
        told = [each["message"] for each in report["messages"] if (each["ruleId"] or "").startswith(("es-x/", "old/"))]
        if told:
            found[names[Path(report["filePath"]).name]] = set(told)
    return found


def test_javascript_in_python_uses_nothing_newer_than_chrome_74(sources: Path) -> None:
    package = ROOT / "python" / "stillframe"
    scripts = {
        f"{path.relative_to(package).as_posix()}:{line}": text
        for room in ("tab", "settling", "engine", "api", "recorder", "agent", "farm", "demo")
        for path in sorted((package / room).rglob("*.py"))
        for line, text in javascript_in(path.read_text("utf-8"))
    }
    assert len(scripts) > 20
    found = newer_in(sources, {**scripts, "planted": "() => document?.body"})
    assert found.pop("planted")
    assert found == {}


def test_a_bundle_that_its_sources_do_not_make_fails(sources: Path) -> None:
    assert run(sources, "build.mjs", "--check").returncode == 0
    planted(sources, "page/relay.ts", "console.log(1);")
    checked = run(sources, "build.mjs", "--check")
    assert checked.returncode == 1
    assert "injected/relay.js is not what js/src makes" in checked.stderr
