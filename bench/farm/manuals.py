"""The manuals of `bench.farm.whole`: what each is built from, and where its articles stand.

Each is built once, in `bench/apps/installed/manuals` or where STILLFRAME_APPS says, with packages of PyPI or npm only.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bench.apps.install import ROOT

MANUALS_FOLDER = ROOT / "manuals"
NEXT, VITEPRESS, DJANGO, SPHINX = "next@16.4.6", "vitepress@1.6.4", "Django==5.2", "Sphinx==9.0.4"


class Manual(NamedTuple):
    """A manual: how it is built, the XPath of an article, and how many pages it has at least."""

    name: str
    build: Callable[[Path], Path]
    """Builds it in a folder, and returns the folder of its HTML."""
    article: str
    least_pages: int


def built(manual: Manual, say: Callable[[str], None] = print) -> Path:
    """Return the folder of a manual's HTML, which is built if it is not there. Raises CalledProcessError."""
    folder = MANUALS_FOLDER / manual.name
    done = folder / "built.txt"
    if not done.exists():
        say(f"{manual.name}: building, some minutes")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        done.write_text(str(manual.build(folder)))
    return Path(done.read_text())


def _django(folder: Path) -> Path:
    """Build Django's manual with Sphinx: tabs without script, a search page, an index of 3,000 entries."""
    python = folder / "venv" / "bin" / "python"
    _run(sys.executable, "-m", "venv", str(folder / "venv"))
    _run(str(python), "-m", "pip", "install", "--quiet", SPHINX)
    _run(str(python), "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", DJANGO, cwd=folder)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (docs,) = folder.glob("*jango-*/docs")
    _run(str(python), "-m", "sphinx", "-Q", "-b", "html", str(docs), str(folder / "html"))
    return folder / "html"


def _next(folder: Path) -> Path:
    """Build the manual of Next.js with VitePress: Vue takes each page over, and then routes in the browser."""
    (folder / "package.json").write_text("{}")
    _run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", VITEPRESS, cwd=folder)
    _run("npm", "pack", "--silent", NEXT, cwd=folder)
    (archive,) = folder.glob("next-*.tgz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    pages = copied(folder / "package" / "dist" / "docs", folder / "docs")
    (folder / "docs" / "index.md").write_text("# Pages\n\n" + "\n".join(f"- [{page}](/{page})" for page in pages))
    settings = {
        "title": "Next.js",
        "ignoreDeadLinks": True,
        "outDir": str(folder / "html"),
        "markdown": {"html": False, "attrs": {"disable": True}},  # components and braces of MDX then are text
        "themeConfig": {"sidebar": [{"text": page, "link": f"/{page}"} for page in pages[:SIDEBAR]]},
    }
    (folder / "docs" / ".vitepress").mkdir()
    (folder / "docs" / ".vitepress" / "config.mjs").write_text(f"export default {json.dumps(settings)}\n")
    _run("node", str(folder / "node_modules" / "vitepress" / "bin" / "vitepress.js"), "build", "docs", cwd=folder)
    return folder / "html"


SIDEBAR = 40
"""Pages in the sidebar of each page; with all of them each page is mostly that."""
FRONT = re.compile(r"---\n(.*?)\n---\n", re.DOTALL)
TITLE = re.compile(r"^title: *(.+)$", re.MULTILINE)
NUMBERED = re.compile(r"^\d+-")


def copied(source: Path, target: Path) -> list[str]:
    """Copy pages, without the numbers that sort them, and return their routes."""
    routes = []
    for file in sorted(source.rglob("*.md")):
        place = Path(*(NUMBERED.sub("", part) for part in file.relative_to(source).parts))
        (target / place).parent.mkdir(parents=True, exist_ok=True)
        (target / place).write_text(markdown_of(file.read_text(), place.stem))
        routes.append(place.with_suffix("").as_posix())
    return [route for route in routes if route != "index"]


def markdown_of(text: str, name: str) -> str:
    """Return one page with its title as a heading, and braces that mean nothing."""
    front = FRONT.match(text)
    titled = None if front is None else TITLE.search(front[1])
    title = name if titled is None else titled[1].strip("'\"")
    body = text if front is None else text[front.end() :]
    return f"---\ntitle: {json.dumps(title)}\n---\n\n# {title}\n\n::: v-pre\n\n{body}\n\n:::\n"


def _run(*command: str, cwd: Path | None = None) -> None:
    subprocess.run(command, check=True, cwd=cwd, stdout=subprocess.DEVNULL)


MANUALS = (
    Manual("django", _django, "//*[@id='yui-main']", 500),
    Manual("next", _next, "//main", 400),
)
