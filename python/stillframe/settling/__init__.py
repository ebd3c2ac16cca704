"""Knowing when a page is still, and saying why.

`signals` are the words, `noise`, `pending`, `verdict` and `quiet` the logic (no I/O, no clocks: time is an
argument, in milliseconds), `driver` and `observer.js` the shell that joins them to a page.
"""
