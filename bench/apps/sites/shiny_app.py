"""A Shiny application with most of its inputs: `shiny run shiny_app.py`."""

import time
from pathlib import Path

import pandas as pd
from shiny import App, reactive, render, ui

SHIPS = pd.DataFrame({"ship": [f"Ship {n}" for n in range(25)], "tons": [n * 53 % 97 for n in range(25)]})

page = ui.page_navbar(
    ui.nav_panel(
        "Harbour",
        ui.layout_sidebar(
            ui.sidebar(
                ui.input_text("captain", "Captain"),
                ui.input_select("pier", "Pier", ["North", "East", "South"]),
                ui.input_selectize("cargo", "Cargo", ["Salt", "Timber", "Wool", "Tea"], multiple=True),
                ui.input_slider("crew", "Crew", 1, 40, 12),
                ui.input_date("sails", "Sails on", value="2026-03-05"),
                ui.input_switch("pilot", "With a pilot"),
                ui.input_radio_buttons("tide", "Tide", ["High", "Low"]),
            ),
            ui.output_text("told"),
            ui.input_action_button("weigh", "Weigh"),
            ui.output_text("weight"),
            ui.input_action_button("ask", "Ask the master"),
            ui.input_action_button("note", "Leave a note"),
            ui.accordion(ui.accordion_panel("Rules", "No fire on deck."), open=False, id="rules"),
        ),
    ),
    ui.nav_panel("Ships", ui.output_data_frame("ships"), ui.output_text("chosen")),
    ui.nav_panel(
        "Logs",
        ui.input_file("log", "Log"),
        ui.output_text("lines"),
        ui.input_action_button("row", "Add a line"),
        ui.div(id="list"),
    ),
    title="Harbour office",
    id="part",
)


def server(input, _output, _session):
    @render.text
    def told():
        pilot = "with a pilot" if input.pilot() else "without a pilot"
        cargo = ", ".join(input.cargo()) or "nothing"
        who = input.captain() or "Nobody"
        where = f"from {input.pier()} on {input.sails()} at {input.tide()} tide"
        return f"{who} sails {where}, crew {input.crew()}, {cargo}, {pilot}."

    @render.text
    @reactive.event(input.weigh)
    def weight():
        time.sleep(0.7)
        return f"It weighs {SHIPS.tons.sum()} tons."

    @reactive.effect
    @reactive.event(input.ask)
    def _():
        ui.modal_show(ui.modal("May the ship leave?", title="To the harbour master", easy_close=True))

    @reactive.effect
    @reactive.event(input.note)
    def _():
        ui.notification_show("The note is on the board.", type="message", duration=10)

    @render.data_frame
    def ships():
        return render.DataGrid(SHIPS, selection_mode="row", filters=True, height="300px")

    @render.text
    def chosen():
        return f"{len(ships.cell_selection()['rows'])} chosen."

    @render.text
    def lines():
        files = input.log()
        return (
            f"{files[0]['name']} has {len(Path(files[0]['datapath']).read_text().splitlines())} lines."
            if files
            else "No log."
        )

    @reactive.effect
    @reactive.event(input.row)
    def _():
        ui.insert_ui(ui.p(f"Line {input.row()} of the log."), selector="#list", where="beforeEnd")


app = App(page, server)
