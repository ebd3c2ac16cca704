"""Recordings: what is in them and what is not, and that a replay asks for nothing else."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from model_server import KEY, Answer, ModelServer, decided, refused, said
from pydantic_ai import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel

from sampling import sampled
from stillframe.agent.asking import Allowance, Asker, Output
from stillframe.agent.decision import Decision, parse_decision
from stillframe.agent.recording import RecordingModel, ReplayingModel
from stillframe.errors import ModelRefused, ModelUnavailable, OptionInvalid, ScriptInvalid
from stillframe.security.redaction import Redaction
from stillframe.security.untrusted_text import mark_untrusted

ALLOWED = Allowance(30)
COMPLETE: Mapping[str, Any] = {"status": "complete"}
SCHEMA = {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}
SECRET = 'correct-"horse"\nbattery'


def asker(model: Model, *, instructions: str = "Decide.", output: Output = "auto") -> Asker[Decision]:
    async def no_pause(seconds: float) -> None:
        pass

    return Asker(
        model,
        name="decision",
        instructions=instructions,
        schema=SCHEMA,
        parse=parse_decision,
        corrections=2,
        spend=lambda *_: None,
        output=output,
        sleep=no_pause,
    )


def replying(reply: Mapping[str, Any]) -> FunctionModel:
    def function(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([ToolCallPart(info.output_tools[0].name, dict(reply))])

    return FunctionModel(function, model_name="scripted")


async def record(path: Path, *prompts: str, reply: Mapping[str, Any] = COMPLETE) -> None:
    asked = asker(RecordingModel(replying(reply), path))
    for prompt in prompts:
        await asked.ask(prompt, (), ALLOWED)


def lines_of(file: Path) -> list[bytes]:
    return file.read_bytes().splitlines()


def mode_of(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def replace_with_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def write_lines(file: Path, lines: Iterable[bytes]) -> None:
    file.write_bytes(b"\n".join(lines))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


async def test_what_a_line_holds(file: Path) -> None:
    async with ModelServer(decided(COMPLETE)) as server:
        await asker(RecordingModel(server.model(), file)).ask("A page.", [b"\x89PNG"], ALLOWED)
    (line,) = [json.loads(line) for line in lines_of(file)]
    assert (line["model"], line["provider"], line["output"]) == ("gpt-4o", "openai", "tool")
    assert line["messages"] == [
        {"role": "instructions", "text": "Decide."},
        {"role": "user", "text": "A page.\n[image/png]"},
    ]
    assert line["reply"]["parts"][0]["args"] == COMPLETE
    assert (line["usage"]["input_tokens"], line["usage"]["output_tokens"]) == (100, 20)


@pytest.fixture
def older_file(file: Path) -> Path:
    file.write_text("older")
    file.chmod(0o644)
    return file


async def test_only_the_owner_can_read_it(older_file: Path) -> None:
    await record(older_file, "A page.")
    assert mode_of(older_file) == 0o600
    assert b"older" not in lines_of(older_file)[0]


async def test_neither_secrets_nor_keys_are_in_it(file: Path) -> None:
    redaction = Redaction()
    redaction.add(SECRET)
    arguments = {"status": "complete", "memoryUpdate": {"password": SECRET, "key": KEY}}
    async with ModelServer(refused(500, KEY), decided(arguments)) as server:
        model = RecordingModel(server.model(), file, redact=redaction.redact)
        await asker(model, instructions=f"Use {SECRET}.").ask(f"A page with {SECRET} and {KEY}.", (), ALLOWED)
    recorded = b"\n".join(lines_of(file)).decode()
    for text in (SECRET, json.dumps(SECRET)[1:-1], json.dumps(json.dumps(SECRET))[1:-1], KEY, "Bearer"):
        assert text not in recorded
    replayed = ReplayingModel(file, redact=redaction.redact)
    decision = await asker(replayed, instructions=f"Use {SECRET}.").ask(f"A page with {SECRET} and [key].", (), ALLOWED)
    assert SECRET not in decision.memory_update["password"]


ANSWERS: dict[str, list[Answer]] = {
    "at once": [decided(COMPLETE)],
    "a wrong status": [decided({"status": "done"}), decided(COMPLETE)],
    "broken JSON": [decided("{status"), decided(COMPLETE)],
    "prose": [said("I would stop."), decided(COMPLETE)],
    "nothing": [said(None), decided(COMPLETE)],
}


@pytest.mark.parametrize("kind", sampled(ANSWERS, keep=["at once", "prose"]))
async def test_a_replay_gives_the_same_replies_at_the_same_price(kind: str, file: Path) -> None:
    spent: list[Any] = []
    async with ModelServer(*ANSWERS[kind]) as server:
        for model in (RecordingModel(server.model(), file), None):
            asked = asker(model or ReplayingModel(file))
            asked._spend = lambda *used: spent.append(used)
            assert (await asked.ask("A page.", (), ALLOWED._replace(usd=Decimal(1)))).status == "complete"
        assert len(server.requests) == len(ANSWERS[kind])
    assert spent[0] == spent[1]
    assert len(lines_of(file)) == len(ANSWERS[kind])


@pytest.mark.parametrize("output", sampled(["tool", "native", "prompted"], keep=["native"]))
async def test_a_replay_gives_json_as_the_recorded_model_did(output: Output, file: Path) -> None:
    wrong, right = ({"status": "done"}, COMPLETE)
    answers = [decided(each) if output == "tool" else said(json.dumps(each)) for each in (wrong, right)]
    async with ModelServer(*answers) as server:
        await asker(RecordingModel(server.model(), file), output=output).ask("A page.", (), ALLOWED)
    assert (await asker(ReplayingModel(file)).ask("A page.", (), ALLOWED)).status == "complete"


def prompt(port: int, milliseconds: int) -> str:
    lines = [f"URL: http://127.0.0.1:{port}/shop", f"Still after {milliseconds} ms"]
    return f"Goal: buy\n{mark_untrusted(lines)}"


async def test_what_varies_between_runs_is_the_same_request(file: Path) -> None:
    await record(file, prompt(1024, 12))
    assert (await asker(ReplayingModel(file)).ask(prompt(40_000, 1_345), (), ALLOWED)).status == "complete"


async def test_another_request_is_refused(file: Path) -> None:
    await record(file, "Goal: buy\nURL: http://a.test/\nPage: empty")
    with pytest.raises(
        ModelRefused, match=r"request 1 has 'URL: http://b.test/' \(user, line 2\).*'URL: http://a.test/'"
    ):
        await asker(ReplayingModel(file)).ask("Goal: buy\nURL: http://b.test/\nPage: empty", (), ALLOWED)
    with pytest.raises(ModelRefused, match=r"'Decide twice.' \(instructions, line 1\)"):
        await asker(ReplayingModel(file), instructions="Decide twice.").ask("Goal: buy", (), ALLOWED)


async def test_a_recording_that_is_used_up(file: Path) -> None:
    await record(file, "First.", "Second.")
    replayed = asker(ReplayingModel(file))
    for text in ("First.", "Second."):
        await replayed.ask(text, (), ALLOWED)
    with pytest.raises(ModelRefused, match="has 2 replies, and request 3 needs one more"):
        await replayed.ask("Third.", (), ALLOWED)


async def test_requests_without_a_reply_are_not_recorded(file: Path) -> None:
    async with ModelServer(*[refused(503, "Overloaded")] * 3) as server:
        with pytest.raises(ModelUnavailable):
            await asker(RecordingModel(server.model(), file)).ask("A page.", (), ALLOWED)
    assert lines_of(file) == []


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (lambda lines: [lines[0], b'{"model": "scr', lines[1]], 2),
        (lambda lines: [lines[0], b"[]"], 2),
        (lambda lines: [b"\xff\xfe", *lines], 1),
        (lambda lines: [b"[" * 100_000], 1),
        (lambda lines: [lines[0], lines[1].replace(b"tool-call", b"tool-cull")], 2),
        (lambda lines: [lines[0].replace(b'"response"', b'"request"')], 1),
        (lambda lines: [], None),
    ],
)
async def test_a_damaged_file(damage: Any, line: int | None, file: Path) -> None:
    await record(file, "First.", "Second.")
    write_lines(file, damage(lines_of(file)))
    with pytest.raises(ScriptInvalid) as caught:
        ReplayingModel(file)
    assert caught.value.line == line


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(ScriptInvalid, match="cannot be read"):
        ReplayingModel(tmp_path / "missing.jsonl")
    with pytest.raises(OptionInvalid, match="cannot be written"):
        RecordingModel("test", tmp_path / "missing" / "run.jsonl")
    with pytest.raises(ModelRefused):
        RecordingModel("nobody:model", tmp_path / "run.jsonl")


async def test_a_file_that_can_no_longer_be_written_ends_the_run(file: Path) -> None:
    asked = asker(RecordingModel(replying(COMPLETE), file))
    replace_with_a_folder(file)
    with pytest.raises(ModelRefused, match="cannot be written"):
        await asked.ask("A page.", (), ALLOWED)
