"""The manifests that the documents offer: they can be read, and their commands, codes and ports are those there are."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
import typer
import yaml

from documents import ROOT
from stillframe.cli import app
from stillframe.farm.exits import CrawlExit

FOLDER = ROOT / "docs/deploy"
MANIFESTS = ("compose.yaml", "kubernetes.yaml")


def documents(name: str) -> list[Any]:
    return list(yaml.safe_load_all((FOLDER / name).read_text("utf-8")))


def containers(name: str) -> dict[str, dict[str, Any]]:
    """Return what runs stillframe, by its name."""
    if name == "compose.yaml":
        [compose] = documents(name)
        return {key: each for key, each in compose["services"].items() if each["image"] == "stillframe"}
    jobs = documents(name)
    assert all((job["apiVersion"], job["kind"]) == ("batch/v1", "Job") for job in jobs)
    return {each["name"]: each for job in jobs for each in job["spec"]["template"]["spec"]["containers"]}


def command_lines() -> Iterator[Any]:
    for name in MANIFESTS:
        for key, container in containers(name).items():
            yield pytest.param(container.get("command") or container["args"], id=f"{name} {key}")


@pytest.mark.parametrize("words", [*command_lines()])
def test_each_command_is_spelled_right(words: list[str]) -> None:
    assert all(isinstance(word, str) for word in words), "a number is none to Compose and Kubernetes"
    farm: Any = typer.main.get_command(app.cli)
    for name in words[:2]:
        farm = farm.commands[name]
    context = farm.make_context(words[1], words[2:])
    assert context.params["name"] == "example"


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_crawl_is_created_worked_on_and_its_queue_is_no_option(name: str) -> None:
    found = containers(name)
    assert {"create", "worker"} <= found.keys()
    for container in found.values():
        environment = container.get("environment") or {each["name"]: each for each in container["env"]}
        assert "STILLFRAME_QUEUE" in environment, "who lists processes must not read the password"
        assert "--queue" not in (container.get("command") or container["args"])


def test_codes_and_ports_of_the_jobs_are_those_of_the_worker() -> None:
    workers = documents("kubernetes.yaml")[1]["spec"]
    rules = {
        rule["action"]: rule["onExitCodes"] for rule in workers["podFailurePolicy"]["rules"] if "onExitCodes" in rule
    }
    assert rules["Ignore"]["values"] == [CrawlExit.INTERRUPTED]
    assert rules["FailJob"]["values"] == [CrawlExit.NOTHING]
    [container] = workers["template"]["spec"]["containers"]
    assert {rule["containerName"] for rule in rules.values()} == {container["name"]}
    port = container["args"][container["args"].index("--metrics-port") + 1]
    assert [str(each["containerPort"]) for each in container["ports"]] == [port]
    assert workers["template"]["metadata"]["annotations"]["prometheus.io/port"] == port


def test_the_image_installs_extras_that_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    [extras] = re.findall(r"\.whl\)\[([\w,]+)\]", (FOLDER / "Dockerfile").read_text("utf-8"))
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
    assert {"cli", "crawl", "metrics"} <= set(extras.split(","))
