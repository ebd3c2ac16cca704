//! The forms in which a page shows a secret: unchanged, and in URLs, selectors, file names, JSON and HTML.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

/// Characters of a line or of a run of words that counts as a form of its own.
pub const MIN_CHARACTERS: usize = 4;

/// What encodeURIComponent, the value of an `action` or `href`, and the libraries of servers leave as it is in a URL.
const UNRESERVED: [&str; 6] =
    ["!'()*-._~", "!#$&'()*+,/:;=?@~-._", "/-._~", "-._~", "!$&'()*+,/:;=@~-._", "-._~!$&'()*+,;=:@"];

/// The same where a space is a plus: URLSearchParams and others.
const IN_FORMS: [&str; 3] = ["*-._", "-._", "-._~"];

/// What no file may have in its name on one system or another.
const NOT_IN_FILES: &str = "\x7f\"*/:<>?\\|";

/// All forms of a secret, in both canonical normal forms of Unicode; none is empty.
pub fn forms(secret: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    found.extend(written(secret));
    if !secret.is_ascii() {
        found.extend(written(&secret.nfc().collect::<String>()));
        found.extend(written(&secret.nfd().collect::<String>()));
    }
    found.remove("");
    found
}

fn written(secret: &str) -> Vec<String> {
    let mut forms =
        vec![secret.to_owned(), json(secret, false), json(secret, true), html(secret, false), html(secret, true)];
    forms.extend(lines(secret));
    forms.extend(in_urls(secret));
    forms.extend([css(secret, false, true), css(secret, true, true), css(secret, false, false)]);
    let file = in_file(secret);
    forms.extend([file.replace('~', "_"), file]);
    forms
}

/// On the lines that its line breaks make, and as pages and their readers treat spaces.
fn lines(secret: &str) -> impl Iterator<Item = String> {
    let words: Vec<&str> = secret.split_whitespace().collect();
    let mut found: Vec<String> = secret.split(is_line_break).map(str::to_owned).collect();
    found.extend([words.join(" "), words.concat()]);
    found.into_iter().filter(|line| line.chars().count() >= MIN_CHARACTERS)
}

fn is_line_break(char: char) -> bool {
    matches!(char, '\n'..='\r' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn in_urls(secret: &str) -> Vec<String> {
    let quoted = UNRESERVED.iter().map(|marks| percent(secret, marks, false));
    let quoted: Vec<String> = quoted.chain(IN_FORMS.iter().map(|marks| percent(secret, marks, true))).collect();
    let lower = quoted.iter().map(|form| lower_escapes(form)).collect::<Vec<_>>();
    quoted.into_iter().chain(lower).collect()
}

fn percent(text: &str, marks: &str, plus: bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        let char = char::from(byte);
        match char {
            ' ' if plus => encoded.push('+'),
            _ if char.is_ascii_alphanumeric() || (char.is_ascii() && marks.contains(char)) => encoded.push(char),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

fn lower_escapes(encoded: &str) -> String {
    let mut left = 0;
    let lower = |char: char| {
        left = if char == '%' { 3 } else { usize::saturating_sub(left, 1) };
        if left > 0 { char.to_ascii_lowercase() } else { char }
    };
    encoded.chars().map(lower).collect()
}

/// As a string of JSON holds it; `ascii` has all else escaped, as Python's `json.dumps` does.
fn json(text: &str, ascii: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\0'..='\x1f' => out.push_str(&format!("\\u{:04x}", char as u32)),
            _ if ascii && !char.is_ascii() => {
                let mut units = [0; 2];
                char.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
            }
            _ => out.push(char),
        }
    }
    out
}

/// As the source of a page has it; `quotes` too, as in the values of attributes.
fn html(text: &str, quotes: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if quotes => out.push_str("&quot;"),
            '\'' if quotes => out.push_str("&#39;"),
            _ => out.push(char),
        }
    }
    out
}

/// As a selector has it, by CSS.escape: in a `name` or else in quotes; `digit` begins a name.
fn css(secret: &str, digit: bool, name: bool) -> String {
    let plain = |char: char| match name {
        true => char.is_alphanumeric() || matches!(char, '_' | '-' | '\u{80}'..),
        false => !matches!(char, '"' | '\\'),
    };
    let mut out = String::with_capacity(secret.len());
    for (place, char) in secret.chars().enumerate() {
        if char < ' ' || char == '\x7f' || (digit && place == 0 && char.is_ascii_digit()) {
            out.push_str(&format!("\\{:x} ", char as u32));
        } else {
            out.extend((!plain(char)).then_some('\\'));
            out.push(char);
        }
    }
    out
}

/// What nothing may be called on disk is replaced, by Chrome and by us.
fn in_file(secret: &str) -> String {
    let harmless = |char: char| if char < ' ' || NOT_IN_FILES.contains(char) { '_' } else { char };
    secret.chars().map(harmless).collect()
}
