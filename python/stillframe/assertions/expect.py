"""`expect`: assertions about pages, locators, responses and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, overload

from stillframe.api.frame import Frame
from stillframe.api.locator import Locator
from stillframe.api.page import PageBase
from stillframe.assertions import settings, soft
from stillframe.assertions.locator import LocatorAssertions
from stillframe.assertions.page import PageAssertions
from stillframe.assertions.settings import EXPECT_MS
from stillframe.assertions.values import INTERVALS_MS, APIResponseAssertions, Function, ValueAssertions, polled
from stillframe.assertions.waiting import Terms
from stillframe.errors import OptionInvalid
from stillframe.tab.network.api_response import APIResponse


class Synchronous(Protocol):
    """An object of `stillframe.sync`, whose assertions block."""

    def _applied(self, function: Callable[[Any], Any]) -> Any: ...


class Expect:
    """The type of `expect`."""

    def __init__(self, *, soft: bool = False) -> None:
        self._soft = soft

    @overload
    def __call__(self, actual: PageBase, message: str | None = None) -> PageAssertions: ...
    @overload
    def __call__(self, actual: Locator, message: str | None = None) -> LocatorAssertions: ...
    @overload
    def __call__(self, actual: APIResponse, message: str | None = None) -> APIResponseAssertions: ...
    @overload
    def __call__(self, actual: Synchronous, message: str | None = None) -> Any: ...
    def __call__(self, actual: Any, message: str | None = None) -> Any:
        """Return the assertions about a page, a locator or a response.

        Args:
            actual: The page, the locator or the response.
            message: What the text of a failure begins with.

        Raises:
            OptionInvalid: `actual` is anything else.
        """
        if applied := getattr(actual, "_applied", None):  # an object of stillframe.sync
            return applied(lambda target: self(target, message))
        terms = Terms(soft=self._soft, message=message)
        for kind, assertions in KINDS:
            if isinstance(actual, kind):
                return assertions(actual, terms)
        hint = "use the page, or a locator in it" if isinstance(actual, Frame) else "assert values with `assert`"
        raise OptionInvalid(
            f"expect takes a page, a locator or an APIResponse, not {type(actual).__name__}: {hint}", option="actual"
        )

    @property
    def soft(self) -> Expect:
        """`expect` whose failures are kept until the test ends: `await expect.soft(locator).to_be_visible()`."""
        soft.require_block()
        return Expect(soft=True)

    def poll(
        self,
        function: Function,
        message: str | None = None,
        *,
        timeout_ms: float | None = EXPECT_MS,
        intervals: Sequence[float] = INTERVALS_MS,
    ) -> ValueAssertions:
        """Return the assertions about what a function returns, which is called again until they hold.

        Args:
            function: The function; it may be async.
            message: What the text of a failure begins with.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.
            intervals: The times between its calls, in ms; the last one repeats.

        Raises:
            OptionInvalid: An argument is invalid.
        """
        return polled(function, Terms(soft=self._soft, message=message), timeout_ms, intervals)

    def set_options(self, *, timeout_ms: float | None = None) -> None:
        """Set how long assertions wait by default.

        Args:
            timeout_ms: The limit in ms; None for the usual 5,000.

        Raises:
            OptionInvalid: It is not a number of milliseconds.
        """
        settings.set_timeout(timeout_ms)


KINDS: tuple[tuple[type, Any], ...] = (
    (PageBase, PageAssertions),
    (Locator, LocatorAssertions),
    (APIResponse, APIResponseAssertions),
)

expect = Expect()
