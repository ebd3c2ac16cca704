"""The keys of a US keyboard, and where other keyboards have their letters.

`key` is KeyboardEvent.key, `code` the place on the keyboard, `virtual_key` the Windows virtual-key code that Chrome
derives `keyCode` from, `location` 0 standard, 1 left, 2 right, 3 numpad (UI Events, "Keyboard Event Key Values" and
"Code Values"; virtual keys as in Windows' winuser.h).
"""

from __future__ import annotations

import sys

import msgspec

MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
"""Modifier keys and their bits in CDP's Input domain."""


class Key(msgspec.Struct, frozen=True):
    """One key; `shift` means that this character needs Shift."""

    key: str
    code: str
    virtual_key: int
    text: str = ""
    location: int = 0
    shift: bool = False


_PUNCTUATION = (
    ("`", "~", "Backquote", 192),
    ("-", "_", "Minus", 189),
    ("=", "+", "Equal", 187),
    ("[", "{", "BracketLeft", 219),
    ("]", "}", "BracketRight", 221),
    ("\\", "|", "Backslash", 220),
    (";", ":", "Semicolon", 186),
    ("'", '"', "Quote", 222),
    (",", "<", "Comma", 188),
    (".", ">", "Period", 190),
    ("/", "?", "Slash", 191),
)
_NAMED = (
    Key("Backspace", "Backspace", 8),
    Key("Tab", "Tab", 9),
    Key("Clear", "NumLock", 12),
    Key("Enter", "Enter", 13, "\r"),
    Key("Shift", "ShiftLeft", 16, location=1),
    Key("Control", "ControlLeft", 17, location=1),
    Key("Alt", "AltLeft", 18, location=1),
    Key("Pause", "Pause", 19),
    Key("CapsLock", "CapsLock", 20),
    Key("Escape", "Escape", 27),
    Key(" ", "Space", 32, " "),
    Key("PageUp", "PageUp", 33),
    Key("PageDown", "PageDown", 34),
    Key("End", "End", 35),
    Key("Home", "Home", 36),
    Key("ArrowLeft", "ArrowLeft", 37),
    Key("ArrowUp", "ArrowUp", 38),
    Key("ArrowRight", "ArrowRight", 39),
    Key("ArrowDown", "ArrowDown", 40),
    Key("PrintScreen", "PrintScreen", 44),
    Key("Insert", "Insert", 45),
    Key("Delete", "Delete", 46),
    Key("Meta", "MetaLeft", 91, location=1),
    Key("ContextMenu", "ContextMenu", 93),
    Key("NumLock", "NumLock", 144),
    Key("ScrollLock", "ScrollLock", 145),
    Key("AudioVolumeMute", "AudioVolumeMute", 173),
    Key("AudioVolumeDown", "AudioVolumeDown", 174),
    Key("AudioVolumeUp", "AudioVolumeUp", 175),
    Key("MediaTrackNext", "MediaTrackNext", 176),
    Key("MediaTrackPrevious", "MediaTrackPrevious", 177),
    Key("MediaStop", "MediaStop", 178),
    Key("MediaPlayPause", "MediaPlayPause", 179),
)
_NUMPAD = (
    Key("*", "NumpadMultiply", 106, "*", 3),
    Key("+", "NumpadAdd", 107, "+", 3),
    Key("-", "NumpadSubtract", 109, "-", 3),
    Key(".", "NumpadDecimal", 110, ".", 3),
    Key("/", "NumpadDivide", 111, "/", 3),
    Key("Enter", "NumpadEnter", 13, "\r", 3),
    *(Key(str(n), f"Numpad{n}", 96 + n, str(n), 3) for n in range(10)),
)
_SIDES = (
    Key("Shift", "ShiftRight", 16, location=2),
    Key("Control", "ControlRight", 17, location=2),
    Key("Alt", "AltRight", 18, location=2),
    Key("Meta", "MetaRight", 92, location=2),
)


def _characters() -> list[Key]:
    keys = []
    for letter in map(chr, range(ord("a"), ord("z") + 1)):
        upper = letter.upper()
        keys.append(Key(letter, f"Key{upper}", ord(upper), letter))
        keys.append(Key(upper, f"Key{upper}", ord(upper), upper, shift=True))
    for digit, symbol in zip("1234567890", "!@#$%^&*()", strict=True):
        keys.append(Key(digit, f"Digit{digit}", ord(digit), digit))
        keys.append(Key(symbol, f"Digit{digit}", ord(digit), symbol, shift=True))
    for plain, shifted, code, virtual_key in _PUNCTUATION:
        keys.append(Key(plain, code, virtual_key, plain))
        keys.append(Key(shifted, code, virtual_key, shifted, shift=True))
    return keys


_BY_KEY = (*_characters(), *_NAMED)

KEYS: dict[str, Key] = {
    **{key.code: key for key in reversed(_BY_KEY) if not key.shift},
    **{key.key: key for key in _BY_KEY},
    **{key.code: key for key in (*_NUMPAD, *_SIDES)},
    **{f"F{n}": Key(f"F{n}", f"F{n}", 111 + n) for n in range(1, 25)},
}
"""Every key by its name: KeyboardEvent.key (`a`, `Enter`) and KeyboardEvent.code (`KeyA`, `NumpadEnter`, `ShiftRight`),
which names the position on the keyboard."""

_LETTERS = (
    ("qwertyuiop[]asdfghjkl;'zxcvbnm,.`", "йцукенгшщзхъфывапролджэячсмитьбюё"),
    ("s]'", "іїє"),
    ("wertyuiopasdfghjklzxcvbnm", "ςερτυθιοπασδφγηξκλζχψωβνμ"),
    ("[;'-", "üöäß"),
    ("[;", "åñ"),
)
"""Keys of a US keyboard, and the letters on these keys: Russian, Ukrainian, Greek, German, Nordic and Spanish. Only
letters that have one place; `é` has another one in France than in Hungary, and others come from an input method."""

LETTERS: dict[str, Key] = {
    each: Key(each, KEYS[place].code, KEYS[place].virtual_key, each)
    for places, letters in _LETTERS
    for place, letter in zip(places, letters, strict=True)
    for each in {letter, letter.upper()}
    if len(each) == 1
}
"""The keys of letters that are not on a US keyboard. Their capitals hold no Shift: nobody has pressed it."""

ALIASES = {
    "controlormeta": "Meta" if sys.platform == "darwin" else "Control",
    "ctrl": "Control",
    "cmd": "Meta",
    "command": "Meta",
    "win": "Meta",
    "super": "Meta",
    "option": "Alt",
    "esc": "Escape",
    "return": "Enter",
    "del": "Delete",
    "ins": "Insert",
    "space": " ",
    "spacebar": " ",
    "left": "ArrowLeft",
    "up": "ArrowUp",
    "right": "ArrowRight",
    "down": "ArrowDown",
    "pgup": "PageUp",
    "pgdn": "PageDown",
}
"""Common names of keys, case-folded, and the names used here."""
