"""Play the flows: `python -m bench.apps.flows [application or part of a flow's name …] [-v] [--list]`."""

from __future__ import annotations

import sys

from bench.apps.flows.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
