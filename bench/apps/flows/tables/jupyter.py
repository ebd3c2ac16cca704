"""Flows on JupyterLab: menus, dialogs, a notebook."""

from __future__ import annotations

from functools import partial

from bench.apps.flows.flow import Flow, gone, said
from bench.doing import click, press, right_click, typed, wait_for

# The list of files asks the server again every ten seconds, and shows ages.
flow = partial(Flow, "jupyterlab", path="/lab?reset", ready=".jp-LauncherCard", noise=".jp-DirListing")
NOTEBOOK = (
    click(".jp-LauncherCard[data-category=Notebook]"),
    {**wait_for(selector=".jp-Notebook .jp-Cell .cm-content"), "timeoutMs": 30_000},
    {**wait_for(selector="text=Idle"), "timeoutMs": 30_000},
)

FLOWS = (
    flow(
        name="open the file menu",
        act=(click(".lm-MenuBar-item:first-child"),),
        true="shown('.lm-Menu').includes('Save All')",
        key=(said("Save All"), said("New Launcher"), said("New")),
    ),
    flow(
        name="open the palette",
        act=(press("Control+Shift+C"),),
        true="all('.lm-CommandPalette-item').length > 5",
        key=(said("Console"), said("Search"), said("Command Palette")),
    ),
    flow(
        name="about",
        act=(click(".lm-MenuBar-item >> text=Help"), click("text=About JupyterLab")),
        true="shown('.jp-Dialog').includes('Version')",
        key=(said("Version"), said("About JupyterLab")),
    ),
    flow(
        name="close a dialog",
        act=(click(".jp-Dialog >> role=button >> nth=-1"),),
        true="all('.jp-Dialog').length === 0",
        key=(gone("Version"), gone("Dismiss"), gone("JupyterLab")),
        before=(click(".lm-MenuBar-item >> text=Help"), click("text=About JupyterLab")),
    ),
    flow(
        name="new notebook",
        act=(click(".jp-LauncherCard[data-category=Notebook]"),),
        true="shown('.lm-TabBar-tab').includes('Untitled') && all('.jp-Notebook .jp-Cell').length === 1",
        key=(said("Untitled"),),
    ),
    flow(
        name="run a cell",
        act=(typed(".jp-Cell .cm-content", "print(6 * 7)"), press("Shift+Enter")),
        true="shown('.jp-OutputArea-output').includes('42')",
        key=(said("42"),),
        before=NOTEBOOK,
    ),
    flow(
        name="run a cell that fails",
        act=(typed(".jp-Cell .cm-content", "1 / 0"), press("Shift+Enter")),
        true="shown('.jp-OutputArea-output').includes('ZeroDivisionError')",
        key=(said("ZeroDivisionError"),),
        before=NOTEBOOK,
    ),
    flow(
        name="insert a cell",
        act=(press("Escape"), press("b")),
        true="all('.jp-Notebook .jp-Cell').length === 2",
        key=(said("[ ]"), said("cell")),
        before=(*NOTEBOOK, click(".jp-Cell .cm-content")),
    ),
    flow(
        name="cell's context menu",
        act=(right_click(".jp-Cell .cm-content"),),
        true="shown('.lm-Menu').includes('Cut Cell')",
        key=(said("Cut Cell"),),
        before=NOTEBOOK,
    ),
    flow(
        name="rename the notebook is asked",
        act=(click(".lm-MenuBar-item >> text=File"), click(".lm-Menu >> text=Rename Notebook")),
        true="shown('.jp-Dialog').includes('New Name')",
        key=(said("Rename File"), said("New Name")),
        before=NOTEBOOK,
    ),
    flow(
        name="change to Markdown",
        act=(press("Escape"), press("m")),
        true="all('.jp-MarkdownCell').length === 1",
        key=(said("Markdown"),),
        before=(*NOTEBOOK, click(".jp-Cell .cm-content")),
    ),
)
