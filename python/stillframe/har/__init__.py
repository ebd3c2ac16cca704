"""HAR files, version 1.2: record the traffic of pages, and answer requests from a recording.

`recording` turns CDP's network events into entries, `recorder` listens and writes, `replay` finds the answer to a
request.
"""
