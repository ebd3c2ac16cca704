#!/usr/bin/env python3
"""Generate `stillframe.cdp_types` from the pinned protocol file.

    tools/generate_cdp_types.py                  write the modules
    tools/generate_cdp_types.py --check          exit with 1 if a module is stale, missing or left over
    tools/generate_cdp_types.py --pin URL        replace the pinned file by the protocol of the browser at URL
                                                 (http://127.0.0.1:9222), then write the modules

The pinned file is a Chromium's answer to /json/protocol, with its product and revision added. Corrections to the schema
belong into this generator, never into its output.

A field that the protocol requires, but that browsers send only since a later milestone than the rest of its message, is
None where an older browser leaves it out. The table of milestones is that of tools/generate_protocol_history.py.
"""

from __future__ import annotations

import argparse
import json
import keyword
import re
import sys
import textwrap
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PINNED = ROOT / "tools/protocol/protocol.json"
HISTORY = ROOT / "python/stillframe/chrome/protocol_history.json"
OUTPUT = ROOT / "python/stillframe/cdp_types"
HAND_WRITTEN = {"__init__.py", "_base.py"}
WIDTH = 108
OLDEST = 74
"""The oldest milestone whose messages have to fit: the WebView of Android 10's emulator images (API 29)."""

PRIMITIVES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "any": "Any",
    "object": "dict[str, Any]",
    "binary": "str",
}
# Names that a field must not have: they would shadow the annotations of the same class, or the class variables of
# Command and Event.
RESERVED = {"str", "int", "float", "bool", "list", "dict", "method", "result"}

SHARED_ROOTS = ("Network.AdProvenance", "Page.Viewport")
"""Structs whose domain refers back to a domain that refers to them. They, and the structs of their domain inside them,
go into `_shared.py`, so that no modules form a circle; `generate` fails if a new protocol needs more of them."""

Item = dict[str, Any]


# -- names ---------------------------------------------------------------------------------------


