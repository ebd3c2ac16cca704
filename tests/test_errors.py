"""Every error of the tree travels: through pickle, copy and a process pool, and as the built-in error it also is."""

from __future__ import annotations

import asyncio
import copy
import importlib
import inspect
import json
import pickle
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

import stillframe
from stillframe import errors
from stillframe.errors import CommandTimeout, ConnectionLost, StillframeError, WaitTimeout
from stillframe.tab.deadline import Deadline


def plausible(kind: Any, name: str) -> Any:
    """Return an argument of a type, different for each name."""
    if get_origin(kind) is Literal:
        return get_args(kind)[-1]
    by_kind = {
        "str": f"the {name}",
        "str | None": f"the {name}",
        "int": len(name) + 2,
        "int | None": len(name) + 2,
        "float": len(name) / 4,
        "float | None": len(name) / 4,
        "bool": True,
        "bool | None": True,
        "collections.abc.Sequence[tuple[str, str]]": ((f"first {name}", "device"), (f"second {name}", "offline")),
        "bytes": name.encode(),
        "collections.abc.Sequence[str]": (f"first {name}", f"second {name}"),
        "typing.Any": {name: [1, None, "two"]},
        "dict[str, typing.Any] | None": {name: [1, None, "two"]},
    }
    shown = re.sub(r"<class '(.+)'>", r"\1", str(kind))
    assert shown in by_kind, f"add a plausible value of {shown}, which {name} takes"
    return by_kind[shown]


def made(cls: type[StillframeError]) -> StillframeError:
    """Build an error with a value for each of its parameters, the optional ones included."""
    init = inspect.unwrap(cls.__init__)
    if not inspect.isfunction(init):  # inherited from Exception
        return cls("what went wrong")
    hints = get_type_hints(init)
    positional, keyword = [], {}
    for name, parameter in list(inspect.signature(init).parameters.items())[1:]:
        value = plausible(hints[name], name)
        match parameter.kind:
            case inspect.Parameter.KEYWORD_ONLY:
                keyword[name] = value
            case inspect.Parameter.VAR_KEYWORD:
                keyword["detail"] = value
            case _:
                positional.append(value)
    return cls(*positional, **keyword)


def tree(cls: type[StillframeError] = StillframeError) -> Iterator[type[StillframeError]]:
    yield cls
    for below in cls.__subclasses__():
        yield from tree(below)


