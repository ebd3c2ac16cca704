"""A Panel application, served by Bokeh's server: `panel serve panel_app.py`."""

import time

import pandas as pd
import panel as pn

pn.extension("tabulator", notifications=True)

fuel = pn.widgets.Select(name="Fuel", options=["Diesel", "Petrol", "Wood"])
litres = pn.widgets.IntSlider(name="Litres", start=0, end=50, value=10)
towns = pn.widgets.MultiChoice(name="Towns", options=["Bari", "Oslo", "Turku"], value=["Oslo"])
driver = pn.widgets.TextInput(name="Driver", placeholder="Who drives?")
day = pn.widgets.DatePicker(name="Day")
night = pn.widgets.Switch(name="Night")
count = pn.widgets.Button(name="Count", button_type="primary")
tell = pn.widgets.Button(name="Tell")
counted = pn.pane.Markdown("Nothing counted.")
trips = pd.DataFrame({"trip": [f"Trip {n}" for n in range(30)], "km": [n * 37 % 101 for n in range(30)]})
table = pn.widgets.Tabulator(trips, pagination="local", page_size=6, name="Trips", show_index=False)


def summary(fuel: str, litres: int, towns: list[str], driver: str) -> str:
    return f"{driver or 'Nobody'} takes {litres} l of {fuel} to {', '.join(towns) or 'nowhere'}."


def on_count(_: object) -> None:
    time.sleep(0.6)
    counted.object = f"Counted {trips.km.sum()} km."


def on_tell(_: object) -> None:
    pn.state.notifications.success("The driver knows.", duration=10_000)


count.on_click(on_count)
tell.on_click(on_tell)
pn.Column(
    "# Trips",
    fuel,
    litres,
    towns,
    driver,
    day,
    pn.Row(pn.pane.Markdown("Night"), night),
    pn.bind(lambda on: "Lights are on." if on else "Lights are off.", night),
    pn.bind(summary, fuel, litres, towns, driver),
    pn.Row(count, tell),
    counted,
    pn.Tabs(("Table", table), ("Notes", pn.pane.Markdown("Mind the tram.")), dynamic=True),
    pn.Card(pn.pane.Markdown("Ask at the gate."), title="Help", collapsed=True),
).servable(title="Trips")
