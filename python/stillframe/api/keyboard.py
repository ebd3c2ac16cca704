"""The keyboard of a page: keys and text for what has the focus."""

from __future__ import annotations

from stillframe.api.arguments import number
from stillframe.api.parts import PagePart, page_call
from stillframe.engine.actions import perform
from stillframe.errors import ActionInvalid
from stillframe.model.actions import Action, InsertText, KeyDown, KeyUp, PressKey, TypeText
from stillframe.model.secret import Text
from stillframe.settling import signals
from stillframe.tab.deadline import CALL_MS, Deadline
from stillframe.tab.input.attempt import Attempt
from stillframe.tab.input.keyboard import parse_chord

DELAY = "milliseconds to wait"


class Keyboard(PagePart):
    """Real keys for what has the focus; `page.keyboard` is it.

    The calls return when the page has handled the keys, and wait for nothing else: call `page.settle()` after them, or
    use the actions `press_key`, `type_text`, `key_down`, `key_up` and `insert_text` of `page.execute_sequence`, which
    return what changed. They wait for sequences that run on the page, as every call does. A key that `down` holds is
    held for all later calls and actions, clicks included, until `up` or until the page loads another document.
    """

    @page_call
    async def down(self, key: str, *, timeout_ms: float | None = CALL_MS) -> None:
        """Press a key and hold it; a key that is down already repeats.

        Args:
            key: Its name as in KeyboardEvent (`Shift`, `a`, `ArrowLeft`); `ControlOrMeta` is Meta on macOS and else
                Control.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ActionInvalid: The key is unknown, or a chord.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        await self._perform(KeyDown(key), Deadline.of_ms(timeout_ms))

    @page_call
    async def up(self, key: str, *, timeout_ms: float | None = CALL_MS) -> None:
        """Release a key.

        Args:
            key: Its name, as for `down`.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ActionInvalid: The key is unknown.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        await self._perform(KeyUp(key), Deadline.of_ms(timeout_ms))

    @page_call
    async def press(self, key: str, *, delay_ms: float = 0, timeout_ms: float | None = CALL_MS) -> None:
        """Press and release a key or a chord.

        Args:
            key: The key or the chord, such as `Control+Shift+A`.
            delay_ms: How long it is held, in ms.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ActionInvalid: The key is unknown.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        parse_chord(key)
        number("delay_ms", delay_ms, what=DELAY, least=0)
        await self._perform(PressKey(key, delay_ms=delay_ms), Deadline.of_ms(timeout_ms))

    @page_call
    async def type(self, text: Text, *, delay_ms: float = 0, timeout_ms: float | None = CALL_MS) -> None:
        """Type a text key by key; what no keyboard has is inserted.

        Held modifiers do not change the letters.

        Args:
            text: The text; a `Secret` is typed and never shown.
            delay_ms: The time between two keys, in ms.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ActionInvalid: The delays take longer than `timeout_ms`.
            FocusMoved: The page moves the focus meanwhile.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        pause_s = number("delay_ms", delay_ms, what=DELAY, least=0) / 1000
        deadline = Deadline.of_ms(timeout_ms)
        takes_s = pause_s * len(text) if isinstance(text, str) else 0.0
        if takes_s > deadline.timeout:
            raise ActionInvalid(
                f"delay_ms is {delay_ms:g}: {len(str(text))} letters take {takes_s:g} s with it, and timeout_ms is "
                f"{timeout_ms:g}; pass a larger timeout_ms, or None",
                field="delay_ms",
            )
        await self._perform(TypeText(text, delay_ms=delay_ms), deadline)

    @page_call
    async def insert_text(self, text: Text, *, timeout_ms: float | None = CALL_MS) -> None:
        """Insert a text at the caret in one step, without key events, as an input method or a paste does.

        Args:
            text: The text; a `Secret` is inserted and never shown.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            FocusMoved: The page moves the focus meanwhile.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        await self._perform(InsertText(text), Deadline.of_ms(timeout_ms))

    async def _perform(self, action: Action, deadline: Deadline) -> None:
        async with self._parts.settler.lock:
            self._parts.settler.emit(signals.CallerScriptRan())
            await perform(Attempt(self._tab), action, deadline)
