"""The rule by which secrets are taken out of texts, against a slow and obvious twin."""

from __future__ import annotations

import unicodedata
from time import process_time
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.core import Redactor, secret_forms

MASK = "••••"
CHARACTERS = "aab-é \u0301\u0323ßU\u0308K\u212a1"
texts = st.text(CHARACTERS, max_size=24)
secrets = st.lists(st.text(CHARACTERS, min_size=1, max_size=7), max_size=3)


# -- the twin --------------------------------------------------------------------------------------


def goes_on(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def is_boundary(text: str, at: int) -> bool:
    return not (0 < at < len(text) and goes_on(text[at - 1]) and goes_on(text[at]))


def hidden(text: str, declared: list[str], typed: list[str]) -> set[int]:
    """Which characters of a text are part of a secret, looked at one place after the other."""
    found: set[int] = set()

    def look(needle: str, as_word: bool) -> None:
        for at in range(len(text) - len(needle) + 1):
            whole = not as_word or (is_boundary(text, at) and is_boundary(text, at + len(needle)))
            if whole and text[at : at + len(needle)] == needle:
                found.update(range(at, at + len(needle)))

    for secret in declared:
        for form in secret_forms(secret):
            look(form, as_word=False)
    for secret in typed:
        count = len(unicodedata.normalize("NFC", secret.strip()))
        is_word = count < 4 or (count < 8 and secret.strip().isascii() and secret.strip().isalpha())
        for form in secret_forms(secret) if count > 1 else ():
            look(form, as_word=is_word)
            for end in range(4, len(form)) if count >= 4 else ():
                look(form[:end], as_word=True)
    return found


def masked(text: str, found: set[int]) -> str:
    pieces = ["\0" if at in found else char for at, char in enumerate(text)]
    joined = "".join(pieces)
    while "\0\0" in joined:
        joined = joined.replace("\0\0", "\0")
    return joined.replace("\0", MASK)


@given(texts, secrets, secrets)
def test_the_rule_is_that_of_its_twin(text: str, declared: list[str], typed: list[str]) -> None:
    """In texts that are decomposed, where both look at the same characters."""
    plain = unicodedata.normalize("NFD", text)
    typed = [secret for secret in typed if len(unicodedata.normalize("NFC", secret.strip())) > 1]
    assert Redactor(declared, typed=typed).redact(plain) == masked(plain, hidden(plain, declared, typed))


@given(texts, secrets, st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_no_normal_form_hides_a_secret(text: str, declared: list[str], form: str) -> None:
    """Whatever is left, decomposed, holds no secret, decomposed."""
    shown = Redactor(declared).redact(unicodedata.normalize(form, text))  # type: ignore[arg-type]
    for part in shown.split(MASK):
        for secret in declared:
            assert unicodedata.normalize("NFD", secret) not in unicodedata.normalize("NFD", part)


@given(texts, secrets)
def test_what_is_left_stood_there_in_this_order(text: str, declared: list[str]) -> None:
    at = 0
    for part in Redactor(declared).redact(text).split(MASK):
        at = text.index(part, at) + len(part)


# -- single cases ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("it is s3cr3t-lantern, yes", f"it is {MASK}, yes"),
        ("xs3cr3t-lanternx", f"x{MASK}x"),
        ("s s3 s3c s3cr s3cr3 s3cr3t-lan", f"s s3 s3c {MASK} {MASK} {MASK}"),
        ("s3cr3ts xs3cr3t s3crets", "s3cr3ts xs3cr3t s3crets"),
        ('value="s3cr3t-l"', f'value="{MASK}"'),
        ("lantern", "lantern"),
    ],
)
def test_beginnings_are_masked_as_words(text: str, shown: str) -> None:
    assert Redactor(typed=["s3cr3t-lantern"]).redact(text) == shown


def test_beginnings_of_what_was_only_declared_are_not() -> None:
    assert Redactor(["password-of-the-shop"]).redact("password") == "password"


