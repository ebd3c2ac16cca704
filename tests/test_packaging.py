"""The package as users get it: what it imports, what the wheel holds, and that the wheel installs and runs.

Tests marked `wheel` build the wheel and install it; `make wheel-test` runs them. STILLFRAME_WHEEL names a wheel that is
built already.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from functools import cache
from importlib.metadata import distribution
from inspect import getmodulename
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "python" / "stillframe"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PHONE = ROOT / "phone"
CARGO = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
EXTRAS = frozenset(PROJECT["optional-dependencies"])
EXTRAS_OF_ROOMS = {
    "agent": ("agent",),
    "cli": ("cli",),
    "farm": ("crawl", "crawlee", "metrics", "parquet", "pdf", "ray", "scrapy"),
    "mcp": ("cli", "mcp"),
    "testing": ("testing",),
}
"""The extras that a room may import from; all other rooms work without any."""
MAX_CORE_BYTES = 4_000_000
CORE = "stillframe/_core.abi3.so"

# -- what the sources import ---------------------------------------------------------------------


class Import(NamedTuple):
    """One name that a module imports from another package; `deferred` for import_module at the time of use."""

    where: str
    room: str
    name: str
    deferred: bool = False

    @property
    def top(self) -> str:
        return self.name.partition(".")[0]


@cache
def parsed() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def distributions() -> dict[str, set[str]]:
    """Return the packages that the declared distributions bring; the files of all that is installed are far more."""
    found = defaultdict(set)
    for name in declared(*EXTRAS):
        for file in distribution(name).files or ():
            found[file.parts[0] if len(file.parts) > 1 else str(getmodulename(file.name))].add(name)
    return found


def statements(parent: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements, which are few beside the expressions in them that `ast.walk` yields as well."""
    for child in ast.iter_child_nodes(parent):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from statements(child)


