"""The docstrings that the reference shows have the sections of Google's style, and these agree with the signatures."""

from __future__ import annotations

import builtins
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple, TypedDict, Unpack

import pytest

import stillframe
import stillframe.agent
import stillframe.extend
import stillframe.sync
import stillframe.testing
from documents import DOCS
from stillframe.errors import all_errors

SHOWN = [
    name
    for path in sorted((DOCS / "reference").glob("api*.md"))
    for name in re.findall(r"^::: stillframe\.(\w+)$", path.read_text("utf-8"), re.MULTILINE)
]
MADE = ("LoopGuard", "Secrets", "Sessions")
"""The classes whose objects callers make, and that say in `Args` what they are made of."""

SEAMS = frozenset(
    {"Deadline", "ElementHandle", "Frame", "PageObserver", "RefTable", "SequenceObserver", "accessible_identity"}
    | {"dialog_error", "is_same", "time_limit", "time_limited"}
)
"""What `extend` shows of lower rooms as it is: their docstrings are for those who work on stillframe."""

SECTIONS = ("Args", "Returns", "Yields", "Raises", "Example")
"""The sections that a docstring may have, in their order."""
WITH_NAMES = ("Args", "Raises")
HEADING = re.compile(r"([A-Z]\w+):")
OTHER_WORDS = re.compile(r"(?:Arguments?|Arg|Param(?:eter)?s?|Returns?|Yields?|Raises?|Examples?|Exceptions?)\b:?")
ENTRY = re.compile(r"    (\*{0,2}[A-Za-z_]\w*): \S")
ERRORS = {
    *(error.__name__ for error in all_errors()),
    *(name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, Exception)),
}


class Section(NamedTuple):
    """A heading, and the lines below it."""

    title: str
    lines: list[str]

    @property
    def names(self) -> list[str]:
        return [match[1] for match in map(ENTRY.match, self.lines) if match]


def split(text: str) -> tuple[list[str], list[Section]]:
    """Return the lines before the first section, and the sections."""
    before: list[str] = []
    sections: list[Section] = []
    for line in text.splitlines():
        heading = HEADING.fullmatch(line)
        if heading and heading[1] in SECTIONS:
            sections.append(Section(heading[1], []))
        elif sections:
            sections[-1].lines.append(line)
        else:
            before.append(line)
    return before, sections


def problems_of_sections(text: str) -> Iterator[str]:
    """Yield what keeps a reader of sections from understanding a docstring."""
    before, sections = split(text)
    for line in text.splitlines():
        if OTHER_WORDS.fullmatch(line) and line.rstrip(":") not in SECTIONS:
            yield f"the heading {line!r} is not one of {', '.join(SECTIONS)}"
        elif line in SECTIONS:
            yield f"the heading {line!r} needs a colon"
    titles = [section.title for section in sections]
    if titles != sorted(set(titles), key=SECTIONS.index):
        yield f"the sections are {', '.join(titles)}: each stands once, in the order {', '.join(SECTIONS)}"
    for above, section in zip([before, *(each.lines for each in sections)], sections, strict=False):
        if not above or above[-1]:
            yield f"an empty line is missing before {section.title}"
        yield from problems_of_lines(section)


def problems_of_lines(section: Section) -> Iterator[str]:
    lines = [line for line in section.lines if line]
    if not lines:
        yield f"{section.title} is empty"
    for number, line in enumerate(lines):
        if not line.startswith("    "):
            yield f"{section.title}: {line!r} has no indent"
        elif section.title in WITH_NAMES and not (line.startswith(" " * 8) and number) and not ENTRY.match(line):
            yield f"{section.title}: {line!r} is neither `name: text` nor the rest of one"


