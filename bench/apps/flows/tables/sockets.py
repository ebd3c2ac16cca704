"""Flows on interfaces that are written in Python and live on a socket: Shiny, Panel, marimo."""

from __future__ import annotations

from functools import partial

from bench.apps.flows.flow import Flow, gone, said, state
from bench.apps.launch import SITES
from bench.doing import check, choose, click, fill, press, typed, upload

shiny = partial(Flow, "shiny", path="/", ready="#told", noise=".shiny-notification")
panel = partial(Flow, "panel", path="/panel_app", ready="text=Nothing counted.", noise=".notyf")
marimo = partial(Flow, "marimo", path="/", ready="text=0 guests chosen.")
SHIPS = (click("role=tab[name=Ships]"),)

FLOWS = (
    shiny(
        name="name the captain",
        act=(fill("#captain", "Ann"),),
        true="shown('#told').startsWith('Ann sails')",
        key=(said("Ann sails from North"),),
    ),
    shiny(
        name="choose a pier",
        act=(choose("#pier", "South"),),
        true="shown('#told').includes('from South')",
        key=(said("from South"),),
    ),
    shiny(
        name="load two cargoes",
        act=(
            click("#cargo + .selectize-control"),
            click('.selectize-dropdown >> text="Wool"'),
            click('.selectize-dropdown >> text="Tea"'),
        ),
        true="shown('#told').includes('Wool, Tea')",
        key=(said("Wool, Tea"),),
    ),
    shiny(
        name="one more in the crew",
        act=(press("ArrowRight", ".irs-line"),),
        true="shown('#told').includes('crew 14')",
        key=(said("crew 14"),),
    ),
    shiny(
        name="pick a day",
        act=(click("#sails input"), click('.datepicker-days >> text="17"')),
        true="shown('#told').includes('2026-03-17')",
        key=(said("2026-03-17"),),
    ),
    shiny(
        name="take a pilot",
        act=(check("#pilot"),),
        true="shown('#told').includes('with a pilot')",
        key=(said("with a pilot"), state("checked", "true", "With a pilot")),
    ),
    shiny(
        name="low tide",
        act=(check("role=radio[name=Low]"),),
        true="shown('#told').includes('Low tide')",
        key=(said("at Low tide"), state("checked", "true", "Low")),
    ),
    shiny(
        name="weigh",
        act=(click("#weigh"),),
        true="page().includes('It weighs 1')",
        key=(said("It weighs"),),
    ),
    shiny(
        name="ask the master",
        act=(click("#ask"),),
        true="shown('.modal').includes('May the ship leave?')",
        key=(said("May the ship leave?"), said("To the harbour master")),
    ),
    shiny(
        name="ask no more",
        act=(click(".modal-footer button"),),
        true="all('.modal').length === 0",
        key=(gone("May the ship leave?"), gone("To the harbour master")),
        before=(click("#ask"),),
    ),
    shiny(
        name="leave a note",
        act=(click("#note"),),
        true="!!one('#shiny-notification-panel')",
        key=(said("The note is on the board."),),
    ),
    shiny(
        name="open the rules",
        act=(click(".accordion-button"),),
        true="page().includes('No fire on deck.')",
        key=(said("No fire on deck."), state("expanded", "true", "Rules")),
    ),
    shiny(
        name="the ships",
        act=SHIPS,
        true="page().includes('0 chosen.')",
        key=(said("Ship 0"), said("0 chosen."), state("selected", "true", "Ships")),
    ),
    shiny(
        name="choose a ship",
        act=(click("#ships tbody tr:nth-of-type(3)"),),
        true="page().includes('1 chosen.')",
        key=(said("1 chosen."),),
        before=SHIPS,
    ),
    shiny(
        name="sort by tons",
        act=(click("#ships th >> has-text=tons"),),
        true="shown('#ships tbody tr').startsWith('Ship 20')",
        key=(said("Ship 20"), state("sort", "descending", "tons"), state("sort", "ascending", "tons")),
        before=SHIPS,
    ),
    shiny(
        name="hand in a log",
        act=(upload("#log", str(SITES / "shiny_app.py")),),
        true="page().includes('shiny_app.py has')",
        key=(said("shiny_app.py has"),),
        before=(click("role=tab[name=Logs]"),),
    ),
    shiny(
        name="add a line",
        act=(click("#row"),),
        true="page().includes('Line 1 of the log.')",
        key=(said("Line 1 of the log."),),
        before=(click("role=tab[name=Logs]"),),
    ),
    panel(
        name="choose a fuel",
        act=(choose("label=Fuel", "Wood"),),
        true="page().includes('l of Wood')",
        key=(said("l of Wood"),),
    ),
    panel(
        name="one more litre",
        act=(press("ArrowRight", ".noUi-handle"),),
        true="page().includes('11 l of')",
        key=(said("11 l of"),),
    ),
    panel(
        name="one more town",
        act=(click(".choices"), click(".choices__list--dropdown >> text=Turku")),
        true="page().includes('to Oslo, Turku')",
        key=(said("to Oslo, Turku"),),
    ),
    panel(
        name="name the driver",
        act=(typed("label=Driver", "Ann"), press("Enter")),
        true="page().includes('Ann takes')",
        key=(said("Ann takes"),),
    ),
    panel(
        name="pick today",
        act=(click("#input + input >> nth=0"), click(".flatpickr-day.today")),
        true="/<input> .*20\\d\\d-\\d\\d-\\d\\d/.test(page())",
        key=(state("value", None, "Day"), state("value", None)),
    ),
    panel(
        name="switch the lights on",
        act=(click(".bk-knob"),),
        true="page().includes('Lights are on.')",
        key=(said("Lights are on."),),
    ),
    panel(
        name="count",
        act=(click("role=button[name=Count]"),),
        true="page().includes('Counted ')",
        key=(said("Counted"),),
    ),
    panel(
        name="tell",
        act=(click("role=button[name=Tell]"),),
        true="page().includes('The driver knows.')",
        key=(said("The driver knows."),),
    ),
    panel(
        name="the notes",
        act=(click(".bk-tab >> text=Notes"),),
        true="page().includes('Mind the tram.')",
        key=(said("Mind the tram."), state("selected", "true", "Notes")),
    ),
    panel(
        name="next page of the trips",
        act=(click(".tabulator-page[data-page=next]"),),
        true="page().includes('Trip 6')",
        key=(said("Trip 6"),),
    ),
    panel(
        name="open the help",
        act=(click(".card-button"),),
        true="page().includes('Ask at the gate.')",
        key=(said("Ask at the gate."), state("expanded", "true", "Help")),
    ),
    marimo(
        name="name the guest",
        act=(fill("label=Guest", "Ann"), press("Tab")),
        true="page().includes('Ann stays 2 nights')",
        key=(said("Ann stays 2 nights"),),
    ),
    marimo(
        name="one more night",
        act=(press("ArrowRight", "role=slider"),),
        true="page().includes('stays 3 nights')",
        key=(said("stays 3 nights"),),
    ),
    marimo(
        name="choose a room",
        act=(choose("label=Room", "Tower"),),
        true="page().includes('in the Tower room')",
        key=(said("in the Tower room"),),
    ),
    marimo(
        name="breakfast",
        act=(click("role=checkbox[name=Breakfast]"),),
        true="page().includes('room with breakfast')",
        key=(said("with breakfast"), state("checked", "true", "Breakfast")),
    ),
    marimo(
        name="the bill",
        act=(click("role=button[name='Ask for the bill']"),),
        true="page().includes('The bill is 120 crowns.')",
        key=(said("The bill is 120 crowns."),),
    ),
    marimo(
        name="send a message",
        act=(fill("textarea", "We come late"), click("role=button[name=Send]")),
        true="page().includes('We read: We come late.')",
        key=(said("We read: We come late."),),
    ),
    marimo(
        name="another tab",
        act=(click("role=tab[name=Garden]"),),
        true="page().includes('The pond is closed.')",
        key=(said("The pond is closed."), state("selected", "true", "Garden")),
    ),
    marimo(
        name="open the rules",
        act=(click("role=button[name='House rules']"),),
        true="page().includes('Quiet after ten.')",
        key=(said("Quiet after ten."), state("expanded", "true", "House rules")),
    ),
    marimo(
        name="choose a guest",
        act=(click("tbody >> role=checkbox >> nth=1"),),
        true="page().includes('1 guests chosen.')",
        key=(said("1 guests chosen."),),
    ),
    marimo(
        name="next page of the guests",
        act=(click("role=button[name='Next page']"),),
        true="page().includes('Guest 8')",
        key=(said("Guest 8"),),
    ),
)