def snake(name: str) -> str:
    """Return a name in snake case: `includeDOMRects` → `include_dom_rects`, `nodeIDs` → `node_ids`."""
    name = re.sub(r"(ID|URL|UUID)s\b", lambda m: m[1].capitalize() + "s", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def pascal(name: str) -> str:
    return name[0].upper() + name[1:]


def camel(name: str) -> str:
    """Return the name that msgspec's `rename="camel"` gives to a field."""
    head, *rest = name.split("_")
    return head + "".join(word.title() for word in rest)


def field_name(name: str, reserved: set[str]) -> str:
    python = snake(name)
    return python + "_" if keyword.iskeyword(python) or python in reserved else python


# -- the schema ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Names:
    """The Python names of one domain's definitions."""

    types: dict[str, str]
    commands: dict[str, str]
    events: dict[str, str]


def names_of(domain: Item) -> Names:
    """Return the names: a type that clashes with a command gets `Type`, an event that clashes with either `Event`."""
    commands = {c["name"]: pascal(c["name"]) for c in domain.get("commands", [])}
    taken = set(commands.values()) | {f"{name}Result" for name in commands.values()}
    types = {}
    for definition in domain.get("types", []):
        name = pascal(definition["id"])
        types[definition["id"]] = f"{name}Type" if name in taken else name
    taken |= set(types.values())
    events = {}
    for event in domain.get("events", []):
        name = pascal(event["name"])
        events[event["name"]] = f"{name}Event" if name in taken else name
    return Names(types, commands, events)


class Schema:
    """The protocol with references resolved across domains."""

    def __init__(self, pinned: Item, since: dict[str, int] | None = None) -> None:
        self.since = since or {}
        """The first milestone of the fields that older browsers leave out, by `Domain.message.field`."""
        self.product: str = pinned["product"]
        self.revision: str = pinned["revision"]
        self.version = "{major}.{minor}".format(**pinned["version"])
        self.domains: list[Item] = sorted(pinned["domains"], key=lambda d: d["domain"])
        self.names = {d["domain"]: names_of(d) for d in self.domains}
        self.types = {f"{d['domain']}.{t['id']}": t for d in self.domains for t in d.get("types", [])}
        self.sent = set(self._reachable_from_commands())
        self.shared = set(self._shared())

    @property
    def source(self) -> str:
        return f"{self.product} ({self.revision}), protocol {self.version}"

    def resolve(self, domain: str, ref: str) -> str:
        return ref if "." in ref else f"{domain}.{ref}"

    def _shared(self) -> Iterator[str]:
        """Yield `SHARED_ROOTS` and the structs of the same domains that they contain."""
        waiting = list(SHARED_ROOTS)
        while waiting:
            full = waiting.pop()
            domain = full.split(".")[0]
            yield full
            for item in self.types[full]["properties"]:
                ref = item.get("$ref") or item.get("items", {}).get("$ref", "")
                inner = self.resolve(domain, ref) if ref else ""
                if inner.startswith(f"{domain}.") and "properties" in self.types[inner]:
                    waiting.append(inner)

    def _reachable_from_commands(self) -> Iterator[str]:
        seen: set[str] = set()
        todo = [(d["domain"], p) for d in self.domains for c in d["commands"] for p in c.get("parameters", [])]
        while todo:
            domain, item = todo.pop()
            if "items" in item:
                todo.append((domain, item["items"]))
            if "$ref" not in item or (ref := self.resolve(domain, item["$ref"])) in seen:
                continue
            seen.add(ref)
            yield ref
            definition = self.types[ref]
            todo += [(ref.split(".")[0], p) for p in [*definition.get("properties", []), definition]]


class Module:
    """The text of one domain's module."""

    def __init__(self, schema: Schema, domain: Item) -> None:
        self.schema = schema
        self.domain = domain
        self.name: str = domain["domain"]
        self.names = schema.names[self.name]
        self.imports: set[str] = set()
        self.uses_unset = False
        self.uses_shared = False

    # -- annotations

    def annotation(self, item: Item) -> str:
        if "$ref" in item:
            return self.reference(item["$ref"])
        if item["type"] == "array":
            return f"list[{self.annotation(item['items'])}]" if "items" in item else "list[Any]"
        return PRIMITIVES[item["type"]]

    def reference(self, ref: str) -> str:
        """Return the annotation of a type: by name in its own domain, else a primitive or a lazily imported struct."""
        full = self.schema.resolve(self.name, ref)
        domain, local = full.split(".")
        if full in self.schema.shared:
            return self.shared_name(full)
        if domain == self.name:
            return self.names.types[local]
        return self.foreign(full)

    def shared_name(self, full: str) -> str:
        """Return the annotation of a struct in `_shared.py`; the struct's own domain imports it by name."""
        domain, local = full.split(".")
        name = self.schema.names[domain].types[local]
        if domain == self.name:
            return name
        self.uses_shared = True
        return f"_shared.{name}"

    def foreign(self, full: str) -> str:
        """Return the annotation of another domain's type."""
        domain, local = full.split(".")
        definition = self.schema.types[full]
        if "properties" in definition:
            self.imports.add(snake(domain))
            return f"_{snake(domain)}.{self.schema.names[domain].types[local]}"
        if definition["type"] == "array":
            inner = Module(self.schema, {"domain": domain})
            text = f"list[{inner.annotation(definition['items'])}]"
            assert not inner.imports, full
            return text
        return PRIMITIVES[definition["type"]]

    # -- structs

    def struct(
        self,
        name: str,
        base: str,
        fields: list[Item],
        head: list[str],
        reserved: set[str],
        *,
        sent: bool,
        owner: str = "",
    ) -> list[str]:
        renamed = {
            python: item["name"] for item in fields if (python := field_name(item["name"], reserved)) != item["name"]
        }
        options = "frozen=True, kw_only=True" if fields else "frozen=True"
        if renamed:
            by_rule = all(camel(field_name(i["name"], reserved)) == i["name"] for i in fields)
            options += ', rename="camel"' if by_rule else f", rename={json.dumps(renamed)}"
        header = f"class {name}({base}, {options}):"
        body = [*head]
        for item in fields:
            since = None if sent else self.schema.since.get(f"{owner}.{item['name']}")
            body += self.field(item, reserved, sent=sent, since=since)
        return [header, *(f"    {line}" if line else "" for line in (body or ["pass"])), "", ""]

    def field(self, item: Item, reserved: set[str], *, sent: bool, since: int | None = None) -> list[str]:
        kind = self.annotation(item)
        name = field_name(item["name"], reserved)
        required = not item.get("optional")
        if required and not since:
            line = f"{name}: {kind}"
        elif kind == "Any" and sent:
            # null is a valid value there, so only UNSET can mean "omitted".
            self.uses_unset = True
            line = f"{name}: Any = UNSET"
        else:
            line = f"{name}: {kind} | None = None" if kind != "Any" else f"{name}: Any = None"
        notes = [enum_note(item), f"None before Chrome {since}." if required and since else ""]
        return [line, *docstring(item, extra=" ".join(note for note in notes if note))]

    def type_(self, definition: Item) -> list[str]:
        name = self.names.types[definition["id"]]
        full = f"{self.name}.{definition['id']}"
        if full in self.schema.shared:
            return []
        if "properties" in definition:
            return self.struct(
                name,
                "Type",
                definition["properties"],
                docstring(definition, full),
                RESERVED - {"method", "result"},
                sent=full in self.schema.sent,
                owner=full,
            )
        lines = [f"{name}: TypeAlias = {self.annotation(definition)}", *docstring(definition)]
        if "enum" in definition:
            values = ", ".join(json.dumps(v) for v in definition["enum"])
            lines += [
                f"Known{name}: TypeAlias = Literal[{values}]",
                f'"""The values of {name} in this revision; browsers may send others."""',
            ]
        return [*lines, ""]

    def command(self, command: Item) -> list[str]:
        name = self.names.commands[command["name"]]
        method = f"{self.name}.{command['name']}"
        lines: list[str] = []
        result = "None"
        if command.get("returns"):
            result = f"{name}Result"
            lines += self.struct(
                result,
                "Type",
                command["returns"],
                [f'"""The result of {method}."""', ""],
                RESERVED - {"method", "result"},
                sent=False,
                owner=method,
            )
        extra = [f'method = "{method}"']
        if result != "None":
            extra.append(f"result = {result}")
        doc = docstring(command, method)
        return lines + self.struct(
            name, f"Command[{result}]", command.get("parameters", []), [*doc, *extra], RESERVED, sent=True
        )

    def event(self, event: Item) -> list[str]:
        method = f"{self.name}.{event['name']}"
        extra = [f'method = "{method}"']
        return self.struct(
            self.names.events[event["name"]],
            "Event",
            event.get("parameters", []),
            [*docstring(event, method), *extra],
            RESERVED,
            sent=False,
            owner=method,
        )

    # -- the whole

    def text(self) -> str:
        domain = self.domain
        body: list[str] = []
        for definition in sorted(domain.get("types", []), key=import_order):
            body += self.type_(definition)
        body += [""] if body and body[-1] == "" and "class" not in body[-2] else []
        for command in domain.get("commands", []):
            body += self.command(command)
        for event in domain.get("events", []):
            body += self.event(event)
        text = "\n".join([*self.header(), *self.import_lines(), "", "", *body])
        return re.sub(r"\n{4,}", "\n\n\n", text).rstrip() + "\n"

    def owns(self, full: str) -> bool:
        return full.startswith(f"{self.name}.")

    def header(self) -> list[str]:
        doc = docstring(self.domain, f"The {self.name} domain")
        return [first_line(self.schema), *(doc or [f'"""The {self.name} domain."""'])]

    def import_lines(self) -> list[str]:
        lines = [
            "from __future__ import annotations",
            "",
            "from typing import TYPE_CHECKING, Any, Literal, TypeAlias  # noqa: F401",
            "",
        ]
        lines += ["from msgspec import UNSET", ""] if self.uses_unset else []
        lines += ["from stillframe.cdp_types import _shared"] if self.uses_shared else []
        lines += ["from stillframe.cdp_types._base import Command, Event, LazyDomain, Type  # noqa: F401"]
        for name in sorted(self.names.types[full.split(".")[1]] for full in self.schema.shared if self.owns(full)):
            lines += [f"from stillframe.cdp_types._shared import {name} as {name}"]
        if self.imports:
            lines += ["", "if TYPE_CHECKING:"]
            lines += [f"    from stillframe.cdp_types import {name} as _{name}" for name in sorted(self.imports)]
            lines += ["else:"]
            lines += [f'    _{name} = LazyDomain("{name}")' for name in sorted(self.imports)]
        return lines


class SharedModule(Module):
    """The text of `_shared.py`."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema, {"domain": SHARED_ROOTS[0].split(".")[0]})

    def reference(self, ref: str) -> str:
        full = self.schema.resolve(self.name, ref)
        domain, local = full.split(".")
        return self.schema.names[domain].types[local] if full in self.schema.shared else self.foreign(full)

    def text(self) -> str:
        body: list[str] = []
        for full in sorted(self.schema.shared):
            self.name, local = full.split(".")
            definition = self.schema.types[full]
            name = self.schema.names[self.name].types[local]
            doc, reserved = docstring(definition, full), RESERVED - {"method", "result"}
            sent = full in self.schema.sent
            body += self.struct(name, "Type", definition["properties"], doc, reserved, sent=sent, owner=full)
        doc = ['"""Structs that several domains refer to, in one module so that the domains form no circle."""', ""]
        self.name = ""
        return "\n".join([first_line(self.schema), *doc, *self.import_lines(), "", "", *body]).rstrip() + "\n"


def require_acyclic(modules: dict[str, Module]) -> None:
    """Raise CycleError, which names the domains, if domains form a circle; extend SHARED_ROOTS then."""
    graph = {name: module.imports | ({"_shared"} if module.uses_shared else set()) for name, module in modules.items()}
    TopologicalSorter(graph).prepare()


def import_order(definition: Item) -> int:
    """Return the sort key of a type: aliases are evaluated at import, so lists follow their element types."""
    if definition["type"] == "array":
        return 3 if "$ref" in definition["items"] else 1
    return 2 if "properties" in definition else 0


# -- documentation -------------------------------------------------------------------------------


def docstring(item: Item, title: str = "", extra: str = "") -> list[str]:
    """Return the wrapped description with its flags, or nothing if there is none."""
    flags = [flag for flag in ("experimental", "deprecated") if item.get(flag)]
    title = title and " ".join([title, *(f"[{flag}]" for flag in flags)]) + "."
    marks = "" if title else " ".join(f"[{flag}]" for flag in flags)
    text = " ".join(part for part in (marks, item.get("description", "").strip(), extra) if part)
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    paragraphs = [p for p in (title, *re.split(r"\n\s*\n", text)) if p.strip()]
    lines: list[str] = []
    for paragraph in paragraphs:
        lines += textwrap.wrap(" ".join(paragraph.split()), WIDTH - 8, break_long_words=False, break_on_hyphens=False)
        lines.append("")
    if not lines:
        return []
    lines.pop()
    if len(lines) == 1:
        end = " " if lines[0].endswith('"') else ""
        return [f'"""{lines[0]}{end}"""', *([""] if title else [])]
    return [f'"""{lines[0]}', *lines[1:], '"""', *([""] if title else [])]


def enum_note(item: Item) -> str:
    return "One of: " + ", ".join(item["enum"]) + " (browsers may send others)." if "enum" in item else ""


def first_line(schema: Schema) -> str:
    return (
        "# Generated by tools/generate_cdp_types.py; do not edit.\n"
        f"# Source: {schema.source}.\n"
        "# Descriptions come from the protocol, copyright The Chromium Authors (BSD-3-Clause)."
    )


def index_text(schema: Schema) -> str:
    domains = "\n".join(f'    "{snake(d["domain"])}": "{d["domain"]}",' for d in schema.domains)
    return (
        f"{first_line(schema)}\n"
        '"""The source of the generated modules."""\n\n'
        f'PRODUCT = "{schema.product}"\nREVISION = "{schema.revision}"\nPROTOCOL = "{schema.version}"\n\n'
        f"DOMAINS = {{\n{domains}\n}}\n"
        '"""Module name → name of the domain in the protocol."""\n'
    )


# -- files ---------------------------------------------------------------------------------------


def generate(schema: Schema) -> dict[str, str]:
    """Return the text of every generated file by name."""
    modules = {snake(d["domain"]): Module(schema, d) for d in schema.domains} | {"_shared": SharedModule(schema)}
    files = {f"{name}.py": module.text() for name, module in modules.items()}
    require_acyclic(modules)
    return {**files, "_index.py": index_text(schema)}


def stale(files: dict[str, str], output: Path) -> list[str]:
    """Return one line for each difference between `files` and the directory."""
    present = {p.name for p in output.glob("*.py")} - HAND_WRITTEN
    found = [f"{name}: left over" for name in sorted(present - files.keys())]
    for name, text in files.items():
        path = output / name
        if not path.exists():
            found.append(f"{name}: missing")
        elif path.read_text() != text:
            found.append(f"{name}: stale")
    return found


def write(files: dict[str, str], output: Path) -> None:
    for left_over in {p.name for p in output.glob("*.py")} - HAND_WRITTEN - files.keys():
        (output / left_over).unlink()
    for name, text in files.items():
        (output / name).write_text(text)


def history(path: Path) -> dict[str, int]:
    """Return what `OLDEST` lacks according to a `protocol_history.json`: full names and their first milestones."""
    table = json.loads(path.read_text())["since"]
    names = {f"{domain}.{name}": since for domain, names in table.items() for name, since in names.items()}
    return {name: since for name, since in names.items() if since > OLDEST}


def pin(endpoint: str) -> None:
    """Replace the pinned file by the protocol of the browser at `endpoint`."""

    def get(path: str) -> Any:
        with urllib.request.urlopen(endpoint.rstrip("/") + path) as reply:
            return json.load(reply)

    version, protocol = get("/json/version"), get("/json/protocol")
    revision = re.search(r"@\w+", version["WebKit-Version"])
    pinned = {"product": version["Browser"], "revision": revision[0] if revision else "unknown", **protocol}
    PINNED.write_text(json.dumps(pinned, indent=1, ensure_ascii=False) + "\n")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the output is stale")
    parser.add_argument("--pin", metavar="URL", help="first replace the pinned protocol by that of the browser at URL")
    options = parser.parse_args(argv)
    if options.pin:
        pin(options.pin)
    files = generate(Schema(json.loads(PINNED.read_text()), history(HISTORY)))
    if not options.check:
        write(files, OUTPUT)
        return 0
    found = stale(files, OUTPUT)
    for line in found:
        print(f"cdp_types/{line}; run tools/generate_cdp_types.py", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
