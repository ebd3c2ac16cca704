"""`tools/check_layers.py` accepts stillframe, and finds every planted way round the layers."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


layers = load(ROOT / "tools" / "check_layers.py")


def unparsed() -> Any:
    """Return the modules of stillframe with an empty tree each, since to parse them takes seconds."""
    empty = ast.Module([], [])
    paths = sorted(layers.SOURCE.rglob("*.py"))
    return [layers.Module(layers.module_name(layers.SOURCE, path), path, empty) for path in paths]


def check(root: Path, **files: str) -> list[str]:
    """Check a package made of `files`: a module's path with `__` for a slash, and its text; `init` is a package's."""
    write(root, files)
    return sorted(set(layers.check(layers.read(root))))


def check_phone(root: Path, **files: str) -> list[str]:
    """Check a phone made of `files`, which are named as those of `check`."""
    write(root, files)
    return sorted(set(layers.check(layers.read(root, layers.PHONE))))


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / (re.sub(r"\binit$", "__init__", name.replace("__", "/")) + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.slow  # `make lint`, which every `make check` and `make test` runs, asks the same of the command
def test_stillframe_keeps_its_layers() -> None:
    modules = [*layers.read(layers.SOURCE), *layers.read(layers.PHONE_SOURCE, layers.PHONE)]
    assert sorted(set(layers.check(modules))) == []


def test_the_command_says_what_it_checked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "misc.py").write_text("")
    assert (layers.main(tmp_path, tmp_path / "phone"), capsys.readouterr().out.splitlines()[-1]) == (
        1,
        "stillframe.misc is in no room: add it to ROOMS in tools/check_layers.py",
    )


# -- imports -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "import stillframe.api",
        "import stillframe.api.page",
        "from stillframe import api",
        "from stillframe.api import page",
        "from stillframe.api.page import Page",
        "from .. import api",
        "from ..api.page import Page",
        "def later():\n    from stillframe.api.page import Page",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from stillframe.api.page import Page",
        "import importlib\nimportlib.import_module('stillframe.api.page')",
    ],
)
def test_every_form_of_an_upward_import_is_found(tmp_path: Path, text: str) -> None:
    (problem,) = check(tmp_path, cdp__session=text, api__page="", api__init="")
    line = len(text.splitlines())
    assert problem.startswith(f"stillframe.cdp.session:{line} imports stillframe.api")
    assert problem.endswith("(cdp 7, api 17): imports only point down")


@pytest.mark.parametrize("text", ["import stillframe.cdp.session", "from . import browser", "import asyncio"])
def test_imports_down_and_within_a_room_are_fine(tmp_path: Path, text: str) -> None:
    assert check(tmp_path, api__page=text, api__browser="", api__init="", cdp__session="") == []


def test_a_module_in_no_room_is_an_error(tmp_path: Path) -> None:
    problems = check(tmp_path, misc="", cdp__session="from stillframe import misc")
    assert problems == [
        "stillframe.cdp.session:1 imports stillframe.misc, which is in no room",
        "stillframe.misc is in no room: add it to ROOMS in tools/check_layers.py",
    ]


def test_nothing_imports_the_helpers_for_tests_not_even_a_door(tmp_path: Path) -> None:
    (problem,) = check(tmp_path, cli__app="import stillframe.testing.memory", testing__memory="")
    assert problem == "stillframe.cli.app:1 imports stillframe.testing.memory, which is for tests only"


def test_only_doors_import_the_package_itself(tmp_path: Path) -> None:
    (problem,) = check(tmp_path, api__page="import stillframe", cli__app="import stillframe", init="")
    assert problem == "stillframe.api.page:1 imports stillframe (api 17, stillframe 21): imports only point down"


@pytest.mark.parametrize(
    ("door", "text"),
    [
        ("farm__crawl", "from stillframe.tab.tab import Tab"),
        ("agent__run", "from stillframe.settling import signals"),
        ("mcp__run", "from stillframe.api.page import Page"),
        ("cli__run", "def later():\n    import stillframe.chrome"),
        ("sessions__session", "from stillframe.cdp.session import CDPSession"),
        ("trace__recorder", "if TYPE_CHECKING:\n    from stillframe.engine import history"),
    ],
)
def test_a_door_imports_nothing_of_the_driver_but_the_seam(tmp_path: Path, door: str, text: str) -> None:
    driver = {"tab__tab": "", "settling__signals": "", "api__page": "", "chrome__init": "", "cdp__session": ""}
    (problem,) = check(tmp_path, engine__history="", **driver, **{door: text})
    assert problem.startswith(f"stillframe.{door.replace('__', '.')}:{len(text.splitlines())} imports stillframe.")
    assert problem.endswith("which lies below the seam: use stillframe or stillframe.extend")


def test_a_door_imports_the_seam_and_what_knows_no_page(tmp_path: Path) -> None:
    text = "import stillframe\nimport stillframe.extend.signals\nfrom stillframe.model import actions\n"
    assert check(tmp_path, farm__crawl=text, init="", extend__init="", extend__signals="", model__actions="") == []


def test_sessions_import_the_public_classes_from_api(tmp_path: Path) -> None:
    assert check(tmp_path, sessions__session="from stillframe.api.page import Page", api__page="") == []


@pytest.mark.parametrize(
    "text",
    [
        "import stillframe_phone",
        "from stillframe_phone.adbd import Link",
        "def late():\n    import stillframe_phone.adbd",
    ],
)
def test_stillframe_imports_nothing_of_the_phone(tmp_path: Path, text: str) -> None:
    (problem,) = check(tmp_path, testing__adb_server=text)
    assert "imports stillframe_phone" in problem
    assert problem.endswith("which belongs to another distribution")


def test_the_phone_imports_testing_the_seam_and_what_it_imitates(tmp_path: Path) -> None:
    text = """import stillframe_phone.adbd
