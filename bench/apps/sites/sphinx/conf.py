"""A small manual."""

project = "Lamp works"
html_theme = "furo"
extensions = ["sphinx.ext.autosectionlabel"]
