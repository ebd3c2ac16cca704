"""The mutation set counts what really happened: its oracle sees every press, also a wrong one."""

from __future__ import annotations

import pytest

from bench.mutations import summary
from bench.mutations.mutate import REMOVED
from bench.mutations.pages import DIALOG, SHOP, TABLE, Case, at
from bench.mutations.run import Bench, Mutant
from stillframe.api.browser import Page
from stillframe.model.actions import Click
from stillframe.testing import PageServer


@pytest.mark.parametrize(
    "case",
    [*(pytest.param(case, marks=pytest.mark.slow) for case in (SHOP, DIALOG)), TABLE],
    ids=[case.name for case in (SHOP, DIALOG, TABLE)],
)
async def test_a_script_survives_and_presses_only_what_it_means(page: Page, case: Case) -> None:
    async with PageServer() as server:
        bench = Bench(page, server)
        script, expected = await bench.recorded(case)
        target = expected[-1].removeprefix("press ")
        kinds = [Mutant(case, "several", 1), Mutant(case, "lists", 1), Mutant(case, REMOVED, 0, target)]
        results = [await bench.result(mutant, script, expected) for mutant in kinds]

    assert [result.how for result in results] == ["alone", "alone", "failed"]
    assert summary(results) == "mutations: 2 of 2 without a model, 0 with one, 0 wrong elements"


async def test_the_oracle_sees_a_wrong_press(page: Page) -> None:
    async with PageServer() as server:
        bench = Bench(page, server)
        script, expected = await bench.recorded(DIALOG)
        wrong = DIALOG._replace(steps=(("Wrong", (Click(at("edit-profile")),)),))
        other, _ = await bench.recorded(wrong)
        result = await bench.result(Mutant(DIALOG, "ids", 0), other, expected)

    assert script != other
    assert result.how == "failed"
    assert result.wrong
