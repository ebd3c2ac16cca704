"""What the replies to one question of a model have used, by the provider's own numbers."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from pydantic_ai.usage import RunUsage

from stillframe.agent.outcome import Usage
from stillframe.agent.purse import ImageTokens

Spend = Callable[[Usage, Decimal | None], None]
"""Gets what each reply used, also if it was invalid, and its price in US dollars, None if it is not known. It is not
called for a request without a reply."""


class Bill:
    """Reports what each reply has used, once the next one is asked for or the question is over."""

    def __init__(self, spend: Spend, take_images: Callable[[], ImageTokens] = ImageTokens) -> None:
        """`take_images` returns the images of the requests that were replied to since it was last called."""
        self._spend = spend
        self._take_images = take_images
        self._usage = Usage()
        self._cost = Decimal(0)

    def report(self, usage: RunUsage) -> None:
        """Report what a question has used since the last report; nothing if there was no reply."""
        total = _usage(usage)
        used = total - self._usage
        if used.calls:
            images, tokens, estimated = self._take_images()
            used += Usage(images=images, image_tokens=tokens, estimated_image_tokens=estimated)
            cost = None if usage.unmeasured_requests else usage.cost
            self._spend(used, None if cost is None else cost - self._cost)
            self._usage, self._cost = total, usage.cost or Decimal(0)


def _usage(usage: RunUsage) -> Usage:
    return Usage(
        calls=usage.requests,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )
