"""The files around the code agree with it: workflows, owners, updates, hooks, forms and the changelog."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from check_release import newest_release, problems, version

ROOT = Path(__file__).parent.parent
GITHUB = ROOT / ".github"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
CARGO = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
PINNED = re.compile(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
MANIFESTS = {
    "cargo": ("Cargo.toml",),
    "github-actions": (".github/workflows",),
    "npm": ("package.json",),
    "pip": ("pyproject.toml", "*.txt"),
}
"""What Dependabot reads in a folder, by ecosystem."""


@cache
def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in WORKFLOWS:
        for name, job in load(path)["jobs"].items():
            yield f"{path.name}: {name}", job


def steps_using(action: str) -> Iterator[dict[str, Any]]:
    for _, job in jobs():
        yield from (step for step in job.get("steps", ()) if str(step.get("uses")).startswith(f"{action}@"))


def minor(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2])


def pythons() -> list[str]:
    """Return the versions of Python that the package is for, the oldest first."""
    found = [
        re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", each) for each in PROJECT["project"]["classifiers"]
    ]
    return [each[1] for each in found if each]


# -- workflows -----------------------------------------------------------------------------------


def test_ci_checks_every_python_of_the_classifiers() -> None:
    assert pythons() == sorted(pythons(), key=minor)
    assert load(GITHUB / "workflows" / "ci.yml")["jobs"]["check"]["strategy"]["matrix"]["python"] == pythons()


def test_wheels_are_started_on_the_oldest_and_the_newest_python() -> None:
    wheels = load(GITHUB / "workflows" / "wheels.yml")["jobs"]
    for name in ("smoke", "smoke-musl"):
        assert wheels[name]["strategy"]["matrix"]["python"] == [pythons()[0], pythons()[-1]]


def test_every_wheel_is_started() -> None:
    wheels = load(GITHUB / "workflows" / "wheels.yml")["jobs"]
    matrix = {name: job["strategy"]["matrix"] for name, job in wheels.items() if "strategy" in job}
    started = {*matrix["smoke"]["name"], *(f"musllinux-{arch}" for arch in matrix["smoke-musl"]["arch"])}
    assert {each["name"] for each in matrix["wheel"]["include"]} == started


def test_one_version_of_rust_builds_tests_and_wheels() -> None:
    toolchain = tomllib.loads((ROOT / "rust-toolchain.toml").read_text("utf-8"))["toolchain"]["channel"]
    oldest = CARGO["package"]["rust-version"]
    assert load(GITHUB / "workflows" / "wheels.yml")["env"]["RUST"] == toolchain
    assert minor(toolchain) >= minor(oldest)
    for page in ("README.md", "docs/index.md"):
        assert f"**Rust ≥ {oldest}**" in (ROOT / page).read_text("utf-8")


def test_wheels_are_built_by_a_maturin_that_the_project_allows() -> None:
    from packaging.requirements import Requirement

    built_by = load(GITHUB / "workflows" / "wheels.yml")["env"]["MATURIN"]
    (allowed,) = PROJECT["build-system"]["requires"]
    assert Requirement(allowed).specifier.contains(built_by)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_to_a_commit(path: Path) -> None:
    used = re.findall(r"^.*\buses: .*$", path.read_text("utf-8"), re.MULTILINE)
    assert used
    assert [line for line in used if not PINNED.search(line) and "uses: ./.github/" not in line] == []


def test_an_action_has_one_version() -> None:
    text = "\n".join(path.read_text("utf-8") for path in WORKFLOWS)
    pins = {tuple(pin.split("@")) for pin in re.findall(r"uses: (\S+@[0-9a-f]{40})", text)}
    assert len({action for action, _ in pins}) == len(pins) >= 5


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_has_no_permission_but_those_of_its_jobs(path: Path) -> None:
    assert load(path)["permissions"] == {}


@pytest.mark.parametrize(("name", "job"), [*jobs()], ids=[name for name, _ in jobs()])
def test_every_job_has_a_limit_and_permissions(name: str, job: dict[str, Any]) -> None:
    writes = [right for right, value in job["permissions"].items() if value != "read"]
    assert writes == (["id-token", "attestations"] if name == "publish.yml: publish" else [])
    assert ("uses" in job) != (0 < job.get("timeout-minutes", 0) <= 90)


def test_no_checkout_keeps_its_token() -> None:
    checkouts = [*steps_using("actions/checkout")]
    assert len(checkouts) >= 5
    assert all(step["with"] == {"persist-credentials": False} for step in checkouts)


def test_only_what_ci_and_the_version_check_accept_is_published() -> None:
    called = load(GITHUB / "workflows" / "publish.yml")["jobs"]
    assert {called[name]["needs"] for name in ("ci", "wheels")} == {"version"}
    assert set(called["publish"]["needs"]) == {"ci", "wheels"}
    assert called["publish"]["environment"]["name"] == "pypi"
    for name in ("ci", "wheels"):
        assert "workflow_call" in load(ROOT / called[name]["uses"])[True]  # YAML 1.1 reads `on` as true


# -- releases ------------------------------------------------------------------------------------


def test_the_newest_release_of_the_changelog_is_that_of_the_crate() -> None:
    assert [*problems(f"v{version()}", version(), newest_release(CHANGELOG))] == []


def test_the_changelog_begins_with_what_is_not_released() -> None:
    assert re.findall(r"^## (.*)$", CHANGELOG, re.MULTILINE)[0] == "[Unreleased]"


@pytest.mark.parametrize(
    ("tag", "released", "said"),
    [
        ("0.2.0", "0.2.0", ["tag v0.2.0"]),
        ("v0.2.1", "0.2.0", ["Cargo.toml has the version 0.2.0"]),
        ("v0.2.0", "0.1.0", ["newest release in CHANGELOG.md is 0.1.0"]),
        ("v0.3.0", None, ["the tag is v0.3.0", "CHANGELOG.md is missing"]),
    ],
)
def test_a_tag_that_does_not_fit_is_named(tag: str, released: str | None, said: list[str]) -> None:
    found = [*problems(tag, "0.2.0", released)]
    assert len(found) == len(said)
    assert all(part in problem for part, problem in zip(said, found, strict=True))


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("## [Unreleased]\n\n## [1.2.3] - 2027-01-31\n\n## [1.2.2] - 2027-01-01\n", "1.2.3"),
        ("## [Unreleased]\n\n## [1.2.3]\n", None),
        ("# 1.2.3\n", None),
    ],
)
def test_only_a_heading_with_a_date_is_a_release(text: str, release: str | None) -> None:
    assert newest_release(text) == release


# -- owners, updates, hooks ----------------------------------------------------------------------


def test_every_path_with_an_owner_exists() -> None:
    lines = [line.split() for line in (GITHUB / "CODEOWNERS").read_text("utf-8").splitlines()]
    rules = [line for line in lines if line and not line[0].startswith("#")]
    assert rules[0][0] == "*"
    assert [rule[0] for rule in rules[1:] if not (ROOT / rule[0].strip("/")).exists()] == []
    assert all(owner.startswith("@") for rule in rules for owner in rule[1:])


def updates() -> Iterator[tuple[str, str]]:
    """Yield an ecosystem and a folder for everything that Dependabot keeps up to date."""
    for update in load(GITHUB / "dependabot.yml")["updates"]:
        for folder in update.get("directories") or [update["directory"]]:
            yield update["package-ecosystem"], folder


@pytest.mark.parametrize(("ecosystem", "folder"), [*updates()])
def test_updates_are_for_folders_with_something_to_update(ecosystem: str, folder: str) -> None:
    place = ROOT / folder.strip("/")
    assert any(any(place.glob(pattern)) for pattern in MANIFESTS[ecosystem])


def manifests(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield an ecosystem and a folder for every lock file below a folder, without what is built or installed."""
    locks = {"package-lock.json": "npm", "Cargo.lock": "cargo", "requirements.txt": "pip"}
    for path in folder.iterdir():
        if path.is_dir() and path.name not in {"installed", "node_modules", "target", "pages", "results"}:
            yield from manifests(path)
        elif path.name in locks:
            yield locks[path.name], folder


