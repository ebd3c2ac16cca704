"""Keys, chords such as `Control+Shift+A`, and the events that press and type them.

Pure: `chord_events` and `text_events` return the commands, and the caller sends them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

import msgspec

from stillframe.cdp_types import input as cdp_input
from stillframe.errors import ActionInvalid
from stillframe.model.suggest import did_you_mean
from stillframe.tab.input.keys import ALIASES, KEYS, LETTERS, MODIFIERS, Key

KeyCommand = cdp_input.DispatchKeyEvent | cdp_input.InsertText


class Chord(msgspec.Struct, frozen=True):
    """A key with the modifiers held while it is pressed, in the order they go down."""

    modifiers: tuple[str, ...]
    key: str


def parse_chord(text: str) -> Chord:
    """Parse `Enter`, `a`, `+` or `Control+Shift+A`; names are those of KeyboardEvent.key and .code, in any case.

    `ControlOrMeta` is the shortcut modifier of this machine's platform: Meta on macOS, else Control.

    A letter after Control, Alt or Meta is the key without Shift, as people write it: `Control+A` selects all.
    Raises ActionInvalid that names the unknown part and the nearest known key.
    """
    *held, last = _split(text)
    modifiers = tuple(dict.fromkeys(_modifier(text, part) for part in held))
    key = _key(text, last)
    shifting = any(KEYS[name].key == "Shift" for name in modifiers)
    if len(key) == 1 and modifiers and not shifting:
        key = key.lower()
    return Chord(modifiers, _shifted(key) if shifting else key)


def _split(text: str) -> list[str]:
    # The plus sign itself is a key: "+" and "Control++".
    if text == "+" or text.endswith("++"):
        return [*(part for part in text[:-1].split("+") if part), "+"]
    return text.split("+")


def _modifier(text: str, part: str) -> str:
    name = _canonical(part)
    if name not in KEYS or KEYS[name].key not in MODIFIERS:
        hint = did_you_mean(part, MODIFIERS)
        raise ActionInvalid(
            f"key {text!r}: {part!r} is not a modifier{hint}; use one of {', '.join(MODIFIERS)}", field="key"
        )
    return name


def _key(text: str, part: str) -> str:
    name = _canonical(part)
    if name not in KEYS:
        names = [key for key in KEYS if len(key) > 1]
        advice = "to enter text use type_text" if len(part) != 1 else "it is not on a US keyboard: use type_text"
        raise ActionInvalid(f"key {text!r}: unknown key {part!r}{did_you_mean(part, names)}; {advice}", field="key")
    return name


def _canonical(part: str) -> str:
    folded = part.strip().casefold()
    name = part if part in KEYS else ALIASES.get(folded) or _BY_FOLDED.get(folded, part)
    key = KEYS.get(name)
    # `KeyA` is another name of `a`, while `NumpadEnter` is a different key from `Enter`.
    return key.key if key is not None and KEYS[key.key] is key else name


_BY_FOLDED = {key.casefold(): key for key in KEYS if len(key) > 1}


def _shifted(key: str) -> str:
    code = KEYS[key].code
    return next((other for other, k in KEYS.items() if k.code == code and k.shift), key)


# -- events --------------------------------------------------------------------------------------


def modifier_bits(modifiers: Sequence[str]) -> int:
    """Return CDP's bit set of the held modifiers."""
    return sum(MODIFIERS[name] for name in modifiers)  # plain names only: mouse events have no left or right modifier


def chord_events(chord: Chord, held: int = 0) -> Iterator[KeyCommand]:
    """Yield the events of a chord: modifiers down, key down and up, modifiers up in reverse.

    `held` is the bit set of the modifiers that are down before; they stay down, and change the key as those of the
    chord do.
    """
    before = held
    names = [name for name in chord.modifiers if not MODIFIERS[KEYS[name].key] & before]
    for name in names:
        held |= MODIFIERS[KEYS[name].key]
        yield _event("rawKeyDown", KEYS[name], held)
    yield from _key_press(KEYS[_under(chord.key, before)], held)
    for name in reversed(names):
        held &= ~MODIFIERS[KEYS[name].key]
        yield _event("keyUp", KEYS[name], held)


def parse_key(text: str) -> str:
    """Return the name of one key; raises ActionInvalid, also for a chord."""
    *held, last = _split(text)
    if held:
        advice = " and ".join(repr(each) for each in (*held, last))
        raise ActionInvalid(
            f"key {text!r} is a chord, and only one key is held or released at a time: give {advice} one by one, or "
            "use press_key for the chord",
            field="key",
        )
    return _key(text, last)


