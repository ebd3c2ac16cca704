"""A tab and its end."""

from __future__ import annotations

from typing import Any

import pytest

from stillframe.api.browser import Page
from stillframe.cdp_types import target


async def test_a_request_to_close_that_chrome_forgets_is_repeated(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    root, asked = page.browser.cdp_session, list[Any]()
    send = root.send

    async def forget_the_first(command: Any, **options: Any) -> Any:
        asked.append(command)
        return target.CloseTargetResult(success=True) if len(asked) == 1 else await send(command, **options)

    monkeypatch.setattr(root, "send", forget_the_first)
    await page.close()
    assert page.closed
    assert [type(command) for command in asked] == [target.CloseTarget] * 2
