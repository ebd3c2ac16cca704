"""How many tokens a request takes, by its texts, its rules and its images, and by what the provider has counted."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic_ai import (
    BinaryContent,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters

from stillframe.agent.request_size import MARGIN, RequestSize, TokenEstimate, image_tokens, request_size

TOOL = ToolDefinition(name="final", description="decide", parameters_json_schema={"type": "object"})
PARAMETERS = ModelRequestParameters(output_tools=[TOOL])
RULES = len("Decide.") + len("finaldecide") + len('{"type":"object"}')


def test_the_parts_of_a_request() -> None:
    image = BinaryContent(b"GIF89a", media_type="image/gif")
    asked = ModelRequest([UserPromptPart(["Grüße", image])], instructions="Decide.")
    replied = ModelResponse([TextPart("no"), ToolCallPart("final", {"a": 1})])
    corrected = ModelRequest([UserPromptPart("again")], instructions="Decide.")
    size = request_size([asked, replied, corrected], PARAMETERS)
    assert size == RequestSize(RULES, 7 + 2 + len("final") + len('{"a":1}') + 5, 3, ((1920, 1080),))


SIZE = RequestSize(3_500, 2_000, 0)
"""Two thousand tokens by the first estimate."""


@pytest.mark.parametrize(
    ("counted", "expected"),
    [
        ([], 2_000),
        ([0], 2_000),
        ([1_800], 2_000),
        ([1_000], 1_000 * MARGIN),
        ([1_000, 1_500], 1_500 * MARGIN),
        ([1_500, 1_000], 1_500 * MARGIN),
        ([3_000], 3_000 * MARGIN),
    ],
)
def test_what_a_provider_has_counted_corrects_the_estimate(counted: list[int], expected: float) -> None:
    estimate = TokenEstimate("gpt-4o")
    for count in counted:
        estimate.learn(SIZE, count)
    assert estimate.tokens(SIZE) == pytest.approx(expected, abs=1)


def test_a_request_with_images_teaches_nothing_about_texts() -> None:
    estimate = TokenEstimate("gpt-4o")
    estimate.learn(SIZE._replace(images=((800, 600),)), 90_000)
    assert estimate.tokens(SIZE) == 2_000
    assert estimate.tokens(SIZE._replace(images=((800, 600),))) == 2_000 + 765


IMAGES: list[tuple[str, tuple[int, int], Any]] = [
    ("gpt-4o", (1_024, 1_024), 765),
    ("gpt-4o-2024-08-06", (2_048, 4_096), 1_105),
    ("gpt-4o-mini", (512, 512), 8_500),
    ("openai/gpt-5-mini", (1_024, 1_024), 1_659),
    ("gpt-4.1-nano", (1_800, 2_400), 3_779),
    ("claude-sonnet-4-5", (1_092, 1_092), 1_590),
    ("some-model", (1_092, 1_092), 1_590),
    ("some-model", (1, 1), 255),
]
"""The examples of the makers' documentation where there are some."""


@pytest.mark.parametrize(("model", "side", "expected"), IMAGES)
def test_the_tokens_of_an_image(model: str, side: tuple[int, int], expected: int) -> None:
    assert image_tokens(model, side) == expected
