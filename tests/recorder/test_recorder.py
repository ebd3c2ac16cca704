"""What a person does in a browser with a window is recorded, and plays again with the same result."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from flows import FLOWS, SHOP, Flow
from person import Person

from patience import HANG_S
from sampling import sampled
from site_server import Site
from stillframe import Browser, Page, Secrets
from stillframe.demo import Shop
from stillframe.errors import FlowInvalid, RecorderFailed
from stillframe.model.actions import Click, TypeText
from stillframe.recorder import player
from stillframe.recorder.devtools_export import to_flow
from stillframe.recorder.devtools_import import from_flow
from stillframe.recorder.recorder import GONE, Recorder
from stillframe.recorder.recording import Recording, parse_recording

UPLOADED = Path(__file__).with_name("flows.py")
PLAYS = int(os.environ.get("STILLFRAME_PLAYS", "1"))
"""How often each recording plays: `STILLFRAME_PLAYS=10` shows that it does so every time."""
BY_NAME = {flow.name: flow for flow in (*SHOP, *FLOWS)}
NO_FLOWS = {
    "a slider of the page's own",
    "a dragged element",
    "an element that follows the mouse",
    "a file",
    "back, and an address",
    "dialogs",
    "order form",
}
"""What a user flow of Chrome's Recorder cannot say: drags, files, a step back, answers, several options of a select."""


async def recorded(flow: Flow, page: Page, person: Person, base: str) -> tuple[Recording, Any]:
    """Return the recording of a flow as its file has it, and what the page shows at its end."""
    await page.goto(base + flow.path)
    async with Recorder(page) as recorder:
        for action in flow.person:
            await person.act(action)
            await recorder.still()
        shown = await page.evaluate(flow.shows)
        text = (await recorder.recording()).to_text()
        assert recorder.problems == []
    assert [secret for secret in flow.secrets.values() if secret in text] == []
    return parse_recording(text), shown


def with_path(recording: Recording) -> Recording:
    """Give an upload the folder of its file, which no browser shows to a recorder."""
    steps = [
        msgspec.structs.replace(step, action=step.action | {"paths": [str(UPLOADED)]})
        if step.action["action"] == "upload_file"
        else step
        for step in recording.steps
    ]
    return msgspec.structs.replace(recording, steps=tuple(steps))


@pytest.mark.every_row
@pytest.mark.parametrize("name", sampled(BY_NAME, keep=["log in"]))  # the test below has several documents
async def test_what_a_person_does_plays_again(
    name: str, headed_browser: Browser, headed_page: Page, other_connection: Browser, shop: Shop, site: Site
) -> None:
    flow = BY_NAME[name]
    base = (shop if flow in SHOP else site).url("").rstrip("/")
    person = Person(other_connection, headed_page, base)
    recording, shown = await recorded(flow, headed_page, person, base)
    recording = with_path(recording)
    for _ in range(PLAYS):
        assert await played(recording, flow, headed_browser) == (None, True, shown)
    async with (
        await headed_browser.new_context(secrets=Secrets(flow.secrets)) as context,
        await context.new_page() as page,
    ):
        report = await player.heal(page, recording)
        assert (report.failure, report.healed, await page.evaluate(flow.shows)) == ("", (), shown)
    if flow.name in NO_FLOWS:
        with pytest.raises(FlowInvalid):
            to_flow(recording)
        return
    exported, warnings = from_flow(to_flow(recording))
    assert warnings == ()
    for _ in range(PLAYS):
        assert await played(exported, flow, headed_browser) == (None, True, shown)


async def played(recording: Recording, flow: Flow, browser: Browser) -> tuple[Any, bool, Any]:
    """Return what failed, whether the page was still, and what it shows."""
    async with await browser.new_context(secrets=Secrets(flow.secrets)) as context, await context.new_page() as page:
        result = await player.play(page, recording)
        return result.failed, result.stable, await page.evaluate(flow.shows)


async def test_a_person_in_a_hurry_is_recorded_as_well(
    headed_page: Page, headed_browser: Browser, other_connection: Browser, site: Site
) -> None:
    pages = next(flow for flow in FLOWS if flow.name == "pages of one template")
    person = Person(other_connection, headed_page, "")
    await headed_page.goto(site.url(pages.path))
    async with Recorder(headed_page) as recorder:
        await person.act(*pages.person)
        await recorder.still()
        shown, recording = await headed_page.evaluate(pages.shows), await recorder.recording()
    async with await headed_browser.new_context() as context, await context.new_page() as page:
        assert (await player.play(page, recording)).failed is None
        assert await page.evaluate(pages.shows) == shown


