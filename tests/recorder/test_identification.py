"""Elements are identified before what a person does makes them go away."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.injected import recorder_source
from stillframe.recorder.events import Element
from stillframe.recorder.identification import ALTERNATIVES, Identification
from stillframe.tab.frames import WORLD

LINKS = "<a href=/next id=next>Next page</a><p id=plain>plain</p><button data-testid=save id=s1 name=save>Save</button>"


@pytest.fixture
async def known(page: Page, site: Site) -> AsyncIterator[Identification]:
    await page.goto(site.html("/links", LINKS))
    page._tab.document_scripts.add(recorder_source(), world=WORLD, now=True)
    identification = Identification(page)
    yield identification
    await identification.stop()


def element(page: Page, number: int) -> Element:
    frame = page._tab.frames.main
    return Element(frame.id, frame.loader_id, number)


async def test_links_and_buttons_are_known_after_their_document_is_gone(
    page: Page, site: Site, known: Identification
) -> None:
    known.saw(await page.snapshot())
    await known.look_at_likely(page._tab.frames.main)
    link, button = element(page, 1), element(page, 2)
    await page.goto(site.html("/next", "<p>another page"))
    found = await known.known(link)
    assert found is not None
    assert found.selector == 'role=link[name="Next page"]'
    saved = await known.known(button)
    assert saved is not None
    assert saved.selector == '[data-testid="save"]'


async def test_an_element_has_a_selector_and_alternatives(page: Page, known: Identification) -> None:
    known.saw(await page.snapshot())
    await known.look_at_likely(page._tab.frames.main)
    found = await known.known(element(page, 2))
    assert found is not None
    assert found.selector == '[data-testid="save"]'
    assert 1 <= len(found.target.selectors) <= ALTERNATIVES
    assert 'role=button[name="Save"]' in found.target.selectors
    assert found.target.fingerprint is not None


async def test_an_unknown_number_and_an_unknown_frame_are_nobody(page: Page, known: Identification) -> None:
    assert await known.known(element(page, 12345)) is None
    assert await known.known(Element("no frame", "", 1)) is None


async def test_an_element_of_a_document_before_is_nobody_if_nothing_was_known(
    page: Page, site: Site, known: Identification
) -> None:
    former = element(page, 1)
    await page.goto(site.html("/next", "<p>another page"))
    assert await known.known(former) is None
