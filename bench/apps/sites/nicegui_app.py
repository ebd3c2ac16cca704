"""A NiceGUI (Quasar, Vue) page with most of its elements: `nicegui_app.py PORT`."""

from __future__ import annotations

import sys

from nicegui import ui

with ui.header():
    ui.label("Warehouse").classes("text-xl")
    with ui.button(icon="menu").props("aria-label=Menu"), ui.menu():
        ui.menu_item("Import")
        ui.menu_item("Export")
        ui.separator()
        ui.menu_item("Close")
with ui.left_drawer():
    ui.link("Stock", "/")
    ui.link("Suppliers", "/")
with ui.card():
    ui.input("Article", placeholder="Name or number")
    ui.select(["Box", "Barrel", "Crate"], value="Box", label="Packaging")
    ui.number("Amount", value=3)
    ui.slider(min=0, max=10, value=4)
    ui.checkbox("Fragile")
    ui.switch("Insured", value=True)
    ui.radio(["Truck", "Ship"], value="Truck").props("inline")
    ui.textarea("Remark")
    ui.button("Store", on_click=lambda: ui.notify("Stored"))
with ui.tabs() as tabs:
    ui.tab("Shelves")
    ui.tab("History")
with ui.tab_panels(tabs, value="Shelves"):
    with ui.tab_panel("Shelves"):
        ui.table(
            rows=[{"shelf": f"S{n}", "free": n * 3} for n in range(6)],
            columns=[
                {"name": "shelf", "label": "Shelf", "field": "shelf", "sortable": True},
                {"name": "free", "label": "Free", "field": "free", "sortable": True},
            ],
            row_key="shelf",
            selection="multiple",
        )
    with ui.tab_panel("History"):
        ui.label("Nothing yet.")
with ui.expansion("Rules", icon="info"):
    ui.label("Heavy things go below.")
with ui.dialog() as dialog, ui.card():
    ui.label("Empty the shelf?")
    ui.button("Yes", on_click=dialog.close)
    ui.button("No", on_click=dialog.close)
ui.button("Empty", on_click=dialog.open)
ui.tree([{"id": "Hall", "children": [{"id": "Aisle 1"}, {"id": "Aisle 2"}]}], label_key="id")

ui.run(host="127.0.0.1", port=int(sys.argv[1]), reload=False, show=False, title="Warehouse")
