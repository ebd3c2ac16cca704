//! What counts as equal: the canonical form of a page, shared by digests, diff and summary.
//!
//! - Whitespace-only text outside `pre` and `textarea`, comments, doctypes, `script`, `style`, `template`, `noscript`
//!   and pseudo elements are left out (`flag::DROPPED`, set by the parser).
//! - Attributes are a set and `class` is a set of tokens; `nonce` and `integrity` are left out.
//! - Shadow children hang under their host, marked; what an input holds, and whether it is checked or selected, belongs
//!   to the element. A frame's document belongs to the frame element.
//! - Ids of nodes, the order of the string table and of JSON keys mean nothing.

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

/// Whether collapsing would change `text`: space at an end, a run of it, or a line break.
fn needs_collapse(text: &[u8]) -> bool {
    let mut before = true;
    for &byte in text {
        let space = is_space(byte);
        if space && (before || byte != b' ') {
            return true;
        }
        before = space;
    }
    before
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
