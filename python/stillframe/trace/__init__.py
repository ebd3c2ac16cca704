"""Traces: what happened on a page, as one JSON object per line of a file, and what can be made of that file.

`recorder` writes; `reading` reads; `report`, `perfetto` and `playwright` show. Only `recorder` knows a tab.
"""
