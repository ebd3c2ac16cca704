from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

import stillframe.cdp_types
from stillframe.cdp_types import Command, Event, Type, dom, fetch, network, page, runtime
from stillframe.cdp_types._index import DOMAINS, PRODUCT, PROTOCOL, REVISION

ROOT = Path(__file__).parents[2]
PINNED = json.loads((ROOT / "tools/protocol/protocol.json").read_text())
HISTORY = json.loads((ROOT / "python/stillframe/chrome/protocol_history.json").read_text())["since"]
OLDEST = 74
"""The oldest milestone whose messages have to fit."""
YOUNGER = {f"{domain}.{name}" for domain, names in HISTORY.items() for name, since in names.items() if since > OLDEST}
"""What that milestone lacks; such a field of a result or an event may be missing, so it is never required."""
PROTOCOL_DOMAINS = {domain["domain"]: domain for domain in PINNED["domains"]}


def structs(module: ModuleType) -> Iterator[type[msgspec.Struct]]:
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, msgspec.Struct) and value.__module__ == module.__name__:
            yield value


def sample(kind: msgspec.inspect.Type) -> Any:
    """The smallest JSON value of a type: required fields only, lists empty."""
    match kind:
        case msgspec.inspect.StructType(fields=fields):
            return {field.encode_name: sample(field.type) for field in fields if field.required}
        case msgspec.inspect.UnionType(types=types):
            return sample(types[0])
    return _SAMPLES[type(kind)]


_SAMPLES: dict[type, Any] = {
    msgspec.inspect.StrType: "text",
    msgspec.inspect.IntType: 7,
    msgspec.inspect.FloatType: 1.5,
    msgspec.inspect.BoolType: True,
    msgspec.inspect.ListType: [],
    msgspec.inspect.DictType: {"any": 1},
    msgspec.inspect.AnyType: None,
    msgspec.inspect.NoneType: None,
}


@pytest.fixture(params=sorted(DOMAINS))
def module(request: pytest.FixtureRequest) -> ModuleType:
    return import_module(f"stillframe.cdp_types.{request.param}")


def test_every_definition_round_trips_its_smallest_value(module: ModuleType) -> None:
    for struct in structs(module):
        raw = sample(msgspec.inspect.type_info(struct))
        value = msgspec.json.decode(msgspec.json.encode(raw), type=struct)
        assert msgspec.json.decode(msgspec.json.encode(value)) == raw
        assert msgspec.json.decode(msgspec.json.encode(value), type=struct) == value


def test_every_definition_ignores_fields_that_it_does_not_know(module: ModuleType) -> None:
    for struct in structs(module):
        raw = sample(msgspec.inspect.type_info(struct))
        known = msgspec.convert(raw, struct)
        assert msgspec.json.decode(msgspec.json.encode({"brandNew": [{}], **raw}), type=struct) == known


def fields_of(struct: type[msgspec.Struct]) -> dict[str, bool]:
    return {field.encode_name: not field.required for field in msgspec.structs.fields(struct)}


def expected(items: list[dict[str, Any]], owner: str = "") -> dict[str, bool]:
    return {item["name"]: item.get("optional", False) or f"{owner}.{item['name']}" in YOUNGER for item in items}


def test_every_command_and_event_of_the_protocol_is_there_with_its_fields(module: ModuleType) -> None:
    name = DOMAINS[module.__name__.rpartition(".")[2]]
    domain = PROTOCOL_DOMAINS[name]
    by_method = {struct.method: struct for struct in structs(module) if issubclass(struct, Command | Event)}
    for command in domain.get("commands", []):
        struct = by_method.pop(f"{name}.{command['name']}")
        assert fields_of(struct) == expected(command.get("parameters", []))
        returns = command.get("returns")
        assert (struct.result is None) is (not returns)
        if returns:
            assert fields_of(struct.result) == expected(returns, f"{name}.{command['name']}")
    for event in domain.get("events", []):
        struct = by_method.pop(f"{name}.{event['name']}")
        assert fields_of(struct) == expected(event.get("parameters", []), f"{name}.{event['name']}")
    assert by_method == {}


def test_flags_and_descriptions_are_kept(module: ModuleType) -> None:
    domain = PROTOCOL_DOMAINS[DOMAINS[module.__name__.rpartition(".")[2]]]
    by_method = {struct.method: struct for struct in structs(module) if issubclass(struct, Command)}
    for command in domain.get("commands", []):
        doc = by_method[f"{domain['domain']}.{command['name']}"].__doc__ or ""
        for flag in ("experimental", "deprecated"):
            assert (f"[{flag}]" in doc) is command.get(flag, False)
        assert command.get("description", "").split(" ")[0].strip() in doc


