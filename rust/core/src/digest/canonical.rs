//! The canonical form of a page, which decides what counts as equal for digests, diff and delta.
//!
//! - Whitespace-only text outside `pre` and `textarea`, comments, doctypes, `script`, `style`, `template`, `noscript`
//!   and pseudo elements are left out (`flag::DROPPED`, set by the parser).
//! - Attributes are a set and `class` is a set of tokens; `nonce` and `integrity` are left out.
//! - Shadow children hang under their host, marked; what an input holds, and whether it is checked or selected, belongs
//!   to the element. A frame's document belongs to the frame element.
//! - Ids of nodes, the order of the string table and of JSON keys mean nothing.

use crate::capture::columns::{Document, rare};
use crate::capture::node::NodeIndex;
use crate::capture::strings::NONE;

/// The whitespace of HTML.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 12)
}

/// The tokens of a `class` value, repeats included.
pub fn tokens(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&byte| is_space(byte)).filter(|token| !token.is_empty())
}

/// The tokens of a `class` value, each once.
pub fn token_set(value: &[u8]) -> Vec<&[u8]> {
    let mut found: Vec<&[u8]> = tokens(value).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether two `class` values hold the same tokens.
pub fn same_classes(one: &str, other: &str) -> bool {
    one == other || token_set(one.as_bytes()) == token_set(other.as_bytes())
}

/// In every byte of a word, the highest bit.
const HIGH: u64 = 0x8080_8080_8080_8080;
const SPACES: u64 = 0x2020_2020_2020_2020;

/// Whether collapsing would change `text`: space at an end, a run of it, or a line break. May be true for a text with a
/// control character that is not a space, which collapsing leaves as it is.
pub fn needs_collapse(text: &[u8]) -> bool {
    let (Some(first), Some(last)) = (text.first(), text.last()) else { return false };
    if *first <= b' ' || *last <= b' ' {
        return true;
    }
    let (words, rest) = text.as_chunks::<8>();
    let mut before = 0u64;
    for word in words {
        let word = u64::from_le_bytes(*word);
        let spaces = zero_bytes(word ^ SPACES);
        if low_bytes(word) != spaces || spaces & (spaces << 8 | before) != 0 {
            return true;
        }
        before = spaces >> 56;
    }
    let mut before = before != 0;
    for &byte in rest {
        if byte <= b' ' && (before || byte != b' ') {
            return true;
        }
        before = byte == b' ';
    }
    false
}

/// The highest bit of every byte of `word` that is 0.
#[inline(always)]
fn zero_bytes(word: u64) -> u64 {
    !((word & !HIGH).wrapping_add(!HIGH) | word) & HIGH
}

/// The highest bit of every byte of `word` that is at most a space.
#[inline(always)]
fn low_bytes(word: u64) -> u64 {
    !((word & !HIGH).wrapping_add(0x5f5f_5f5f_5f5f_5f5f) | word) & HIGH
}

/// `text` as it is laid out: runs of whitespace are one space, ends are trimmed. `scratch` is only used if needed.
pub fn collapse<'a>(text: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
    if !needs_collapse(text) {
        return text;
    }
    scratch.clear();
    for token in tokens(text) {
        if !scratch.is_empty() {
            scratch.push(b' ');
        }
        scratch.extend_from_slice(token);
    }
    scratch
}

/// Write `text` to `out` with `#` for each number: ASCII digits, with a mark between two of them (`1,024.5`, `12:05:09`)
/// belonging to the number, so that 9 and 10, or 999 and 1,000, come to the same.
pub fn without_digits(text: &[u8], out: &mut Vec<u8>) {
    let digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let mut inside = false;
    for (at, &byte) in text.iter().enumerate() {
        if byte.is_ascii_digit() {
            if !inside {
                out.push(b'#');
            }
            inside = true;
        } else if !(inside && matches!(byte, b'.' | b',' | b':' | b'\'') && digit(at + 1)) {
            out.push(byte);
            inside = false;
        }
    }
}

