//! Letters that say nothing: white space, what parts the texts around it, and what nobody sees.

/// Bytes of a text that may do no more than to part others; what is looked at of any text for that.
pub(super) const SEPARATOR: usize = 256;

const SEPARATORS: &str = "|¦·•‧∙●◦▪■/\\«»‹›<>–—-_:,;.()[]{}~→←▾▼▴▲▸▶◂◀⌄˅";
const DASHES: [char; 4] = ['-', '–', '—', '_'];

/// Whether a text only parts what stands around it, or says nothing at all.
pub fn is_separator(text: &str) -> bool {
    text.len() <= SEPARATOR
        && text.chars().all(|letter| is_space(letter) || is_unseen(letter) || SEPARATORS.contains(letter))
}

/// Whether a text is nothing but dashes, colons and the like: alone in a block they stand for a value.
pub fn is_dash(text: &str) -> bool {
    text.contains(DASHES)
}

/// White space that is collapsed, and the space that is not broken at: it looks the same.
pub(super) fn is_space(letter: char) -> bool {
    letter.is_ascii_whitespace() || letter == '\u{a0}'
}

/// Letters that nobody sees: places to break a line at, and icons, whose letters mean nothing.
pub fn is_unseen(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}'
    )
}

/// Whether a text holds nothing but white space.
pub fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_whitespace())
}
