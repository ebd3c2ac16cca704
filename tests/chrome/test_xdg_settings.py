"""What a headless browser on Linux asks instead of xdg-settings."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

from stillframe.chrome.launcher import with_stand_in


def test_the_stand_in_is_found_first_and_says_yes(tmp_path: Path) -> None:
    path = with_stand_in(tmp_path / "bin", os.defpath)
    assert path == f"{tmp_path / 'bin'}{os.pathsep}{os.defpath}"
    command = ["xdg-settings", "check", "default-url-scheme-handler", "other-app", "chromium.desktop"]
    found = subprocess.run(command, env={"PATH": path}, capture_output=True, text=True, check=True)
    assert found.stdout == "yes\n"
    assert stat.S_IMODE((tmp_path / "bin").stat().st_mode) == 0o700
