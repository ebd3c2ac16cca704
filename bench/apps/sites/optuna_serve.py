"""Serves the dashboard of Optuna: `optuna_serve.py PORT FILE`."""

from __future__ import annotations

import sys

from optuna_dashboard import run_server

run_server(f"sqlite:///{sys.argv[2]}", host="127.0.0.1", port=int(sys.argv[1]))
