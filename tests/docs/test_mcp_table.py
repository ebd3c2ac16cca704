"""The table of capabilities in the documentation is what the server shows, beside the versions that the bench runs."""

from __future__ import annotations

import json
from importlib.util import module_from_spec, spec_from_file_location

from documents import DOCS, ROOT, names_in, table
from stillframe.mcp.capabilities import ALL, CAPABILITIES
from stillframe.mcp.tools import tool_table

PAGE = DOCS / "how-to" / "mcp.md"
MOST_BY_DEFAULT = 9_000


def test_the_table_is_fresh() -> None:
    spec = spec_from_file_location("generate_mcp_table", ROOT / "tools" / "generate_mcp_table.py")
    assert spec is not None
    assert spec.loader is not None
    tool = module_from_spec(spec)
    spec.loader.exec_module(tool)
    page = PAGE.read_text("utf-8")
    assert tool.with_table(page) == page, "run tools/generate_mcp_table.py"


def test_every_capability_is_in_it_and_the_default_is_small() -> None:
    rows = {names_in(row[0])[0]: row for row in table(PAGE, "capability | what it is about | tools | characters")}
    assert list(rows) == [*CAPABILITIES, ALL]
    assert int(rows["core"][2]) == len(tool_table().shown)
    assert int(rows["core"][3].replace(",", "")) <= MOST_BY_DEFAULT


def test_the_other_servers_have_the_versions_of_the_bench() -> None:
    packages = json.loads((ROOT / "bench" / "settle" / "rivals" / "package.json").read_text("utf-8"))["dependencies"]
    rows = [row[0] for row in table(PAGE, "other servers, by default | tools | characters")]
    assert rows == [f"`{name}` {packages[name]}" for name in ("@playwright/mcp", "chrome-devtools-mcp")]
