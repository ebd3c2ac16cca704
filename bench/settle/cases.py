"""Cases are read from the pages: each holds its truth in `<script type="application/json" id="truth">`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from bench.settle.lanes import HORIZON_MS, Act, Case

PAGES = Path(__file__).parent / "pages"
SETS = ("base", "hostile")
_BLOCK = re.compile(r"<script\b(?=[^>]*\bid=[\"']?truth\b)[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)

Milliseconds = Annotated[float, msgspec.Meta(ge=0, le=60_000)]
Text = Annotated[str, msgspec.Meta(min_length=1)]
NEEDS = {"type": "value", "key": "value", "navigate": "value", "click": "selector", "hover": "selector"}
"""The field without which an action of a kind can do nothing."""


class TruthInvalid(ValueError):
    """A page whose truth cannot be used; the message names the file and the field."""


class Truth(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a page may say of itself: the fields of `Case` that its name and place do not decide."""

    why: Text
    action: Act = Act()
    ends_ms: Milliseconds = 0
    external_ms: Milliseconds = 0
    marks: tuple[Text, ...] = ()
    warm_ms: Milliseconds = 150
    click13: bool = False
    pending: tuple[Text, ...] = ()


def read_truth(source: str, file: str) -> Truth:
    """Return the truth of a page's source; `file` is its name in errors.

    Raises TruthInvalid.
    """
    blocks = _BLOCK.findall(source)
    if len(blocks) != 1:
        found = "no" if not blocks else "more than one"
        raise TruthInvalid(f'{file}: {found} <script type="application/json" id="truth">; a page needs exactly one')
    try:
        truth = msgspec.json.decode(blocks[0], type=Truth)
    except msgspec.ValidationError as error:
        reason, _, path = str(error).partition(" - at `$.")
        field = path.rstrip("`") or "the truth block"
        raise TruthInvalid(f"{file}: {field}: {reason[:1].lower()}{reason[1:]}") from None
    except msgspec.DecodeError as error:
        raise TruthInvalid(f"{file}: the truth block is not JSON: {error}") from None
    _check(truth, file)
    return truth


def _check(truth: Truth, file: str) -> None:
    needed = NEEDS.get(truth.action.kind)
    if needed is not None and not getattr(truth.action, needed):
        raise TruthInvalid(f"{file}: action.{needed}: an action of kind {truth.action.kind} needs one")
    if truth.external_ms > truth.ends_ms:
        raise TruthInvalid(f"{file}: external_ms: it is a part of ends_ms, so it cannot be more than {truth.ends_ms:g}")
    if truth.ends_ms > HORIZON_MS:
        raise TruthInvalid(
            f"{file}: ends_ms: changes beyond the horizon of {HORIZON_MS:g} ms do not count; say in `pending` what "
            "the verdict must name, and give the moment of the last change that does count"
        )
    if truth.ends_ms and not truth.marks:
        raise TruthInvalid(f"{file}: marks: what ends after {truth.ends_ms:g} ms needs a mark to be seen by")
    if len(set(truth.marks)) != len(truth.marks):
        raise TruthInvalid(f"{file}: marks: each text may be there only once")


def read_directory(directory: Path, name: str) -> Iterator[Case]:
    """Yield the cases of a directory of HTML files, by name; raises TruthInvalid, also if there are none."""
    files = sorted(directory.glob("*.html")) if directory.is_dir() else []
    if not files:
        raise TruthInvalid(f"{directory}: no HTML files there; a case is an .html file with a truth block")
    for file in files:
        truth = read_truth(file.read_text(encoding="utf-8"), file.name)
        yield Case(name=file.stem, set=name, page=f"/{name}/{file.name}", **msgspec.structs.asdict(truth))


def read_cases(chosen: str = "all", pages: Path | None = None) -> list[Case]:
    """Return the cases of a set, `base`, `hostile` or `all`, or those of a user's directory."""
    if pages is not None:
        return list(read_directory(pages, "own"))
    names = SETS if chosen == "all" else (chosen,)
    return [case for name in names for case in read_directory(PAGES / name, name)]


def directories(pages: Path | None = None) -> dict[str, Path]:
    """Return which directory the server shows under which name."""
    return {name: PAGES / name for name in SETS} | ({"own": pages} if pages is not None else {})
