"""Play a recording on a page, as it is or with elements found again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Unpack

from stillframe.extend import page_state
from stillframe.scripts.flexibility import DEFAULT, tolerance
from stillframe.scripts.replay import Playback, ScriptReport

if TYPE_CHECKING:
    from stillframe import Page
    from stillframe.model.events import DialogReport
    from stillframe.model.keywords import SequenceKeywords
    from stillframe.model.result import SequenceResult
    from stillframe.recorder.recording import Recording


async def begin(page: Page, recording: Recording, url: str | None = None) -> None:
    """Bring a page to where a recording begins, or to another URL, in the size that it was recorded in.

    Args:
        page: The page.
        recording: The recording.
        url: The URL to begin at; by default that of the recording.

    Raises:
        NavigationFailed: The URL cannot be loaded.
        UrlRefused: The URL is not allowed.
    """
    if recording.viewport is not None:
        await page.set_viewport(**recording.viewport.options())
    await page.goto(url or recording.url, settle=True)


async def play(
    page: Page, recording: Recording, *, url: str | None = None, **options: Unpack[SequenceKeywords]
) -> SequenceResult:
    """Play a recording as one sequence, from its own URL or another one.

    What the recording expects at the end is the last action: a page that does not show it is a failure.

    Args:
        page: The page.
        recording: The recording.
        url: The URL to begin at; by default that of the recording.
        **options: The fields of `SequenceOptions`, which override those of the recording.

    Raises:
        NavigationFailed: The URL cannot be loaded.
        UrlRefused: The URL is not allowed.
        ActionInvalid: An action is invalid; nothing has been done.
        OptionInvalid: An option is invalid; nothing has been done.
        SecretUnknown: The context lacks a secret of the recording.
    """
    given: Any = {**recording.options, **options}
    with _answering(page, recording):
        await begin(page, recording, url)
        return await page.execute_sequence([step.action for step in recording.plan], **given)


async def heal(page: Page, recording: Recording, *, url: str | None = None, flexibility: int = DEFAULT) -> ScriptReport:
    """Play a recording, and find elements again whose selectors mean nothing or another element now.

    The alternatives of a selector are tried first, then likeness. Failures are in the report and raise nothing.

    Args:
        page: The page.
        recording: The recording.
        url: The URL to begin at; by default that of the recording.
        flexibility: How far likeness may go, 0 to 5.

    Returns:
        The report, whose `healed` lists what was found again.
    """

    async def reset() -> None:
        await begin(page, recording, url)

    playback = Playback(page, recording.to_script(), allowed=tolerance(flexibility))
    with _answering(page, recording):
        return await playback.run(reset)


@contextmanager
def _answering(page: Page, recording: Recording) -> Iterator[None]:
    """Answer the dialogs of the page as the person did; any more of them as its context does."""
    dialogs, answers = page_state(page).dialogs, iter(recording.dialogs)
    former = dialogs.policy

    def answer(dialog: DialogReport) -> bool | str:
        given = next(answers, None)
        if given is not None:
            return given
        return former(dialog) if callable(former) else former == "accept"

    dialogs.policy = answer
    try:
        yield
    finally:
        dialogs.policy = former
