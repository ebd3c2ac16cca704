"""A page that takes all it can get can be left, and another page of its browser goes on.

Some kinds stand for the others; `python -m bench bounds` visits all pages.
"""

from __future__ import annotations

import pytest
from hostile_pages import SCRIPTS, visit

from sampling import sampled

pytestmark = [pytest.mark.serial, pytest.mark.own_browser("a page may take the whole browser")]

KINDS = ("frames that come and go", "nodes", "alert", "worker that floods", "fetches", "depth")


@pytest.mark.parametrize("kind", sampled(KINDS, KINDS[:1]))
async def test_it_is_left_and_its_neighbour_is_served(kind: str) -> None:
    seen = await visit(SCRIPTS[kind])
    assert seen.good, (seen.left, seen.neighbour_served)
