"""Assertions about the elements of a locator."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from stillframe.api.parts import PagePart, page_call
from stillframe.assertions import aria
from stillframe.assertions.matching import (
    Comparison,
    ExpectedTexts,
    checked_text,
    checked_texts,
    classes_say,
    say_all,
    says,
    shown,
)
from stillframe.assertions.pictures import ToleranceKeywords, assert_looks, tolerance_of
from stillframe.assertions.settings import EXPECT_MS, limit, seconds_of
from stillframe.assertions.waiting import USUAL, Answer, Claim, Terms, fail, negated, until
from stillframe.cdp.loop_clock import sleep
from stillframe.errors import ElementDetached, ElementNotFound, OptionInvalid
from stillframe.model.playwright_parameters import name_parameters
from stillframe.tab.deadline import Deadline
from stillframe.tab.reading.readings import Reading, What, readings

if TYPE_CHECKING:
    from stillframe.api.locator import Locator
    from stillframe.tab.locating.writing import TextOrPattern

ANSWER_S = 1.0
"""Seconds that a page has at least to answer, however little time is left."""
LOOK_S = 0.1
"""Seconds between two looks at a property."""
NOTHING = Answer(None, "no element matches")


@name_parameters
class LocatorAssertions(PagePart):
    """What `expect(locator)` asserts; each waits until it holds, and raises AssertionFailed after `timeout_ms`.

    The page looks when it changes, so an assertion holds as soon as the page does. Those about a single element raise
    AmbiguousSelector when several go on to match. `not_` negates an assertion, as in
    `expect(locator).not_.to_be_visible()`; Playwright's `not_to_be_visible` is there, too. A locator without any
    element neither has a text nor lacks it.

    All raise SelectorInvalid, OptionInvalid, and SessionLost when the page closes.
    """

    def __init__(self, locator: Locator, terms: Terms = USUAL, *, subject: str = "") -> None:
        super().__init__(locator._parts)
        self._locator = locator
        self._terms = terms
        self._subject = subject or f"expect({locator!r})"

    def __repr__(self) -> str:
        return f"LocatorAssertions({self._locator!r})"

    @property
    def not_(self) -> LocatorAssertions:
        """The same assertions, negated."""
        return type(self)(self._locator, self._terms._replace(negated=not self._terms.negated), subject=self._subject)

    # -- states --------------------------------------------------------------------------------------

    async def to_be_attached(self, *, attached: bool = True, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert that an element matches, rendered or not.

        Args:
            attached: False asserts that none matches.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        await self._counted("to_be_attached", lambda count: (count > 0) == attached, "attached", attached, timeout_ms)

    async def to_be_visible(self, *, visible: bool = True, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert that the element is rendered.

        Args:
            visible: False asserts that it is not, or that nothing matches.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        await self._shown("to_be_visible", visible, timeout_ms)

    async def to_be_hidden(self, *, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert that the element is not rendered, or that nothing matches."""
        await self._shown("to_be_hidden", False, timeout_ms)

    async def to_be_enabled(self, *, enabled: bool = True, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert that the element, and all that it is part of, is not disabled.

        Args:
            enabled: False asserts that it is disabled.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        await self._is("to_be_enabled", "enabled", enabled, ("disabled", "enabled"), timeout_ms)

    async def to_be_disabled(self, *, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert that the element, or anything that it is part of, is disabled."""
        await self._is("to_be_disabled", "enabled", False, ("disabled", "enabled"), timeout_ms)

    async def to_be_editable(self, *, editable: bool = True, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert that a field is neither disabled nor read-only.

        Args:
            editable: False asserts that it is one of them.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        await self._is("to_be_editable", "editable", editable, ("not editable", "editable"), timeout_ms)

    async def to_be_focused(self, *, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert that the element has the focus of its document."""
        await self._is("to_be_focused", "focused", True, ("not focused", "focused"), timeout_ms)

    async def to_be_empty(self, *, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert that a field has no value, or that another element has no text."""
        await self._is("to_be_empty", "filled", False, ("empty", "not empty"), timeout_ms)

    async def to_be_checked(
        self, *, checked: bool = True, indeterminate: bool = False, timeout_ms: float | None = EXPECT_MS
    ) -> None:
        """Assert that a checkbox, radio button or switch is checked, or not, or mixed.

        Args:
            checked: False asserts that it is not checked.
            indeterminate: Whether it is asserted to be mixed.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        wanted = "mixed" if indeterminate else "on" if checked else "off"
        names = {"on": "checked", "off": "not checked", "mixed": "mixed"}
        await self._one("to_be_checked", "state", lambda state: state == wanted, names[wanted], timeout_ms, names.get)

    async def to_be_in_viewport(self, *, ratio: float | None = None, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert that a part of the element is in the viewport.

        Args:
            ratio: The share of its area that is in it at least; by default any.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        if ratio is not None and not 0 < ratio <= 1:
            raise OptionInvalid(f"to_be_in_viewport takes a ratio above 0 and at most 1, not {ratio!r}", option="ratio")

        def test(reading: Reading) -> Answer:
            if not reading.count:
                return Answer(False, "no element matches")
            share = reading.values[0]
            return Answer(share > 0 if ratio is None else share >= ratio, f"{share:.0%} in the viewport")

        expected = "in the viewport" if ratio is None else f"at least {ratio:.0%} in the viewport"
        await self._until("to_be_in_viewport", "in_view", test, expected, timeout_ms)

    # -- texts ---------------------------------------------------------------------------------------

    async def to_have_text(
        self,
        expected: ExpectedTexts,
        *,
        ignore_case: bool | None = None,
        use_inner_text: bool = False,
        timeout_ms: float | None = EXPECT_MS,
    ) -> None:
        """Assert the text of the element.

        White space counts as one space. A compiled regular expression is searched in the text as it is.

        Args:
            expected: The text or a compiled regular expression; a list asserts the texts of all elements that match, in
                their order.
            ignore_case: Whether case does not count.
            use_inner_text: Whether only the text that is rendered counts; by default all there is in the element does.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        what: What = "text" if use_inner_text else "whole"
        await self._texts("to_have_text", what, expected, Comparison(ignore_case=ignore_case), timeout_ms)

    async def to_contain_text(
        self,
        expected: ExpectedTexts,
        *,
        ignore_case: bool | None = None,
        use_inner_text: bool = False,
        timeout_ms: float | None = EXPECT_MS,
    ) -> None:
        """Assert a part of the text of the element.

        Args:
            expected: The part or a compiled regular expression; a list asserts that elements with these come in this
                order.
            ignore_case: Whether case does not count.
            use_inner_text: Whether only the text that is rendered counts.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        what: What = "text" if use_inner_text else "whole"
        await self._texts("to_contain_text", what, expected, Comparison(False, ignore_case), timeout_ms)

    async def to_have_value(self, value: TextOrPattern, *, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert the value of a field.

        One that hides its text never shows it; assert `not_.to_be_empty` there.

        Args:
            value: The value, or a compiled regular expression.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        await self._text("to_have_value", "value", value, Comparison(collapsed=False), timeout_ms)

    async def to_have_values(self, values: Sequence[TextOrPattern], *, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert the chosen values of a select with the attribute multiple.

        Args:
            values: The values, in the order of the options.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        wanted = [checked_text(each, "to_have_values", "values") for each in values]
        how = Comparison(collapsed=False)
        await self._one("to_have_values", "values", lambda read: say_all(read, wanted, how), shown(wanted), timeout_ms)

    async def to_have_attribute(
        self,
        name: str,
        value: TextOrPattern | None = None,
        *,
        ignore_case: bool | None = None,
        timeout_ms: float | None = EXPECT_MS,
    ) -> None:
        """Assert that the element has an attribute.

        Args:
            name: The name of the attribute.
            value: Its value, or a compiled regular expression; by default any.
            ignore_case: Whether case does not count.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        how = Comparison(ignore_case=ignore_case, collapsed=False)
        if value is not None:
            await self._text("to_have_attribute", "attribute", value, how, timeout_ms, name)
            return

        def test(reading: Reading) -> Answer:
            return _single(reading) or Answer(reading.values[0] is not None, repr(reading.values[0]))

        await self._until("to_have_attribute", "attribute", test, f"the attribute {name!r}", timeout_ms, name)

    async def to_have_id(self, id: TextOrPattern, *, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert the attribute `id` of the element.

        Args:
            id: The id, or a compiled regular expression.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        await self._text("to_have_id", "attribute", id, Comparison(collapsed=False), timeout_ms, "id")

    async def to_have_class(self, expected: ExpectedTexts, *, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert the whole attribute `class`.

        Args:
            expected: The classes, or a compiled regular expression; a list asserts those of each element that matches.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        await self._texts("to_have_class", "classes", expected, Comparison(), timeout_ms)

    async def to_contain_class(self, expected: str | Sequence[str], *, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert that the element has some classes, whatever else it has.

        Args:
            expected: The classes; a list asserts those of each element that matches.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        wanted = [expected] if isinstance(expected, str) else list(expected)
        if not all(isinstance(each, str) for each in wanted):
            raise OptionInvalid(
                f"to_contain_class takes class names, not {expected!r}; to_have_class takes expressions",
                option="expected",
            )
        several = not isinstance(expected, str)

        def test(reading: Reading) -> Answer:
            if not several and (early := _single(reading)):
                return early
            read = list(reading.values)
            holds = len(read) == len(wanted) and all(map(classes_say, read, wanted))
            return Answer(holds, shown(read if several else read[0]))

        await self._until("to_contain_class", "classes", test, shown(expected), timeout_ms, single=not several)

    async def to_have_css(self, name: str, value: TextOrPattern, *, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert a computed style of the element: `to_have_css("display", "flex")`.

        Args:
            name: The name of the property.
            value: Its value, or a compiled regular expression.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        await self._text("to_have_css", "style", value, Comparison(collapsed=False), timeout_ms, name)

    async def to_have_role(self, role: str, *, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert the ARIA role of the element.

        Args:
            role: The role.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        await self._text("to_have_role", "role", role, Comparison(), timeout_ms)

    async def to_have_accessible_name(
        self, name: TextOrPattern, *, ignore_case: bool | None = None, timeout_ms: float | None = EXPECT_MS
    ) -> None:
        """Assert the name that assistive technology gives the element, as it is shown or as the document has it.

        Args:
            name: The name, or a compiled regular expression.
            ignore_case: Whether case does not count.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        call, how = "to_have_accessible_name", Comparison(ignore_case=ignore_case)
        wanted = self._redacted(checked_text(name, call, "name"))

        def holds(names: Sequence[str]) -> bool:
            return any(says(each, wanted, how) for each in names)

        await self._one(call, "name", holds, shown(wanted), timeout_ms, lambda names: shown(names[0]))

    async def to_have_accessible_description(
        self, description: TextOrPattern, *, ignore_case: bool | None = None, timeout_ms: float | None = EXPECT_MS
    ) -> None:
        """Assert the description that assistive technology gives the element.

        Args:
            description: The description, or a compiled regular expression.
            ignore_case: Whether case does not count.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        how = Comparison(ignore_case=ignore_case)
        await self._text("to_have_accessible_description", "description", description, how, timeout_ms)

    async def to_have_accessible_error_message(
        self, error_message: TextOrPattern, *, ignore_case: bool | None = None, timeout_ms: float | None = EXPECT_MS
    ) -> None:
        """Assert the text that `aria-errormessage` of an invalid element names.

        Args:
            error_message: The text, or a compiled regular expression.
            ignore_case: Whether case does not count.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        how = Comparison(ignore_case=ignore_case)
        await self._text("to_have_accessible_error_message", "error", error_message, how, timeout_ms)

    # -- all of them ---------------------------------------------------------------------------------

    async def to_have_count(self, count: int, *, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert how many elements match.

        Args:
            count: The number of elements.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise OptionInvalid(f"to_have_count takes a number of elements, not {count!r}", option="count")
        await self._counted("to_have_count", lambda found: found == count, f"{count} elements", True, timeout_ms)

    async def to_match_aria_snapshot(self, expected: str, *, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert what assistive technology shows of the element, as a template in YAML: see `assertions.aria`.

        Args:
            expected: The template, which may leave out nodes, names and states.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
            OptionInvalid: A line of the template does not parse.
        """
        template = aria.parse(expected)

        def test(reading: Reading) -> Answer:
            if early := _single(reading):
                return early
            tree = aria.tree_of(reading.values[0])
            return Answer(aria.is_in(template, tree), _indented(aria.written(tree)))

        await self._until("to_match_aria_snapshot", "aria", test, _indented(expected), timeout_ms)

    async def to_have_js_property(self, name: str, value: Any, *, timeout_ms: float | None = EXPECT_MS) -> None:
        """Assert a property of the element in the page's own world, such as what a framework sets.

        Nothing announces that a script sets a property, so the page is asked again every 100 ms.

        Args:
            name: The name of the property.
            value: Its value.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        __tracebackhide__ = True
        deadline = Deadline(seconds_of(limit(timeout_ms)))
        answer = Answer(None, "nothing was read")
        while True:
            try:
                left_ms = max(deadline.left_s, ANSWER_S) * 1000
                read = await self._locator.evaluate("(element, name) => element[name]", name, timeout_ms=left_ms)
                answer = Answer(read == value, repr(read))
            except (ElementNotFound, ElementDetached):
                answer = NOTHING
            if answer.holds is not None and answer.holds != self._terms.negated:
                return
            if not deadline.left_s:
                break
            await sleep(min(LOOK_S, deadline.left_s))
        claim = Claim(self._subject, "to_have_js_property", f"{name} = {value!r}")
        fail(self._parts, claim, answer, Reading(), deadline, self._terms)

    async def to_have_screenshot(
        self,
        name: str,
        *,
        mask: Sequence[str | Locator] = (),
        timeout_ms: float | None = EXPECT_MS,
        **tolerance: Unpack[ToleranceKeywords],
    ) -> None:
        """Assert that the element looks as in the screenshot of a name; see `PageAssertions.to_have_screenshot`.

        Args:
            name: The name of the screenshot, `cart.png`.
            mask: What is covered: selectors or locators.
            timeout_ms: How long to wait, in ms: 5,000 unless `expect.set_options` changes it; None for no limit.
            **tolerance: What may differ: `max_diff_pixels`, `max_diff_pixel_ratio` and `threshold` (0.2).

        Raises:
            AssertionFailed: It does not hold within `timeout_ms`.
        """
        __tracebackhide__ = True
        deadline, allowed = Deadline(seconds_of(limit(timeout_ms))), tolerance_of(tolerance)

        async def take() -> bytes:
            return await self._locator.screenshot(mask=mask, animations="disabled", caret="hide", scale="css")

        claim = Claim(self._subject, "to_have_screenshot", name)
        await assert_looks(self._parts, claim, name, take, allowed, deadline, self._terms)

    # -- the same, negated, under Playwright's names ---------------------------------------------

    not_to_be_attached = negated(to_be_attached)
    not_to_be_visible = negated(to_be_visible)
    not_to_be_hidden = negated(to_be_hidden)
    not_to_be_enabled = negated(to_be_enabled)
    not_to_be_disabled = negated(to_be_disabled)
    not_to_be_editable = negated(to_be_editable)
    not_to_be_focused = negated(to_be_focused)
    not_to_be_empty = negated(to_be_empty)
    not_to_be_checked = negated(to_be_checked)
    not_to_be_in_viewport = negated(to_be_in_viewport)
    not_to_have_text = negated(to_have_text)
    not_to_contain_text = negated(to_contain_text)
    not_to_have_value = negated(to_have_value)
    not_to_have_values = negated(to_have_values)
    not_to_have_attribute = negated(to_have_attribute)
    not_to_have_id = negated(to_have_id)
    not_to_have_class = negated(to_have_class)
    not_to_contain_class = negated(to_contain_class)
    not_to_have_css = negated(to_have_css)
    not_to_have_role = negated(to_have_role)
    not_to_have_accessible_name = negated(to_have_accessible_name)
    not_to_have_accessible_description = negated(to_have_accessible_description)
    not_to_have_accessible_error_message = negated(to_have_accessible_error_message)
    not_to_have_count = negated(to_have_count)
    not_to_match_aria_snapshot = negated(to_match_aria_snapshot)
    not_to_have_screenshot = negated(to_have_screenshot)
    not_to_have_js_property = negated(to_have_js_property)

    # -- how -----------------------------------------------------------------------------------------

    async def _shown(self, call: str, visible: bool, timeout_ms: float | None) -> None:
        def test(reading: Reading) -> Answer:
            is_visible = reading.count > 0 and reading.values[0]
            was = "no element matches" if not reading.count else "visible" if is_visible else "not rendered"
            return Answer(is_visible == visible, was)

        await self._until(call, "visible", test, "visible" if visible else "hidden", timeout_ms)

    async def _counted(
        self, call: str, holds: Callable[[int], bool], expected: str, positive: bool, timeout_ms: float | None
    ) -> None:
        def test(reading: Reading) -> Answer:
            return Answer(holds(reading.count), f"{reading.count} elements match")

        wanted = expected if positive else f"not {expected}"
        await self._until(call, "count", test, wanted, timeout_ms, single=False)

    async def _is(self, call: str, what: What, wanted: bool, names: tuple[str, str], timeout_ms: float | None) -> None:
        await self._one(call, what, lambda read: read == wanted, names[wanted], timeout_ms, lambda read: names[read])

    async def _one(
        self,
        call: str,
        what: What,
        holds: Callable[[Any], bool],
        expected: str,
        timeout_ms: float | None,
        named: Callable[[Any], Any] = shown,
        name: str = "",
    ) -> None:
        """Assert something of what is read from the only element."""

        def test(reading: Reading) -> Answer:
            return _single(reading) or Answer(holds(reading.values[0]), str(named(reading.values[0])))

        await self._until(call, what, test, expected, timeout_ms, name)

    async def _text(
        self, call: str, what: What, expected: TextOrPattern, how: Comparison, timeout_ms: float | None, name: str = ""
    ) -> None:
        wanted = self._redacted(checked_text(expected, call, "expected"))
        await self._one(call, what, lambda read: says(read, wanted, how), shown(wanted), timeout_ms, name=name)

    async def _texts(
        self, call: str, what: What, expected: ExpectedTexts, how: Comparison, timeout_ms: float | None
    ) -> None:
        wanted = checked_texts(expected, call, "expected")
        if isinstance(wanted, str | re.Pattern):
            await self._text(call, what, wanted, how, timeout_ms)
            return
        texts = [self._redacted(each) for each in wanted]

        def test(reading: Reading) -> Answer:
            return Answer(say_all(reading.values, texts, how), shown(reading.values))

        await self._until(call, what, test, shown(texts), timeout_ms, single=False)

    def _redacted(self, text: TextOrPattern) -> TextOrPattern:
        """Return a text with the secrets of the context replaced, as they are in what is read."""
        if isinstance(text, re.Pattern):
            return text
        redacted: str = self._tab.context.redaction.redact(text)
        return redacted

    async def _until(
        self,
        call: str,
        what: What,
        test: Callable[[Reading], Answer],
        expected: str,
        timeout_ms: float | None,
        name: str = "",
        *,
        single: bool = True,
    ) -> None:
        __tracebackhide__ = True
        claim = Claim(self._subject, call, expected)
        await self._watched(what, test, claim, name, single, timeout_ms=limit(timeout_ms))

    @page_call
    async def _watched(
        self,
        what: What,
        test: Callable[[Reading], Answer],
        claim: Claim,
        name: str,
        single: bool,
        *,
        timeout_ms: float | None = EXPECT_MS,
    ) -> None:
        __tracebackhide__ = True
        deadline = Deadline(seconds_of(timeout_ms))
        observed = readings(self._tab, self._locator._selector, what, name, deadline)
        held, answer, reading = await until(observed, test, negated=self._terms.negated, single=single)
        if not held:
            fail(self._parts, claim, answer, reading, deadline, self._terms)


def _indented(text: str) -> str:
    return "".join(f"\n      {line}" for line in text.strip("\n").splitlines())


def _single(reading: Reading) -> Answer | None:
    """Return the answer for a reading without an element or without a value; None if there is one to test."""
    if not reading.count:
        return NOTHING
    return Answer(None, "it has no such value") if reading.values[0] is None and reading.note else None
