"""Flows on real applications: whether stillframe acts rightly, waits as long as it must, and says what matters first.

`python -m bench.apps.flows [applications] [-v]` plays them; `make apps` does so with all and records the tables.
"""
