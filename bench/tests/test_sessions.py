"""A short run of the soak in bench/sessions.py: it works, and it would notice a problem."""

from __future__ import annotations

import pytest
from aiohttp.test_utils import make_mocked_request

from bench import sessions
from bench.sessions import Finding, Server
from stillframe.model.result import SequenceResult


@pytest.mark.browser
async def test_a_short_soak_finds_nothing_wrong_and_tells_what_is_held() -> None:
    calls, *growth = await sessions.run(seconds=2, sessions=2)
    assert "none wrong" in calls.question
    assert {row.name for row in calls.rows} >= {"send a form", "render a list"}
    assert len(growth) == 7
    for one in growth:
        assert {row.name for row in one.rows} == {"first fifth", "last fifth"}


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        ('{"to":"mark-01 7 received"}', ""),
        ('{"to":"mark-02 7 received"}', "shows mark-02"),
        ('{"to":"mark-01 7","from":"mark-11"}', "shows mark-11"),
    ],
)
async def test_what_is_of_another_session_is_noticed(told: str, problem: str) -> None:
    fine = SequenceResult(
        completed=1,
        state_change=None,
        stability_wait_ms=0,
        stable=True,
        reason="quiet",
        pending=(),
        ignored=(),
        late=(),
        dialogs=(),
        downloads=(),
        new_targets=(),
    )
    assert sessions._problem(fine, told, "mark-01") == problem


async def test_the_server_notices_a_cookie_of_another() -> None:
    request = make_mocked_request("GET", "/say?text=mark-01 7", headers={"Cookie": "who=mark-02"})
    finding = Finding()
    await Server(finding).say(request)
    assert "mark-02" in finding.wrong[0]
