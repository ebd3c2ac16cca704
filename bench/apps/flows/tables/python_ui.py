"""Flows on interfaces that are written in Python and drawn by React, Svelte and Vue: each change goes to the server."""

from __future__ import annotations

from functools import partial

from bench.apps.flows.flow import Flow, gone, said, state
from bench.doing import check, click, fill, press, typed

SELECT = "[data-testid=stSelectbox] input"
streamlit = partial(Flow, "streamlit", path="/", ready=SELECT, noise="[data-testid=stStatusWidget]")
gradio = partial(Flow, "gradio", path="/", ready="button[role=tab]")
dash = partial(Flow, "dash", path="/", ready=".dash-spreadsheet td")
nice = partial(Flow, "nicegui", path="/", ready=".q-table")
FORM = (click("role=tab[name='New order']"),)

FLOWS = (
    streamlit(
        name="open a select",
        act=(click(SELECT),),
        true="shown('[role=listbox]').includes('South')",
        key=(said("South"), state("expanded", "true", "Region")),
    ),
    streamlit(
        name="choose a region",
        act=(click(SELECT), click('role=option[name="South"]')),
        true="page().includes('Region: South')",
        key=(said("South"),),
    ),
    streamlit(
        name="add a month",
        act=(click("[data-testid=stMultiSelect] input"), click('role=option[name="April"]')),
        true="page().includes('March, April')",
        key=(said("April"),),
    ),
    streamlit(
        name="move the slider",
        act=(press("ArrowRight", "[data-testid=stSlider] input"),),
        true="page().includes('at least 26')",
        key=(said("26"),),
    ),
    streamlit(
        name="uncheck a box",
        act=(click("text=Only paid"),),
        true="!one('[data-testid=stCheckbox] input').checked",
        key=(state("checked", "false"),),
    ),
    streamlit(
        name="another tab",
        act=FORM,
        true="page().includes('Place order')",
        key=(state("selected", "true", "New order"), said("Customer"), said("Place order")),
    ),
    streamlit(
        name="send the form",
        act=(fill("[data-testid=stTextInput] input", "Ann"), click("[data-testid=stFormSubmitButton] button")),
        true="page().includes('Ann ordered 2 (Standard).')",
        key=(said("Ann ordered 2 (Standard)."),),
        before=FORM,
    ),
    streamlit(
        name="one more",
        act=(click("[data-testid=stNumberInputStepUp]"),),
        true="one('[data-testid=stNumberInput] input').value === '3'",
        key=(state("value", "3"),),
        before=FORM,
    ),
    streamlit(
        name="choose the delivery",
        act=(click("text=Express"),),
        true="[...document.querySelectorAll('[data-testid=stRadio] input')][1].checked",
        key=(state("checked", "true", "Express"),),
        before=FORM,
    ),
    streamlit(
        name="open the expander",
        act=(click("[data-testid=stExpander] summary"),),
        true="page().includes('rounded to')",
        key=(said("rounded to"), state("expanded|open", "true")),
    ),
    streamlit(
        name="toast",
        act=(click("text=Refresh"),),
        true="one('[data-testid=stToast]') !== null",
        key=(said("Up to date"),),
        noise="[data-testid=stToastContainer], [data-testid=stStatusWidget]",
    ),
    gradio(
        name="greet",
        act=(fill("textarea[placeholder='Your name']", "Ann"), click("button.primary")),
        true="all('textarea').some((area) => area.value === 'Hello Ann!')",
        key=(said("Hello Ann!"),),
    ),
    gradio(
        name="choose a greeting",
        act=(click("input[aria-label=Greeting]"), click("role=option[name=Welcome]")),
        true="one('input[aria-label=Greeting]').value === 'Welcome'",
        key=(said("Welcome"),),
    ),
    gradio(
        name="open a list",
        act=(click("input[aria-label=Greeting]"),),
        true="shown('[role=listbox]').includes('Good day')",
        key=(said("Good day"), state("expanded", "true")),
    ),
    gradio(
        name="settings tab",
        act=(click("role=tab[name=Settings]"),),
        true="page().includes('Remember me')",
        key=(state("selected", "true", "Settings"), said("Text size")),
    ),
    gradio(
        name="take an example",
        act=(click("text=Ben >> nth=0"),),
        true="one('textarea[placeholder=\"Your name\"]').value === 'Ben'",
        key=(state("value", "Ben"),),
    ),
    gradio(
        name="remember me",
        act=(check("role=checkbox[name='Remember me']"),),
        true="all('input[type=checkbox]').filter((box) => box.checked).length === 1",
        key=(state("checked", "true", "Remember me"),),
        before=(click("role=tab[name=Settings]"),),
    ),
    gradio(
        name="check a style",
        act=(check("role=checkbox[name=Italic]"),),
        true="all('input[type=checkbox]').filter((box) => box.checked).length === 1",
        key=(state("checked", "true", "Italic"),),
        before=(click("role=tab[name=Settings]"),),
    ),
    gradio(
        name="open the accordion",
        act=(click("role=button[name*=Details]"),),
        true="page().includes('Made with')",
        key=(said("Made with"), state("expanded|open", "true")),
    ),
    dash(
        name="sort by people",
        act=(click("#order"), click('role=option[name="people"]')),
        true="page().includes('Sorted by people: All')",
        key=(said("Sorted by people: All"),),
    ),
    dash(
        name="only the coast",
        act=(click("#which >> text=Coast"),),
        true="page().includes('Sorted by city: Coast')",
        key=(said("Sorted by city: Coast"),),
    ),
    dash(
        name="sort the table downwards",
        act=(click("th[data-dash-column=people] .column-header--sort"),),
        true="shown('td[data-dash-column=city]').startsWith('L')",
        key=(said("120000"), state("sort", "descending")),
        before=(click("th[data-dash-column=people] .column-header--sort"),),
    ),
    dash(
        name="next page of the table",
        act=(click("button.next-page"),),
        true="shown('td[data-dash-column=city]').startsWith('G')",
        key=(said("70000"), state("value", "2")),
    ),
    dash(
        name="filter the table",
        act=(typed(".dash-filter input >> nth=0", "K"), press("Enter")),
        true="shown('td[data-dash-column=city]') === 'K'",
        key=(said("110000"), said("K")),
    ),
    dash(
        name="another tab",
        act=(click("text=About"),),
        true="page().includes('Made up.')",
        key=(said("Made up."), state("selected", "true", "About")),
    ),
    dash(
        name="open details",
        act=(click("details summary"),),
        true="one('details').open",
        key=(said("None."), state("open|expanded", "true")),
    ),
    dash(
        name="check a kind",
        act=(click("#kind >> text=Capital"),),
        true="all('#kind input').every((box) => box.checked)",
        key=(state("checked", "true", "Capital"),),
    ),
    nice(
        name="open the menu",
        act=(click("[aria-label=Menu]"),),
        true="shown('.q-menu').includes('Export')",
        key=(said("Import"), state("expanded", "true", "Menu")),
    ),
    nice(
        name="notification",
        act=(click("text=Store"),),
        true="one('.q-notification') !== null",
        key=(said("Stored"),),
        noise=".q-notifications",
    ),
    nice(
        name="choose the packaging",
        act=(click(".q-select"), click("role=option[name=Crate]")),
        true="shown('.q-select').includes('Crate')",
        key=(said("Crate"),),
    ),
    nice(
        name="check a box",
        act=(click("role=checkbox[name=Fragile]"),),
        true="one('.q-checkbox[aria-label=Fragile], .q-checkbox').getAttribute('aria-checked') === 'true'",
        key=(state("checked", "true", "Fragile"),),
    ),
    nice(
        name="another tab",
        act=(click("role=tab[name=History]"),),
        true="page().includes('Nothing yet.')",
        key=(said("Nothing yet."), state("selected", "true", "History")),
    ),
    nice(
        name="open the rules",
        act=(click("text=Rules"),),
        true="page().includes('Heavy things go below.')",
        key=(said("Heavy things go below."), state("expanded", "true")),
    ),
    nice(
        name="ask in a dialog",
        act=(click('text="Empty"'),),
        true="shown('.q-dialog').includes('Empty the shelf?')",
        key=(said("Empty the shelf?"),),
    ),
    nice(
        name="close the dialog",
        act=(click(".q-dialog >> text=No"),),
        true="all('.q-dialog').length === 0",
        key=(gone("Empty the shelf?"),),
        before=(click('text="Empty"'),),
    ),
    nice(
        name="sort the table downwards",
        act=(click("th >> text=Free"),),
        true="shown('.q-table tbody tr:first-child').includes('S5')",
        key=(said("S5"), state("sort", "descending", "Free")),
        before=(click("th >> text=Free"),),
    ),
    nice(
        name="select all rows",
        act=(click(".q-table thead .q-checkbox"),),
        true="page().includes('6 records selected')",
        key=(said("6 records selected"),),
    ),
    nice(
        name="open a branch",
        act=(click(".q-tree__arrow"),),
        true="page().includes('Aisle 1')",
        key=(said("Aisle 1"), state("expanded", "true", "Hall")),
    ),
    nice(
        name="take the ship",
        act=(click("role=radio[name=Ship]"),),
        true="one('[role=radio][aria-checked=true]').getAttribute('aria-label') === 'Ship'",
        key=(state("checked", "true", "Ship"),),
    ),
)
