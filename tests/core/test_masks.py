"""Masks: what changes by itself is left out of a second set of digests, and told."""

from __future__ import annotations

import json

import pytest
from captures import capture

import stillframe
from stillframe.api.browser import Page
from stillframe.core import MaskLearner, Masks, Snapshot


def counted(count: int, *, message: str = "") -> Snapshot:
    body = [("p", {"class": "count"}, f"{count} visitors"), ("b", {}, "12:05")]
    return Snapshot.from_cdp(capture([*body, ("i", {"role": "alert"}, message)] if message else body))


def taught() -> MaskLearner:
    learner = MaskLearner()
    for count in range(5):
        learner.observe(counted(count))
    return learner


def test_the_public_names_are_there() -> None:
    assert stillframe.MaskLearner is MaskLearner
    assert stillframe.Masks is Masks
    assert stillframe.MaskedDigests.__name__ == "MaskedDigests"


def test_static_rules_need_no_learning() -> None:
    found = counted(1).masked_digests()
    (mask,) = found.masks
    assert (mask.selector, mask.frame, mask.level, mask.why) == ("body > b", "", "digits", "clock")
    assert counted(1).masked_digests(Masks(rules=False)).masks == []
    assert not Masks(rules=False)
    assert Masks()


def test_without_masks_both_sides_are_the_same() -> None:
    found = counted(1).masked_digests(Masks(rules=False))
    unmasked = counted(1).digests
    assert (found.exact, found.visible, found.struct) == (unmasked.exact, unmasked.visible, unmasked.struct)
    assert found.unmasked == unmasked


def test_what_is_learned_is_left_out_and_told() -> None:
    learner = taught()
    assert learner.probes == 4
    masks = learner.masks
    assert len(masks) == 1
    one, other = counted(7).masked_digests(masks), counted(70).masked_digests(masks)
    assert one == other
    assert hash(one) == hash(other)
    assert one.unmasked != other.unmasked
    told = {(mask.level, mask.why) for mask in one.masks}
    assert told == {("digits", "clock"), ("digits", "changed in 4 of the last 4 probes")}
    assert counted(7, message="Wrong password").masked_digests(masks) != one


def test_what_an_action_did_is_not_noise() -> None:
    learner = MaskLearner()
    for count in range(8):
        learner.rebase(counted(count))
        learner.observe(counted(count), focused=("", 4))
    assert (learner.probes, len(learner.masks)) == (8, 0)


def test_the_delta_tells_what_masks_leave_out() -> None:
    masks = taught().masks
    before, after = counted(7), counted(8)
    assert before.masked_digests(masks) == after.masked_digests(masks)
    assert [row.to for row in before.diff(after).changed] == ["8 visitors"]


def test_unknown_nodes_have_no_focus() -> None:
    assert counted(1).masked_digests(focused=("nowhere", 99)) == counted(1).masked_digests()


RESTLESS = """
<h1>Log in</h1><p id="clock">It is <b>12:00:00</b></p><p id="seen">1 user online</p>
<div id="carousel" style="width:300px;height:40px;overflow:hidden">
  <div class="slide active">First offer</div><div class="slide" style="display:none">Second offer</div></div>
<div role="progressbar" aria-valuenow="0"><div class="bar" style="width:0%"></div></div>
<form><input name="user" value="ann"><button>Send</button></form>
"""
TURN = """
{ const turn = window.turn = (window.turn || 0) + 1;
document.querySelector('#clock b').textContent = `12:00:${String(turn).padStart(2, '0')}`;
document.querySelector('#seen').textContent = `${turn * 7} users online`;
for (const [at, slide] of document.querySelectorAll('.slide').entries()) {
  const shown = at === turn % 2;
  slide.classList.toggle('active', shown);
  slide.style.display = shown ? '' : 'none';
}
document.querySelector('[role=progressbar]').setAttribute('aria-valuenow', turn);
document.querySelector('.bar').style.width = `${turn}%`; }
0
"""
"""One turn of everything that moves by itself: driven by the test, so that nothing depends on the time."""


async def restless(page: Page) -> MaskLearner:
    """Put the restless page there and probe it six times."""
    await page.evaluate(f"document.body.innerHTML = {json.dumps(RESTLESS)}")
    learner = MaskLearner()
    for _ in range(6):
        await page.evaluate(TURN)
        learner.observe(await page.snapshot())
    return learner


async def test_a_restless_page_is_the_same_page_after_five_quiet_probes(page: Page) -> None:
    masks = (await restless(page)).masks
    seen = []
    for _ in range(3):
        await page.evaluate(TURN)
        seen.append((await page.snapshot()).masked_digests(masks))
    assert len({found.unmasked.visible for found in seen}) == 3
    assert len({found.visible for found in seen}) == 1
    assert len({found.exact for found in seen}) == 1
    masked = {mask.selector: mask.level for mask in seen[0].masks}
    assert "#seen" in masked
    assert not {"h1", "form", "body", "button"} & set(masked)


@pytest.mark.parametrize(
    "change",
    [
        "document.querySelector('form').insertAdjacentHTML('beforeend', '<p role=alert>Wrong password</p>')",
        "document.querySelector('input').value = 'bob'",
        "document.querySelector('button').disabled = true",
        "document.querySelector('#seen').textContent = 'Session ended'",
    ],
)
async def test_a_real_change_shows_through_the_masks(page: Page, change: str) -> None:
    masks = (await restless(page)).masks
    before = await page.snapshot()
    await page.evaluate(TURN)
    await page.evaluate(f"{change}; 0")
    after = await page.snapshot()
    assert before.masked_digests(masks).visible != after.masked_digests(masks).visible
    assert before.diff(after).changed or before.diff(after).appeared


async def test_a_re_render_keeps_the_masks(page: Page) -> None:
    masks = (await restless(page)).masks
    before = (await page.snapshot()).masked_digests(masks)
    await page.evaluate("document.body.innerHTML = document.body.innerHTML.replace(/users/, 'users'); 0")
    await page.evaluate(TURN)
    after = (await page.snapshot()).masked_digests(masks)
    assert before.visible == after.visible
    assert before.unmasked.visible != after.unmasked.visible


async def test_a_finished_page_forgets(page: Page) -> None:
    learner = await restless(page)
    still = await page.snapshot()
    for _ in range(10):
        learner.observe(still)
    assert len(learner.masks) == 0
