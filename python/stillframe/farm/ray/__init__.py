"""Farms of machines: one supervisor per node of a Ray cluster, all working from one queue (extra `ray`)."""

from __future__ import annotations

from stillframe.farm.ray.cluster import SupervisorStatus, connected, end_supervisors, nodes, start_supervisors, statuses
from stillframe.farm.ray.supervisor import QUEUE_VARIABLE, Supervisor, WorkOrder

__all__ = [
    "QUEUE_VARIABLE",
    "Supervisor",
    "SupervisorStatus",
    "WorkOrder",
    "connected",
    "end_supervisors",
    "nodes",
    "start_supervisors",
    "statuses",
]
