"""A marimo notebook that is run as an application: `marimo run marimo_app.py`."""

import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    return (mo,)


@app.cell
def _(mo):
    guest = mo.ui.text(label="Guest")
    nights = mo.ui.slider(1, 14, value=2, label="Nights")
    room = mo.ui.dropdown(["Garden", "Sea", "Tower"], value="Garden", label="Room")
    breakfast = mo.ui.checkbox(label="Breakfast")
    mo.vstack([mo.md("# Inn"), guest, nights, room, breakfast])
    return breakfast, guest, nights, room


@app.cell
def _(breakfast, guest, mo, nights, room):
    meal = "with breakfast" if breakfast.value else "without breakfast"
    mo.md(f"{guest.value or 'Nobody'} stays {nights.value} nights in the {room.value} room {meal}.")
    return


@app.cell
def _(mo):
    import time

    bell = mo.ui.run_button(label="Ask for the bill")
    mo.output.append(bell)
    return bell, time


@app.cell
def _(bell, mo, nights, time):
    mo.stop(not bell.value, mo.md("No bill yet."))
    time.sleep(0.4)
    mo.md(f"The bill is {60 * nights.value} crowns.")
    return


@app.cell
def _(mo):
    form = mo.ui.text_area(label="Message", placeholder="What should we know?").form(submit_button_label="Send")
    mo.output.append(form)
    return (form,)


@app.cell
def _(form, mo):
    mo.md(f"We read: {form.value}." if form.value else "Nothing to read.")
    return


@app.cell
def _(mo):
    mo.ui.tabs({"Kitchen": mo.md("Soup is at seven."), "Garden": mo.md("The pond is closed.")})
    return


@app.cell
def _(mo):
    mo.accordion({"House rules": mo.md("Quiet after ten.")})
    return


@app.cell
def _(mo):
    guests = mo.ui.table([{"guest": f"Guest {n}", "nights": 1 + n % 9} for n in range(40)], page_size=8, label="Guests")
    mo.output.append(guests)
    return (guests,)


@app.cell
def _(guests, mo):
    mo.md(f"{len(guests.value)} guests chosen.")
    return


if __name__ == "__main__":
    app.run()
