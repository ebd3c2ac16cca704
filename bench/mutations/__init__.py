"""Scripts on pages that have changed: how many survive without a model, how many with one, and whether any is wrong.

Six pages (`pages.py`) are mutated in eight ways (`mutate.py`), with two seeds each, and served as they then are. The
script of a page was made on the page as it was. A script **survives** if it runs to its end, repaired by likeness or
not, and the page has recorded exactly the presses and inputs of the original run, in their order. What is not so is
run with a scripted model. A **wrong element** is any press or input that the original run did not have at that place,
in any run; to the mutants are added those pages where a control of the script is missing, where every action in its
place would be wrong.
"""

from __future__ import annotations

import stillframe
from bench.measure import Row, Table
from bench.mutations.mutate import MUTATIONS, REMOVED
from bench.mutations.pages import CASES
from bench.mutations.run import Bench, Result, mutants, removals
from stillframe.testing import PageServer

SEEDS = 2


async def run(*, rounds: int = SEEDS) -> list[Table]:
    """Run the scripts on `rounds` mutants of each kind, print the line of the result, and return the tables."""
    results = await all_results(rounds)
    print(summary(results))
    return [_table(results)]


async def all_results(seeds: int = SEEDS, names: tuple[str, ...] = ()) -> list[Result]:
    """Return what became of the scripts; `names` chooses pages."""
    results: list[Result] = []
    async with PageServer() as server, stillframe.launch() as browser, await browser.new_page() as page:
        bench = Bench(page, server)
        for case in CASES:
            if names and case.name not in names:
                continue
            script, expected = await bench.recorded(case)
            every = (*mutants(case, seeds), *removals(case))
            results += [await bench.result(mutant, script, expected) for mutant in every]
    return results


def summary(results: list[Result]) -> str:
    """Return the line that says how many scripts survived."""
    tried = [result for result in results if result.mutant.kind != REMOVED]
    alone, with_one = (sum(result.how == how for result in tried) for how in ("alone", "model"))
    wrong = sum(len(result.wrong) for result in results)
    return f"mutations: {alone} of {len(tried)} without a model, {with_one} with one, {wrong} wrong elements"


def _table(results: list[Result]) -> Table:
    rows = []
    for kind in (*MUTATIONS, REMOVED):
        of_kind = [result for result in results if result.mutant.kind == kind]
        alone = 100.0 * sum(result.how == "alone" for result in of_kind) / len(of_kind)
        wrong = sum(len(result.wrong) for result in of_kind)
        with_one = sum(result.how == "model" for result in of_kind)
        note = f"{with_one} more with a model, {wrong} wrong elements"
        rows.append(Row(name=kind, median=alone, low=alone, high=alone, samples=len(of_kind), note=note))
    return Table(question="Scripts that survive without a model", unit="% of mutants", baseline="ids", rows=rows)