def test_a_command_leaves_out_what_was_not_given() -> None:
    assert msgspec.json.encode(page.Navigate(url="x")) == b'{"url":"x"}'
    assert msgspec.json.encode(page.Navigate(url="x", frame_id="F")) == b'{"url":"x","frameId":"F"}'
    assert page.Navigate.method == "Page.navigate"
    assert page.Navigate.result is page.NavigateResult


def test_null_as_a_value_is_told_apart_from_no_value() -> None:
    assert msgspec.json.encode(runtime.CallArgument(value=None)) == b'{"value":null}'
    assert msgspec.json.encode(runtime.CallArgument()) == b"{}"


def test_names_that_python_or_we_use_get_an_underscore() -> None:
    assert msgspec.json.encode(fetch.ContinueRequest(request_id="1", method_="PUT")) == (
        b'{"requestId":"1","method":"PUT"}'
    )
    assert "method" in network.Request.__struct_fields__  # only commands and events have a `method` of ours


def test_acronyms_become_words() -> None:
    assert "include_dom_rects" in stillframe.cdp_types.dom_snapshot.CaptureSnapshot.__struct_fields__
    assert "ignore_http_errors" not in DOMAINS
    assert {"dom_snapshot", "indexed_db", "web_mcp", "io", "css", "pwa", "fed_cm"} <= DOMAINS.keys()


def test_trees_within_a_domain_decode() -> None:
    node = {"nodeId": 1, "backendNodeId": 2, "nodeType": 1, "nodeName": "A", "localName": "a", "nodeValue": ""}
    tree = msgspec.json.encode({"root": node | {"children": [node | {"shadowRoots": [node]}]}})
    root = msgspec.json.decode(tree, type=dom.GetDocumentResult).root
    assert root.children is not None
    assert root.children[0].shadow_roots == [msgspec.convert(node, dom.Node)]


def test_unknown_enumeration_values_are_accepted() -> None:
    params = {
        "targetInfo": {
            "targetId": "T",
            "type": "hologram",
            "title": "",
            "url": "",
            "attached": False,
            "canAccessOpener": False,
        }
    }
    created = msgspec.convert(params, stillframe.cdp_types.target.TargetCreated)
    assert created.target_info.type == "hologram"


def test_bases_are_told_apart() -> None:
    assert issubclass(page.Navigate, Command)
    assert issubclass(page.FrameNavigated, Event)
    assert issubclass(page.Frame, Type)


def test_the_source_is_recorded() -> None:
    assert (PINNED["product"], PINNED["revision"]) == (PRODUCT, REVISION)
    assert PROTOCOL == "1.3"
    lines = Path(page.__file__).read_text().splitlines()
    assert "generate_cdp_types.py" in lines[0]
    assert PRODUCT in lines[1]


def test_an_unknown_domain_says_what_there_is() -> None:
    with pytest.raises(AttributeError, match=r"no domain 'nope'; its domains are accessibility, .*page"):
        _ = stillframe.cdp_types.nope
    assert "page" in dir(stillframe.cdp_types)


def imported_by(statement: str) -> set[str]:
    """The domain modules that a fresh interpreter holds after a statement."""
    code = f"{statement}; import sys, json; print(json.dumps(sorted(sys.modules)))"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    prefix = "stillframe.cdp_types."
    names = {name.removeprefix(prefix) for name in json.loads(output) if name.startswith(prefix)}
    return names & DOMAINS.keys()


@pytest.mark.parametrize(
    ("statement", "domains"),
    [
        ("import stillframe", set()),
        ("import stillframe.cdp_types", set()),
        ("import stillframe.cdp", set()),
        ("from stillframe.cdp_types import page", {"page"}),
        ("import stillframe.cdp_types as t; t.dom", {"dom"}),
        ("from stillframe.cdp_types import page; page.Navigate(url='')", {"page"}),
    ],
)
def test_domains_are_imported_only_when_asked_for(statement: str, domains: set[str]) -> None:
    assert imported_by(statement) == domains


def test_a_type_of_another_domain_is_imported_when_first_decoded() -> None:
    statement = "from stillframe.cdp_types import dom; import msgspec; msgspec.json.Decoder(dom.ResolveNodeResult)"
    assert imported_by(statement) == {"dom", "runtime"}
