//! Texts in the making: white space collapsed, and no longer than anybody shows.

/// Bytes of a text that are gathered, and bytes that are read for them, at most.
pub const GATHERED: usize = 4096;
const READ: usize = 65_536;

/// A text in the making: whitespace collapsed, and no longer than is needed.
#[derive(Default)]
pub struct Gathered {
    text: String,
    read: usize,
    space: bool,
    bar: bool,
}

impl Gathered {
    /// What is added next is a word of its own.
    pub fn part(&mut self) {
        self.space = true;
    }

    /// What is added next is in another cell.
    pub fn bar(&mut self) {
        self.bar = true;
    }

    pub fn is_full(&self) -> bool {
        self.text.len() >= GATHERED || self.read >= READ
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Bytes gathered so far: it grows whenever a text that is not blank is added.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    pub fn text(&mut self, text: &str) {
        let room = READ.saturating_sub(self.read);
        self.read += text.len().min(room).max(1);
        let text = &text[..boundary(text, room)];
        let is_space = |letter: char| letter.is_ascii_whitespace();
        let mut words = text.split(is_space).peekable();
        while let Some(word) = words.next() {
            if !word.is_empty() {
                self.word(word);
                if self.is_full() {
                    return;
                }
            }
            self.space |= words.peek().is_some();
        }
    }

    fn word(&mut self, word: &str) {
        if !self.text.is_empty() {
            if self.bar {
                self.text.push_str(" | ");
            } else if self.space {
                self.text.push(' ');
            }
        }
        (self.space, self.bar) = (false, false);
        self.text.push_str(&word[..boundary(word, GATHERED)]);
    }

    pub fn done(self) -> String {
        self.text
    }
}

/// The last place up to `limit` at which no character is cut in two.
pub fn boundary(text: &str, limit: usize) -> usize {
    let limit = limit.min(text.len());
    (0..=limit).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// A text with its whitespace collapsed, as far as it can be shown.
pub fn collapsed(text: &str) -> String {
    let mut gathered = Gathered::default();
    gathered.text(text);
    gathered.done()
}
