"""A question that is cancelled ends its request, and the library ends what it runs around it."""

from __future__ import annotations

import asyncio

import pytest
from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from stillframe.agent.interruption import InterruptibleModel


class Slow:
    """A model that replies when it may."""

    def __init__(self) -> None:
        self.asked, self.may_reply = asyncio.Event(), asyncio.Event()
        self.ended = False
        self.model = InterruptibleModel(FunctionModel(self._reply))
        self.agent = Agent(self.model)

    async def _reply(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.asked.set()
        try:
            await self.may_reply.wait()
        finally:
            self.ended = True
        return ModelResponse(parts=[TextPart("here")])


async def test_a_run_returns_its_result() -> None:
    slow = Slow()
    slow.may_reply.set()
    assert (await slow.model.finished(slow.agent.run("?"))).output == "here"


async def test_a_cancelled_run_ends_its_request_and_the_next_one_works() -> None:
    slow, before = Slow(), asyncio.all_tasks()
    asking = asyncio.create_task(slow.model.finished(slow.agent.run("?")))
    await slow.asked.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert slow.ended
    assert asyncio.all_tasks() <= before
    slow.may_reply.set()
    assert (await slow.model.finished(slow.agent.run("?"))).output == "here"


async def test_a_run_that_is_cancelled_before_it_asks_asks_nothing() -> None:
    slow, before = Slow(), asyncio.all_tasks()
    asking = asyncio.create_task(slow.model.finished(slow.agent.run("?")))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert not slow.asked.is_set()
    assert asyncio.all_tasks() <= before


async def test_an_error_of_the_model_passes() -> None:
    def fail(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise LookupError("no such thing")

    model = InterruptibleModel(FunctionModel(fail))
    with pytest.raises(LookupError, match="no such thing"):
        await model.finished(Agent(model).run("?"))
