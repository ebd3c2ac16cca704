"""A stand-in for `xdg-settings`, by which Chrome on Linux learns which program opens an address such as `slack://…`.

Chrome asks the user in a window of its own before it starts that program. A headless browser shows the window to
nobody, and while it is open the page takes no input at all. Chrome asks nobody, and starts nothing, if it is that
program itself (measured). So a headless browser finds this script first on its PATH.
"""

from __future__ import annotations

import os
from pathlib import Path

SCRIPT = "#!/bin/sh\necho yes\n"
"""Answers `xdg-settings check …`. Chrome believes any reply that starts with yes, if the exit status is 0."""


def with_stand_in(directory: Path, path: str) -> str:
    """Create the script in a new `directory` and return `path` with it in front. Raises OSError."""
    directory.mkdir(mode=0o700)
    script = directory / "xdg-settings"
    script.write_text(SCRIPT)
    script.chmod(0o700)
    return os.pathsep.join((str(directory), path))
