"""The recorder tells a person who leaves by the browser's own controls apart from a page that goes there by itself."""

from __future__ import annotations

from typing import Any

import pytest

from stillframe.cdp_types.page import GetNavigationHistoryResult, NavigationEntry
from stillframe.recorder.history import movement


def history(at: int, *entries: tuple[int, str]) -> GetNavigationHistoryResult:
    listed = [
        NavigationEntry(id=id, url=f"https://x/{id}", user_typed_url="", title="", transition_type=kind)
        for id, kind in entries
    ]
    return GetNavigationHistoryResult(current_index=at, entries=listed)


ONE = history(0, (1, "typed"))
THREE = history(1, (1, "typed"), (2, "link"), (3, "link"))


@pytest.mark.parametrize(
    ("before", "now", "found"),
    [
        (ONE, history(1, (1, "typed"), (2, "link")), None),
        (ONE, history(1, (1, "typed"), (2, "form_submit")), None),
        (ONE, history(1, (1, "typed"), (2, "typed")), ("navigate", {"url": "https://x/2"})),
        (ONE, history(1, (1, "typed"), (2, "address_bar")), ("navigate", {"url": "https://x/2"})),
        (ONE, history(0, (1, "reload")), ("reload", {})),
        (ONE, ONE, None),
        (THREE, history(0, (1, "typed"), (2, "link"), (3, "link")), ("go_back", {})),
        (THREE, history(2, (1, "typed"), (2, "link"), (3, "link")), ("go_forward", {})),
        (
            history(2, *((n, "link") for n in (1, 2, 3))),
            history(0, *((n, "link") for n in (1, 2, 3))),
            ("navigate", {"url": "https://x/1"}),
        ),
    ],
)
def test_a_movement_is_what_a_person_did_or_nothing(
    before: GetNavigationHistoryResult, now: GetNavigationHistoryResult, found: tuple[str, dict[str, Any]] | None
) -> None:
    assert movement(before, now) == found
