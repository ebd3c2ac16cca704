"""What a page hash says of the masks it was made under."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from stillframe.engine.page_identity import page_hash


@pytest.mark.parametrize(("count", "kept", "omitted"), [(3, 3, 0), (100, 100, 0), (130, 100, 30)])
def test_masks_have_an_end_and_a_count(count: int, kept: int, omitted: int) -> None:
    masks = [SimpleNamespace(selector=f"#m{number}", level="text", why="changed") for number in range(count)]
    found: Any = SimpleNamespace(exact=b"\1", visible=b"\2", struct=b"\3", masks=masks)
    told = page_hash(found)
    assert (len(told.masks), told.omitted, told.exact) == (kept, omitted, "01")
