#!/usr/bin/env python3
"""Generate the table of the MCP server's capabilities in docs/how-to/mcp.md: what each adds to what a model reads.

    tools/generate_mcp_table.py             write the table
    tools/generate_mcp_table.py --check     exit with 1 if the table is stale

The characters are those of the name, the description and the input schema of each tool, which clients hand to their
models with every request. `bench mcp` counts those of other servers in the same way.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from stillframe.mcp.capabilities import CAPABILITIES, CORE, EVERY, Capability  # noqa: E402  see above
from stillframe.mcp.tools import tool_table  # noqa: E402

if TYPE_CHECKING:
    import mcp_types as types

PAGE = ROOT / "docs" / "how-to" / "mcp.md"
BEGIN, END = "<!-- made by tools/generate_mcp_table.py -->", "<!-- end -->"
OPTIONS = frozenset({"--allow-evaluate"})


def taken(tools: Iterable[types.Tool]) -> int:
    """Return the characters that a model reads of tools before it calls one."""
    return sum(
        len(tool.name)
        + len(tool.description or "")
        + len(json.dumps(tool.input_schema, separators=(",", ":"), ensure_ascii=False))
        for tool in tools
    )


def tools_of(capabilities: frozenset[Capability]) -> dict[str, types.Tool]:
    """Return the tools that a server with these capabilities shows."""
    return {name: row.tool for name, row in tool_table(capabilities, options=OPTIONS).shown.items()}


def lines() -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| capability | what it is about | tools | characters |"
    yield "|---|---|---|---|"
    core = tools_of(CORE)
    yield f"| `core` | {CAPABILITIES['core']} | {len(core)} | {taken(core.values()):,} |"
    for name, about in CAPABILITIES.items():
        if name != "core":
            wider = tools_of(CORE | {name})
            more = taken(wider.values()) - taken(core.values())
            yield f"| `{name}` | {about} | + {len(wider) - len(core)} | + {more:,} |"
    every = tools_of(EVERY)
    yield f"| `all` | all of them | {len(every)} | {taken(every.values()):,} |"


def with_table(page: str) -> str:
    """Return the page with the table that is right now; raises ValueError for a page without the marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE} has no {BEGIN} … {END}")
    table = "\n".join(lines())
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{after}"


def main() -> int:
    """Write the table, or check it; return the exit status."""
    parser = argparse.ArgumentParser(description="Generate the table of the MCP server's capabilities.")
    parser.add_argument("--check", action="store_true", help="exit with 1 if the table is stale")
    check = parser.parse_args().check
    page = PAGE.read_text("utf-8")
    made = with_table(page)
    if check and made != page:
        sys.stderr.write(f"{PAGE.relative_to(ROOT)}: the table is stale: tools/generate_mcp_table.py\n")
        return 1
    if not check:
        PAGE.write_text(made, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
