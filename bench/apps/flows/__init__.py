"""Flows on real applications: whether stillframe acts rightly, waits as long as it must, and says what matters first.

`python -m bench.apps.flows [applications] [-v]` plays them; `make apps` does so with all and records the tables. With
`--over adb` the pages are WebViews on an emulated phone, behind a real adb server; with `--over adb-74` those have the
protocol of Chromium 74; `--over desktop,adb,adb-74` compares the three.
"""