def problems(function: Callable[..., Any], text: str, *, needs_args: bool = True) -> Iterator[str]:
    """Yield what is wrong with the docstring of a function."""
    yield from problems_of_sections(text)
    before, sections = split(text)
    found = {section.title: section for section in sections}
    names = parameters(function)
    if "Args" in found:
        yield from problems_of_args(found["Args"].names, names, keywords(function))
    elif needs_args and len(names) >= 2:
        yield f"Args is missing: {', '.join(names)}"
    raised = found["Raises"].names if "Raises" in found else []
    yield from (f"Raises names {name}, which is not an error" for name in raised if name not in ERRORS)
    told = re.findall(r"\b[Rr]aises (?:an? )?([A-Z]\w+)", " ".join(before))
    yield from (f"Raises lacks {name}, which the text names" for name in told if name in ERRORS - {*raised})


def problems_of_args(given: list[str], names: list[str], fields: frozenset[str]) -> Iterator[str]:
    own = [name for name in given if name not in fields]
    yield from (f"Args names {name}, which is not a parameter" for name in own if name not in names)
    yield from (f"Args lacks {name}" for name in names if name not in given)
    if set(own) == set(names) and own != names:
        yield f"Args has another order than the signature: {', '.join(names)}"


def parameters(function: Callable[..., Any]) -> list[str]:
    """Return the parameters of a function but `self`, with their stars."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    found = inspect.signature(function).parameters.values()
    return [stars.get(each.kind, "") + each.name for each in found if each.name not in ("self", "cls")]


def keywords(function: Callable[..., Any]) -> frozenset[str]:
    """Return the keys of the TypedDict that the signature unpacks."""
    inner = inspect.unwrap(function)
    for each in inspect.signature(inner).parameters.values():
        if match := re.fullmatch(r"Unpack\[(\w+)\]", str(each.annotation)):
            return frozenset(inner.__globals__[match[1]].__annotations__)
    return frozenset()


def functions(cls: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public methods of a class that are written in Python, those of its bases in stillframe included.

    A method that another package defines, such as that of a model of pydantic-ai, has its documentation there.
    """
    bases = [base for base in cls.__mro__ if not base.__module__.startswith("stillframe") and base is not object]
    theirs = {name for base in bases for name in vars(base)}
    for name in dir(cls):
        value = inspect.getattr_static(cls, name)
        value = value.__func__ if isinstance(value, staticmethod | classmethod) else value
        if inspect.isfunction(value) and not name.startswith("_") and name not in theirs:
            yield name, value


def problems_of_public(name: str, value: Any) -> Iterator[str]:
    """Yield what is wrong with the docstrings of a public function, or of a class and its methods."""
    if inspect.isfunction(value):
        yield from (f"{name}: {problem}" for problem in problems(value, inspect.getdoc(value) or ""))
    if not inspect.isclass(value):
        return
    text = inspect.getdoc(value) or ""
    if "__init__" in vars(value) and (name in MADE or "\nArgs:\n" in text):
        yield from (f"{name}: {problem}" for problem in problems(value.__init__, text))
    else:
        yield from (f"{name}: {problem}" for problem in problems_of_sections(text))
    for method, function in functions(value):
        # `invalid = staticmethod(_invalid)` of Structs, and the opposite of an assertion, which has its parameters.
        needs_args = not function.__name__.startswith("_") and not method.startswith("not_to_")
        found = problems(function, inspect.getdoc(function) or "", needs_args=needs_args)
        yield from (f"{name}.{method}: {problem}" for problem in found)


@pytest.mark.parametrize("name", SHOWN)
def test_what_the_reference_shows_is_described_in_sections(name: str) -> None:
    assert list(problems_of_public(name, getattr(stillframe, name))) == []


@pytest.mark.parametrize("module", [stillframe.agent, stillframe.extend, stillframe.sync, stillframe.testing])
def test_what_another_door_offers_is_described_in_sections(module: ModuleType) -> None:
    found = (problems_of_public(name, getattr(module, name)) for name in module.__all__ if name not in SEAMS)
    assert [problem for each in found for problem in each] == []


def test_what_is_left_out_is_there() -> None:
    assert set(stillframe.extend.__all__) >= SEAMS
    assert {*stillframe.__all__, *stillframe.sync.__all__} >= {*SHOWN, *MADE}


