"""Which nodes get a supervisor: decided from lists, without a cluster."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from stillframe.farm.ray.nodes import (
    RayNode,
    actor_name,
    read_nodes,
    resources_of,
    supervisors_of,
    without_supervisor,
)

NODES = st.lists(
    st.builds(RayNode, node_id=st.text("abc", min_size=1), address=st.just("10.0.0.1"), alive=st.booleans()),
    unique_by=lambda node: node.node_id,
)


def test_nodes_are_read_as_ray_lists_them() -> None:
    listed: list[dict[str, Any]] = [
        {
            "NodeID": "a",
            "NodeManagerAddress": "10.0.0.1",
            "Alive": True,
            "Resources": {"CPU": 4.0, "chrome_slots": 8.0},
        },
        {"NodeID": "b", "NodeManagerAddress": "10.0.0.2", "Alive": False, "Resources": {}},
    ]
    assert read_nodes(listed) == [
        RayNode(node_id="a", address="10.0.0.1", alive=True, slots=8.0),
        RayNode(node_id="b", address="10.0.0.2", alive=False),
    ]


# In `make test` the cases are always the same ones, so a third of them; `make test-all` has others each time.
@settings(max_examples=100 if "STILLFRAME_CASES" in os.environ else 33)
@given(NODES, st.data())
def test_after_each_missing_one_is_started_none_is_missing(nodes: list[RayNode], data: st.DataObject) -> None:
    there = [actor_name("c", node) for node in nodes if data.draw(st.booleans())]
    missing = without_supervisor("c", nodes, there)
    assert all(node.alive and actor_name("c", node) not in there for node in missing)
    assert without_supervisor("c", nodes, [*there, *(actor_name("c", node) for node in missing)]) == []
    others = [actor_name("other", node) for node in nodes]
    assert without_supervisor("c", nodes, [*there, *others]) == missing
    assert supervisors_of("c", [*there, *others]) == sorted(there)


def test_a_supervisor_takes_no_more_slots_than_its_node_has() -> None:
    node = RayNode(node_id="a", address="", alive=True, slots=4.0)
    assert resources_of(node, 2) == {"chrome_slots": 2.0}
    assert resources_of(node, 9) == {"chrome_slots": 4.0}
    assert resources_of(RayNode(node_id="a", address="", alive=True), 2) == {}
