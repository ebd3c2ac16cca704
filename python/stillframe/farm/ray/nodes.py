"""Which nodes of a cluster need a supervisor: pure decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

SLOTS = "chrome_slots"
"""The custom resource by which a node says how many pages it may have open; nodes without it are not limited by Ray."""
PREFIX = "stillframe"


class RayNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node of the cluster."""

    node_id: str
    address: str
    alive: bool
    slots: float | None = None


def read_nodes(listed: Iterable[Mapping[str, Any]]) -> list[RayNode]:
    """Return the nodes as `ray.nodes()` lists them."""
    return [
        RayNode(
            node_id=each["NodeID"],
            address=each.get("NodeManagerAddress", ""),
            alive=bool(each.get("Alive")),
            slots=each.get("Resources", {}).get(SLOTS),
        )
        for each in listed
    ]


def actor_name(crawl: str, node: RayNode) -> str:
    """Return the name of a crawl's supervisor on a node; equal for every call, so that a node never has two."""
    return f"{PREFIX}:{crawl}:{node.node_id}"


def without_supervisor(crawl: str, nodes: Iterable[RayNode], actors: Iterable[str]) -> list[RayNode]:
    """Return the living nodes on which a crawl has no supervisor."""
    there = set(actors)
    return [node for node in nodes if node.alive and actor_name(crawl, node) not in there]


def resources_of(node: RayNode, concurrency: int) -> dict[str, float]:
    """Return what a supervisor takes of the node's slots: as many as pages, no more than there are."""
    return {} if node.slots is None else {SLOTS: min(float(concurrency), node.slots)}


def supervisors_of(crawl: str, actors: Iterable[str]) -> list[str]:
    """Return the supervisors of a crawl among the names of a cluster's actors."""
    return sorted(name for name in actors if name.startswith(f"{PREFIX}:{crawl}:"))
