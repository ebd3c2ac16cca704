"""The keywords that type checkers see are the fields of the Structs that validate them: names and types."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Required, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest

from stillframe.cdp_types.page import PrintToPDF
from stillframe.chrome.keywords import LaunchKeywords, ProxyFields
from stillframe.chrome.options import LaunchOptions, Proxy
from stillframe.model.keywords import (
    ActionKeywords,
    ExpectFields,
    NavigationKeywords,
    SequenceKeywords,
    SettleKeywords,
    WaitKeywords,
)
from stillframe.model.options import SETTLING, Expect, SequenceOptions
from stillframe.security.policy import UrlPolicy
from stillframe.security.secret_store import Secrets
from stillframe.tab.context.keywords import (
    BrowserKeywords,
    ClientCertificateFields,
    ContextKeywords,
    GeolocationFields,
    HttpCredentialsFields,
    NewPageKeywords,
    PaperKeywords,
    PdfKeywords,
    PlaywrightKeywords,
    ScreenFields,
    ScreenKeywords,
    UrlPolicyFields,
    ViewportFields,
)
from stillframe.tab.context.options import ContextOptions, Geolocation, HttpCredentials, ScreenSize, Viewport

PAIRS: list[tuple[type, type[msgspec.Struct]]] = [
    (SequenceKeywords, SequenceOptions),
    (ExpectFields, Expect),
    (LaunchKeywords, LaunchOptions),
    (ContextKeywords, ContextOptions),
    (ProxyFields, Proxy),
    (ViewportFields, Viewport),
    (ScreenFields, ScreenSize),
    (GeolocationFields, Geolocation),
    (HttpCredentialsFields, HttpCredentials),
    (UrlPolicyFields, UrlPolicy),
]
ALIASES = get_type_hints(PlaywrightKeywords).keys()
MAPPINGS = {kind: fields for fields, kind in PAIRS}
"""What stands for a Struct as a mapping."""

PATH = os.PathLike[str]
ALSO: dict[str, set[Any]] = {
    "executable": {PATH},
    "profile": {PATH},
    "downloads": {PATH},
    "storage_state": {Mapping[str, Any], str, PATH},
    "secrets": {Mapping[str, str]},
    "trace": {PATH},
    "record_video_dir": {PATH},
    "window_size": {Sequence[int]},
    "viewport": {tuple[int, int]},
    "client_certificates": {Sequence[ClientCertificateFields]},
}
"""What callers may also write, by field: the documented inputs that the Struct does not store."""


def members(annotation: Any) -> Iterator[Any]:
    """Yield the members of a union, without bounds, as callers may write them."""
    if get_origin(annotation) is Annotated:
        yield from members(get_args(annotation)[0])
    elif isinstance(annotation, UnionType) or get_origin(annotation) is Union:
        for member in get_args(annotation):
            yield from members(member)
    else:
        yield from written(annotation)


def written(annotation: Any) -> Iterator[Any]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        yield Sequence[arguments[0]]  # type: ignore[valid-type]
    elif origin is dict:
        yield Mapping[arguments]  # type: ignore[valid-type]
    else:
        yield annotation
        if annotation in MAPPINGS:
            yield MAPPINGS[annotation]


@pytest.mark.parametrize(("keywords", "struct"), PAIRS, ids=lambda kind: kind.__name__)
def test_keywords_are_the_fields_of_their_struct(keywords: type, struct: type[msgspec.Struct]) -> None:
    shown, stored = get_type_hints(keywords), get_type_hints(struct, include_extras=True)
    aliases = ALIASES if struct is ContextOptions else set()
    assert sorted(shown.keys() - aliases) == sorted(struct.__struct_fields__)
    for name in struct.__struct_fields__:
        expected = set(members(stored[name])) | ALSO.get(name, set())
        assert set(members(shown[name])) == expected, name


@pytest.mark.parametrize(("keywords", "struct"), PAIRS, ids=lambda kind: kind.__name__)
def test_required_keywords_are_the_fields_without_a_default(keywords: Any, struct: type[msgspec.Struct]) -> None:
    hints = get_type_hints(keywords, include_extras=True)
    required = {name for name, hint in hints.items() if get_origin(hint) is Required}
    assert required == {field.name for field in msgspec.structs.fields(struct) if field.required}
    assert not keywords.__total__


def test_what_stands_for_several_kinds_of_options_has_all_of_them() -> None:
    assert get_type_hints(ActionKeywords) == get_type_hints(SequenceKeywords) | {"check": bool}
    assert set(get_type_hints(SettleKeywords)) == set(SETTLING)
    assert get_type_hints(NewPageKeywords) == get_type_hints(NavigationKeywords) | get_type_hints(ContextKeywords)
    assert set(get_type_hints(WaitKeywords)) == set(SETTLING) - {"settle", "timeout_ms"}
    assert get_type_hints(BrowserKeywords) == get_type_hints(LaunchKeywords) | get_type_hints(ContextKeywords)
    assert get_type_hints(ScreenKeywords) | {"width": int, "height": int} == get_type_hints(ViewportFields)


def test_the_keywords_of_a_pdf_are_the_fields_of_the_command() -> None:
    fields = get_type_hints(PrintToPDF)
    expected = {name: fields[name] for name in PrintToPDF.__struct_fields__ if name != "transfer_mode"}
    assert get_type_hints(PdfKeywords) == expected | get_type_hints(PaperKeywords)
    assert not PdfKeywords.__total__


def test_the_check_tells_types_apart() -> None:
    assert set(members(Annotated[float, msgspec.Meta(gt=0)] | None)) == {float, type(None)}
    assert set(members(tuple[str, ...])) == {Sequence[str]}
    assert set(members(dict[str, str])) == {Mapping[str, str]}
    assert set(members(Proxy | str)) == {Proxy, ProxyFields, str}
    assert set(members(Secrets)) == {Secrets}