def test_every_folder_with_something_to_update_is_listed() -> None:
    found = {each for top in ("bench", "js", "rust", "tests") for each in manifests(ROOT / top)}
    assert {ecosystem for ecosystem, _ in found} == {"npm", "cargo", "pip"}
    assert found <= {(ecosystem, ROOT / folder.strip("/")) for ecosystem, folder in updates()}


def hooks() -> list[dict[str, Any]]:
    return [hook for repo in load(ROOT / ".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]]


@pytest.mark.parametrize("hook", hooks(), ids=lambda hook: hook["id"])
def test_a_hook_runs_what_the_environment_has(hook: dict[str, Any]) -> None:
    command, *rest = shlex.split(hook["entry"])
    if not command.startswith(".venv/bin/"):
        assert command == "cargo"
        return
    assert shutil.which(Path(command).name, path=str(Path(sys.executable).parent))
    match rest:
        case ["-m", module, *_]:
            assert find_spec(module)
        case [script, *_] if script.endswith(".py"):
            assert (ROOT / script).is_file()


def test_hooks_come_from_nowhere_else() -> None:
    """A hook of another repository would be a second version of a tool."""
    assert {repo["repo"] for repo in load(ROOT / ".pre-commit-config.yaml")["repos"]} == {"local"}


def test_forms_have_fields_with_names_of_their_own() -> None:
    for path in (GITHUB / "ISSUE_TEMPLATE").glob("[!c]*.yml"):
        names = [field["id"] for field in load(path)["body"] if field["type"] != "markdown"]
        assert len({*names}) == len(names) >= 3


def test_links_of_forms_lead_to_files() -> None:
    repository = PROJECT["project"]["urls"]["Repository"]
    links = [link["url"] for link in load(GITHUB / "ISSUE_TEMPLATE" / "config.yml")["contact_links"]]
    files = [link.removeprefix(f"{repository}/blob/main/") for link in links if "/blob/" in link]
    assert len(files) >= 2
    assert all((ROOT / file).is_file() for file in files)
    assert all(link.startswith(repository) for link in links)