from stillframe.chrome.protocol_history import history
from stillframe.extend.network import StreamServer
from stillframe.security.redaction import logger
from stillframe.testing import AdbServerProcess
"""
    assert check_phone(tmp_path, webview=text, adbd="", init="from stillframe_phone.webview import history") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import stillframe.chrome.launcher", "which lies below the seam: use stillframe or stillframe.extend"),
        ("from stillframe.tab.tab import Tab", "which lies below the seam: use stillframe or stillframe.extend"),
        ("from stillframe.farm import pool", "which lies above testing"),
        ("from stillframe.misc import x", "which is in no room"),
    ],
)
def test_the_phone_imports_nothing_else(tmp_path: Path, text: str, said: str) -> None:
    (problem,) = check_phone(tmp_path, emulated__shell=text)
    assert problem.startswith("stillframe_phone.emulated.shell:1 imports stillframe.")
    assert problem.endswith(said)


def test_modules_of_the_phone_form_no_circle(tmp_path: Path) -> None:
    (problem,) = check_phone(tmp_path, a="import stillframe_phone.b", b="import stillframe_phone.a")
    assert problem == "modules form a circle: stillframe_phone.a -> stillframe_phone.b -> stillframe_phone.a"


def test_only_the_tree_of_errors_shows_errors_of_rooms_above(tmp_path: Path) -> None:
    text = "from stillframe.farm.errors import FarmError"
    (problem,) = check(tmp_path, errors=text, model__failure=text, farm__errors="from stillframe.errors import Root")
    assert problem.endswith("failure:1 imports stillframe.farm.errors (model 2, farm 25): imports only point down")


@pytest.mark.parametrize("module", ["time", "asyncio", "socket"])
def test_logic_has_no_clock_and_no_sockets(tmp_path: Path, module: str) -> None:
    problems = check(tmp_path, settling__machine=f"import {module}", settling__settler=f"import {module}")
    assert problems == [f"stillframe.settling.machine:1 is logic and imports {module}: take time and I/O as arguments"]


def test_every_entry_of_logic_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(layers.unknown_logic(unparsed())) == []
    monkeypatch.setattr(layers, "LOGIC", ("settling.gone",))
    (problem,) = layers.unknown_logic(unparsed())
    assert problem == "LOGIC in tools/check_layers.py names settling.gone, which does not exist"


# -- circles -------------------------------------------------------------------------------------


def test_a_circle_through_imports_for_the_type_checker_is_found(tmp_path: Path) -> None:
    guarded = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from stillframe.api.page import Page"
    problems = check(tmp_path, api__page="from stillframe.api.frame import Frame", api__frame=guarded)
    assert problems == ["modules form a circle: stillframe.api.frame -> stillframe.api.page -> stillframe.api.frame"]


def test_every_circle_is_named(tmp_path: Path) -> None:
    problems = check(
        tmp_path,
        api__a="import stillframe.api.b",
        api__b="import stillframe.api.a",
        tab__c="import stillframe.tab.d",
        tab__d="import stillframe.tab.e",
        tab__e="import stillframe.tab.c",
    )
    assert len(problems) == 2
    assert all(problem.startswith("modules form a circle: ") for problem in problems)


def test_a_module_and_its_package_may_form_a_circle_as_well(tmp_path: Path) -> None:
    (problem,) = check(
        tmp_path,
        cdp__init="from stillframe.cdp.mux import Mux",
        cdp__mux="from stillframe.cdp import wire\nfrom . import X",
    )
    assert problem.startswith("modules form a circle: stillframe.cdp")


def test_the_generated_domains_may_refer_to_each_other(tmp_path: Path) -> None:
    files = {"cdp_types__page": "import stillframe.cdp_types.dom", "cdp_types__dom": "import stillframe.cdp_types.page"}
    assert check(tmp_path, **files) == []


# -- hooks ---------------------------------------------------------------------------------------

TAB = """
from collections.abc import Callable
Inspect = Callable[[str], None]
class Tab:
    inspect: {declared}
    def __init__(self) -> None:
        self.inspect = None
