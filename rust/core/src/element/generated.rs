//! Text that a stylesheet adds to a page: `::before` and `::after`, or their alternatives.

use crate::capture::columns::rare;
use crate::capture::node::Node;
use crate::element::attributes::named_attribute;
use crate::element::snapshot::Snapshot;

/// Bytes of a computed `content` that are read.
const BYTES: usize = 4096;

/// Which pseudo-element it is: `before`, `after`, `marker`, …
pub fn pseudo_kind(snapshot: &Snapshot, node: Node) -> &str {
    rare(&snapshot.document(node).pseudo, node.index).map_or("", |id| snapshot.strings(node).get(id))
}

/// The text of a pseudo-element, and whether it is an alternative text, a word of its own.
pub fn generated(snapshot: &Snapshot, node: Node) -> (String, bool) {
    let document = snapshot.document(node);
    let strings = snapshot.strings(node);
    let style = document.content_style(node.index).map_or("", |id| strings.get(id));
    if let Some(alternative) = alternative(style.get(..BYTES).unwrap_or(style)) {
        return (told(snapshot, node, alternative), true);
    }
    // Chrome leaves counters out of names.
    if style.contains("counter") {
        return (told(snapshot, node, style), false);
    }
    (document.generated(node.index).map(|id| strings.get(id)).collect(), false)
}

/// What stands behind the slash of a `content`.
fn alternative(content: &str) -> Option<&str> {
    let mut rest = content;
    while let Some(letter) = rest.chars().next() {
        match letter {
            '/' => return Some(rest[1..].trim_start()),
            '"' => rest = string(rest).1,
            // Only strings hold slashes; a URL is written as one.
            _ => rest = &rest[letter.len_utf8()..],
        }
    }
    None
}

/// The strings and attributes of an alternative text.
fn told(snapshot: &Snapshot, node: Node, alternative: &str) -> String {
    let mut told = String::new();
    let mut rest = alternative;
    while let Some(letter) = rest.chars().next() {
        if letter == '"' {
            let (text, after) = string(rest);
            told.push_str(&text);
            rest = after;
        } else if let Some((name, after)) = rest.strip_prefix("attr(").and_then(|rest| rest.split_once(')')) {
            let value = snapshot.parent(node).and_then(|parent| named_attribute(snapshot, parent, name.trim()));
            told.push_str(value.unwrap_or(""));
            rest = after;
        } else {
            rest = &rest[letter.len_utf8()..];
        }
    }
    told
}

/// The text of the quoted string that `text` begins with, and what follows it.
fn string(text: &str) -> (String, &str) {
    let mut said = String::new();
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (said, &text[at + 1..]),
            '\\' => {
                let digits = text[at + 1..].bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
                if digits == 0 {
                    said.extend(letters.next().map(|(_, letter)| letter));
                    continue;
                }
                let number = u32::from_str_radix(&text[at + 1..at + 1 + digits], 16).unwrap_or(0);
                said.push(char::from_u32(number).unwrap_or('\u{fffd}'));
                letters.nth(digits - 1);
                if letters.peek().is_some_and(|(_, letter)| *letter == ' ') {
                    letters.next();
                }
            }
            letter => said.push(letter),
        }
    }
    (said, "")
}
