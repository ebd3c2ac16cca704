"""The keys of Android and their numbers: one table, and the names that other tools give to the same keys."""

from __future__ import annotations

import re

from stillframe.errors import OptionInvalid
from stillframe.model.suggest import did_you_mean

_NAMES = """
    UNKNOWN SOFT_LEFT SOFT_RIGHT HOME BACK CALL ENDCALL 0 1 2 3 4 5 6 7 8 9 STAR POUND DPAD_UP DPAD_DOWN DPAD_LEFT
    DPAD_RIGHT DPAD_CENTER VOLUME_UP VOLUME_DOWN POWER CAMERA CLEAR A B C D E F G H I J K L M N O P Q R S T U V W X Y Z
    COMMA PERIOD ALT_LEFT ALT_RIGHT SHIFT_LEFT SHIFT_RIGHT TAB SPACE SYM EXPLORER ENVELOPE ENTER DEL GRAVE MINUS EQUALS
    LEFT_BRACKET RIGHT_BRACKET BACKSLASH SEMICOLON APOSTROPHE SLASH AT NUM HEADSETHOOK FOCUS PLUS MENU NOTIFICATION
    SEARCH MEDIA_PLAY_PAUSE MEDIA_STOP MEDIA_NEXT MEDIA_PREVIOUS MEDIA_REWIND MEDIA_FAST_FORWARD MUTE PAGE_UP PAGE_DOWN
    PICTSYMBOLS SWITCH_CHARSET BUTTON_A BUTTON_B BUTTON_C BUTTON_X BUTTON_Y BUTTON_Z BUTTON_L1 BUTTON_R1 BUTTON_L2
    BUTTON_R2 BUTTON_THUMBL BUTTON_THUMBR BUTTON_START BUTTON_SELECT BUTTON_MODE ESCAPE FORWARD_DEL CTRL_LEFT
    CTRL_RIGHT CAPS_LOCK SCROLL_LOCK META_LEFT META_RIGHT FUNCTION SYSRQ BREAK MOVE_HOME MOVE_END INSERT FORWARD
    MEDIA_PLAY MEDIA_PAUSE MEDIA_CLOSE MEDIA_EJECT MEDIA_RECORD F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 NUM_LOCK
    NUMPAD_0 NUMPAD_1 NUMPAD_2 NUMPAD_3 NUMPAD_4 NUMPAD_5 NUMPAD_6 NUMPAD_7 NUMPAD_8 NUMPAD_9 NUMPAD_DIVIDE
    NUMPAD_MULTIPLY NUMPAD_SUBTRACT NUMPAD_ADD NUMPAD_DOT NUMPAD_COMMA NUMPAD_ENTER NUMPAD_EQUALS NUMPAD_LEFT_PAREN
    NUMPAD_RIGHT_PAREN VOLUME_MUTE INFO CHANNEL_UP CHANNEL_DOWN ZOOM_IN ZOOM_OUT TV WINDOW GUIDE DVR BOOKMARK CAPTIONS
    SETTINGS TV_POWER TV_INPUT STB_POWER STB_INPUT AVR_POWER AVR_INPUT PROG_RED PROG_GREEN PROG_YELLOW PROG_BLUE
    APP_SWITCH BUTTON_1 BUTTON_2 BUTTON_3 BUTTON_4 BUTTON_5 BUTTON_6 BUTTON_7 BUTTON_8 BUTTON_9 BUTTON_10 BUTTON_11
    BUTTON_12 BUTTON_13 BUTTON_14 BUTTON_15 BUTTON_16 LANGUAGE_SWITCH MANNER_MODE 3D_MODE CONTACTS CALENDAR MUSIC
    CALCULATOR ZENKAKU_HANKAKU EISU MUHENKAN HENKAN KATAKANA_HIRAGANA YEN RO KANA ASSIST BRIGHTNESS_DOWN BRIGHTNESS_UP
    MEDIA_AUDIO_TRACK SLEEP WAKEUP
"""
"""The names without `KEYCODE_` of the numbers from 0 on (AOSP, android.view.KeyEvent)."""

KEYCODES: dict[str, int] = {name: number for number, name in enumerate(_NAMES.split())} | {
    "VOICE_ASSIST": 231,
    "CUT": 277,
    "COPY": 278,
    "PASTE": 279,
}
"""The keys by their names without `KEYCODE_`."""

ALIASES: dict[str, str] = {
    "ALT": "ALT_LEFT",
    "APPSWITCH": "APP_SWITCH",
    "ARROWDOWN": "DPAD_DOWN",
    "ARROWLEFT": "DPAD_LEFT",
    "ARROWRIGHT": "DPAD_RIGHT",
    "ARROWUP": "DPAD_UP",
    "BACKSPACE": "DEL",
    "CAPSLOCK": "CAPS_LOCK",
    "CONTROL": "CTRL_LEFT",
    "DELETE": "FORWARD_DEL",
    "END": "MOVE_END",
    "ESC": "ESCAPE",
    "META": "META_LEFT",
    "PAGEDOWN": "PAGE_DOWN",
    "PAGEUP": "PAGE_UP",
    "RECENTS": "APP_SWITCH",
    "RETURN": "ENTER",
    "SHIFT": "SHIFT_LEFT",
    "VOLUMEDOWN": "VOLUME_DOWN",
    "VOLUMEUP": "VOLUME_UP",
}
"""What DOM events, Playwright and people call some keys. `Home` is Android's key; that of a keyboard is `MOVE_HOME`."""

LAST = 1000
"""No number of a key is higher; Android 15 has 326 (AOSP)."""

_NUMBER = re.compile(r"[0-9]{2,4}")
"""A number in a text; one digit is the key of that digit."""
_PLAIN = {name.replace("_", ""): name for name in KEYCODES}
"""The names without underscores, as Playwright writes them: `DpadUp`, `VolumeUp`."""


def keycode(key: str | int) -> int:
    """Return the number of a key: `4`, `BACK`, `Back`, `KEYCODE_BACK`, or a name of a DOM event such as `ArrowUp`.

    Raises OptionInvalid for a key that nobody knows.
    """
    if isinstance(key, int) or _NUMBER.fullmatch(key):
        return _checked(int(key))
    name = key.strip().upper().removeprefix("KEYCODE_")
    name = ALIASES.get(name, name)
    number = KEYCODES.get(name, KEYCODES.get(_PLAIN.get(name, "")))
    if number is None:
        hint = did_you_mean(name, [known for known in KEYCODES if len(known) > 2])
        raise OptionInvalid(
            f"option 'key': no key of Android has the name {key!r}{hint}; use a name such as BACK, HOME, ENTER or "
            "KEYCODE_DPAD_UP, or the number of a key",
            option="key",
        )
    return number


def _checked(number: int) -> int:
    if not 0 < number <= LAST:
        raise OptionInvalid(f"option 'key': {number} is not between 1 and {LAST}", option="key")
    return number
