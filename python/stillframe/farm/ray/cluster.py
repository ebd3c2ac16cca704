"""Supervisors in a Ray cluster: started, listed and ended by their names. Nothing of a crawl is kept in Ray."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import msgspec
import ray
from ray.util import list_named_actors
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from stillframe.farm.crawl.work import pages_at_once
from stillframe.farm.errors import ClusterUnavailable
from stillframe.farm.ray.nodes import RayNode, actor_name, read_nodes, resources_of, supervisors_of, without_supervisor
from stillframe.farm.ray.supervisor import Supervisor, WorkOrder

NAMESPACE = "stillframe"
STATUS_S = 5.0
"""How long a supervisor may take to say what it is doing; it answers from memory."""


class SupervisorStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A supervisor: `state` is working, starting, over, or unreachable."""

    node_id: str
    address: str
    state: str
    restarts: int = 0
    exit: int | None = None


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Connect to a cluster while the block runs. Raises ClusterUnavailable if none answers."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        _check_port(address)
        ray.init(address=address, namespace=NAMESPACE, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        why = (str(error) or type(error).__name__).splitlines()[0]
        raise ClusterUnavailable(
            f"no Ray cluster answers at {address} ({why}): start one with `ray start --head`, or give its --address",
            address=address,
        ) from error
    try:
        yield
    finally:
        ray.shutdown()


def _check_port(address: str) -> None:
    """Raise OSError if nothing listens at HOST:PORT: Ray itself would wait for more than a minute."""
    host, _, port = address.rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=STATUS_S).close()


def start_supervisors(order: WorkOrder) -> list[RayNode]:
    """Start a supervisor on each living node that has none, and return these nodes; safe to repeat."""
    missing = without_supervisor(order.crawl, nodes(), _actors())
    concurrency = pages_at_once("auto" if order.concurrency == "auto" else int(order.concurrency))
    for node in missing:
        options: dict[str, Any] = {
            "name": actor_name(order.crawl, node),
            "namespace": NAMESPACE,
            "lifetime": "detached",
            "get_if_exists": True,
            "max_restarts": -1,
            "max_task_retries": 0,
            "num_cpus": 0,
            "resources": resources_of(node, concurrency),
            "scheduling_strategy": NodeAffinitySchedulingStrategy(node.node_id, soft=False),
        }
        actor: Any = ray.remote(Supervisor).options(**options)
        actor.remote(msgspec.to_builtins(order))
    return missing


def nodes() -> list[RayNode]:
    """Return the nodes of the cluster, those that ended included."""
    listed: Any = ray.nodes  # it has no annotations
    return read_nodes(listed())


def statuses(crawl: str) -> list[SupervisorStatus]:
    """Return the supervisors of a crawl, by node."""
    there = set(supervisors_of(crawl, _actors()))
    return [_status(crawl, node) for node in nodes() if actor_name(crawl, node) in there]


def _status(crawl: str, node: RayNode) -> SupervisorStatus:
    given: dict[str, Any] = {"node_id": node.node_id, "address": node.address}
    if not node.alive:
        return SupervisorStatus(**given, state="unreachable")
    try:
        actor = ray.get_actor(actor_name(crawl, node), namespace=NAMESPACE)
        told: Any = ray.get(actor.status.remote(), timeout=STATUS_S)
    except (ValueError, ray.exceptions.RayError):
        return SupervisorStatus(**given, state="unreachable")
    state = "over" if told["over"] else "working" if told["worker"] else "starting"
    return SupervisorStatus(**given, state=state, restarts=told["restarts"], exit=told["exit"])


def end_supervisors(crawl: str) -> int:
    """End all supervisors of a crawl and their workers, and return how many there were."""
    names = supervisors_of(crawl, _actors())
    for name in names:
        with suppress(ValueError, ray.exceptions.RayError):
            actor = ray.get_actor(name, namespace=NAMESPACE)
            ray.get(actor.stop.remote(), timeout=STATUS_S)
            ray.kill(actor, no_restart=True)
    return len(names)


def _actors() -> list[str]:
    return [each["name"] for each in list_named_actors(all_namespaces=True) if each["namespace"] == NAMESPACE]