/// What an input or a textarea holds; `NONE` if the capture does not say.
pub fn live_value(document: &Document, node: NodeIndex) -> u32 {
    let value = rare(&document.input_value, node).or_else(|| rare(&document.text_value, node));
    value.unwrap_or(NONE)
}

/// Whether an id or a class looks as if a program had made it up, so that the next load has another one.
///
/// Source: the tests of the Playwright and WebdriverIO generators, as the reference lists them: GUIDs, ≥ 8 hexadecimal
/// digits, ≥ 3 groups of digits or a run of ≥ 5, React's `:r1:`, the prefixes of CSS-in-JS.
pub fn looks_generated(name: &str) -> bool {
    const PREFIXES: [&str; 9] =
        ["css-", "sc-", "jss", "emotion-", "ember", "radix-", "react-aria", "headlessui-", "mui-"];
    let digits = name.bytes().filter(u8::is_ascii_digit).count();
    let has_prefix = PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    (has_prefix && (digits > 0 || mixed_case_hash(name)))
        || name.starts_with(':')
        || name.starts_with('\u{ab}')
        || digit_groups(name) >= 3
        || longest_run(name, |byte| byte.is_ascii_digit()) >= 5
        || hex_run(name)
        || hashed_suffix(name)
}

/// Classes that say in what state an element is and not what it is: the item of the menu that is current is another one
/// on every page of a site. The words are those of Bootstrap, WordPress, Sphinx, jQuery UI and BEM's `is-`/`has-`.
const STATES: [&[u8]; 39] = [
    b"active",
    b"checked",
    b"closed",
    b"collapse",
    b"collapsed",
    b"collapsing",
    b"current",
    b"disabled",
    b"enabled",
    b"even",
    b"expanded",
    b"fade",
    b"first",
    b"focus",
    b"focused",
    b"hidden",
    b"hide",
    b"hover",
    b"hovered",
    b"in",
    b"inactive",
    b"invisible",
    b"last",
    b"lazyload",
    b"lazyloaded",
    b"lazyloading",
    b"loaded",
    b"loading",
    b"odd",
    b"off",
    b"on",
    b"open",
    b"opened",
    b"selected",
    b"show",
    b"shown",
    b"unselected",
    b"visible",
    b"visited",
];
const STATE_PREFIXES: [&[u8]; 4] = [b"is-", b"has-", b"js-", b"current-"];

/// Whether a class comes and goes with the state of an element: it names it badly.
pub fn is_state(token: &[u8]) -> bool {
    STATES.binary_search(&token).is_ok() || STATE_PREFIXES.iter().any(|prefix| token.starts_with(prefix))
}

fn digit_groups(name: &str) -> usize {
    let mut groups = 0;
    let mut inside = false;
    for byte in name.bytes() {
        groups += usize::from(byte.is_ascii_digit() && !inside);
        inside = byte.is_ascii_digit();
    }
    groups
}

fn longest_run(name: &str, wanted: impl Fn(&u8) -> bool) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in name.bytes() {
        run = if wanted(&byte) { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Eight or more hexadecimal digits in a row with at least two decimal ones among them (so that no word is meant).
fn hex_run(name: &str) -> bool {
    let runs = name.split(|letter: char| !letter.is_ascii_hexdigit());
    runs.into_iter().any(|run| run.len() >= 8 && run.bytes().filter(u8::is_ascii_digit).count() >= 2)
}

/// `Button_root__x7Gh2`, `styles-a8f3K`: a last piece of five or more letters that mixes cases and digits.
fn hashed_suffix(name: &str) -> bool {
    let piece = name.rsplit(['_', '-']).next().unwrap_or(name);
    piece.len() < name.len() && piece.len() >= 5 && mixed_case_hash(piece) && piece.bytes().any(|b| b.is_ascii_digit())
}

fn mixed_case_hash(piece: &str) -> bool {
    piece.bytes().any(|byte| byte.is_ascii_uppercase()) && piece.bytes().any(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_states_are_sorted() {
        assert!(STATES.is_sorted());
    }
}
