"""Check that a module with one importer is worth a file of its own, and show the figures of the import graph.

A module that only one other imports is a private part with a public address. Most have one of the grounds that this
tool finds by itself (`GROUNDS`); the others need a line in `REASONS`, or are joined with their importer.

    python tools/check_importers.py            # what has no ground
    python tools/check_importers.py --list     # each module with one importer, and its ground
    python tools/check_importers.py --figures  # files, median file, modules with one importer, deepest chains
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, NamedTuple

from check_layers import PACKAGE, SOURCE, Module, imports, is_logic, read, room, shows_error, targets

if TYPE_CHECKING:
    from pathlib import Path

MAX_LINES = 400
"""The limit for files of CONTRIBUTING.md: a part stays apart if file and part together are longer."""

REASONS: dict[str, str] = {
    "adb.devtools.devtools_http": "requests over adb streams; the endpoint says what they answered",
    "cli.farm_queue": "the commands that need no Ray, which is not imported for them",
    "demo.http": "HTTP/1.1 of the demo's sites; the shop is one of the sites",
    "farm.crawl.directives": "parses what documents and headers ask of crawlers, and is tested without a crawl",
    "farm.crawl.loop": "what a worker does, page by page; work.py makes its parts and watches it",
    "farm.loading.document_limit": "one limit with its events; `whole` joins the checks of a page",
    "farm.loading.documents": "which document a frame shows, from events alone",
    "farm.metrics.page_spans": "spans, beside the module of metrics",
    "farm.output.pdf": "runs the reader of PDFs and ends it; the record only asks for the text",
    "farm.output.warc_hops": "puts redirects into order, and is tested without a recorder",
    "farm.output.warc_revisits": "reads and rewrites records; the sink only writes files",
    "farm.ray.nodes": "decides from lists, and is tested without a cluster",
    "farm.store.migrations": "a growing list of steps; who adds a table adds one, and nothing else of opening",
    "farm.sitemaps.decoding": "which encoding a file has, a question apart from what it says",
    "farm.sitemaps.xml_entries": "the XML formats; the reader also reads lists, and joins the layers",
    "farm.traps.loops": "which pages are the same at every depth; tested without a crawl",
    "farm.traps.varieties": "which names are those of pages, a question of budgets only",
    "farm.traps.views": "which URLs show the same thing in several ways; tested without a crawl",
    "har.cookies": "pure parsing of headers, used by name: `cookies.of_request`",
    "loopguard.rules": "four counters without a policy; the guard decides when they count",
    "mcp.ask_tool": "one tool a module: `mcp.tools` lists them",
    "mcp.before_call": "what a call waits for before any tool runs",
    "mcp.completion": "one method of the protocol a module",
    "mcp.console_tool": "one tool a module: `mcp.tools` lists them",
    "mcp.emulation_tool": "one tool a module: `mcp.tools` lists them",
    "mcp.evaluate_tool": "one tool a module: `mcp.tools` lists them",
    "mcp.find_tool": "one tool a module: `mcp.tools` lists them",
    "mcp.goal_tool": "one tool a module: `mcp.tools` lists them",
    "mcp.late_handlers": "answers the client before the heavy half is imported",
    "mcp.network_tools": "one tool a module: `mcp.tools` lists them",
    "mcp.page_logs": "what a page has logged, kept for the tools; the provider opens sessions",
    "mcp.recordings": "recordings that clients begin and end; the provider opens sessions",
    "mcp.resources": "one method of the protocol a module",
    "mcp.session_tool": "one tool a module: `mcp.tools` lists them",
    "mcp.state_tool": "one tool a module: `mcp.tools` lists them",
    "mcp.stdio": "the transport on standard input and output",
    "mcp.tabs_tool": "one tool a module: `mcp.tools` lists them",
    "mcp.tracing_tool": "one tool a module: `mcp.tools` lists them",
    "mcp.vision_tool": "one tool a module: `mcp.tools` lists them",
    "mcp.webmcp_tools": "one tool a module: `mcp.tools` lists them",
    "recorder.devtools_waits": "the conditions of a flow's waits; the import is long enough without them",
    "recorder.history": "undo, a small state machine of its own",
    "sessions.fifo_lock": "a lock that says who holds it, which knows no session",
    "settling.documents": "logic with tests of its own: which documents a page has",
    "settling.polls": "logic with tests of its own: which requests repeat",
    "settling.scheduled": "the page's timers, an I/O of its own",
    "settling.streams": "logic with tests of its own: which responses never end",
    "tab.external_programs": "a fault of Chrome's, and the way around it",
    "tab.locating.python_patterns": "translates regular expressions, an algorithm of its own",
    "tab.reading.ax_tree": "Chrome's accessibility tree; the snapshot is the core's",
    "tab.typed_secrets": "a rule of security, in one place",
    "testing.app_server": "serves any aiohttp application; benches and tests use it without a PageServer",
    "testing.cassette_recording": "records cassettes; the player plays them",
    "trace.har_format": "one format a module",
}
"""Modules whose ground no rule finds, each with its reason."""

GROUNDS = {
    "errors": "the errors of a room, which `stillframe.errors` leads to",
    "logic": "pure logic: tests drive it without the I/O of its importer",
    "package": "a package: its modules are the parts",
    "shown": "public: its package shows it",
    "elsewhere": "part of its own package; the importer lives in another one",
    "size": f"file and part together are longer than {MAX_LINES} lines",
    "late": "imported only when it is used",
}


class Single(NamedTuple):
    """A module with one importer; `ground` is a key of GROUNDS, or None."""

    name: str
    importer: str
    ground: str | None


class Imports:
    """The import graph of the hand-written package."""

    def __init__(self, modules: list[Module]) -> None:
        self.modules = {module.name: module for module in modules if room(module.name) != "cdp_types"}
        names = frozenset(module.name for module in modules)
        self.targets = {
            name: {
                each.target
                for each in imports(module, names)
                if each.target in self.modules and each.target != name and not shows_error(each)
            }
            for name, module in self.modules.items()
        }
        self.importers: dict[str, set[str]] = {name: set() for name in self.modules}
        for name, found in self.targets.items():
            for target in found:
                self.importers[target].add(name)

    def singles(self) -> Iterator[Single]:
        for name, importers in sorted(self.importers.items()):
            if len(importers) == 1:
                importer = next(iter(importers))
                yield Single(name, importer, self.ground(self.modules[name], self.modules[importer]))

    def ground(self, module: Module, importer: Module) -> str | None:
        """Return why a module stands apart from its only importer, as a key of GROUNDS."""
        rules = {
            "errors": module.name.endswith(".errors"),
            "logic": is_logic(module.name) and not is_logic(importer.name),
            "package": is_package(module),
            "shown": is_package(importer),
            "elsewhere": module.path.parent != importer.path.parent,
            "size": length(module) + length(importer) > MAX_LINES,
            "late": module.name not in self.early(importer),
        }
        return next((ground for ground, holds in rules.items() if holds), None)

    def early(self, module: Module) -> set[str]:
        """Return what a module imports as soon as it is imported, or for type checkers."""
        names = frozenset(self.modules)
        found = set[str]()
        for statement in module.tree.body:
            if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                for node in ast.walk(statement):
                    if isinstance(node, ast.Import | ast.ImportFrom):
                        found.update(targets(node, module.package, names))
        return found

    def depths(self) -> dict[str, int]:
        """Return for each module the length of its longest chain of imports, itself included."""
        found: dict[str, int] = {}
        for name in TopologicalSorter(self.targets).static_order():
            found[name] = 1 + max((found[target] for target in self.targets[name]), default=0)
        return found


def is_package(module: Module) -> bool:
    return module.path.name == "__init__.py"


def length(module: Module) -> int:
    return len(module.path.read_text("utf-8").splitlines())


def main(source: Path = SOURCE, options: Sequence[str] = ()) -> int:
    graph = Imports(read(source))
    singles = list(graph.singles())
    if "--figures" in options:
        print(*figures(graph, singles), sep="\n")
        return 0
    if "--list" in options:
        print(*(line(single) for single in singles), sep="\n")
        return 0
    problems = list(check(singles))
    print(*problems, sep="\n", end="\n" if problems else "")
    return bool(problems)


def check(singles: list[Single]) -> Iterator[str]:
    """Yield a sentence for each module without a ground or a reason, and for each reason that nothing needs."""
    without = {short(single.name): short(single.importer) for single in singles if single.ground is None}
    for name, importer in without.items():
        if name not in REASONS:
            yield (
                f"{name} is imported by {importer} and by no other module: join the two, or say in one line of REASONS "
                "in tools/check_importers.py why it stands apart"
            )
    for name in REASONS.keys() - {short(single.name) for single in singles}:
        yield f"REASONS in tools/check_importers.py names {name}, which does not have one importer: remove the line"


def line(single: Single) -> str:
    reason = GROUNDS[single.ground] if single.ground else REASONS.get(short(single.name), "no reason yet")
    return f"{short(single.name)} <- {short(single.importer)}: {reason}"


def figures(graph: Imports, singles: list[Single]) -> Iterator[str]:
    """Yield the figures that say whether the tree grows deeper or falls into smaller parts."""
    lengths = [length(module) for module in graph.modules.values()]
    grounds = Counter(single.ground or "a line in REASONS" for single in singles)
    depths = graph.depths()
    deepest = max(depths, key=depths.__getitem__)
    yield f"{len(lengths)} modules, {sum(lengths)} lines, median {statistics.median(lengths):g}"
    yield f"{len(singles)} with one importer: {', '.join(f'{n} {ground}' for ground, n in grounds.most_common())}"
    of_page = depths.get(f"{PACKAGE}.api.page")
    yield f"deepest chain: {depths[deepest]} modules, from {short(deepest)}; from api.page: {of_page}"


def short(name: str) -> str:
    return name.removeprefix(f"{PACKAGE}.")


if __name__ == "__main__":
    sys.exit(main(options=sys.argv[1:]))
