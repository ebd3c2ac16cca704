"""Has JupyterLab not ask for a build, whatever Node the machine has: `jupyterlab_settings.py HOME`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

folder = Path(sys.argv[1]) / ".jupyter" / "labconfig"
folder.mkdir(parents=True)
(folder / "page_config.json").write_text(json.dumps({"buildCheck": False, "buildAvailable": False}))