"""


@pytest.mark.parametrize(
    "declared", ["Inspect | None", "Callable[[str], None] | None", "Callable[[], int]", "Optional[Inspect]"]
)
@pytest.mark.parametrize(
    "text",
    [
        "def watch(tab):\n    tab.inspect = print",
        "class Guard:\n    def watch(self, f):\n        self.tab.inspect = f",
        "async def watch(tab):\n    before, tab.inspect = tab.inspect, lambda name: None",
        "def watch(tab):\n    tab.inspect: object = print",
    ],
)
def test_a_callable_set_on_another_object_is_found(tmp_path: Path, declared: str, text: str) -> None:
    (problem,) = check(tmp_path, tab__tab=TAB.format(declared=declared), engine__guard=text)
    line = len(text.splitlines())
    assert (
        problem == f"stillframe.engine.guard:{line} sets the hook 'inspect' on another object: pass it as an argument"
    )


def test_a_hook_declared_in_a_method_with_an_alias_of_another_module_is_found(tmp_path: Path) -> None:
    tab = "class Tab:\n    def __init__(self):\n        self.on_close: OnClose | None = None"
    alias = "from collections.abc import Callable\nOnClose = Callable[[], None]"
    (problem,) = check(tmp_path, cdp__base=alias, tab__tab=tab, engine__guard="def f(tab):\n    tab.on_close = print")
    assert "sets the hook 'on_close'" in problem


@pytest.mark.parametrize(
    "text",
    [
        "def make(f):\n    tab = Tab()\n    tab.inspect = f\n    return tab",  # still being made
        "class Other:\n    def __init__(self, f):\n        self.inspect = f",
        "def unset(tab):\n    tab.inspect = None",
        "def watch(tab):\n    tab.inspector = print",
        "def watch(tab):\n    inspect = tab.inspect",
    ],
)
def test_what_is_not_a_hook_is_left_alone(tmp_path: Path, text: str) -> None:
    assert check(tmp_path, tab__tab=TAB.format(declared="Inspect | None"), engine__guard=text) == []


def test_a_name_that_another_class_declares_as_plain_data_is_not_a_hook(tmp_path: Path) -> None:
    row = "class Row:\n    inspect: str\ndef mark(row, text):\n    row.inspect = text + '!'"
    assert check(tmp_path, tab__tab=TAB.format(declared="Inspect | None"), model__row=row) == []


# -- protocols -----------------------------------------------------------------------------------

ENGINE = """
from typing import Protocol
class Engine(Protocol):
    page: object
    async def run(self) -> None: ...
"""
RUNNER = "class Runner:\n    def __init__(self, page):\n        self.page = page\n    async def run(self): ..."


def test_a_protocol_of_one_implementation_is_found(tmp_path: Path) -> None:
    (problem,) = check(tmp_path, tab__ports=ENGINE, engine__runner=RUNNER)
    assert problem == (
        "stillframe.tab.ports:3 the protocol Engine has one implementation: use stillframe.engine.runner.Runner"
    )


def test_an_inherited_method_counts_for_the_implementation(tmp_path: Path) -> None:
    text = "class Base:\n    page = None\nclass Runner(Base):\n    async def run(self): ..."
    (problem,) = check(tmp_path, tab__ports=ENGINE, engine__runner=text)
    assert problem.endswith("use stillframe.engine.runner.Runner")


@pytest.mark.parametrize(
    "text",
    [
        RUNNER + "\n" + RUNNER.replace("Runner", "Walker"),
        "class Runner:\n    page: object",
        "class Other: ...",
    ],
    ids=["two implementations", "a class with a part of it", "none"],
)
def test_other_protocols_are_fine(tmp_path: Path, text: str) -> None:
    assert check(tmp_path, tab__ports=ENGINE, engine__runner=text) == []


def test_a_protocol_for_functions_is_fine(tmp_path: Path) -> None:
    text = "from typing import Protocol\nclass Listener(Protocol):\n    def __call__(self, event: str) -> None: ..."
    assert check(tmp_path, tab__ports=text, engine__runner="class Log:\n    def __call__(self, event): ...") == []
