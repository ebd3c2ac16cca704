"""Flows on widgets that are applications of their own: a grid, a calendar, an editor of programs and one of texts."""

from __future__ import annotations

from functools import partial

from bench.apps.flows.flow import Flow, gone, said, state
from bench.doing import click, double_click, drag, fill, keys, mark, press, typed

grid = partial(Flow, "ag-grid", path="/", ready=".ag-row")
calendar = partial(Flow, "fullcalendar", path="/", ready="text=Choir")
blockly = partial(Flow, "blockly", path="/", ready=".blocklyText")
quill = partial(Flow, "quill", path="/", ready=".ql-toolbar")
CELL = ".ag-row[row-index='0'] [col-id={}]"
PARAGRAPH = "#editor p >> nth=1"

FLOWS = (
    grid(
        name="sort by weight, downwards",
        act=(click(".ag-header-cell[col-id=weight] .ag-header-cell-label"),),
        true=f"shown(\"{CELL.format('weight')}\") === '498'",
        key=(state("sort", "descending", "Weight"), said("498")),
        before=(click(".ag-header-cell[col-id=weight] .ag-header-cell-label"),),
    ),
    grid(
        name="edit a cell",
        act=(double_click(CELL.format("crate")), press("Control+a"), keys("Barrel"), press("Enter")),
        true=f"shown(\"{CELL.format('crate')}\") === 'Barrel'",
        key=(said("Barrel"),),
    ),
    grid(
        name="seal a crate",
        act=(click(".ag-row[row-index='1'] [col-id=sealed] input"),),
        true="one(\".ag-row[row-index='1'] [col-id=sealed] input\").checked",
        key=(state("checked", "true"),),
    ),
    grid(
        name="choose two rows",
        act=(
            click(".ag-row[row-index='0'] .ag-selection-checkbox input"),
            click(".ag-row[row-index='2'] .ag-selection-checkbox input"),
        ),
        true="shown('#chosen') === '2 chosen'",
        key=(said("2 chosen"),),
    ),
    grid(
        name="drop the chosen",
        act=(click(".ag-row[row-index='0'] .ag-selection-checkbox input"), click("#drop")),
        true=f"shown(\"{CELL.format('crate')}\") === 'Crate 1'",
        key=(gone("Crate 0"),),
    ),
    grid(
        name="find",
        act=(typed("#find", "crate 49"),),
        true="api.getDisplayedRowCount() === 29",
        key=(said("Crate 49"), gone("Crate 0")),
    ),
    grid(
        name="add a crate",
        act=(click("#add"),),
        true="page().includes('New crate')",
        key=(said("New crate"),),
    ),
    grid(
        name="filter by a word",
        act=(click(".ag-header-cell[col-id=crate] .ag-header-cell-filter-button"), keys("77")),
        true="all('.ag-row [col-id=crate]').length === 5",
        key=(said("Crate 177"), said("Crate 77"), gone("Crate 0")),
    ),
    grid(
        name="scroll far down",
        act=({"action": "scroll", "selector": "#grid", "pixels": 9000},),
        true="shown('.ag-row').includes('Crate 215')",
        key=tuple(said(f"Crate {number}") for number in range(195, 225)),
    ),
    calendar(
        name="next month",
        act=(click("role=button[name*=Next]"),),
        true="page().includes('April 2026')",
        key=(said("April 2026"),),
    ),
    calendar(
        name="week",
        act=(click("text=week"),),
        true="page().includes('All-day') && page().includes('11pm')",
        key=(said("All-day"), state("selected", "true", "Week view")),
    ),
    calendar(
        name="list",
        act=(click("text=list"),),
        true="all('[role=grid]').length === 0 && page().includes('Chess')",
        key=(said("Choir"), said("Chess"), state("selected", "true", "List view")),
    ),
    calendar(
        name="move an event",
        act=(drag("text=Choir", "[data-date='2026-03-13']"),),
        true="shown('#told') === 'Choir moved to 2026-03-13'",
        key=(said("Choir moved to 2026-03-13"),),
    ),
    calendar(
        name="open an event",
        act=(click("text=Choir"),),
        true="shown('#told') === 'Choir on 2026-03-04'",
        key=(said("Choir on 2026-03-04"),),
    ),
    calendar(
        name="add an event",
        act=(click("[data-date='2026-03-25']"),),
        true="page().includes('New meeting')",
        key=(said("New meeting"), said("Added on 2026-03-25")),
    ),
    calendar(
        name="more of a day",
        act=(click("text=more"),),
        true="page().includes('Fair 5')",
        key=(said("Fair 5"), said("March 20, 2026")),
    ),
    blockly(
        name="open a drawer",
        act=(click('.blocklyToolbox >> text="Loops"'),),
        true="workspace.getFlyout().isVisible()",
        key=(said("repeat"), state("selected", "true", "Loops")),
    ),
    blockly(
        name="add a block",
        act=(
            click('.blocklyToolbox >> text="Loops"'),
            drag(".blocklyFlyout .blocklyDraggable >> nth=0", "#space", targetPosition={"x": 500, "y": 300}),
        ),
        true="shown('#code').includes('for (var count')",
        key=(said("for (var count"), said("repeat")),
    ),
    blockly(
        name="move a block",
        act=(drag('.blocklyText >> text="print"', "#space", targetPosition={"x": 600, "y": 380}),),
        true="workspace.getBlockById('print').getRelativeToSurfaceXY().y > 250",
        key=(state("transform", ""), said("print")),
    ),
    blockly(
        name="other words",
        act=(click('.blocklyText >> text="hello"'), press("Control+a"), keys("good day"), press("Enter")),
        true="shown('#code').includes('good day')",
        key=(said("good day"),),
    ),
    blockly(
        name="remove a block",
        act=(click('.blocklyText >> text="print"'), press("Delete")),
        true="workspace.getAllBlocks().length === 0",
        key=(gone("print"), gone("hello")),
    ),
    quill(
        name="write on",
        act=(click(PARAGRAPH), press("End"), keys(" Come and see it.")),
        true="quill.getText().includes('mended. Come and see it.')",
        key=(said("Come and see it."),),
    ),
    quill(
        name="bold",
        act=(mark(PARAGRAPH), click("button.ql-bold")),
        true="one('#editor strong')?.textContent === 'the lamp is mended.'",
        key=(said("the lamp is mended."), state("pressed", "true", "bold")),
    ),
    quill(
        name="a heading",
        act=(
            click("#editor p >> nth=0"),
            click(".ql-header .ql-picker-label"),
            click(".ql-header .ql-picker-item[data-value='1']"),
        ),
        true="one('#editor h1')?.textContent === 'Dear Ann,'",
        key=(state("role", "heading", "Dear Ann,"),),
    ),
    quill(
        name="a list",
        act=(click(PARAGRAPH), click("button.ql-list[value=bullet]")),
        true="one('#editor li')?.textContent === 'the lamp is mended.'",
        key=(state("role", "listitem"), state("pressed", "true", "bullet")),
    ),
    quill(
        name="a link",
        act=(
            mark(PARAGRAPH),
            click("button.ql-link"),
            fill(".ql-tooltip input", "https://lamp.example"),
            click(".ql-tooltip .ql-action"),
        ),
        true="one('#editor a')?.getAttribute('href') === 'https://lamp.example'",
        key=(said("https://lamp.example"), state("pressed", "true", "link")),
    ),
    quill(
        name="undo",
        act=(press("Control+z"),),
        true="!quill.getText().includes('Tomorrow')",
        key=(gone("Tomorrow"),),
        before=(click(PARAGRAPH), press("End"), keys(" Tomorrow.")),
    ),
)
