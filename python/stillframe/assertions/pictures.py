"""Assert that a page or an element looks as in a screenshot that was kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from stillframe.assertions.places import PLACES
from stillframe.assertions.screenshots import Comparison, Tolerance, compare
from stillframe.assertions.waiting import Answer, Claim, Terms, fail
from stillframe.cdp.loop_clock import sleep
from stillframe.errors import OptionInvalid
from stillframe.tab.reading.readings import Reading

if TYPE_CHECKING:
    from stillframe.engine.page_parts import PageParts
    from stillframe.tab.deadline import Deadline

LOOK_S = 0.1
"""Seconds between two screenshots of a page that does not look as expected yet."""
THRESHOLD = 0.2
"""The distance of colours that counts as none, as with Playwright: smoothed edges differ by less."""

Take = Callable[[], Awaitable[bytes]]


class ToleranceKeywords(TypedDict, total=False):
    """What may differ from the expected screenshot: a number of pixels, a share of them, and a distance of colours."""

    max_diff_pixels: int
    max_diff_pixel_ratio: float
    threshold: float


def tolerance_of(given: ToleranceKeywords) -> Tolerance:
    """Return what may differ; raises OptionInvalid."""
    for name, most in (("max_diff_pixels", float("inf")), ("max_diff_pixel_ratio", 1.0), ("threshold", 1.0)):
        value = given.get(name)
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most
        ):
            raise OptionInvalid(f"to_have_screenshot takes a {name} from 0 to {most:g}, not {value!r}", option=name)
    if unknown := set(given) - set(ToleranceKeywords.__annotations__):
        raise OptionInvalid(f"to_have_screenshot takes no {min(unknown)!r}", option=min(unknown))
    return Tolerance(given.get("max_diff_pixels"), given.get("max_diff_pixel_ratio"), given.get("threshold", THRESHOLD))


async def assert_looks(
    parts: PageParts, claim: Claim, name: str, take: Take, tolerance: Tolerance, deadline: Deadline, terms: Terms
) -> None:
    """Assert that a picture matches the file of a name; a missing file is written, and the assertion fails."""
    __tracebackhide__ = True
    path = _path_of(name)
    expected = _read(path)
    if terms.negated:
        await _assert_differs(parts, claim, path, take, tolerance, deadline, terms)
        return
    if PLACES.update or expected is None:
        _write(path, await _still(take, deadline))
        if not PLACES.update:
            answer = Answer(
                False, "there is no such screenshot yet; it has been written now: look at it and run the test again"
            )
            fail(parts, claim, answer, Reading(), deadline, terms)
        return
    while True:
        picture = await take()
        found = compare(expected, picture, tolerance.threshold)
        if tolerance.allows(found):
            return
        if not deadline.left_s:
            break
        await sleep(min(LOOK_S, deadline.left_s))
    kept = _keep(path, picture, found)
    fail(parts, claim, Answer(False, f"{found}; see {kept}"), Reading(), deadline, terms)


async def _assert_differs(
    parts: PageParts, claim: Claim, path: Path, take: Take, tolerance: Tolerance, deadline: Deadline, terms: Terms
) -> None:
    __tracebackhide__ = True
    expected = _read(path)
    while expected is not None:
        found = compare(expected, await take(), tolerance.threshold)
        if not tolerance.allows(found):
            return
        if not deadline.left_s:
            fail(parts, claim, Answer(True, str(found)), Reading(), deadline, terms)
            return
        await sleep(min(LOOK_S, deadline.left_s))


async def _still(take: Take, deadline: Deadline) -> bytes:
    """Return a picture that is taken twice in a row; the last one when the time is up."""
    last, picture = b"", await take()
    while picture != last and deadline.left_s:
        await sleep(min(LOOK_S, deadline.left_s))
        last, picture = picture, await take()
    return picture


def _path_of(name: str) -> Path:
    if not isinstance(name, str) or not name.endswith(".png") or Path(name).is_absolute() or ".." in Path(name).parts:
        raise OptionInvalid(
            f"to_have_screenshot takes the name of a PNG file, such as 'cart.png', not {name!r}", option="name"
        )
    return PLACES.screenshots / name


def _keep(path: Path, picture: bytes, found: Comparison) -> Path:
    """Write what was there, and what differs, for people to look at; return the path of the latter."""
    folder = PLACES.failures or path.parent
    _write(folder / f"{path.stem}-actual.png", picture)
    difference = folder / f"{path.stem}-diff.png"
    _write(difference, found.picture)
    return difference


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