# -- what is wrong is found ----------------------------------------------------------------------


class Options(TypedDict, total=False):
    """Options of a call."""

    colour: str


def call(selector: str, *, times: int = 1, **options: Unpack[Options]) -> None:
    raise NotImplementedError


RIGHT = """\
    Press a key.

    It says more: about `times`.

    Args:
        selector: What to press,
            and the rest of it.
        times: How often.
        **options: The fields of `Options`.
        colour: One of those.

    Returns:
        What changed: a text
        of two lines.

    Raises:
        ElementNotFound: Nothing matches.
        OSError: The file cannot be read.

    Example:
        press("#a")
    """


def of(old: str, new: str) -> list[str]:
    """Return the problems of the right docstring with another part."""
    assert old in RIGHT
    return list(problems(call, textwrap.dedent(RIGHT.replace(old, new))))


def test_a_right_docstring_has_no_problem() -> None:
    assert of("Press", "Press") == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("        times: How often.\n", "", "Args lacks times"),
        ("        **options: The fields of `Options`.\n", "", "Args lacks **options"),
        ("times:", "time:", "Args names time, which is not a parameter"),
        ("colour:", "color:", "Args names color, which is not a parameter"),
        ("times: How often.", "times:", "Args: '    times:' is neither `name: text` nor the rest of one"),
        (
            "    and the rest",
            "and the rest",
            "Args: '    and the rest of it.' is neither `name: text` nor the rest of one",
        ),
        ("Args:", "Arguments:", "the heading 'Arguments:' is not one of Args, Returns, Yields, Raises, Example"),
        ("Raises:", "Raise:", "the heading 'Raise:' is not one of Args, Returns, Yields, Raises, Example"),
        ("Example:", "Examples:", "the heading 'Examples:' is not one of Args, Returns, Yields, Raises, Example"),
        ("Returns:", "Returns", "the heading 'Returns' needs a colon"),
        ("\n    Raises:", "    Raises:", "an empty line is missing before Raises"),
        ("        press(", "    press(", "Example: 'press(\"#a\")' has no indent"),
        ('        press("#a")\n', "", "Example is empty"),
        ("Example:", "Returns:", "the sections are Args, Returns, Raises, Returns: each stands once"),
        ("Returns:", "Example:", "the sections are Args, Example, Raises, Example: each stands once"),
        ("ElementNotFound:", "ElementMissing:", "Raises names ElementMissing, which is not an error"),
        ("Press a key.", "Press a key; raises WaitTimeout.", "Raises lacks WaitTimeout, which the text names"),
        ("It says more:", "Raises a WaitTimeout:", "Raises lacks WaitTimeout, which the text names"),
    ],
)
def test_a_planted_mistake_is_found(old: str, new: str, problem: str) -> None:
    assert any(found.startswith(problem) for found in of(old, new)), of(old, new)


def test_another_order_than_that_of_the_signature_is_found() -> None:
    text = "Press.\n\nArgs:\n    times: How often.\n    selector: What.\n    **options: How.\n"
    assert list(problems(call, text)) == [
        "Args has another order than the signature: selector, times, **options",
    ]


def test_a_call_of_several_parameters_without_args_is_found() -> None:
    assert list(problems(call, "Press a key.")) == ["Args is missing: selector, times, **options"]


def test_a_call_of_one_parameter_needs_none() -> None:
    def one(self: object, selector: str) -> None:
        raise NotImplementedError

    assert list(problems(one, "Press a key.")) == []


def test_a_class_and_its_methods_are_gone_through() -> None:
    class Sessions:
        """Args are missing here."""

        def __init__(self, limit: int, *, mode: str) -> None:
            raise NotImplementedError

    Sessions.__module__ = "stillframe.example"
    assert list(problems_of_public("Sessions", Sessions)) == ["Sessions: Args is missing: limit, mode"]


def test_methods_that_a_class_inherits_are_gone_through() -> None:
    assert {"click", "goto", "route", "on"} <= {name for name, _ in functions(stillframe.Page)}
