"""A script: the steps of a goal with their actions, as values and as a file that a person can read.

The file is JSON: the goal, one object per step, and in it the actions as `Page.execute_sequence` takes them, each with
what identifies its target on another day. Nothing in a file is ever evaluated.
"""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from stillframe.core import Fingerprint
from stillframe.errors import ActionInvalid, FingerprintInvalid, OptionInvalid
from stillframe.model.action_list import parse_actions
from stillframe.model.actions import Action
from stillframe.model.bounds import short
from stillframe.model.options import Expect
from stillframe.model.secret import Secret
from stillframe.model.structs import Value
from stillframe.scripts.errors import ScriptInvalid
from stillframe.scripts.json_lines import laid_out, line_of_offset, line_of_path, mistake
from stillframe.security.input_files import InputRefused, decode_text, read_file

VERSION = 1
"""The version of the file format; a file of a later one is refused."""
MAX_CHARS = 4_000_000
"""Characters of a file: 100 steps of 50 actions, with fingerprints of some 600 characters, have 3 million."""
MAX_STEPS, MAX_ACTIONS = 100, 200
"""Steps of a script, and actions of one step."""
MAX_NAME_CHARS = 29
"""Characters of a name, which is also the name of a test."""

Words = Annotated[str, msgspec.Meta(max_length=1_000)]
Prose = Annotated[str, msgspec.Meta(max_length=20_000)]
FrameNumber = Annotated[int, msgspec.Meta(ge=0, le=9_999)]
StepStatus = Literal["complete", "failed", "skipped"]


class ScriptValue(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True):
    """What all parts of a script share: an unknown key in a file is a mistake."""


class ScriptTarget(ScriptValue, frozen=True, kw_only=True):
    """What identifies an element.

    `selectors` are alternatives to the selector of the action, most lasting first. `target` says in words which one it
    is. `others` are the elements that were most like it when the script was made, in the same words, so that none of
    them is ever taken for it. `row` is the text of the row that it was in, if others had its role and name.
    `frame_path` has the number of a child frame for each level, in the order in which the frames were attached.
    """

    selectors: Annotated[tuple[Words, ...], msgspec.Meta(max_length=10)] = ()
    target: Words = ""
    row: Words = ""
    others: Annotated[tuple[Words, ...], msgspec.Meta(max_length=10)] = ()
    frame_path: Annotated[tuple[FrameNumber, ...], msgspec.Meta(max_length=100)] = ()
    fingerprint: dict[str, Any] | None = None

    def check(self) -> None:
        """Raise FingerprintInvalid if the fingerprint cannot be parsed."""
        if self.fingerprint is not None:
            Fingerprint.from_json(msgspec.json.encode(self.fingerprint).decode())


class ScriptAction(ScriptTarget, frozen=True, kw_only=True):
    """One action with what identifies its target.

    `action` is its JSON form, with a durable selector and secrets only by name. `drop` identifies the element that
    something is dragged onto.
    """

    action: dict[str, Any]
    drop: ScriptTarget | None = None

    def parsed(self) -> Action:
        """Return the action as a Struct; raises ActionInvalid, also for a secret that has no name."""
        action = parse_actions([self.action])[0]
        if any(isinstance(value, Secret) and value.name is None for value in msgspec.structs.astuple(action)):
            raise ActionInvalid("a file has the names of secrets, and never their texts: use secretName", index=0)
        return action

    def check_content(self) -> None:
        """Raise ActionInvalid or FingerprintInvalid if an action from a file is not valid."""
        self.parsed()
        self.check()
        self.target_of("target").check()

    def target_of(self, field: str) -> ScriptTarget:
        """Return what identifies the element that a field of the action, `selector` or `target`, means."""
        return self if field == "selector" else self.drop or ScriptTarget()


class ScriptStep(ScriptValue, frozen=True, kw_only=True):
    """One step: its goal in words, its actions, and how it ended; `check` is an Expect as JSON."""

    goal: Prose
    status: StepStatus = "complete"
    error: Prose | None = None
    check: dict[str, Any] | None = None
    actions: Annotated[tuple[ScriptAction, ...], msgspec.Meta(max_length=MAX_ACTIONS)] = ()

    @property
    def runs(self) -> bool:
        """Whether a run of the script carries out the step; failed and skipped ones are only a record."""
        return self.status == "complete"

    def expect(self) -> Expect | None:
        """Return the check as a condition, or None; raises OptionInvalid."""
        return None if self.check is None else Expect(**self.check)


