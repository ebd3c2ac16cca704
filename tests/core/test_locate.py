"""Selectors, fingerprints and relocation: at the boundary, and on pages that a real browser rendered (oracle 12)."""

from __future__ import annotations

import json
import pickle

import pytest
from captures import PAGE, all_ids, capture, put

from acting import locate
from stillframe.api.browser import Page
from stillframe.cdp_types import dom
from stillframe.core import Fingerprint, Snapshot
from stillframe.errors import FingerprintInvalid, RelocationFailed, StillframeError

FORM = [("h1", {}, "Log in"), ("input", {"name": "user"}, ""), ("button", {"id": "go", "class": "big"}, "Send")]


def find(snapshot: Snapshot, text: str) -> tuple[str, int]:
    row = next(row for row in snapshot.rows(50) if text in (row.text, row.name))
    return row.frame, row.backend_node_id


def test_selectors_come_in_order_of_what_they_promise() -> None:
    snapshot = Snapshot.from_cdp(capture([("button", {"data-testid": "go", "id": "b"}, "Send"), ("p", {}, "x")]))
    found = snapshot.selectors(*find(snapshot, "Send"))
    assert [(form.kind, form.selector) for form in found] == [
        ("testid", '[data-testid="go"]'),
        ("role", 'role=button[name="Send"]'),
        ("text", 'text="Send"'),
        ("css", "#b"),
        ("scoped", "button"),
        ("path", "html > body > button"),
    ]
    scores = [form.score for form in found]
    assert scores == sorted(scores, reverse=True)
    assert snapshot.selectors("", 999) == []


def test_selectors_show_no_secret() -> None:
    snapshot = Snapshot.from_cdp(capture([("p", {"title": "s3cret"}, "s3cret")]))
    shown = repr(snapshot.selectors("", 4, secrets=["s3cret"]))
    assert "s3cret" not in shown
    assert "path" in shown


def test_a_fingerprint_can_be_kept() -> None:
    snapshot = Snapshot.from_cdp(capture(FORM))
    taken = snapshot.fingerprint(*find(snapshot, "Send"))
    assert taken is not None
    assert (taken.tag_name, taken.role, taken.name, taken.selector) == ("button", "button", "Send", "#go")
    assert Fingerprint.from_bytes(taken.to_bytes()) == Fingerprint.from_json(taken.to_json()) == taken
    assert pickle.loads(pickle.dumps(taken)) == taken
    assert json.loads(taken.to_json())["version"] == 1
    assert snapshot.fingerprint("", 999) is None


def test_a_fingerprint_holds_no_secret() -> None:
    snapshot = Snapshot.from_cdp(capture([("button", {"title": "s3cret"}, "s3cret")]))
    taken = snapshot.fingerprint("", 4, secrets=["s3cret"])
    assert taken is not None
    assert "s3cret" not in taken.to_json()


@pytest.mark.parametrize(
    "raw", [b"", b"{}", b"[]", b'{"version":1}', b'{"version":99,"tag":"p"}', b'{"version":1,"tag"']
)
def test_what_is_not_a_fingerprint_says_where(raw: bytes) -> None:
    with pytest.raises(FingerprintInvalid) as caught:
        Fingerprint.from_bytes(raw)
    assert isinstance(caught.value, StillframeError)
    assert 0 <= caught.value.offset <= len(raw)


def test_the_same_node_is_found_alive() -> None:
    snapshot = Snapshot.from_cdp(capture(FORM))
    taken = snapshot.fingerprint(*find(snapshot, "Send"))
    assert taken is not None
    found = snapshot.relocate(taken)
    assert found
    assert (found.how, found.healed, found.score, found.margin) == ("alive", False, 1.0, 1.0)
    element = found.require()
    assert found.element == element
    assert (element.frame, element.backend_node_id) == find(snapshot, "Send")
    assert element.frame_id == "F0"


def test_another_document_is_searched_by_selector_and_then_by_likeness() -> None:
    snapshot = Snapshot.from_cdp(capture(FORM))
    taken = snapshot.fingerprint(*find(snapshot, "Send"))
    assert taken is not None
    again = Snapshot.from_cdp(capture(FORM, first_id=100))
    found = again.relocate(taken)
    assert (found.how, found.healed, found.selector) == ("selector", False, "#go")
    renamed = [*FORM[:2], ("p", {}, "new"), ("button", {"id": "send", "class": "wide"}, "Send")]
    healed = Snapshot.from_cdp(capture(renamed, first_id=100)).relocate(taken)
    assert (healed.how, healed.healed, healed.selector) == ("likeness", True, "#send")
    assert 0.5 <= healed.score < 1
    assert healed.margin >= 0.1
    same = healed.evidence["name"]
    assert (same.similarity, same.weight > 0) == (1.0, True)
    assert healed.evidence["id"].similarity < 1


