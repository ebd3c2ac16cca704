"""Find turns that no native engineer writes, in code, comments, docstrings, help texts and documents.

`BANNED` has each turn with what to write instead. Generated files and other people's texts are left out.

    python tools/check_prose.py
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

AFTER_NO = "longer|more|less|fewer|later|earlier|larger|smaller|better|worse|different|use"
"""Words before which "is no" is right."""

BANNED: dict[str, str] = {
    r"\banew\b": "again",
    r"\bwhoever\b": "name who it is: the user, a client, a caller; or write `whatever causes it`",
    r"\bin vain\b": "without success, or say what failed",
    r"\bwhat came of\b": "the outcome of",
    r"\bthat there (?:is|are) not\b": "that does not exist, or unknown",
    r"\bto be had\b": "available, or say where it is missing",
    rf"(?<!there )\b(?:is|are|was|were) no(?= (?!(?:{AFTER_NO})\b)\S)": "`is not a`, or say what it is instead",
    r"\bnone of (?:ours|its|theirs) business\b|\bis none of ours\b": "say what happens to it",
    r"\bas ever\b": "still",
    r"\bsomebody else\b": "another program, another user",
    r"\b(?:is|are) told\b(?! apart)": "`is reported`, `the delta has`, `told apart from`: who does what",
    r"\b(?:is|are) said\b": "`the text shows`, `the error says`, `is reported`: who says what",
    r"\bthe one of\b": "`that of`, or name the thing",
    r"\bso many\b(?! \w.*\bthat\b)": "`this many`, `at most N`, or the name of the parameter",
}
"""Turns as regular expressions, in any case, and what to write in their place.

Fine are "there is no", "is no longer" and the like, "are told apart", and "so many X that".
"""

SUFFIXES = frozenset({".py", ".pyi", ".md", ".rs", ".ts", ".js", ".mjs", ".toml", ".sh", ".yml"})
NAMES = frozenset({"Makefile"})
LEFT_OUT = (
    "python/stillframe/cdp_types/",  # the protocol's own words
    "tests/accname/data/",
    "CHANGELOG.md",
    "tools/check_prose.py",
    "tests/test_prose.py",
)


def main(root: Path = ROOT) -> int:
    problems = list(check(root, tracked(root)))
    print(*problems, sep="\n", end="\n" if problems else "")
    return bool(problems)


def tracked(root: Path) -> list[str]:
    """Return the paths of the files under version control that hold text of ours."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True, text=True).stdout
    return [path for path in listed.split("\0") if path and is_ours(path)]


def is_ours(path: str) -> bool:
    is_text = Path(path).suffix in SUFFIXES or Path(path).name in NAMES
    return is_text and not path.startswith(LEFT_OUT)


def check(root: Path, paths: list[str]) -> Iterator[str]:
    """Yield place, turn, and what to write instead, for each banned turn in these files."""
    turns = [(re.compile(turn, re.IGNORECASE), instead) for turn, instead in BANNED.items()]
    one = re.compile("|".join(f"(?:{turn})" for turn in BANNED), re.IGNORECASE)
    for path in paths:
        file = root / path
        text = file.read_text("utf-8", errors="replace") if file.is_file() else ""
        if not one.search(text):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for turn, instead in turns:
                if found := turn.search(line):
                    yield f"{path}:{number} {found[0]!r}: write {instead}"


if __name__ == "__main__":
    sys.exit(main())
