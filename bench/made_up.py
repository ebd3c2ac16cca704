"""Made-up pages and signatures from the core. Only a build with the feature `testing` has them; see `make bench`."""

from __future__ import annotations

from typing import Any

from stillframe import _core
from stillframe.core import Signature


def card_grid(nodes: int, edited: bool) -> bytes:
    """Return a made-up page of about `nodes` nodes as the browser would send it, with four edits if `edited`."""
    return bytes(_of_the_core("_card_grid")(nodes, edited))


def made_up_signatures(count: int, templates: int) -> list[Signature]:
    """Return made-up signatures of `count` different pages of `templates` templates."""
    return list(_of_the_core("_made_up_signatures")(count, templates))


def _of_the_core(name: str) -> Any:
    if not hasattr(_core, name):
        raise SystemExit("this core was built without what benchmarks need: run make bench, which builds another one")
    return getattr(_core, name)