def test_nothing_is_taken_for_what_is_gone() -> None:
    snapshot = Snapshot.from_cdp(capture(FORM))
    taken = snapshot.fingerprint(*find(snapshot, "Send"))
    assert taken is not None
    missed = Snapshot.from_cdp(capture([("p", {}, "Bye"), ("a", {"href": "/"}, "Home")], first_id=100)).relocate(taken)
    assert not missed
    assert (missed.how, missed.element, missed.healed, missed.evidence) == (None, None, False, {})
    with pytest.raises(RelocationFailed) as caught:
        missed.require()
    assert caught.value.candidates == tuple(other.selector for other in missed.alternatives)


def test_twins_are_not_told_apart_by_guessing() -> None:
    snapshot = Snapshot.from_cdp(capture([("button", {"id": "one"}, "Buy"), ("p", {}, "x")]))
    taken = snapshot.fingerprint(*find(snapshot, "Buy"))
    assert taken is not None
    twins = Snapshot.from_cdp(capture([("button", {}, "Buy"), ("button", {}, "Buy")], first_id=100)).relocate(taken)
    assert not twins
    assert len(twins.alternatives) >= 2


# -- in the browser ------------------------------------------------------------------------------


async def test_every_selector_of_every_element_leads_back_to_it(page: Page) -> None:
    await put(page, PAGE + "<a href='/x'>Help <b>me</b></a><img alt='A cat'><label>Age <input id=a></label>")
    snapshot = await page.snapshot()
    kinds = set()
    for node in await all_ids(page):
        for form in snapshot.selectors("", node):
            kinds.add(form.kind)
            # What is not rendered is not perceived, and head and title hold no element that could be located.
            handle = await locate(page._tab, form.selector, timeout=0.0)
            found = await handle.session.send(dom.DescribeNode(object_id=handle.object_id))
            assert found.node.backend_node_id == node, form
    assert kinds >= {"testid", "role", "text", "css", "scoped", "path", "alt"}


async def test_what_is_put_into_a_slot_is_a_child_of_the_host(page: Page) -> None:
    await put(page, "<x-card><b>one</b><i slot='end'>two</i><i>three</i></x-card>")
    await page.evaluate(
        "document.querySelector('x-card').attachShadow({mode: 'open'}).innerHTML = "
        "'<div><slot></slot><p><slot name=end></slot></p></div>'; 0"
    )
    snapshot = await page.snapshot()
    ids = await all_ids(page)
    tags = json.loads(await page.evaluate("JSON.stringify([...document.querySelectorAll('*')].map(e => e.localName))"))
    for tag, node in zip(tags, ids, strict=True):
        if tag in ("b", "x-card"):
            selector = snapshot.selector("", node)
            assert await page.evaluate(f"document.querySelector({json.dumps(selector)}).localName") == tag


async def test_a_re_rendered_button_is_found_again(page: Page) -> None:
    await put(
        page, "<h2>Cart</h2><ul><li>Tea <button id=b1>Remove</button></li><li>Milk <button>Remove</button></li></ul>"
    )
    before = await page.snapshot()
    (row,) = [row for row in before.rows(20) if row.selector == "#b1"]
    taken = before.fingerprint(row.frame, row.backend_node_id)
    assert taken is not None
    await put(
        page,
        "<h2>Cart</h2><ul><li>Milk <button>Remove</button></li><li>Tea <button id=b7>Remove</button></li>"
        "<li>Rice <button>Remove</button></li></ul>",
    )
    found = (await page.snapshot()).relocate(taken)
    text = await page.evaluate(f"document.querySelector({json.dumps(found.selector)})?.parentElement.textContent")
    assert not found or text.startswith("Tea")
    nearest = found if found else found.alternatives[0]
    text = await page.evaluate(f"document.querySelector({json.dumps(nearest.selector)}).parentElement.textContent")
    assert text.startswith("Tea")
