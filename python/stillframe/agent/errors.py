"""The errors of the orchestrator and its models; `stillframe.errors` has them all."""

from __future__ import annotations

from stillframe.errors import StillframeError


class AgentError(StillframeError):
    """A problem of the orchestrator; the page and what was achieved are as they were."""

    code = "agent_error"


class DecisionInvalid(AgentError, ValueError):
    """The reply of a model is not a decision; `field` is the path of the wrong key, None for the whole reply.

    Remedy: Nothing: the orchestrator asks the model to correct the field. In your own loop, do the same.
    """

    code = "decision_invalid"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class ToolFailed(AgentError):
    """A tool that a model called does not exist, refused its arguments, or did not work; `tool` is its name.

    Remedy: Nothing: the model reads the message and goes on. Correct your tool if it is one of your own.
    """

    code = "tool_failed"

    def __init__(self, message: str, *, tool: str) -> None:
        super().__init__(message)
        self.tool = tool


class ModelFailed(AgentError):
    """A model gave no usable reply; `model` is its name."""

    code = "model_failed"

    def __init__(self, message: str, *, model: str) -> None:
        super().__init__(message)
        self.model = model


class ModelRefused(ModelFailed):
    """The provider does not accept the key, the model or the account; a later request would not change that.

    Remedy: Check the key, the name of the model, and the account at the provider.
    """

    code = "model_refused"


class ModelUnavailable(ModelFailed):
    """The provider cannot reply now; `retry_after` is how many seconds it asks to wait, None if it does not say.

    Remedy: Try again after `retry_after` seconds.
    """

    code = "model_unavailable"

    def __init__(self, message: str, *, model: str, retry_after: float | None = None) -> None:
        super().__init__(message, model=model)
        self.retry_after = retry_after


class ModelTimeout(ModelFailed, TimeoutError):
    """The model did not reply in time.

    Remedy: Raise `model_timeout`, or choose a faster model.
    """

    code = "model_timeout"


class ModelReplyInvalid(ModelFailed):
    """The model did not correct an invalid reply, although it could read what was wrong.

    Remedy: Choose a more capable model, or raise `max_invalid_replies`.
    """

    code = "model_reply_invalid"


class ModelContentFiltered(ModelFailed):
    """The model refused to reply, or its provider filtered the request or the reply; the message has what it said.

    Remedy: Look at the goal and at the page: one of them is what the provider does not allow. Another model may reply.
    """

    code = "model_content_filtered"


class ModelBudgetExceeded(ModelFailed):
    """A request was not sent, because by estimate it costs more than is left; `budget` is the key of the limit.

    Remedy: Raise `budget_tokens` or `budget_usd`, or shorten the prompt with `max_prompt_chars`.
    """

    code = "model_budget_exceeded"

    def __init__(self, message: str, *, model: str, budget: str) -> None:
        super().__init__(message, model=model)
        self.budget = budget
