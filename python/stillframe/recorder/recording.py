"""A recording: what a person did on a page, as a value and as a sequence file that a person can read.

The file is one JSON object that `stillframe run` plays. `actions` and the options are what `Page.execute_sequence`
takes; `targets` has, for each action, what finds its element on another day. Nothing in a file is ever evaluated.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec

from stillframe.errors import ActionInvalid, FingerprintInvalid, OptionInvalid
from stillframe.model.bounds import short
from stillframe.model.options import SequenceOptions, parse_options
from stillframe.model.suggest import unknown
from stillframe.model.validation import json_names
from stillframe.recorder.errors import RecordingInvalid
from stillframe.scripts.json_lines import line_of_offset, line_of_path, mistake, one_line
from stillframe.scripts.script import (
    MAX_CHARS,
    Prose,
    Script,
    ScriptAction,
    ScriptStep,
    ScriptTarget,
    ScriptValue,
    read_text,
    script_name,
    write_whole,
)
from stillframe.security.input_files import InputRefused

VERSION = 1
"""The version of the file format; a file of a later one is refused."""
MAX_ACTIONS = 2_000
"""Actions of a recording: an hour of a person who does one thing every two seconds."""

Pixels = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]
"""The bounds of Emulation.setDeviceMetricsOverride."""


Answer = bool | Prose
"""How a dialog is answered."""


class RecordedViewport(ScriptValue, frozen=True, kw_only=True):
    """The size of the page in CSS pixels and the kind of screen it was recorded on."""

    width: Pixels
    height: Pixels
    device_scale_factor: Annotated[float, msgspec.Meta(gt=0, le=10)] = 1
    mobile: bool = False
    touch: bool = False

    def options(self) -> dict[str, Any]:
        """Return the viewport as `Browser.new_page(viewport=…)` and `Page.set_viewport(**…)` take it."""
        return msgspec.structs.asdict(self)


class Recording(ScriptValue, frozen=True, kw_only=True):
    """What a person did on a page, beginning at `url`.

    `expect` is what the page shows at the end, an Expect as JSON. `dialogs` are the answers to its `confirm` and
    `prompt` dialogs, in their order: whether they are accepted, or the text of a prompt. `options` are other options of
    the sequence, by their JSON names.
    """

    url: str
    title: str = ""
    viewport: RecordedViewport | None = None
    steps: tuple[ScriptAction, ...] = ()
    expect: dict[str, Any] | None = None
    dialogs: tuple[Answer, ...] = ()
    options: dict[str, Any] = msgspec.field(default_factory=dict)

    @property
    def actions(self) -> list[dict[str, Any]]:
        """The actions as `Page.execute_sequence` takes them."""
        return [step.action for step in self.steps]

    @property
    def plan(self) -> tuple[ScriptAction, ...]:
        """The steps, and the wait for what the page shows at the end as the last one: without it, playing fails."""
        if self.expect is None:
            return self.steps
        return (*self.steps, ScriptAction(action={"action": "wait_for", **self.expect}))

    @property
    def all_options(self) -> dict[str, Any]:
        """The options and the expectation, as `Page.execute_sequence(actions, **options)` takes them."""
        return self.options if self.expect is None else {**self.options, "expect": self.expect}

    def to_text(self) -> str:
        """Return the recording as the text of its file, one action and one target per line."""
        header = {"version": VERSION, "url": self.url, "title": self.title, "viewport": self.viewport, **self.options}
        shown = {name: msgspec.to_builtins(value) for name, value in header.items() if value not in (None, "")}
        lines = [f"{one_line(name)}: {one_line(value)}" for name, value in shown.items()]
        lines.append(f'"actions": {_list(self.actions)}')
        lines += [] if self.expect is None else [f'"expect": {one_line(self.expect)}']
        lines += [f'"dialogs": {one_line(list(self.dialogs))}'] if self.dialogs else []
        targets = [_target(step) for step in self.steps]
        lines += [f'"targets": {_list(targets)}'] if any(targets) else []
        return "{\n  " + ",\n  ".join(lines) + "\n}\n"

    def to_script(self) -> Script:
        """Return the recording as a script of one step, which `scripts.replay` plays and heals."""
        goal = self.title or "What was recorded"
        step = ScriptStep(goal=goal, check=self.expect, actions=self.steps)
        return Script(name=script_name(goal), goal=goal, url=self.url, steps=(step,))


class _Target(ScriptTarget, frozen=True, kw_only=True):
    """What identifies the elements of one action."""

    drop: ScriptTarget | None = None


class _File(ScriptValue, frozen=True, kw_only=True):
    """The keys of a file that are not options of the sequence, and `expect`, which is one."""

    url: Prose
    actions: Annotated[list[dict[str, Any]], msgspec.Meta(max_length=MAX_ACTIONS)]
    version: int = VERSION
    title: Prose = ""
    viewport: RecordedViewport | None = None
    expect: dict[str, Any] | None = None
    dialogs: tuple[Answer, ...] = ()
    targets: list[_Target] | None = None


OWN_KEYS = frozenset({"version", "url", "title", "viewport", "dialogs", "targets"})
"""The keys that tell a recording from a plain sequence file."""


def parse_recording(text: str) -> Recording:
    """Return the recording of a file's text.

    Args:
        text: The text.

    Raises:
        RecordingInvalid: It is not a recording; the message has the line that is wrong.
    """
    if len(text) > MAX_CHARS:
        raise RecordingInvalid(f"a recording has at most {MAX_CHARS:,} characters, and this text has {len(text):,}")
    content = _decoded(text)
    if (version := content.get("version", VERSION)) != VERSION:
        raise _invalid(text, "version", f"{version!r} is not {VERSION}, the version that this stillframe reads")
    own = {name: value for name, value in content.items() if name in _File.__struct_encode_fields__}
    options = {name: value for name, value in content.items() if name not in own}
    try:
        file = msgspec.convert(own, _File)
    except msgspec.ValidationError as error:
        raise _invalid(text, *mistake(error)) from None
    recording = Recording(
        url=file.url,
        title=file.title,
        viewport=file.viewport,
        steps=_steps(text, file),
        expect=file.expect,
        dialogs=file.dialogs,
        options=options,
    )
    _check(text, recording)
    return recording


def load_recording(path: str | os.PathLike[str]) -> Recording:
    """Return the recording of a file.

    Args:
        path: The file.

    Raises:
        RecordingInvalid: It is not a recording, or not a text.
        OSError: The file cannot be read.
    """
    try:
        return parse_recording(read_text(path))
    except InputRefused as error:
        raise RecordingInvalid(f"not a recording: {error}") from None


def save_recording(path: str | os.PathLike[str], recording: Recording) -> None:
    """Write a recording to a file, which is either the old one or whole.

    Args:
        path: The file.
        recording: The recording.

    Raises:
        OSError: The file cannot be written.
    """
    write_whole(path, recording.to_text())


# -- writing -------------------------------------------------------------------------------------


def _target(step: ScriptAction) -> dict[str, Any]:
    plain = step.to_dict()
    names = ("selectors", "target", "row", "others", "drop", "framePath", "fingerprint")
    return {name: plain[name] for name in names if name in plain}


def _list(items: Sequence[Mapping[str, Any]]) -> str:
    lines = ",\n    ".join(map(one_line, items))
    return f"[\n    {lines}\n  ]" if items else "[]"


# -- reading -------------------------------------------------------------------------------------


def _decoded(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text.encode(), type=dict[str, Any])
    except msgspec.ValidationError:
        raise _invalid(text, "", "it is not a JSON object") from None
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        line = line_of_offset(text, reason)
        raise RecordingInvalid(f"not a recording: line {line}: {reason}", line=line) from None


def _steps(text: str, file: _File) -> tuple[ScriptAction, ...]:
    targets = [_Target()] * len(file.actions) if file.targets is None else file.targets
    if len(targets) != len(file.actions):
        lengths = f"its length is {len(targets)}, that of actions is {len(file.actions)}"
        reason = f"{lengths}: write one target for each action, {{}} for none"
        raise _invalid(text, "targets", reason)
    pairs = zip(file.actions, targets, strict=True)
    return tuple(ScriptAction(action=action, **msgspec.structs.asdict(target)) for action, target in pairs)


def _check(text: str, recording: Recording) -> None:
    if not recording.steps:
        raise _invalid(text, "actions", "it is empty: a recording has at least one action")
    known = (*_File.__struct_encode_fields__, *SequenceOptions.__struct_encode_fields__)
    for name in recording.options:
        if name not in known and name not in SequenceOptions.__struct_fields__:
            raise _invalid(text, name, unknown("option", name, known))
    try:
        parse_options(recording.all_options)
    except OptionInvalid as error:
        key = json_names(SequenceOptions).get(error.option or "", error.option or "")
        raise _invalid(text, key, str(error)) from None
    for index, step in enumerate(recording.steps):
        _check_step(text, index, step)


def _check_step(text: str, index: int, step: ScriptAction) -> None:
    try:
        step.parsed()
    except ActionInvalid as error:
        raise _invalid(text, f"actions[{index}]", str(error).removeprefix("action 0: ")) from None
    try:
        step.check()
        step.target_of("target").check()
    except FingerprintInvalid as error:
        raise _invalid(text, f"targets[{index}]", str(error)) from None


def _invalid(text: str, path: str, reason: str) -> RecordingInvalid:
    line = line_of_path(text, path)
    where = f"line {line}, {short(path, 200)}" if line and path else short(path, 200) or "the file"
    return RecordingInvalid(f"not a recording: {where}: {short(reason, 500)}", line=line)