class Script(ScriptValue, frozen=True, kw_only=True):
    """A script; `url` is where it begins.

    `advice` says what was repaired and what a person may look at, and `confidence`, 0 to 5, how certain the last repair
    is; 5 for a script that never needed one.
    """

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME_CHARS, pattern=r"\A[a-zA-Z][a-zA-Z0-9]*\Z")]
    goal: Prose
    url: Prose
    version: int = VERSION
    advice: Prose = ""
    confidence: Annotated[int, msgspec.Meta(ge=0, le=5)] = 5
    steps: Annotated[tuple[ScriptStep, ...], msgspec.Meta(max_length=MAX_STEPS)] = ()

    def to_text(self) -> str:
        """Return the script as the text of its file."""
        return laid_out(_header(self), [_step(step) for step in self.steps])


def parse_script(text: str) -> Script:
    """Return the script of a file's text.

    Args:
        text: The text.

    Raises:
        ScriptInvalid: It is not a script; the message has the line that is wrong.
    """
    if len(text) > MAX_CHARS:
        raise ScriptInvalid(f"a script has at most {MAX_CHARS:,} characters, and this text has {len(text):,}")
    try:
        script = msgspec.json.decode(text.encode(), type=Script)
    except msgspec.ValidationError as error:
        raise _invalid(text, *mistake(error)) from None
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        line = line_of_offset(text, reason)
        raise ScriptInvalid(f"not a script: line {line}: {reason}", line=line) from None
    if script.version != VERSION:
        raise _invalid(text, "version", f"{script.version} is not {VERSION}: write the script with this version")
    _check_content(text, script)
    return script


def load_script(path: str | os.PathLike[str]) -> Script:
    """Return the script of a file.

    Args:
        path: The file.

    Raises:
        ScriptInvalid: It is not a script, or not a text.
        OSError: The file cannot be read.
    """
    try:
        return parse_script(read_text(path))
    except InputRefused as error:
        raise ScriptInvalid(f"not a script: {error}") from None


def save_script(path: str | os.PathLike[str], script: Script) -> None:
    """Write a script to a file, which is either the old one or whole.

    Args:
        path: The file.
        script: The script.

    Raises:
        OSError: The file cannot be written.
    """
    write_whole(path, script.to_text())


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file; raises OSError, and InputRefused for one that is not text or far too long."""
    try:
        return decode_text(read_file(path, max_bytes=4 * MAX_CHARS))
    except InputRefused as error:
        raise error.__cause__ if isinstance(error.__cause__, OSError) else error from None


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text to a file, which is either the old one or whole; raises OSError."""
    target = Path(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def script_name(goal: str) -> str:
    """Return a name in camelCase of fewer than 30 letters and digits for a goal in words.

    >>> script_name("Add a green tea to the cart, then pay")
    'addAGreenTeaToTheCartThenPay'
    """
    plain = unicodedata.normalize("NFKD", goal).encode("ascii", "ignore").decode()
    words = "".join(letter if letter.isalnum() else " " for letter in plain).split()
    name = ""
    for word in words:
        joined = name + (word[:1].upper() + word[1:].lower() if name else word.lower())
        if len(joined) > MAX_NAME_CHARS:
            break
        name = joined
    name = name or "".join(words)[:MAX_NAME_CHARS].lower()
    return name if name[:1].isalpha() else f"run{name}"[:MAX_NAME_CHARS]


# -- writing -------------------------------------------------------------------------------------


def _header(script: Script) -> dict[str, Any]:
    names = ("version", "name", "goal", "url", "advice", "confidence")
    return {name: getattr(script, name) for name in names}


def _step(step: ScriptStep) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    head = msgspec.to_builtins(msgspec.structs.replace(step, actions=()))
    return {"goal": step.goal, "status": step.status, **head}, list(map(_action, step.actions))


def _action(action: ScriptAction) -> dict[str, Any]:
    plain = action.to_dict()
    names = ("action", "selectors", "target", "row", "others", "drop", "framePath", "fingerprint")
    return {name: plain[name] for name in names if name in plain}


# -- errors --------------------------------------------------------------------------------------


def _invalid(text: str, path: str, reason: str) -> ScriptInvalid:
    line = line_of_path(text, path)
    where = f"line {line}, {short(path, 200)}" if line and path else short(path, 200) or "the file"
    return ScriptInvalid(f"not a script: {where}: {short(reason, 500)}", line=line)


def _check_content(text: str, script: Script) -> None:
    for number, step in enumerate(script.steps):
        try:
            step.expect()
        except (OptionInvalid, TypeError) as error:
            raise _invalid(text, f"steps[{number}].check", str(error)) from None
        for index, action in enumerate(step.actions):
            _check_action(text, f"steps[{number}].actions[{index}]", action)


def _check_action(text: str, path: str, action: ScriptAction) -> None:
    try:
        action.parsed()
    except ActionInvalid as error:
        raise _invalid(text, f"{path}.action", str(error).removeprefix("action 0: ")) from None
    try:
        action.check()
        action.target_of("target").check()
    except FingerprintInvalid as error:
        raise _invalid(text, f"{path}.fingerprint", str(error)) from None
