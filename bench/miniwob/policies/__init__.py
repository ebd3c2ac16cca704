"""The rules by which tasks are solved, one module per family of tasks; `policies` collects their tables."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from bench.miniwob.episode import Policy


def policies() -> dict[str, Policy]:
    """Return the policy of every task that has one. Raises ValueError if two modules have one for the same task."""
    found: dict[str, Policy] = {}
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        table: dict[str, Policy] = getattr(import_module(module.name), "POLICIES", {})
        if twice := found.keys() & table.keys():
            raise ValueError(f"{module.name} has policies that another module has: {', '.join(sorted(twice))}")
        found |= table
    return found
