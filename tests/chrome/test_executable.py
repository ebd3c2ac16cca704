from __future__ import annotations

from pathlib import Path

import pytest

from stillframe.chrome import executable
from stillframe.errors import BrowserNotFound


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine with nothing installed; the directory is its PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(executable.ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.setattr(executable, "PLACES", {})
    return tmp_path


def runnable(path: Path) -> str:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.browser
def test_the_machines_own_browser_is_found() -> None:
    assert Path(executable.find_executable().path).exists()


def test_argument_comes_before_environment_before_path(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path = runnable(bare / "chromium")
    assert executable.find_executable() == executable.Executable(on_path, "path")
    in_environment = runnable(bare / "mine")
    monkeypatch.setenv(executable.ENVIRONMENT_VARIABLE, in_environment)
    assert executable.find_executable() == executable.Executable(in_environment, "environment")
    assert executable.find_executable(Path(on_path)) == executable.Executable(on_path, "argument")


def test_a_bare_word_is_looked_up_on_path(bare: Path) -> None:
    assert executable.find_executable("chrome-dev" if runnable(bare / "chrome-dev") else "").source == "argument"


def test_stable_chrome_is_preferred(bare: Path) -> None:
    for name in reversed(executable.NAMES):
        runnable(bare / name)
        assert executable.find_executable().path == str(bare / name)


def test_places_come_last(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = runnable(bare / "installed")
    monkeypatch.setattr(executable, "PLACES", {executable.sys.platform: ("{NO_SUCH_VARIABLE}/chrome", place)})
    assert executable.find_executable() == executable.Executable(place, "place")


def test_nothing_found_says_how_to_get_one(bare: Path) -> None:
    with pytest.raises(BrowserNotFound, match=r"install .*STILLFRAME_CHROME") as caught:
        executable.find_executable()
    assert "chromium" in caught.value.tried


@pytest.mark.parametrize("kind", ["missing", "directory", "not executable"])
def test_a_named_path_that_cannot_run_is_an_error_not_a_fallback(bare: Path, kind: str) -> None:
    runnable(bare / "chromium")
    path = bare / "named"
    if kind == "directory":
        path.mkdir()
    elif kind == "not executable":
        path.write_text("")
    with pytest.raises(BrowserNotFound, match="named") as caught:
        executable.find_executable(path)
    assert caught.value.tried == (str(path),)
    assert "`executable`" in str(caught.value)


def test_a_wrong_environment_variable_is_named(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(executable.ENVIRONMENT_VARIABLE, "/nowhere/chrome")
    with pytest.raises(
        BrowserNotFound, match=r"STILLFRAME_CHROME names '/nowhere/chrome', but that file does not exist"
    ):
        executable.find_executable()


def test_windows_places_use_their_variables() -> None:
    places = list(executable._places("win32", {"PROGRAMFILES": r"C:\Programs"}))
    assert places == [r"C:\Programs\Google\Chrome\Application\chrome.exe"]


@pytest.mark.browser
def test_version_of_a_real_browser() -> None:
    version = executable.read_version(executable.find_executable().path)
    assert version is not None
    assert any(part[0].isdigit() for part in version.split())


def test_version_of_something_else_is_none(tmp_path: Path) -> None:
    assert executable.read_version(str(tmp_path / "nothing")) is None
