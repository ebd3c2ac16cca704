"""What the benchmark of applications says of roles and names, and how it starts and ends a program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import aiohttp
import psutil
import pytest
from yarl import URL

from bench.apps import install, launch, loads
from bench.apps.agreement import Agreement, difference, same_name, same_role
from bench.apps.catalogue import APPS
from bench.apps.elements import Element, Said
from bench.apps.launch import AppFailed, Program, started
from bench.reading import PAGES, way
from stillframe.model.verdict import Verdict


def element(chrome: Said, tag: str = "div") -> Element:
    return Element(frame=None, backend_node_id=1, tag=tag, html=f"<{tag}>", chrome=chrome, core=chrome, twin=chrome)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("chrome", "ours", "same"),
    [
        ("button", "button", True),
        ("generic", "", True),
        ("LabelText", "", True),
        ("image", "img", True),
        ("DisclosureTriangle", "button", True),
        ("link", "", False),
        ("rowheader", "columnheader", False),
        ("generic", "button", False),
    ],
)
def test_roles_that_are_the_same(chrome: str, ours: str, same: bool) -> None:
    assert same_role(Said(chrome, ""), Said(ours, "")) is same


@pytest.mark.parametrize(
    ("chrome", "ours", "kind"),
    [
        ("Save", "Save", ""),
        ("Sign  up\n", "Sign up", ""),
        ("Save", "", "is empty"),
        ("", "Save", "is there, Chrome's is empty"),
        ("SAVE", "Save", "has other letter cases, which CSS makes"),
        ("Log out", "Logout", "has other spaces"),
        ("Save all", "Save", "is a part of it"),
        ("Save", "Save all", "holds more"),
        ("Save", "Load", "is another one"),
    ],
)
def test_the_class_of_a_name(chrome: str, ours: str, kind: str) -> None:
    found = difference(element(Said("button", chrome)), Said("button", ours))
    assert found == (f"name of button: ours {kind}" if kind else "")
    assert same_name(Said("", chrome), Said("", ours)) is (not kind)


async def test_agreement_counts_and_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    async def contents(_: Element) -> str:
        return "contents"

    monkeypatch.setattr("bench.apps.agreement.sources", contents)
    found = Agreement("core")
    right, wrong = element(Said("button", "Save")), element(Said("link", "Home"), "a")
    await found.add("shop", "open", [right, wrong._replace(core=Said("", "Home"))])
    assert found.total().percent(found.total().both) == 50
    assert found.counts == {"role: <a> link, ours –": 1}
    assert "shop, open: Chrome link 'Home' from contents, ours – 'Home'" in found.report()


# -- the catalogue --------------------------------------------------------------------------------


def test_the_catalogue_is_of_one_piece() -> None:
    assert len({app.name for app in APPS}) == len(APPS) >= 8
    for app in APPS:
        assert app.states[0].path is not None, app.name
        assert len({state.name for state in app.states}) == len(app.states), app.name
        if isinstance(app.served, launch.Pages) and app.served.folder and not app.served.build:
            assert (launch.SITES / app.served.folder / "index.html").is_file()


def test_first_loads_are_of_applications_of_the_catalogue() -> None:
    assert len({content.app for content in loads.CONTENTS}) == len(loads.CONTENTS) >= 14
    assert {content.app for content in loads.CONTENTS} <= {app.name for app in APPS}


def test_the_way_to_a_state_begins_with_a_page_and_signs_in() -> None:
    apps = {app.name: app for app in APPS}
    assert [state.name for state in way(apps["django-admin"], "products")] == ["login", "index", "products"]
    for name, state in PAGES:
        first, *_, last = [*way(apps[name], state)] * 2
        assert first.path is not None
        assert last.name == state


async def test_a_built_site_has_the_pages_of_its_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "python_packages", lambda: None)
    monkeypatch.setattr(install, "PYTHON", Path(sys.executable))
    make = "import pathlib, sys; f = pathlib.Path(sys.argv[1]) / 'wiring'; f.mkdir(parents=True)"
    make += "; (f / 'index.html').write_text('Wires')"
    async with started(launch.Pages("site", build=(("-c", make, "{data}/site"),))) as url:
        assert await _get(f"{url}/wiring/") == (200, "Wires")
        for path in ("/nothing/", "/%2e%2e/", "/wiring/%2e%2e/%2e%2e/"):
            assert (await _get(url + path))[0] in (403, 404), path


async def _get(url: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as client, client.get(URL(url, encoded=True)) as answer:
        return answer.status, await answer.text()


# -- first loads ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("stable", "changed", "kept"), [(True, (), 1), (True, ("+late",), 0), (False, ("+late",), 1)])
def test_a_first_load_is_kept_if_its_text_stays_or_it_is_not_said_to_be_still(
    stable: bool, changed: tuple[str, ...], kept: int
) -> None:
    verdict = Verdict(stable=stable, reason="quiet", waited_ms=1, pending=(), ignored=(), fences=1)
    load = loads.Load(20.0, (), verdict, changed)
    assert load.kept is bool(kept)
    assert f"not said to be still {kept} of 1" in loads.summary(loads.CONTENTS[0], [load])
    assert all(line in loads.line(loads.CONTENTS[0], load) for line in changed)


# -- programs -------------------------------------------------------------------------------------

SERVER = """
import http.server, subprocess, sys
subprocess.Popen(["sleep", "60." + sys.argv[1]])
http.server.test(http.server.SimpleHTTPRequestHandler, port=int(sys.argv[1]), bind="127.0.0.1")
"""
"""It has a child that is known by its port."""


@pytest.fixture
def own_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs run in the Python of the tests, and nothing is installed."""
    monkeypatch.setattr(install, "python_packages", lambda: None)
    monkeypatch.setattr(install, "PYTHON", Path(sys.executable))


