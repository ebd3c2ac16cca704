"""`python -m stillframe.session_server DIRECTORY IDLE_SECONDS READY_DESCRIPTOR`: the background process."""

from __future__ import annotations

import sys
from pathlib import Path

from stillframe.session_server.background import run

if __name__ == "__main__":
    run(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