def importing(path: Path, tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes that may import; in an expression, only `import_module` and `find_spec` name a module."""
    return ast.walk(tree) if "import_module" in path.read_text() else statements(tree)


def names_of(node: ast.AST) -> Iterator[tuple[str, bool]]:
    match node:
        case ast.Import(names=names):
            yield from ((each.name, False) for each in names)
        case ast.ImportFrom(module=str(module), names=names, level=0):
            yield from ((f"{module}.{each.name}", False) for each in names)
        case ast.Call(func=ast.Name("import_module" | "find_spec"), args=[ast.Constant(value=str(name)), *_]):
            yield name, True


@cache
def imports() -> list[Import]:
    """Return what all modules import from elsewhere, the standard library included."""
    return list(found_imports())


def found_imports() -> Iterator[Import]:
    for path, tree in parsed().items():
        place = path.relative_to(PACKAGE)
        for node in importing(path, tree):
            for name, deferred in names_of(node):
                found = Import(f"{place}:{getattr(node, 'lineno', 0)}", place.parts[0], name, deferred)
                if found.top != "stillframe":
                    yield found


@cache
def declared(*extras: str) -> set[str]:
    lists = [PROJECT["dependencies"], *(PROJECT["optional-dependencies"][extra] for extra in extras)]
    return {canonicalize_name(Requirement(text).name) for texts in lists for text in texts}


@pytest.mark.heavy
def test_what_is_imported_is_declared() -> None:
    foreign = [each for each in imports() if each.top not in sys.stdlib_module_names]
    assert {"msgspec", "websockets", "typer", "mcp", "PIL"} <= {each.top for each in foreign}
    undeclared = []
    for each in foreign:
        allowed = declared(*(EXTRAS if each.deferred else EXTRAS_OF_ROOMS.get(each.room, ())))
        if not allowed & {canonicalize_name(name) for name in distributions().get(each.top, [])}:
            undeclared.append(f"{each.where} imports {each.name}")
    assert not undeclared


def test_what_is_declared_is_imported() -> None:
    used = {canonicalize_name(name) for each in imports() for name in distributions().get(each.top, [])}
    assert not declared(*EXTRAS) - used


def is_private(name: str) -> bool:
    return any(re.match(r"_(?!_)", part) for part in name.split("."))


PUBLIC = frozenset({"os._exit"})
"""Names with an underscore that are documented all the same."""


def private_uses(tree: ast.Module) -> Iterator[str]:
    """Yield the private names of other packages that a module imports or reads from an imported name."""
    origins: dict[str, str] = {}
    nodes = list(ast.walk(tree))
    for node in nodes:
        for name, _ in names_of(node):
            if not name.startswith("stillframe") and is_private(name):
                yield name
        if isinstance(node, ast.Import):
            origins |= {each.asname or each.name.partition(".")[0]: each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            origins |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    for node in nodes:
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            root, _, rest = ast.unparse(node).partition(".")
            name = f"{origins.get(root, 'stillframe')}.{rest}"
            if not name.startswith("stillframe") and name not in PUBLIC:
                yield name


MAY_USE = re.compile(r"(?<!\bself)(?<!\bcls)\._(?!_)|^\s*(?:from|import)\b.*\b_(?!_)|^\s+_(?!_)\w+,?$", re.MULTILINE)
"""What a module has that uses a private name not of itself; to look at the trees of all takes seconds."""


@pytest.mark.heavy
def test_no_private_name_of_another_package_is_used() -> None:
    uses = {
        str(path.relative_to(PACKAGE)): list(private_uses(tree))
        for path, tree in parsed().items()
        if MAY_USE.search(path.read_text())
    }
    assert {place: found for place, found in uses.items() if found} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from mcp.shared._streams import create", ["mcp.shared._streams.create"]),
        ("import mcp._types", ["mcp._types"]),
        ("from typer import _click", ["typer._click"]),
        ("import typer as t\nt._click.run()", ["typer._click", "typer._click"]),
        ("import_module('typer._click')", ["typer._click"]),
        ("from stillframe._core import x\nimport os\nos.__name__\nself._x", []),
    ],
)
def test_a_private_name_is_found(source: str, found: list[str]) -> None:
    assert sorted({*private_uses(ast.parse(source))}) == sorted({*found})
    assert MAY_USE.search(source) or not found


def test_the_project_names_its_places_and_versions() -> None:
    assert {"Repository", "Documentation", "Changelog", "Issues"} <= set(PROJECT["urls"])
    assert all(url.startswith(PROJECT["urls"]["Repository"]) for url in PROJECT["urls"].values())
    versions = [each for each in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", each)]
    assert versions[0].endswith(PROJECT["requires-python"].removeprefix(">="))


# -- stillframe-phone, a distribution of its own ---------------------------------------------------


@cache
def phone() -> dict[str, Any]:
    """Return the pyproject.toml of stillframe-phone."""
    return tomllib.loads((PHONE / "pyproject.toml").read_text())


def test_the_phone_packs_its_package_and_nothing_else() -> None:
    assert phone()["project"]["name"] == "stillframe-phone"
    assert phone()["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["stillframe_phone"]
    assert sorted(path.parent.name for path in PHONE.glob("*/__init__.py")) == ["stillframe_phone"]


def test_the_phone_is_for_the_stillframe_of_the_same_version() -> None:
    assert phone()["project"]["version"] == CARGO["version"]
    assert f"stillframe=={CARGO['version']}" in phone()["project"]["dependencies"]
    assert phone()["project"]["requires-python"] == PROJECT["requires-python"]


def test_the_phone_declares_what_it_imports() -> None:
    names = {
        name.partition(".")[0]
        for path in PHONE.rglob("*.py")
        for node in statements(ast.parse(path.read_text()))
        for name, _ in names_of(node)
    }
    required = {Requirement(text).name for text in phone()["project"]["dependencies"]}
    assert names - sys.stdlib_module_names - {"stillframe_phone"} == required


def test_the_phone_wants_no_other_versions_than_stillframe() -> None:
    assert {*phone()["project"]["dependencies"]} - {*PROJECT["dependencies"]} == {f"stillframe=={CARGO['version']}"}


# -- the wheel -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as it is released: the one that STILLFRAME_WHEEL names, or one built now."""
    if given := os.environ.get("STILLFRAME_WHEEL"):
        return Path(given).resolve(strict=True)
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "maturin", "build", "--locked", "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def contents(wheel: Path) -> dict[str, zipfile.ZipInfo]:
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        entries = archive.infolist()
    assert len({each.filename for each in entries}) == len(entries)
    return {each.filename: each for each in entries}


def dist_info(wheel: Path, name: str) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (path,) = [each for each in archive.namelist() if each.endswith(f".dist-info/{name}")]
        return Parser().parsestr(archive.read(path).decode())


@pytest.mark.wheel
def test_it_is_for_every_python_from_the_oldest_on(wheel: Path) -> None:
    _, _, _, tags = parse_wheel_filename(wheel.name)
    assert {(tag.interpreter, tag.abi) for tag in tags} == {("cp311", "abi3")}
    inside = [tag.split("-")[:2] for tag in dist_info(wheel, "WHEEL").get_all("Tag", [])]
    assert inside
    assert all(tag == ["cp311", "abi3"] for tag in inside)


@pytest.mark.wheel
def test_the_core_is_stripped_and_the_only_one(contents: dict[str, zipfile.ZipInfo]) -> None:
    assert [name for name in contents if name.endswith((".so", ".pyd", ".dylib"))] == [CORE]
    assert 1_000_000 < contents[CORE].file_size < MAX_CORE_BYTES


@pytest.mark.wheel
def test_it_holds_every_file_of_the_package_and_no_other(contents: dict[str, zipfile.ZipInfo]) -> None:
    built = {"__pycache__", "_core.abi3.so"}
    files = {path for path in PACKAGE.rglob("*") if path.is_file() and not built & set(path.parts)}
    sources = {f"stillframe/{path.relative_to(PACKAGE).as_posix()}" for path in files}
    assert {"stillframe/py.typed", "stillframe/_core.pyi"} <= sources
    assert sum(name.endswith(".js") for name in sources) > 15
    packed = {name for name in contents if ".dist-info/" not in name}
    assert packed == sources | {CORE}


@pytest.mark.wheel
def test_it_holds_no_emulated_phone(contents: dict[str, zipfile.ZipInfo]) -> None:
    modules = {path.relative_to(PHONE / "stillframe_phone").as_posix() for path in PHONE.rglob("*.py")} - {
        "__init__.py"
    }
    assert "adbd.py" in modules
    assert [name for name in contents if "stillframe_phone" in name or "emulated" in name] == []
    assert {f"stillframe/testing/{name}" for name in modules}.isdisjoint(contents)


@pytest.mark.wheel
def test_its_metadata_is_that_of_the_project(wheel: Path) -> None:
    metadata = dist_info(wheel, "METADATA")
    required = [Requirement(text) for text in metadata.get_all("Requires-Dist", [])]
    assert {canonicalize_name(each.name) for each in required if each.marker is None} == declared()
    assert {canonicalize_name(each.name) for each in required} == declared(*EXTRAS)
    assert set(metadata.get_all("Provides-Extra", [])) == set(EXTRAS)
    assert metadata["Requires-Python"] == PROJECT["requires-python"]
    assert metadata.get_all("Classifier") == PROJECT["classifiers"]
    urls = dict(each.split(", ", 1) for each in metadata.get_all("Project-URL", []))
    assert urls == PROJECT["urls"]
    assert (metadata["License-Expression"], metadata.get_all("License-File")) == ("Apache-2.0", ["LICENSE"])
    assert "# " in metadata.get_payload()


# -- installed -----------------------------------------------------------------------------------

VERSION = """
import sys, sysconfig
print(*sys.version_info[:2], int(bool(sysconfig.get_config_var("Py_GIL_DISABLED"))), sys.executable)
"""

BARE = """
import importlib, json, pkgutil, stillframe
failed = {}
for module in pkgutil.walk_packages(stillframe.__path__, "stillframe."):
    if module.name.endswith("__main__"):
        continue  # it runs the command line
    try:
        importlib.import_module(module.name)
    except ImportError as error:
        failed[module.name] = error.name
print(json.dumps({"file": stillframe.__file__, "version": stillframe.__version__, "failed": failed}))
"""

SEQUENCE = """
import asyncio, stillframe
async def main():
    async with stillframe.launch() as browser:
        page = await browser.new_page()
        await page.goto("data:text/html,<button onclick='this.textContent=1'>0</button>")
        result = await page.execute_sequence([stillframe.Click("button")])
        print(result.completed)
asyncio.run(main())
"""


def candidates() -> Iterator[str]:
    yield sys.executable
    for minor in range(11, 20):
        yield f"python3.{minor}"
        yield from map(str, sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python")))


def pythons() -> dict[tuple[int, int], str]:
    """Return the interpreters at hand that the wheel is for: those with a GIL, by version."""
    found = {}
    for name in candidates():
        try:
            said = subprocess.run([name, "-c", VERSION], capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            continue  # not installed, or the stub of a version manager
        major, minor, free_threaded, path = said.split(maxsplit=3)
        if not int(free_threaded) and (int(major), int(minor)) >= (3, 11):
            found[int(major), int(minor)] = path.strip()
    return found


@dataclass
class Installed:
    """The wheel in a fresh environment; `bare` is what BARE said before the extras came."""

    folder: Path
    bare: dict[str, object]
    bare_cli: subprocess.CompletedProcess[str]

    def run(self, program: str, *args: str) -> subprocess.CompletedProcess[str]:
        return run_in(self.folder, program, *args)


def run_in(folder: Path, program: str, *args: str) -> subprocess.CompletedProcess[str]:
    """Run a program of an environment, out of reach of the sources of this repository."""
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    return subprocess.run(
        [folder / "bin" / program, *args], cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
    )


def pip_install(folder: Path, what: str) -> None:
    lock = str(ROOT / "requirements" / "test.txt")
    python, uv = str(folder / "bin" / "python"), Path(sys.executable).with_name("uv")
    installer = [uv, "pip", "install", "--python", python] if uv.exists() else [python, "-m", "pip", "install"]
    command = [*installer, "--quiet", "--constraint", lock, what]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


AT_HAND = pythons()
TRIED = sorted({min(AT_HAND), max(AT_HAND)})


@pytest.mark.needs("oldest-python")
def test_the_oldest_supported_python_is_at_hand() -> None:
    assert f">={'.'.join(map(str, TRIED[0]))}" == PROJECT["requires-python"]


@pytest.fixture(scope="module", params=TRIED, ids=[f"{major}.{minor}" for major, minor in TRIED])
def installed(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([AT_HAND[request.param], "-m", "venv", folder], check=True)
    pip_install(folder, str(wheel))
    said = run_in(folder, "python", "-c", BARE)
    assert said.returncode == 0, said.stderr
    bare_cli = run_in(folder, "stillframe", "--version")
    pip_install(folder, f"{wheel}[{','.join(sorted(EXTRAS))}]")
    return Installed(folder, json.loads(said.stdout), bare_cli)


@pytest.mark.wheel
def test_it_imports_without_extras(installed: Installed) -> None:
    failed = installed.bare["failed"]
    assert str(installed.bare["file"]).startswith(str(installed.folder))
    assert isinstance(failed, dict)
    assert {name.split(".")[1] for name in failed} <= set(EXTRAS_OF_ROOMS)
    extras = {"aiohttp", "pytest", "anyio", "mcp", "mcp_types", "PIL", "regex", "rich", "starlette", "typer", "uvicorn"}
    extras |= {"genai_prices", "pydantic", "pydantic_ai", "yarl"}
    extras |= {"crawlee", "impit", "opentelemetry", "psutil", "pyarrow", "ray", "scrapy", "sqlalchemy", "warcio"}
    assert set(failed.values()) <= extras


@pytest.mark.wheel
def test_its_command_without_extras_says_what_to_install(installed: Installed) -> None:
    assert installed.bare_cli.returncode == 2
    assert "pip install 'stillframe[cli]'" in installed.bare_cli.stderr


@pytest.mark.wheel
def test_everything_imports_with_extras(installed: Installed) -> None:
    said = installed.run("python", "-W", "error", "-c", BARE)
    assert said.returncode == 0, said.stderr
    assert json.loads(said.stdout)["failed"] == {}


@pytest.mark.wheel
def test_its_command_tells_its_version(installed: Installed) -> None:
    done = installed.run("stillframe", "--version")
    assert (done.returncode, done.stdout) == (0, f"stillframe {installed.bare['version']}\n")


@pytest.mark.wheel
def test_its_doctor_finds_all_that_is_needed(installed: Installed) -> None:
    done = installed.run("stillframe", "doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "nothing is missing"


@pytest.mark.wheel
def test_it_runs_a_sequence(installed: Installed) -> None:
    done = installed.run("python", "-W", "error", "-c", SEQUENCE)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