def bit_of(name: str) -> int:
    """Return the bit of a modifier key, 0 for any other key."""
    return MODIFIERS.get(KEYS[name].key, 0)


def key_down(name: str, held: int, *, repeats: bool) -> cdp_input.DispatchKeyEvent:
    """Return the event of a key that goes down while the modifiers `held` are down, its own included."""
    key = KEYS[_under(name, held)]
    shift = MODIFIERS["Shift"] if key.shift else 0
    text = key.text if held & ~MODIFIERS["Shift"] == 0 else ""
    event = _event("keyDown" if text else "rawKeyDown", key, held | shift, text)
    return msgspec.structs.replace(event, auto_repeat=True) if repeats else event


def key_up(name: str, held: int) -> cdp_input.DispatchKeyEvent:
    """Return the event of a key that goes up; `held` are the modifiers that stay down."""
    return _event("keyUp", KEYS[_under(name, held)], held)


def _under(name: str, held: int) -> str:
    """Return the key that a name means while modifiers are down: Shift gives capitals, a shortcut has none."""
    if held & MODIFIERS["Shift"]:
        return _shifted(name)
    return name.lower() if held and len(name) == 1 else name


def text_events(text: str) -> Iterator[KeyCommand]:
    """Yield the events that type a text: a key for each letter, and what no keyboard has as an input method inserts it.

    Pages that listen to keys alone get every letter, of whatever script. Emoji and control characters have no key.
    """
    run = ""
    for part in _keys_of(text.replace("\r\n", "\n")):
        if isinstance(part, str):
            run += part
            continue
        if run:
            yield cdp_input.InsertText(text=run)
            run = ""
        yield from _key_press(part, 0)
    if run:
        yield cdp_input.InsertText(text=run)


def inserted(text: str) -> Iterator[KeyCommand]:
    """Yield the event that inserts a text as an input method does; none for an empty one."""
    if text:
        yield cdp_input.InsertText(text=text)


def _keys_of(text: str) -> Iterator[Key | str]:
    """Yield the key of each character, or the characters that no keyboard has."""
    for cluster in _CLUSTER.findall(text):
        name = _TYPED.get(cluster, cluster)
        composed = unicodedata.normalize("NFC", cluster)
        if len(cluster) == 1 and name in KEYS:
            yield KEYS[name]
        elif _has_key(composed):
            yield _letter_key(composed, cluster)
        elif all(map(_has_key, cluster)):
            yield from (_letter_key(part, part) for part in cluster)
        else:
            yield cluster


_TYPED = {"\n": "Enter", "\r": "Enter", "\t": "Tab"}

_CLUSTER = re.compile(
    ".(?:[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]|\u200d.?)*", re.DOTALL
)
"""A character with its accents, and a picture with what changes it: the style, the skin tone, a second picture."""

_PICTURES = "\u2190"
"""The first of the blocks of arrows, signs and emoji; the symbols before it, such as ° and №, are on keyboards."""


def _has_key(text: str) -> bool:
    """Return whether a text is one letter, number or sign, as keyboards and input methods have."""
    if len(text) != 1 or "\ufe00" <= text <= "\ufe0f":
        return False
    category = unicodedata.category(text)
    return category[0] in "LMNP" or (category[0] == "S" and (text < _PICTURES or category == "Sc"))


def _letter_key(letter: str, text: str) -> Key:
    known = LETTERS.get(letter)
    return Key(letter, known.code if known else "", known.virtual_key if known else 0, text)


def _key_press(key: Key, held: int) -> Iterator[KeyCommand]:
    if key.shift:
        held |= MODIFIERS["Shift"]
    own = MODIFIERS.get(key.key, 0)
    # With Control, Alt or Meta held, a key is a command, not text.
    text = key.text if held & ~MODIFIERS["Shift"] == 0 else ""
    yield _event("keyDown" if text else "rawKeyDown", key, held | own, text)
    yield _event("keyUp", key, held & ~own)


def _event(kind: str, key: Key, held: int, text: str = "") -> cdp_input.DispatchKeyEvent:
    return cdp_input.DispatchKeyEvent(
        type=kind,
        modifiers=held,
        key=key.key,
        code=key.code,
        windows_virtual_key_code=key.virtual_key,
        location=key.location,
        is_keypad=key.location == 3,
        text=text or None,
        unmodified_text=text or None,
    )
