"""Assertions about a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Unpack
from urllib.parse import urljoin

from stillframe.api.locator import Locator
from stillframe.api.parts import PagePart, page_call
from stillframe.assertions.locator import LocatorAssertions
from stillframe.assertions.matching import Comparison, checked_text, says, shown
from stillframe.assertions.pictures import ToleranceKeywords, assert_looks, tolerance_of
from stillframe.assertions.settings import EXPECT_MS, limit, seconds_of
from stillframe.assertions.waiting import USUAL, Answer, Claim, Terms, fail, negated
from stillframe.errors import WaitTimeout
from stillframe.model.playwright_parameters import name_parameters
from stillframe.tab.deadline import Deadline
from stillframe.tab.locating.writing import TextOrPattern
from stillframe.tab.navigation import load_states
from stillframe.tab.reading.readings import Reading

if TYPE_CHECKING:
    from stillframe.api.page import PageBase

Url = TextOrPattern | Callable[[str], object]
"""A URL or a glob of one, an expression that is searched in it, or a function of it."""


@name_parameters
class PageAssertions(PagePart):
    """What `expect(page)` asserts; see `LocatorAssertions` for how it waits and fails."""

    def __init__(self, page: PageBase, terms: Terms = USUAL) -> None:
        super().__init__(page._parts)
        self._page = page
        self._terms = terms

    def __repr__(self) -> str:
        return f"PageAssertions({self._page!r})"

    @property
    def not_(self) -> PageAssertions:
        """The same assertions, negated."""
        return type(self)(self._page, self._terms._replace(negated=not self._terms.negated))

    async def to_have_url(
        self, url_or_reg_exp: Url, *, ignore_case: bool | None = None, timeout_ms: float | None = EXPECT_MS
    ) -> None:
        """Assert the URL of the page.

        Args:
            url_or_reg_exp: The whole URL, which may be relative to `base_url`, a compiled regular expression, or a
                function of it.
            ignore_case: Whether case does not count.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        __tracebackhide__ = True
        await self._url_becomes(url_or_reg_exp, ignore_case, timeout_ms=limit(timeout_ms))

    @page_call
    async def _url_becomes(
        self, url_or_reg_exp: Url, ignore_case: bool | None, *, timeout_ms: float | None = EXPECT_MS
    ) -> None:
        __tracebackhide__ = True
        deadline, matches = Deadline(seconds_of(timeout_ms)), self._url_test(url_or_reg_exp, ignore_case)

        def wanted(url: str) -> bool:
            return matches(url) != self._terms.negated

        try:
            frame = self._tab.frames.main.id
            await load_states.until_url(self._tab, frame, wanted, shown(url_or_reg_exp), deadline)
        except WaitTimeout:
            answer = Answer(False, repr(self._tab.url))
            claim = Claim("expect(page)", "to_have_url", shown(url_or_reg_exp))
            fail(self._parts, claim, answer, Reading(), deadline, self._terms)

    def _url_test(self, url: Url, ignore_case: bool | None) -> Callable[[str], bool]:
        if callable(url):
            return lambda seen: bool(url(seen))
        text = checked_text(url, "to_have_url", "url_or_reg_exp")
        if isinstance(text, str):
            text = urljoin(self._tab.context.options.base_url or "", text)
        how = Comparison(ignore_case=ignore_case, collapsed=False)
        return lambda seen: says(seen, text, how)

    async def to_have_title(self, title_or_reg_exp: TextOrPattern, *, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert the title of the document; white space counts as one space.

        Args:
            title_or_reg_exp: The title, or a compiled regular expression.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        whole = LocatorAssertions(Locator(self._parts, ROOT), self._terms, subject="expect(page)")
        await whole._text("to_have_title", "title", title_or_reg_exp, Comparison(), timeout_ms)

    async def to_match_aria_snapshot(self, expected: str, *, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert what assistive technology shows of the page; see `LocatorAssertions.to_match_aria_snapshot`.

        Args:
            expected: The template, which may leave out nodes, names and states.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
            OptionInvalid: A line of the template does not parse.
        """
        whole = LocatorAssertions(Locator(self._parts, ROOT), self._terms, subject="expect(page)")
        await whole.to_match_aria_snapshot(expected, timeout_ms=timeout_ms)

    async def to_have_screenshot(
        self,
        name: str,
        *,
        full_page: bool = False,
        mask: Sequence[str | Locator] = (),
        timeout_ms: float | None = EXPECT_MS,
        **tolerance: Unpack[ToleranceKeywords],
    ) -> None:
        """Assert that the page looks as in the screenshot of a name; needs Pillow.

        With pytest the screenshots are in `screenshots/MODULE` beside the test, otherwise in the current directory. One
        that does not exist is written, and the assertion fails; `--update-screenshots` writes all of them again.
        Animations are at their end, there is no caret, and its pixels are those of CSS. A failure writes what was there
        and what differs.

        Args:
            name: The name of the screenshot, `cart.png`.
            full_page: Whether it shows the whole page.
            mask: What is covered: selectors or locators.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.
            **tolerance: What may differ: `max_diff_pixels`, `max_diff_pixel_ratio` and `threshold` (0.2).

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        __tracebackhide__ = True
        deadline, allowed = Deadline(seconds_of(limit(timeout_ms))), tolerance_of(tolerance)

        async def take() -> bytes:
            return await self._page.screenshot(
                full_page=full_page, mask=mask, animations="disabled", caret="hide", scale="css"
            )

        claim = Claim("expect(page)", "to_have_screenshot", name)
        await assert_looks(self._parts, claim, name, take, allowed, deadline, self._terms)

    not_to_have_screenshot = negated(to_have_screenshot)
    not_to_have_url = negated(to_have_url)
    not_to_have_title = negated(to_have_title)
    not_to_match_aria_snapshot = negated(to_match_aria_snapshot)


ROOT = "css=:root"
