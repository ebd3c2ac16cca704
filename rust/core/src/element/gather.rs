//! Collects text: collapses white space where the page does, and stops at the longest text that is shown.

use crate::capture::bounds::bounds;
use crate::capture::node::Node;
use crate::element::flow::{Piece, Stand, generated, stand};
use crate::element::letters::{SEPARATOR, is_space, is_unseen};
use crate::element::snapshot::Snapshot;

/// Bytes of a text that are gathered, and bytes that are read for them, at most.
pub const GATHERED: usize = 4096;
const READ: usize = 65_536;

/// A gap between two boxes up to this share of the line's height is not a space, which takes a quarter of it or so.
const TIGHT: f32 = 0.125;

/// What comes before the next word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    Nothing,
    /// The border of a box on the same line: a space if it looks like one.
    Border,
    Space,
    Line,
    /// The border of that many cells.
    Cells(u32),
}

/// A text in the making: white space collapsed where the page collapses it, and no longer than is needed.
pub struct Gathered {
    text: String,
    read: usize,
    room: usize,
    /// Whether the reader separates lines from words.
    lines: bool,
    /// Whether letters that nobody sees are left out.
    seen: bool,
    gap: Gap,
    /// The text node that came last.
    last: Option<Node>,
}

impl Default for Gathered {
    fn default() -> Self {
        Self { text: String::new(), read: 0, room: GATHERED, lines: false, seen: false, gap: Gap::Nothing, last: None }
    }
}

impl Gathered {
    /// As a person reads it: without what nobody sees.
    pub fn of_words() -> Self {
        Self { seen: true, ..Self::default() }
    }

    /// As a person reads it, preformatted text with its lines; of `room` bytes at most.
    pub fn of_lines(room: usize) -> Self {
        Self { lines: true, seen: true, room, ..Self::default() }
    }

    #[cfg(feature = "testing")]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Bytes gathered so far: it grows whenever a text that is not blank is added.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    fn widen(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// What is added next is a word of its own.
    pub fn part(&mut self) {
        self.widen(Gap::Space);
    }

    /// What is added next stands on another line.
    pub fn line(&mut self) {
        self.widen(if self.lines { Gap::Line } else { Gap::Space });
    }

    /// What is added next is in another cell.
    pub fn bar(&mut self) {
        let before = if let Gap::Cells(count) = self.gap { count } else { 0 };
        self.gap = Gap::Cells(before + 1);
    }

    /// The border of a box.
    pub fn edge(&mut self, stand: Stand) {
        match stand {
            Stand::Inline => {}
            Stand::Apart => self.widen(Gap::Border),
            Stand::Block => self.line(),
        }
    }

    pub fn is_full(&self) -> bool {
        self.text.len() >= self.room || self.read >= READ.max(self.room)
    }

    /// Add the text of a text node.
    pub fn piece(&mut self, snapshot: &Snapshot, node: Node, piece: &Piece) {
        if letters(&piece.text) > 0 {
            if self.gap == Gap::Border {
                self.gap = if self.is_letter_of_word(snapshot, node, piece) { Gap::Nothing } else { Gap::Space };
            }
            self.last = Some(node);
        }
        self.add(piece);
    }

    /// Add what a pseudo-element shows.
    pub fn generated(&mut self, snapshot: &Snapshot, pseudo: Node) {
        if let Some(piece) = generated(snapshot, pseudo) {
            let stand = stand(snapshot, pseudo);
            self.edge(stand);
            self.piece(snapshot, pseudo, &piece);
            self.edge(stand);
        }
    }

    fn add(&mut self, piece: &Piece) {
        if piece.kept && self.lines {
            self.kept(&piece.text);
        } else {
            self.text(&piece.text);
        }
    }

    /// Whether this is one letter right after another one: words whose letters move have a box for each.
    fn is_letter_of_word(&self, snapshot: &Snapshot, next: Node, piece: &Piece) -> bool {
        let Some(last) = self.last.filter(|_| letters(&piece.text) == 1) else { return false };
        let before = letters(snapshot.strings(last).get(snapshot.document(last).value[last.index]));
        let (Some([x, y, width, height]), Some(next)) = (bounds(snapshot, last), bounds(snapshot, next)) else {
            return false;
        };
        let apart = next[0] - (x + width);
        let same_line = next[1] < y + height && y < next[1] + next[3];
        before == 1 && same_line && apart > -1.0 && apart <= TIGHT * height.min(next[3])
    }

    /// Add a text whose white space is collapsed.
    pub fn text(&mut self, text: &str) {
        let text = self.take(text);
        if !self.seen || text.is_ascii() {
            self.words(text.split(|letter: char| letter.is_ascii_whitespace()));
        } else {
            let seen: String = text.chars().filter(|letter| !is_unseen(*letter)).collect();
            self.words(seen.split(is_space));
        }
    }

    fn words<'b>(&mut self, words: impl Iterator<Item = &'b str>) {
        for (at, word) in words.enumerate() {
            if at > 0 {
                self.part();
            }
            if !word.is_empty() {
                self.word(word);
                if self.is_full() {
                    return;
                }
            }
        }
    }

    /// Add a text as it is, white space and all.
    pub fn kept(&mut self, text: &str) {
        let text = self.take(text).replace("\r\n", "\n");
        let text = if self.text.is_empty() { text.trim_start_matches('\n') } else { &text };
        if !text.is_empty() {
            self.word(text);
        }
    }

    /// As much of a text as may still be read.
    fn take<'b>(&mut self, text: &'b str) -> &'b str {
        let room = READ.max(self.room).saturating_sub(self.read);
        self.read += text.len().min(room).max(1);
        &text[..boundary(text, room)]
    }

    fn word(&mut self, word: &str) {
        // In a name the space that is not broken at is a letter.
        let parts = |letter: char| letter.is_ascii_whitespace() || self.seen && is_space(letter);
        let spaced = self.text.ends_with(parts) || word.starts_with(parts);
        match std::mem::take(&mut self.gap) {
            Gap::Cells(count) => {
                let first = if self.text.is_empty() { "| " } else { " | " };
                self.text.push_str(first);
                (1..count).for_each(|_| self.text.push_str("| "));
            }
            _ if self.text.is_empty() => {}
            Gap::Line if !self.text.ends_with('\n') => self.text.push('\n'),
            Gap::Space if !spaced => self.text.push(' '),
            _ => {}
        }
        self.text.push_str(&word[..boundary(word, self.room)]);
    }

    pub fn done(mut self) -> String {
        if self.lines {
            self.text.truncate(self.text.trim_end().len());
        }
        self.text
    }
}

/// How many of the first two characters of a text are letters.
fn letters(text: &str) -> usize {
    text.chars().take(SEPARATOR).filter(|letter| !is_space(*letter)).take(2).count()
}

/// The last place up to `limit` at which no character is cut in two.
pub fn boundary(text: &str, limit: usize) -> usize {
    let limit = limit.min(text.len());
    (0..=limit).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The part of a text that can be shown, with its white space collapsed.
pub fn collapsed(text: &str) -> String {
    let mut gathered = Gathered::default();
    gathered.text(text);
    gathered.done()
}