async def test_two_recorders_cannot_be_on_one_page(recorder: Recorder, headed_page: Page) -> None:
    await recorder.start()
    with pytest.raises(RecorderFailed, match="another recorder is on this page: stop it first"):
        await Recorder(headed_page).start()
    await recorder.stop()
    async with Recorder(headed_page):
        pass


async def test_a_page_that_is_closed_ends_the_recording_and_keeps_what_was_recorded(
    recorder: Recorder, headed_page: Page, other_connection: Browser, site: Site
) -> None:
    await headed_page.goto(site.html("/one", "<button id=go onclick='this.after(`done`)'>Go</button>"))
    await recorder.start()
    await Person(other_connection, headed_page, "").act(Click("#go"))
    await recorder.still()
    await headed_page.close()
    async with asyncio.timeout(HANG_S):
        await recorder.ended()
    recording = await recorder.recording()
    assert [action["selector"] for action in recording.actions] == ['role=button[name="Go"]']
    assert recording.expect == {"text": "done"}


async def test_an_error_of_the_receiver_ends_the_recording(
    headed_page: Page, other_connection: Browser, site: Site
) -> None:
    def fail(recording: Recording) -> None:
        raise OSError("the disk is full")

    await headed_page.goto(site.html("/one", "<button id=go>Go</button>"))
    async with Recorder(headed_page, on_change=fail) as recorder:
        await Person(other_connection, headed_page, "").act(Click("#go"))
        async with asyncio.timeout(HANG_S):
            with pytest.raises(OSError, match="the disk is full"):
                await recorder.ended()
        assert len((await recorder.recording()).steps) == 1


async def test_what_is_done_in_another_tab_is_reported(
    recorder: Recorder, headed_page: Page, other_connection: Browser, site: Site
) -> None:
    await headed_page.goto(site.url("/w23-new-tab.html"))
    await recorder.start()
    async with headed_page.expect_popup() as popup:
        await Person(other_connection, headed_page, "").act(Click("#open"))
    await popup
    await recorder.still()
    assert [step.action["action"] for step in (await recorder.recording()).steps] == ["click_element"]
    (problem,) = recorder.problems
    assert str(problem).startswith("what is done on ")
    assert str(problem).endswith("was not recorded: a recording is of one tab")
    await (await popup).close()


async def test_nothing_is_recorded_after_the_end(
    recorder: Recorder, headed_page: Page, other_connection: Browser, site: Site
) -> None:
    await headed_page.goto(site.html("/one", "<button id=go>Go</button>"))
    await recorder.start()
    await recorder.stop()
    await Person(other_connection, headed_page, "").act(Click("#go"))
    assert (await recorder.recording()).steps == ()
    frame = headed_page._tab.frames.main
    assert await frame.evaluate("typeof globalThis.__sfRecorder") == "undefined"
    assert await headed_page.evaluate("typeof globalThis.__sfRecorder") == "undefined"


async def test_an_element_that_nobody_can_know_is_a_problem(recorder: Recorder, headed_page: Page) -> None:
    await recorder.start()
    frame = headed_page._tab.frames.main
    recorder._reported(frame, '{"kind": "click", "gesture": 1, "element": 99999}')
    await recorder.still()
    assert (await recorder.recording()).steps == ()
    assert [(each.what, each.reason) for each in recorder.problems] == [("click_element", GONE)]


async def test_secrets_are_told_apart_by_their_texts(
    recorder: Recorder, headed_page: Page, other_connection: Browser, site: Site
) -> None:
    field = "<label>Password <input type=password id={}></label>"
    await headed_page.goto(site.html("/one", "".join(map(field.format, "abc"))))
    await recorder.start()
    person = Person(other_connection, headed_page, "")
    await person.act(TypeText("#a", "lantern-7"), TypeText("#b", "harbour-8"), TypeText("#c", "lantern-7"))
    await recorder.still()
    names = [action["value"]["secretName"] for action in (await recorder.recording()).actions]
    assert names == [names[0], f"{names[0]}_2", names[0]]


async def test_a_secret_in_a_plain_field_gets_a_name_too(
    recorder: Recorder, headed_page: Page, other_connection: Browser, site: Site
) -> None:
    body = "<label>Password <input type=password id=a></label><label>Shown <input id=b></label>"
    await headed_page.goto(site.html("/one", body))
    await recorder.start()
    person = Person(other_connection, headed_page, "")
    await person.act(TypeText("#a", "lantern-7"), TypeText("#b", "lantern-7"))
    await recorder.still()
    recording = await recorder.recording()
    assert "lantern" not in recording.to_text()
    assert [action["value"] for action in recording.actions] == [{"secretName": "password"}, {"secretName": "shown"}]
