"""The page hash of a result: the same while only what changes by itself does, another after progress."""

from __future__ import annotations

import json

import pytest

from stillframe.api.browser import Page
from stillframe.errors import OptionInvalid
from stillframe.model.result import PageHash, SequenceResult

PAGE = """
<p id="clock">12:00:00</p><p id="seen">0 users online</p>
<button id="idle">Idle</button><button id="fail" onclick="fail()">Send</button>
"""
SCRIPT = """
window.turn = 0;
window.tick = () => {
  turn += 1;
  document.querySelector('#clock').textContent = `12:00:${String(turn).padStart(2, '0')}`;
  document.querySelector('#seen').textContent = `${turn * 7} users online`;
};
window.fail = () => {
  const line = Object.assign(document.createElement('p'), {textContent: 'Wrong password'});
  line.setAttribute('role', 'alert');
  document.body.append(line);
};
0
"""


async def clicked(page: Page, selector: str) -> SequenceResult:
    """Let the page move by itself, then click."""
    await page.evaluate("tick(); 0")
    return await page.execute_sequence([{"action": "click_element", "selector": selector}], page_hash=True)


def hash_of(result: SequenceResult) -> PageHash:
    assert result.page_hash is not None
    return result.page_hash


async def test_a_loop_is_seen_through_the_noise_and_progress_is_seen_too(page: Page) -> None:
    await page.evaluate(f"document.body.innerHTML = {json.dumps(PAGE)}; {SCRIPT}")
    hashes = [hash_of(await clicked(page, "#idle")) for _ in range(8)]
    assert len({found.visible for found in hashes[:3]}) == 3
    assert len({found.visible for found in hashes[5:]}) == 1
    masks = {(mask.selector, mask.level): mask.why for mask in hashes[-1].masks}
    assert masks == {("#clock", "digits"): "clock", ("#seen", "digits"): "changed in 5 of the last 5 probes"}
    failed = await clicked(page, "#fail")
    assert hash_of(failed).visible != hashes[-1].visible
    # The masks hide nothing from the delta of a sequence.
    assert failed.state_change is not None
    assert [row.text for row in failed.state_change.appeared] == ["Wrong password"]


async def test_a_hash_is_only_there_if_it_was_asked_for(page: Page) -> None:
    await page.evaluate(f"document.body.innerHTML = {json.dumps(PAGE)}; {SCRIPT}")
    without = await page.execute_sequence([{"action": "click_element", "selector": "#idle"}])
    assert "pageHash" not in without.to_dict()
    told = (await clicked(page, "#idle")).to_dict()["pageHash"]
    assert set(told) == {"exact", "visible", "struct", "masks"}
    assert {len(told[name]) for name in ("exact", "visible", "struct")} == {32}


async def test_another_document_is_not_a_quiet_probe(page: Page) -> None:
    for turn in range(6):
        await page.goto(f"data:text/html,<p>page {turn}</p><button>Go</button>")
        result = await page.execute_sequence([{"action": "click_element", "selector": "button"}], page_hash=True)
    assert hash_of(result).masks == ()


async def test_a_bad_option_is_refused(page: Page) -> None:
    with pytest.raises(OptionInvalid):
        await page.execute_sequence([], page_hash="yes")