@pytest.mark.parametrize(
    ("typed", "text", "shown"),
    [
        ("ab1", "ab1, xab1 ab12", f"{MASK}, xab1 ab12"),
        ("42", "PIN 42, 420 or 142", f"PIN {MASK}, 420 or 142"),
        ("admin", "admin: Site administration, /admin/", f"{MASK}: Site administration, /{MASK}/"),
        ("adm1n", "xadm1nistration", f"x{MASK}istration"),
        ("password", "thepasswords", f"the{MASK}s"),
        ("a", "a cab", "a cab"),
        ("a", " a ", MASK),
        ("é", "e\u0301", MASK),
        (" ", "a b", "a b"),
    ],
)
def test_short_texts_leave_something_to_read(typed: str, text: str, shown: str) -> None:
    assert Redactor(typed=[typed]).redact(text) == shown


def test_normal_forms_are_the_same_text() -> None:
    secret = "Größe-Ängström-é"
    for form in ("NFC", "NFD"):
        redactor = Redactor([unicodedata.normalize(form, secret)])  # type: ignore[arg-type]
        composed, apart = unicodedata.normalize("NFC", secret), unicodedata.normalize("NFD", secret)
        half = unicodedata.normalize("NFC", secret[:8]) + unicodedata.normalize("NFD", secret[8:])
        for written in (composed, apart, half, quote(apart), quote_plus(composed)):
            assert redactor.redact(f"x{written}y") == f"x{MASK}y"


def test_secrets_that_overlap_leave_no_tail() -> None:
    assert Redactor(["abcd", "cdef"]).redact("xabcdefx") == f"x{MASK}x"
    assert Redactor(["abcdef", "abc"]).redact("key=abcdef;abc") == f"key={MASK};{MASK}"


def test_the_forms_of_a_secret_are_those_of_urls_too() -> None:
    assert set(secret_forms("plain")) == {"plain"}
    in_urls = {"a%20b%26%C3%BC", "a+b%26%C3%BC", "a%20b&%C3%BC", "a%20b%26%c3%bc", "a+b%26%c3%bc", "a%20b&%c3%bc"}
    assert {"a b&ü", "ab&ü", "a\\ b\\&ü", "a b&amp;ü", "a b&\\u00fc", "a b&u\u0308"} | in_urls <= set(
        secret_forms("a b&ü")
    )
    assert {"a%20+%2Fb", "a%20%2B/b", "a%20%2B%2Fb", "a%20+/b", "a+%2B%2Fb"} <= set(secret_forms("a +/b"))
    assert {'1"\\', '\\31 \\"\\\\', '1\\"\\\\', "1%22%5C", "1__", "1&quot;\\"} <= set(secret_forms('1"\\'))


def test_half_surrogates_are_not_a_way_out() -> None:
    assert Redactor(["lantern"]).redact("a \ud800 lantern").endswith(MASK)
    assert Redactor(["lan\ud800tern"]).redact("lan\ud800tern") == MASK
    assert Redactor(["lantern"]).redact("\ud800") == "\ud800"


def test_what_is_drawn_is_found_over_boxes_and_cases() -> None:
    redactor = Redactor(["straße 7-lantern"], typed=["42"])
    assert redactor.hidden_in(["x", "STRASSE", " 7-", "", "Lan", "tern", "y", "is 42", "142"]) == [1, 2, 3, 4, 5, 7]


@pytest.mark.parametrize("millions", [5, pytest.param(20, marks=pytest.mark.slow)])
def test_time_is_linear_in_the_text_whatever_the_secrets(millions: int) -> None:
    """1,000 secrets that are the beginnings and ends of each other; 20 MB of what they are made of."""
    count = millions * 1_000_000
    redactor = Redactor(["a" * length for length in range(4, 1004)], typed=["a-" * 500, "ä" * 100])
    for text in ("a" * count, "a-" * (count // 2), "ä" * (count // 2), "x" * count):
        began = process_time()
        redactor.redact(text)
        # A replacement for each secret takes 20 s of CPU for the 20 MB; this takes one.
        assert process_time() - began < millions / 4
