"""What a waitForElement step of a user flow waits for, as waits for the state of a selector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from stillframe.errors import ActionInvalid
from stillframe.extend.syntax import Css, parse
from stillframe.recorder.devtools_selectors import css_string, parses, quoted

if TYPE_CHECKING:
    from stillframe.recorder.devtools_steps import WaitForElementStep


class Wait(NamedTuple):
    """A state to wait for, and the selectors of its element, best first."""

    state: Literal["attached", "detached"]
    selectors: list[str]


def waits(step: WaitForElementStep, selectors: Sequence[str]) -> list[Wait]:
    """Return the waits that a step means; raises ActionInvalid if its condition cannot be waited for."""
    having = _having(step, selectors)
    return [Wait(state, [_nth(each, index) for each in having]) for state, index in _states(step)]


def _states(step: WaitForElementStep) -> Iterator[tuple[Literal["attached", "detached"], int]]:
    """Yield whether there must be a match with this index, counted from 0."""
    count = step.count
    match step.operator, step.visible:
        case (">=", True) if count:
            yield "attached", count - 1
        case (">=", False) if count:
            yield "detached", count - 1
        case "<=", visible:
            yield "detached" if visible else "attached", count
        case "==", True:
            if count:
                yield "attached", count - 1
            yield "detached", count
        case "==", False if count <= 1:
            # "Not one" is what people write who wait until the one element has gone.
            yield "detached" if count else "attached", 0
        case _, False:
            raise ActionInvalid(f"a count {step.operator} {count} that is not visible cannot be waited for: use <=")


def _having(step: WaitForElementStep, selectors: Sequence[str]) -> list[str]:
    """Return the selectors with the attributes and the text that the element must have."""
    properties = dict(step.properties or {})
    texts = [properties.pop(name) for name in ("innerText", "textContent") if name in properties]
    if properties or not all(isinstance(text, str) and text.strip() for text in texts):
        name = next(iter(properties), "innerText")
        raise ActionInvalid(f"the property {name!r} cannot be waited for: remove it, or wait for a text")
    attributes = "".join(f"[{name}={css_string(value)}]" for name, value in (step.attributes or {}).items())
    having = [f"{each}{attributes}" for each in selectors if not attributes or _ends_in_css(each)]
    having = [each for each in having if parses(each)]
    if not having:
        raise ActionInvalid("attributes can be waited for only with a CSS selector: add one")
    return [" >> ".join([each, *(f"has-text={quoted(text)}" for text in texts)]) for each in having]


def _ends_in_css(selector: str) -> bool:
    target = parse(selector).target
    return isinstance(target, Css) and len(target.parts) == 1


def _nth(selector: str, index: int) -> str:
    return f"{selector} >> nth={index}" if index else selector
