"""Decide when a page is still, and say why.

`signals` defines the inputs and outputs of the logic. `machine`, `pending`, `noise` and their helpers are the logic: no
I/O and no clock, time is an argument in milliseconds. `settler` and the page script `js/src/observer` are the shell
that connects the logic to a page.
"""