async def test_a_program_answers_and_ends_with_all_that_it_started(own_python: None) -> None:
    async with started(Program(("-c", SERVER, "{port}"))) as url, aiohttp.ClientSession() as client:
        async with client.get(url) as answer:
            assert answer.status == 200
        child = f"60.{url.rpartition(':')[2]}"
        assert _runs(child)
    assert not _runs(child)


async def test_a_program_of_an_npm_package_is_run_by_node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    node = tmp_path / "node"
    node.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    node.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(install, "npm_packages", lambda: None)
    monkeypatch.setattr(install, "python_packages", lambda: pytest.fail("no package of PyPI is needed"))
    make = ("-c", "import pathlib; pathlib.Path('made').write_text('by a step before')")
    serve = "import http.server, sys; http.server.test(http.server.SimpleHTTPRequestHandler, port=int(sys.argv[1]))"
    async with started(Program(("-c", serve, "{port}"), prepare=(make,), node=True)) as url:
        assert await _get(f"{url}/made") == (200, "by a step before")


async def test_a_program_that_does_not_start_says_why(own_python: None) -> None:
    with pytest.raises(AppFailed, match="no such table"):
        async with started(Program(("-c", "raise SystemExit('no such table')"))):
            pass


def test_what_one_package_lacks_does_not_take_the_others_with_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = _installer(monkeypatch, tmp_path, refused={"--requirement", "lamp==1"})
    install.python_packages()
    assert asked[1:] == ["lamp==1", "shade==2"]
    assert "not installed: lamp==1" in capsys.readouterr().err
    assert not (tmp_path / "venv.installed").exists(), "it is tried again in another run"


def test_an_installation_that_fails_is_not_tried_for_each_application(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = _installer(monkeypatch, tmp_path, refused={"--requirement", "lamp==1", "shade==2"})
    for _ in range(3):
        with pytest.raises(install.NotInstalled, match="the virtual environment could not be installed"):
            install.python_packages()
    assert len(asked) == 3


def _installer(monkeypatch: pytest.MonkeyPatch, folder: Path, refused: set[str]) -> list[str]:
    """Let pip refuse some packages, and return what it is asked for."""
    asked: list[str] = []

    def pip(what: str, *_: str) -> None:
        asked.append(what)
        if what in refused:
            raise subprocess.CalledProcessError(1, ["pip"])

    requirements = folder / "requirements.txt"
    requirements.write_text("# two\nlamp==1\nshade==2\n")
    for name, value in {
        "ROOT": folder,
        "PYTHON": Path(sys.executable),
        "REQUIREMENTS": requirements,
        "_pip": pip,
    }.items():
        monkeypatch.setattr(install, name, value)
    monkeypatch.setattr(install, "_tried", {})
    return asked


async def test_a_step_before_it_that_fails_says_why(own_python: None) -> None:
    with pytest.raises(AppFailed, match="disk is full"):
        async with started(Program(("-c", ""), prepare=(("-c", "raise SystemExit('disk is full')"),))):
            pass


def _runs(argument: str) -> bool:
    return any(argument in (each.info["cmdline"] or ()) for each in psutil.process_iter(["cmdline"]))
