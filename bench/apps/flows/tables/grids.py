"""Flows on grids: Tabulator, and the tables (DataTables) and menus of SB Admin."""

from __future__ import annotations

from functools import partial

from bench.apps.flows.flow import Flow, gone, said, state
from bench.doing import choose, click, press, right_click, typed

grid = partial(Flow, "tabulator", path="/", ready=".tabulator-row")
SB = "/npm/startbootstrap-sb-admin-2"
tables = partial(Flow, "sb-admin", path=f"{SB}/tables.html", ready="#dataTable_info")
board = partial(Flow, "sb-admin", path=f"{SB}/index.html")
FIRST_ROW = ".tabulator-table .tabulator-row:first-child"

FLOWS = (
    grid(
        name="sort by age, downwards",
        act=(click(".tabulator-col[tabulator-field=age] .tabulator-col-title"),),
        true=f"shown('{FIRST_ROW}').includes('59')",
        key=(state("sort", "descending", "Age"), said("Person 39")),
        before=(click(".tabulator-col[tabulator-field=age] .tabulator-col-title"),),
    ),
    grid(
        name="filter by name",
        act=(typed(".tabulator-col[tabulator-field=name] .tabulator-header-filter input", "Person 3"),),
        true="shown('.tabulator-page-counter').includes('of 11 rows')",
        key=(said("of 11 rows"),),
    ),
    grid(
        name="next page",
        act=(click(".tabulator-page[data-page=next]"),),
        true="shown('.tabulator-page-counter').includes('11-20 of 40')",
        key=(said("11-20 of 40"), said("Person 10")),
    ),
    grid(
        name="more rows to a page",
        act=(choose(".tabulator-page-size", "20"),),
        true="shown('.tabulator-page-counter').includes('1-20 of 40')",
        key=(said("1-20 of 40"),),
    ),
    grid(
        name="edit a cell",
        act=(
            click(f"{FIRST_ROW} .tabulator-cell[tabulator-field=name]"),
            press("Control+a"),
            typed(f"{FIRST_ROW} .tabulator-cell[tabulator-field=name] input", "Zoe"),
            press("Enter"),
        ),
        true="table.getData().some((row) => row.name === 'Zoe')",
        key=(said("Zoe"),),
    ),
    grid(
        name="add a row",
        act=(click("#add"),),
        true="table.getData().length === 41",
        key=(said("New"), said("of 41 rows")),
    ),
    grid(
        name="select a row",
        act=(click(f"{FIRST_ROW} input[type=checkbox]"),),
        true="table.getSelectedRows().length === 1",
        key=(state("selected", "true"), state("checked", "true")),
    ),
    grid(
        name="delete a row",
        act=(right_click(f"{FIRST_ROW} .tabulator-cell[tabulator-field=name]"), click("text=Delete row")),
        true="table.getData().length === 39",
        key=(gone("Person 0"), said("of 39 rows")),
    ),
    grid(
        name="hide a column",
        act=(click(".tabulator-col[tabulator-field=name] .tabulator-header-popup-button"), click("text=Hide column")),
        true="!table.getColumn('name').isVisible()",
        key=(gone("Name"),),
    ),
    tables(
        name="search",
        act=(typed("#dataTable_filter input", "Tokyo"),),
        true="shown('#dataTable_info').includes('of 5 entries')",
        key=(said("of 5 entries"),),
    ),
    tables(
        name="sort by age",
        act=(click("#dataTable thead th:nth-child(4)"),),
        true="one('#dataTable thead th:nth-child(4)').getAttribute('aria-sort') === 'ascending'",
        key=(state("sort", "ascending", "Age"), said("Tatyana Fitzpatrick")),
    ),
    tables(
        name="next page",
        act=(click("#dataTable_next a"),),
        true="shown('#dataTable_info').includes('11 to 20 of 57')",
        key=(said("11 to 20 of 57"),),
    ),
    tables(
        name="more rows to a page",
        act=(choose("[name=dataTable_length]", "25"),),
        true="shown('#dataTable_info').includes('1 to 25 of 57')",
        key=(said("1 to 25 of 57"),),
    ),
    tables(
        name="nothing found",
        act=(typed("#dataTable_filter input", "qqq"),),
        true="page().includes('No matching records found')",
        key=(said("No matching records found"), said("0 to 0 of 0 entries")),
    ),
    board(
        name="open the alerts",
        act=(click("#alertsDropdown"),),
        true="page().includes('Alerts Center')",
        key=(said("Alerts Center"), state("expanded", "true")),
    ),
    board(
        name="open a part of the sidebar",
        act=(click("[data-target='#collapseTwo']"),),
        true="/custom components/i.test(shown('#collapseTwo'))",
        key=(said("Custom Components"), state("expanded", "true", "Components"), said("Cards")),
    ),
    board(
        name="log out is asked",
        act=(click("#userDropdown"), click(".dropdown-menu >> text=Logout")),
        true="page().includes('Ready to Leave?')",
        key=(said("Ready to Leave?"),),
    ),
    board(
        name="close the dialog",
        act=(click("#logoutModal >> text=Cancel"),),
        true="all('#logoutModal').length === 0",
        key=(gone("Ready to Leave?"),),
        before=(click("#userDropdown"), click(".dropdown-menu >> text=Logout")),
    ),
    board(
        name="another page",
        act=(click(".sidebar >> text=Tables"),),
        true="shown('h1').includes('Tables')",
        key=(said("Tables"),),
    ),
)
