"""A Dash application with its core components: `dash_app.py PORT`."""

from __future__ import annotations

import sys

from dash import Dash, Input, Output, dash_table, dcc, html

ROWS = [{"city": city, "people": 10_000 * at, "coast": at % 2} for at, city in enumerate("ABCDEFGHIJKL", 1)]
app = Dash(title="Cities")
app.layout = html.Main(
    [
        html.H1("Cities"),
        html.Label(["Sort by", dcc.Dropdown(["city", "people"], "city", id="order")]),
        dcc.RadioItems(["All", "Coast", "Inland"], "All", id="which"),
        dcc.Checklist(["Capital", "Port"], ["Port"], id="kind"),
        html.Label(["At least", dcc.Slider(0, 120, 20, value=20, id="least")]),
        dcc.Input(placeholder="Search a city", id="text", type="text"),
        dcc.DatePickerSingle(date="2026-03-01", id="day"),
        dcc.Tabs([dcc.Tab(label="Table", children=html.Div(id="table")), dcc.Tab(label="About", children="Made up.")]),
        dash_table.DataTable(
            ROWS,
            [{"name": name.title(), "id": name} for name in ("city", "people", "coast")],
            editable=True,
            sort_action="native",
            filter_action="native",
            row_selectable="multi",
            page_size=6,
        ),
        html.Details([html.Summary("Sources"), html.P("None.")]),
    ]
)


@app.callback(Output("table", "children"), Input("order", "value"), Input("which", "value"))
def listed(order: str, which: str) -> str:
    return f"Sorted by {order}: {which}"


app.run(port=sys.argv[1], debug=False)
