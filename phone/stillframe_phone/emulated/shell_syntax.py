"""The syntax of the shell of an emulated device: text in, a tree of commands out.

It is the part of the POSIX shell that scripts for devices use: lists, pipes, redirections, quotes, parameters, command
substitution, arithmetic, `for`, `while`, `until`, `if`, `case`, groups and functions. Here-documents are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from stillframe_phone.emulated.shell_cursor import Cursor, ShellSyntaxError
from stillframe_phone.emulated.shell_tree import (
    Arithmetic,
    Case,
    Chain,
    For,
    Function,
    Group,
    If,
    Literal,
    Loop,
    Parameter,
    Part,
    Pipeline,
    Redirect,
    Redirected,
    Script,
    Simple,
    Substitution,
    Word,
)

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
REDIRECT = re.compile(r"(\d*)(>>|>\||>&|&>|<<|<&|<|>)")
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
RESERVED = re.compile(r"(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|[{}!])(?=[\s;&|()<>]|$)")
FUNCTION = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[ \t]*\([ \t]*\)")
SPECIAL = "?$#@*!0123456789-"
OPERATOR = re.compile(r":?[-=+?]|##?|%%?")
METACHARACTERS = " \t\n;&|<>()"
ESCAPED_IN_QUOTES = '$`"\\\n'


def parse(text: str) -> Script:
    """Return the tree of a script. Raises ShellSyntaxError.

    >>> [link.commands[0].command.words[0].parts for chain in parse("a; b").chains for _, link in chain.links]
    [(Literal(text='a', quoted=False),), (Literal(text='b', quoted=False),)]
    """
    parser = Parser(text)
    script = parser.script()
    if parser.rest:
        raise parser.unexpected()
    return script


class Parser(Cursor):
    """Reads a script by recursive descent."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._compound: dict[str, Callable[[], Group | For | Loop | If | Case]] = {
            "{": self._group,
            "if": self._if,
            "for": self._for,
            "while": lambda: self._loop(until=False),
            "until": lambda: self._loop(until=True),
            "case": self._case,
        }

    def _reserved(self) -> str | None:
        found = RESERVED.match(self.text, self.at)
        return found[0] if found else None

    def _keyword(self, word: str) -> None:
        self.skip(" \t\n")
        if self._reserved() != word:
            raise self.unexpected()
        self.at += len(word)

    # -- lists

    def script(self, *ends: str) -> Script:
        """Read chains up to one of these words or characters, or the end of the text."""
        chains = list[Chain]()
        self.skip(" \t\n")
        while self.at < len(self.text) and not self._at_end(ends):
            chains.append(self._chain())
            self.skip()
            if not self._separator():
                break
            self.skip(" \t\n")
        return Script(tuple(chains))

    def _at_end(self, ends: tuple[str, ...]) -> bool:
        word = self._reserved()
        return (
            word in ends
            if word
            else self.text.startswith(tuple(e for e in ends if not e[0].isalpha()) or "\0", self.at)
        )

    def _separator(self) -> bool:
        if self.text.startswith(";;", self.at):
            return False
        return self.take(";") or self.take("\n") or self.take("&")

    def _chain(self) -> Chain:
        links = [("", self._pipeline())]
        while True:
            self.skip()
            operator = next((each for each in ("&&", "||") if self.take(each)), None)
            if operator is None:
                return Chain(tuple(links))
            self.skip(" \t\n")
            links.append((operator, self._pipeline()))

    def _pipeline(self) -> Pipeline:
        negated = self._reserved() == "!"
        if negated:
            self.at += 1
            self.skip()
        commands = [self._command()]
        while True:
            self.skip()
            if self.text.startswith("||", self.at) or not self.take("|"):
                return Pipeline(negated, tuple(commands))
            self.skip(" \t\n")
            commands.append(self._command())

    # -- commands

    def _command(self) -> Redirected:
        if (definition := self.match(FUNCTION)) is not None:
            self.skip(" \t\n")
            return Redirected(Function(definition[1], self._command()), ())
        if self.take("("):
            group = Group(self.script(")"), subshell=True)
            self.expect(")")
            return Redirected(group, self._redirects())
        word = self._reserved()
        if word is None:
            return self._simple()
        if word not in self._compound:
            raise self.unexpected()
        self.at += len(word)
        return Redirected(self._compound[word](), self._redirects())

    def _simple(self) -> Redirected:
        assignments, words, redirects = list[tuple[str, Word]](), list[Word](), list[Redirect]()
        start = self.at
        while True:
            self.skip()
            if (redirect := self._redirect()) is not None:
                redirects.append(redirect)
            elif not words and (found := self.match(ASSIGNMENT)) is not None:
                assignments.append((found[1], self.word() or Word()))
            elif (word := self.word()) is not None:
                words.append(word)
            else:
                break
        if self.at == start or not (assignments or words or redirects):
            raise self.unexpected()
        return Redirected(Simple(tuple(assignments), tuple(words)), tuple(redirects))

    def _redirects(self) -> tuple[Redirect, ...]:
        found = list[Redirect]()
        while True:
            self.skip()
            redirect = self._redirect()
            if redirect is None:
                return tuple(found)
            found.append(redirect)

    def _redirect(self) -> Redirect | None:
        found = self.match(REDIRECT)
        if found is None:
            return None
        number, operator = found.groups()
        if operator == "<<":
            raise ShellSyntaxError("the emulated shell has no here-documents")
        self.skip()
        target = self.word()
        if target is None:
            raise self.unexpected()
        return Redirect(int(number or (0 if operator[0] == "<" else 1)), operator, target)

    # -- compound commands

    def _group(self) -> Group:
        script = self.script("}")
        self._keyword("}")
        return Group(script, subshell=False)

    def _body(self) -> Script:
        self._keyword("do")
        body = self.script("done")
        self._keyword("done")
        return body

    def _loop(self, *, until: bool) -> Loop:
        condition = self.script("do")
        return Loop(condition, self._body(), until)

    def _for(self) -> For:
        self.skip()
        name = self.match(NAME)
        if name is None:
            raise self.unexpected()
        self.skip(" \t\n")
        words = self._words() if self.match(re.compile(r"in(?=\s|;)")) else None
        self.skip()
        self._separator()
        return For(name[0], words, self._body())

    def _words(self) -> tuple[Word, ...]:
        words = list[Word]()
        while True:
            self.skip()
            word = self.word()
            if word is None:
                return tuple(words)
            words.append(word)

    def _if(self) -> If:
        branches = [self._branch()]
        while True:
            word = self._reserved()
            self.at += len(word or "")
            if word == "elif":
                branches.append(self._branch())
            elif word == "else":
                otherwise = self.script("fi")
                self._keyword("fi")
                return If(tuple(branches), otherwise)
            elif word == "fi":
                return If(tuple(branches), Script())
            else:
                raise self.unexpected()

    def _branch(self) -> tuple[Script, Script]:
        condition = self.script("then")
        self._keyword("then")
        return condition, self.script("elif", "else", "fi")

    def _case(self) -> Case:
        self.skip()
        subject = self.word()
        self.skip(" \t\n")
        if subject is None or not self.match(re.compile(r"in(?=\s|$)")):
            raise self.unexpected()
        branches = list[tuple[tuple[Word, ...], Script]]()
        self.skip(" \t\n")
        while self._reserved() != "esac":
            branches.append(self._case_branch())
            self.skip(" \t\n")
        self.at += len("esac")
        return Case(subject, tuple(branches))

    def _case_branch(self) -> tuple[tuple[Word, ...], Script]:
        self.take("(")
        patterns = list[Word]()
        while True:
            self.skip()
            word = self.word()
            if word is None:
                raise self.unexpected()
            patterns.append(word)
            self.skip()
            if not self.take("|"):
                break
        self.expect(")")
        script = self.script(";;", "esac")
        self.skip(" \t\n")
        self.take(";;")
        return tuple(patterns), script

    # -- words

    def word(self) -> Word | None:
        """Read one word, None if none begins here."""
        parts = self._parts(METACHARACTERS, quoted=False)
        return Word(parts) if parts else None

    def _parts(self, stop: str, *, quoted: bool) -> tuple[Part, ...]:
        parts = list[Part]()
        while self.at < len(self.text) and self.text[self.at] not in stop:
            parts.extend(self._part(quoted))
        return tuple(parts)

    def _part(self, quoted: bool) -> tuple[Part, ...]:
        character = self.text[self.at]
        self.at += 1
        if character == "\\":
            return self._escaped(quoted)
        if character == "'" and not quoted:
            return (Literal(self._until("'"), quoted=True),)
        if character == '"' and not quoted:
            return self._double_quoted()
        if character == "`":
            return (Substitution(parse(re.sub(r"\\([$`\\])", r"\1", self._until("`"))), quoted),)
        if character == "$":
            return (self._dollar(quoted),)
        return (Literal(character, quoted),)

    def _escaped(self, quoted: bool) -> tuple[Part, ...]:
        character = self.text[self.at : self.at + 1]
        self.at += 1
        if quoted and character not in ESCAPED_IN_QUOTES:
            return (Literal(f"\\{character}", quoted),)
        return () if character == "\n" else (Literal(character or "\\", quoted=True),)

    def _double_quoted(self) -> tuple[Part, ...]:
        parts = self._parts('"', quoted=True)
        self.expect('"')
        return parts or (Literal("", quoted=True),)

    def _until(self, end: str) -> str:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] != end:
            self.at += 2 if end == "`" and self.text[self.at] == "\\" else 1
        text = self.text[start : self.at]
        self.expect(end)
        return text

    def _dollar(self, quoted: bool) -> Part:
        if self.take("(("):
            return Arithmetic(self._arithmetic(), quoted)
        if self.take("("):
            script = self.script(")")
            self.expect(")")
            return Substitution(script, quoted)
        if self.take("{"):
            return self._braces(quoted)
        if (name := self.match(NAME)) is not None:
            return Parameter(name[0], "", Word(), quoted)
        if self.at < len(self.text) and self.text[self.at] in SPECIAL:
            self.at += 1
            return Parameter(self.text[self.at - 1], "", Word(), quoted)
        return Literal("$", quoted)

    def _arithmetic(self) -> str:
        start, depth = self.at, 0
        while self.at < len(self.text):
            if depth == 0 and self.text.startswith("))", self.at):
                self.at += 2
                return self.text[start : self.at - 2]
            depth += {"(": 1, ")": -1}.get(self.text[self.at], 0)
            self.at += 1
        raise self.unexpected()

    def _braces(self, quoted: bool) -> Parameter:
        length = self.text[self.at : self.at + 2] != "#}" and self.take("#")
        name = self.match(re.compile(r"[A-Za-z_][A-Za-z0-9_]*|\d+|[?$#@*!-]"))
        if name is None:
            raise ShellSyntaxError("bad substitution")
        operator = self.match(OPERATOR)
        argument = Word(self._parts("}", quoted=False))
        self.expect("}")
        if operator is None and argument.parts:
            raise ShellSyntaxError("bad substitution")
        return Parameter(name[0], "length" if length else operator[0] if operator else "", argument, quoted)
