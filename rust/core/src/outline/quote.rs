//! Page text as a quoted string that a page cannot break out of.

use std::fmt::Write;

/// Write `text` in double quotes, escaped as JSON escapes it.
///
/// Besides quotes, backslashes and control characters, whatever would be read otherwise than it stands is escaped:
/// line separators, marks of direction, invisible letters and tags. Of several backticks in a row all but the first are,
/// so that no fence of Markdown round a page text can be closed from inside.
pub fn quote(out: &mut String, text: &str) {
    out.push('"');
    let mut last = ' ';
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                out.push('\\');
                out.push(letter);
            }
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '`' if last == '`' => escape(out, letter),
            _ if misleads(letter) => escape(out, letter),
            _ => out.push(letter),
        }
        last = letter;
    }
    out.push('"');
}

fn escape(out: &mut String, letter: char) {
    for unit in letter.encode_utf16(&mut [0; 2]) {
        let _ = write!(out, "\\u{unit:04x}");
    }
}

/// Whether a letter is invisible, starts a new line or changes how its neighbours are read. Zero-width joiners are not
/// among them: Persian and emoji need them.
fn misleads(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}
