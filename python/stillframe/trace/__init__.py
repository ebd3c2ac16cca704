"""Traces: what happened on a page, as one JSON object per line of a file, and what can be made of that file.

`recorder` writes; `reading` reads; `timeline` arranges what was read; `report`, `perfetto_format` and
`playwright_format` show it. Only `recorder` and `screenshots` know a tab.
"""
