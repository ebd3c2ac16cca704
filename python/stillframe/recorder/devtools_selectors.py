"""Selectors of Chrome DevTools' Recorder as selectors of stillframe, and back.

    DevTools                        stillframe
    #buy                            #buy
    #a::-p-text(Buy)                #a >> has-text="Buy"
    pierce/#buy                     #buy                            CSS, which goes through shadow roots here
    xpath///button[1]               xpath=//button[1]
    text/Buy now                    text=Buy now
    aria/Buy                        ~"Buy", or else text="Buy"
    aria/Buy[role="button"]         role=button[name="Buy"]
    ["my-card", "#buy"]             my-card >> #buy                 from shadow host to shadow host
    frame: [1]                      frame=iframe, frame >> nth=1 >> …

DevTools counts the frames of a document in the order in which they were attached, and stillframe in that of the
document; the two differ where a script inserts a frame before others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from stillframe.errors import SelectorInvalid
from stillframe.extend.syntax import selectors as s

if TYPE_CHECKING:
    from stillframe.recorder.devtools_steps import Parts

FRAMES = "iframe, frame"
MAX_CHARS = 1_000
"""Characters of a selector that a recording keeps."""
MAX_ALTERNATIVES = 10
PREFIX = re.compile(r"(aria|css|pierce|text|xpath)/")
ARIA_ATTRIBUTE = re.compile(r"""\[\s*(\w+)\s*=\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')\s*\]""")
"""An attribute of an `aria/` selector, as Puppeteer reads it: a name or a role."""
COMBINATORS = re.compile(r"\s*>>>>?\s*")
"""Puppeteer's combinators into shadow roots."""
WORDS = re.compile(r"(.+)::-p-text\((.+)\)")
"""CSS with the text that the element must have, as Puppeteer writes it."""
SYNTAX = re.compile(r"[()\"'\\]")
ESCAPED = re.compile(r"\\(.)")
"""Characters with a meaning in such a text, and with a backslash that takes it from them."""
PLAIN = r"\1"
NAMELESS = re.compile(r"""aria/\[role=["'](?:generic|none|presentation|StaticText|InlineTextBox)["']\]""")
ARIA_ROLE = re.compile(r"[a-z]+")
TEST_IDS = ("data-testid", "data-test-id", "data-test", "data-qa", "data-cy")
SPECIAL = re.compile(r"[\[\]]")


# -- from DevTools -------------------------------------------------------------------------------


def from_devtools(selectors: Sequence[str | Parts], scope: str = "") -> list[str]:
    """Return the selectors that parse, in the order given and without repeats; `scope` is what they begin with.

    What a selector may mean besides comes after all others.
    """
    exact: dict[str, None] = {}
    vague: dict[str, None] = {}
    for selector in selectors:
        parts = (selector,) if isinstance(selector, str) else tuple(selector)
        # The last part is a piece of the element before it, and a press on that presses this.
        parts = parts[:-1] if len(parts) > 1 and NAMELESS.fullmatch(parts[-1]) else parts
        for number, chain in enumerate(product(*map(_part_from_devtools, parts))):
            (vague if number else exact).setdefault(scope + " >> ".join(chain))
    return [selector for selector in exact | vague if parses(selector)][:MAX_ALTERNATIVES]


def frame_scope(path: Iterable[int], target: str | None = None) -> str:
    """Return the beginning of a selector in a frame: `target` is its URL if it has a process of its own."""
    own = [] if target in (None, "", "main") else [f"frame=url={json.dumps(target, ensure_ascii=False)} >> "]
    return "".join([*own, *(f"frame={FRAMES} >> nth={index} >> " for index in path)])


def _part_from_devtools(part: str) -> list[str]:
    """Return the selectors that one part may mean, most exact first."""
    prefix = PREFIX.match(part)
    kind, value = (prefix[1], part[prefix.end() :]) if prefix else ("css", part)
    if kind == "aria":
        return _aria(value)
    if kind == "text":
        return [_text(value)] if value.strip() else []
    if kind == "xpath":
        return [f"xpath={value}"]
    css = COMBINATORS.sub(" >> ", value.strip())
    if (words := WORDS.fullmatch(css)) is not None:
        css = f"{words[1]} >> has-text={quoted(ESCAPED.sub(PLAIN, words[2]))}"
    return [css] if css else []


def _aria(value: str) -> list[str]:
    attributes = {found[1]: ESCAPED.sub(PLAIN, found[2][1:-1]) for found in ARIA_ATTRIBUTE.finditer(value)}
    name = " ".join(ARIA_ATTRIBUTE.sub("", value).split()) or attributes.get("name", "")
    role = attributes.get("role", "")
    if ARIA_ROLE.fullmatch(role):
        return [f"role={role}[name={quoted(name)}]" if name else f"role={role}"]
    # A node that has a role of Chrome's own, such as StaticText, is text.
    return [f"~{quoted(name)}", f"text={quoted(name)}"][bool(role) :] if name else []


def _text(value: str) -> str:
    plain = " ".join(value.split())
    return f"text={quoted(plain)}" if ">>" in plain or plain[0] in "\"'/" else f"text={plain}"


def quoted(text: str) -> str:
    """Return a text in double quotes, as selectors of DevTools have it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def parses(selector: str) -> bool:
    """Return whether stillframe can parse a selector."""
    try:
        return len(selector) <= MAX_CHARS and "::-p-" not in selector and bool(s.parse(selector))
    except SelectorInvalid:
        return False


# -- to DevTools ---------------------------------------------------------------------------------


class Place(NamedTuple):
    """A frame as steps name it: the URL of its process's first document, or `main`, and its path from there."""

    target: str = "main"
    frame: tuple[int, ...] = ()


def to_devtools(selectors: Iterable[str], frame_path: Sequence[int] = ()) -> tuple[Place, list[list[str]]]:
    """Return the frame and the selectors in it; no selectors if DevTools has none that mean the element.

    The first selector that DevTools can express decides the frame; `frame_path` is that of a selector which names its
    frames in other words. A selector of a whole text counts only without any other, because `text/` looks for a part
    of it.
    """
    place: Place | None = None
    found: dict[Parts, None] = {}
    vague: dict[Parts, None] = {}
    for text in selectors:
        try:
            selector = s.parse(text)
        except SelectorInvalid:
            continue
        own, chains = _place(selector.hops, tuple(frame_path)), list(_chain_to_devtools(selector.steps))
        if own is None or not chains or place not in (None, own):
            continue
        place = own
        is_whole_text = isinstance(selector.target, s.Text) and selector.target.exact
        (vague if is_whole_text else found).update(dict.fromkeys(chains))
    return place or Place(), [list(parts) for parts in found or vague]


def frames_of(selector: str) -> str:
    """Return a key that is equal for selectors which enter the same frames by the same words; empty for none."""
    try:
        hops = s.parse(selector).hops
    except SelectorInvalid:
        return ""
    return repr(hops) if hops else ""


def _place(hops: Sequence[s.Hop], known: tuple[int, ...]) -> Place | None:
    """Return the frame that a selector enters; None if only a selector of its element names it.

    `known` is the path of the frame if it has as many levels.
    """
    if known and len(known) == len(hops):
        return Place(frame=known)
    match hops:
        case [s.Hop(frame=s.FrameUrl(url=target), path=s.Chain(steps=())), *_] if "://" in target and "*" not in target:
            rest = hops[1:]
        case _:
            target, rest = "main", hops
    indexes = [_frame_index(hop) for hop in rest]
    return None if None in indexes else Place(target, tuple(index for index in indexes if index is not None))


def _frame_index(hop: s.Hop) -> int | None:
    """Return which frame of a document a selector means, if it only counts the frames."""
    match hop.path.steps:
        case [s.Css(css="iframe" | "iframe, frame")]:
            return 0
        case [s.Css(css="iframe" | "iframe, frame"), s.Nth(index=int(index))] if index >= 0:
            return index
    return None


def _chain_to_devtools(steps: Sequence[s.Step]) -> Iterator[Parts]:
    match steps:
        case [s.Css(css=css, scoped=False), s.HasText(text=text)] if "," not in css:
            words = SYNTAX.sub(r"\\\g<0>", text)
            yield (f"{css}::-p-text({words})",)
            return
    if len(steps) > 1 and all(isinstance(step, s.Css) and "," not in step.css for step in steps):
        # One host after the other, or elements of one tree.
        hosts = [step.css for step in steps if isinstance(step, s.Css)]
        yield tuple(hosts)
        yield (" ".join(hosts),)
        yield (f"pierce/{' '.join(hosts)}",)
        return
    alternatives = [_step_to_devtools(step) for step in steps]
    if len(steps) == 1:
        yield from ((part,) for part in alternatives[0])
    elif all(alternatives):
        yield tuple(parts[0] for parts in alternatives)


def _step_to_devtools(step: s.Step) -> list[str]:
    match step:
        case s.Css(css=css, scoped=False):
            return [css, f"pierce/{css}"]
        case s.XPath(xpath=xpath):
            return [f"xpath/{xpath}"]
        case s.Text(text=text):
            return [f"text/{text}"]
        case s.Role(role=role, name=name, exact=True, states=states) if not (states or SPECIAL.search(name or "")):
            return [f'aria/{name or ""}[role="{role}"]']
        case s.Label(text=text, exact=True) | s.AccessibleId(id=text) if not SPECIAL.search(text):
            return [f"aria/{text}"]
        case s.Attribute(attribute=name, text=text, exact=exact):
            return [f"[{name}={css_string(text)}]" if exact else f"[{name}*={css_string(text)} i]"]
        case s.TestId(id=text):
            return [", ".join(f"[{name}={css_string(text)}]" for name in TEST_IDS)]
    return []


def css_string(text: str) -> str:
    """Return a text as a string of CSS."""
    escaped = re.sub(r'["\\\n\r\f\0]', lambda found: f"\\{ord(found[0]):x} ", text)
    return f'"{escaped}"'
