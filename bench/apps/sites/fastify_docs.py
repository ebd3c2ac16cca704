"""Builds the documentation that comes with Fastify: `fastify_docs.py vitepress|mkdocs NODE_MODULES DATA`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path


def mkdocs(_modules: Path, data: Path) -> list[str]:
    """Write the settings of Material for MkDocs, with loading of pages by script, and return the command."""
    settings = {
        "site_name": "Fastify",
        "site_url": "",
        "docs_dir": str(data / "docs"),
        "site_dir": str(data / "site"),
        "theme": {"name": "material", "font": False, "features": ["navigation.instant", "navigation.indexes"]},
    }
    (data / "mkdocs.yml").write_text(json.dumps(settings))
    return [sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", str(data / "mkdocs.yml")]


def vitepress(modules: Path, data: Path) -> list[str]:
    """Write the settings of VitePress, with a sidebar of all pages, and return the command."""
    docs = data / "docs"
    pages = sorted(str(page.relative_to(docs).with_suffix("")) for page in docs.rglob("*.md"))
    settings = {
        "title": "Fastify",
        "ignoreDeadLinks": True,
        "outDir": str(data / "site"),
        "themeConfig": {"sidebar": [{"text": page, "link": f"/{page}"} for page in pages]},
    }
    (data / "node_modules").symlink_to(modules)
    (docs / ".vitepress").mkdir()
    (docs / ".vitepress" / "config.mjs").write_text(f"export default {json.dumps(settings)}\n")
    return ["node", str(modules / "vitepress" / "bin" / "vitepress.js"), "build", str(docs)]


GENERATORS = {"mkdocs": mkdocs, "vitepress": vitepress}


def main(generator: str, modules: str, data: str) -> int:
    """Copy the documentation and build the site in `DATA/site`."""
    shutil.copytree(Path(modules) / "fastify" / "docs", Path(data) / "docs")
    return subprocess.run(GENERATORS[generator](Path(modules), Path(data)), check=False).returncode


sys.exit(main(*sys.argv[1:]))
