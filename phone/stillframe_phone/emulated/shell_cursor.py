"""A position in a shell script, and what it steps over."""

from __future__ import annotations

import re


class ShellSyntaxError(ValueError):
    """The script is not one that this shell knows."""


class Cursor:
    """Reads a text from left to right; `at` is the position of the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    @property
    def rest(self) -> str:
        """What has not been read."""
        return self.text[self.at :]

    def unexpected(self) -> ShellSyntaxError:
        """Return the error for what comes next, in the words of Android's shell."""
        found = re.match(r"\S+", self.rest)
        what = f"'{found[0]}' unexpected" if found else "unexpected EOF"
        return ShellSyntaxError(f"syntax error: {what}")

    def take(self, token: str) -> bool:
        """Step over a token if it comes next, and return whether it does."""
        if not self.text.startswith(token, self.at):
            return False
        self.at += len(token)
        return True

    def expect(self, token: str) -> None:
        """Step over a token. Raises ShellSyntaxError if something else comes next."""
        if not self.take(token):
            raise self.unexpected()

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Step over what a pattern matches here, and return the match."""
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def skip(self, characters: str = " \t") -> None:
        """Step over blanks, continued lines and comments."""
        while self.at < len(self.text):
            if self.text[self.at] in characters:
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            else:
                return