def import_everything() -> None:
    """Import all modules, since some define errors of their own below the tree."""
    for module in pkgutil.walk_packages(stillframe.__path__, "stillframe."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


import_everything()
CLASSES = sorted({cls for cls in tree() if cls.__module__.startswith("stillframe.")}, key=lambda cls: cls.__name__)
TREE = [cls for cls in CLASSES if cls in errors.all_errors()]
WAYS: dict[str, Callable[[StillframeError], StillframeError]] = {
    **{
        f"pickle {protocol}": lambda error, protocol=protocol: pickle.loads(pickle.dumps(error, protocol))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    },
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


class Unwilling(Exception):
    """An error of someone else's that pickles, and does not load."""

    def __init__(self, *, needed: int) -> None:
        super().__init__(f"needed {needed}")


def test_all_classes_are_found() -> None:
    assert len(TREE) >= 47
    assert {"ToolError", "ConnectionLost", "GuardStopped"} <= {cls.__name__ for cls in CLASSES}


@pytest.mark.parametrize("cls", CLASSES)
def test_it_travels(cls: type[StillframeError]) -> None:
    error = made(cls)
    error.add_note("seen on the way")
    error.__cause__ = KeyError("why")
    for way, send in WAYS.items():
        arrived = send(error)
        assert type(arrived) is cls, way
        assert arrived is not error, way
        assert (str(arrived), arrived.args) == (str(error), error.args), way
        assert vars(arrived) == vars(error), way
        assert arrived.__notes__ == ["seen on the way"], way
        assert repr(arrived.__cause__) == "KeyError('why')", way
        assert arrived.code == error.code, way


@pytest.mark.parametrize("cls", CLASSES)
def test_its_text_is_its_message(cls: type[StillframeError]) -> None:
    error = made(cls)
    assert str(error) == error.args[0]
    assert getattr(error, "errno", None) is None


@pytest.mark.parametrize("cls", TREE)
def test_all_its_arguments_are_attributes(cls: type[StillframeError]) -> None:
    init = inspect.unwrap(cls.__init__)
    names = list(inspect.signature(init).parameters)[1:] if inspect.isfunction(init) else []
    assert set(names) - {"message"} <= set(vars(made(cls)))


def test_it_arrives_without_a_cause_it_did_not_have() -> None:
    arrived = pickle.loads(pickle.dumps(WaitTimeout("late")))
    assert arrived.__cause__ is None
    assert not arrived.__suppress_context__


@pytest.mark.parametrize(
    "cause", [Unwilling(needed=1), ValueError(lambda: None)], ids=["does not load", "does not dump"]
)
def test_a_cause_that_does_not_pickle_arrives_as_its_text(cause: Exception) -> None:
    error = ConnectionLost("gone")
    error.__cause__ = cause
    arrived = pickle.loads(pickle.dumps(error))
    assert type(cause).__name__ in str(arrived.__cause__)
    assert copy.copy(error).__cause__ is copy.deepcopy(error).__cause__ is cause
    # And it goes on from there.
    assert str(pickle.loads(pickle.dumps(arrived)).__cause__) == str(arrived.__cause__)


def test_causes_that_form_a_circle_do_not_hang() -> None:
    first, second = WaitTimeout("first"), WaitTimeout("second")
    first.__cause__, second.__cause__ = second, first
    assert str(pickle.loads(pickle.dumps(first))) == "first"


CROSS_A_POOL = """
import multiprocessing, pickle, sys
from concurrent.futures import ProcessPoolExecutor
from raising import fail

errors = pickle.load(sys.stdin.buffer)
with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
    failures = [pool.submit(fail, error) for error in errors]
    for error, failure in zip(errors, failures):
        arrived = failure.exception(timeout=60)
        assert type(arrived) is type(error), repr(arrived)
        assert (str(arrived), vars(arrived)) == (str(error), vars(error))
    assert pool.submit(len, "works").result(timeout=60) == len("works")
print(*(type(error).__name__ for error in errors))
"""


def test_it_crosses_a_process_pool() -> None:
    # In a process of its own, since multiprocessing keeps a tracker process until the end. It gets the errors pickled,
    # and so imports only their modules; a main module without a file is not imported by the workers.
    done = subprocess.run(
        [sys.executable, "-c", CROSS_A_POOL],
        input=pickle.dumps([made(cls) for cls in CLASSES]),
        capture_output=True,
        timeout=300,
        check=False,
        cwd=Path(__file__).resolve().parent,
    )
    assert (done.returncode, done.stdout.decode().split()) == (0, [cls.__name__ for cls in CLASSES]), done.stderr


# -- the built-in errors they also are -----------------------------------------------------------

BUILT_IN = {
    TimeoutError: {
        *("CommandTimeout", "EvaluationTimeout", "PageUnresponsive", "WaitTimeout", "WebMCPTimeout"),
        *("AppFrozen", "TargetNotVisible", "ModelTimeout", "PoolTimeout"),
    },
    ConnectionError: {
        *("ConnectFailed", "ConnectionLost"),
        *("DevtoolsRejected", "DevtoolsSocketGone", "AdbServerUnavailable"),
        *("AppKilled", "TransportLost", "AdbServerDied", "CassetteMismatch", "StoreUnavailable", "ClusterUnavailable"),
    },
}


@pytest.mark.parametrize("built_in", BUILT_IN)
def test_which_are_built_in_errors_as_well(built_in: type[Exception]) -> None:
    assert {cls.__name__ for cls in CLASSES if issubclass(cls, built_in)} == BUILT_IN[built_in]
    late = {cls for cls in CLASSES if "Timeout" in cls.__name__}
    assert late <= {cls for cls in CLASSES if issubclass(cls, TimeoutError)}


@pytest.mark.parametrize("inner", [CommandTimeout("mine", timeout_ms=5), WaitTimeout("mine")])
async def test_a_limit_round_a_call_passes_its_time_out_on(inner: StillframeError) -> None:
    with pytest.raises(type(inner), match=r"^mine$") as raised:
        async with Deadline(10).enforced("the call"):
            raise inner
    assert raised.value is inner


async def test_a_limit_round_a_call_still_ends_it() -> None:
    with pytest.raises(CommandTimeout, match="the call: did not finish within 0 s"):
        async with Deadline(0).enforced("the call"):
            await asyncio.get_running_loop().create_future()


async def test_a_block_that_expects_a_popup_passes_its_own_time_out_on(page: stillframe.Page) -> None:
    with pytest.raises(WaitTimeout, match=r"^mine$"):
        async with page.expect_popup():
            raise WaitTimeout("mine")


# -- the tree ------------------------------------------------------------------------------------

LINE = re.compile(r"^    ([│├└─ ]*)(\w+)(?: \((\w+)\))? *(.*)$")


def drawn() -> Iterator[tuple[int, str, str | None, str]]:
    """Yield depth, name, built-in base and words of each line of the tree in the docstring of the module."""
    assert errors.__doc__ is not None
    paragraph = errors.__doc__.split("\n\n")[1]
    for line in paragraph.splitlines():
        match = LINE.match(line)
        assert match is not None, line
        yield len(match[1]) // 4, match[2], match[3], match[4]


def test_the_drawn_tree_is_the_real_one() -> None:
    stack: list[str] = []
    for depth, name, built_in, words in drawn():
        cls = getattr(errors, name)
        stack[depth:] = [name]
        assert [base.__name__ for base in cls.__bases__ if issubclass(base, StillframeError)] == stack[:-1][-1:], name
        others = [base.__name__ for base in cls.__bases__ if not issubclass(base, StillframeError)]
        assert others == ([built_in] if built_in else [] if depth else ["Exception"]), name
        assert words or not depth, name
    assert {name for _, name, _, _ in drawn()} == {cls.__name__ for cls in TREE}


def test_a_type_checker_sees_each_error_of_the_rooms_above() -> None:
    source = Path(inspect.getfile(errors)).read_text("utf-8")
    found = re.findall(r"^    from ([\w.]+) import (\w+) as \2$", source, re.MULTILINE)
    imported = {name: module for module, name in found}
    assert imported == {cls.__name__: cls.__module__ for cls in TREE if cls.__module__ != errors.__name__}


def test_a_name_that_is_no_error_of_the_tree_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"^module .stillframe\.errors. has no attribute .Lost.$"):
        errors.Lost  # noqa: B018


def test_codes_are_words_of_their_own() -> None:
    codes = [cls.code for cls in TREE]
    assert len(codes) == len(set(codes))
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", code) for code in codes)
    assert json.dumps(codes)


def names_of(cls: type) -> set[str]:
    """Return the names of the parameters that a class itself defines."""
    init = vars(cls).get("__init__")
    return set(inspect.signature(init).parameters) if inspect.isfunction(init) else set()


@pytest.mark.parametrize("cls", TREE)
def test_it_describes_itself_in_one_sentence_and_its_attributes(cls: type[StillframeError]) -> None:
    text = inspect.getdoc(cls)
    assert text
    assert vars(cls).get("__doc__")
    assert text.splitlines()[0].endswith(".")
    own = names_of(cls)
    own -= {"self", "message"}.union(*(names_of(base) for base in cls.__mro__[1:]))
    for name in own:
        assert f"`{name}`" in text, name
