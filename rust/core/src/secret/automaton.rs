//! Finds all needles in one pass over a text: an Aho-Corasick automaton that also knows partial matches.
//!
//! The crate of that name tells which needles end at a place. Here it is asked what is the longest text that ends there
//! and is a needle, or the beginning of one; that takes the depths of its states, which the crate keeps to itself.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::spans::Spans;

/// States up to this depth have a table of all 256 bytes; most of a text is read by them.
const DENSE: u32 = 1;

const ROOT: u32 = 0;
const NONE: u32 = u32::MAX;

/// One text to look for.
pub struct Needle {
    pub text: String,
    pub how: How,
}

/// Where a needle counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// Wherever it stands.
    Anywhere,
    /// As a word: no letter or digit goes on at either end.
    Word,
    /// Its beginnings of at least this many characters, as words.
    Beginnings(usize),
}

/// One state: a beginning of a needle that has been read.
struct State {
    byte: u8,
    depth: u32,
    child: u32,
    sibling: u32,
    fail: u32,
    /// Bytes of the longest needle for `Anywhere` that ends here; 0 for none.
    whole: u32,
    /// Whether what has been read counts as a word.
    word: bool,
    /// Bytes of the longest end of it that counts as a word, with the boundary before that inside of the needle.
    inner: u32,
    /// The needle that it was made of.
    source: u32,
    /// The number of its table, if it has one.
    table: u32,
}

impl State {
    fn new(byte: u8, depth: u32, sibling: u32, source: u32) -> Self {
        let (child, fail, table) = (NONE, ROOT, NONE);
        Self { byte, depth, child, sibling, fail, whole: 0, word: false, inner: 0, source, table }
    }
}

pub struct Automaton {
    states: Vec<State>,
    dense: Vec<[u32; 256]>,
}

impl Automaton {
    pub fn new(needles: &[Needle]) -> Self {
        let mut made = Self { states: vec![State::new(0, 0, NONE, 0)], dense: Vec::new() };
        for (number, needle) in needles.iter().enumerate() {
            made.insert(number as u32, needle);
        }
        made.link(needles);
        made
    }

    pub fn is_empty(&self) -> bool {
        self.states.len() == 1
    }

    fn insert(&mut self, number: u32, needle: &Needle) {
        let text = needle.text.as_str();
        let (mut at, mut characters) = (ROOT, 0);
        for (place, byte) in text.bytes().enumerate() {
            at = self.child(at, byte).unwrap_or_else(|| self.add(at, byte, number));
            let ends = text.is_char_boundary(place + 1);
            characters += usize::from(ends);
            if let How::Beginnings(least) = needle.how {
                self.states[at as usize].word |= ends && characters >= least;
            }
        }
        let state = &mut self.states[at as usize];
        match needle.how {
            How::Anywhere => state.whole = state.depth,
            How::Word => state.word = at != ROOT,
            How::Beginnings(_) => {}
        }
    }

    fn add(&mut self, parent: u32, byte: u8, source: u32) -> u32 {
        let made = self.states.len() as u32;
        let State { depth, child, .. } = self.states[parent as usize];
        self.states.push(State::new(byte, depth + 1, child, source));
        self.states[parent as usize].child = made;
        made
    }

    fn child(&self, at: u32, byte: u8) -> Option<u32> {
        self.children(at).find(|&child| self.states[child as usize].byte == byte)
    }

    fn children(&self, at: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.states[at as usize].child;
        std::iter::successors((first != NONE).then_some(first), |&child| {
            let next = self.states[child as usize].sibling;
            (next != NONE).then_some(next)
        })
    }

    /// Say of each state where to go on when no needle does, nearest to the root first.
    fn link(&mut self, needles: &[Needle]) {
        let mut queue = vec![ROOT];
        let mut next = 0;
        while next < queue.len() {
            let at = queue[next];
            next += 1;
            let children: Vec<u32> = self.children(at).collect();
            for &child in &children {
                let fail = self.fail_of(at, child);
                self.inherit(child, fail, needles);
            }
            if self.states[at as usize].depth <= DENSE {
                self.spread(at, &children);
            }
            queue.extend(children);
        }
    }

    fn fail_of(&self, parent: u32, child: u32) -> u32 {
        let byte = self.states[child as usize].byte;
        if parent == ROOT { ROOT } else { self.step(self.states[parent as usize].fail, byte) }
    }

    fn inherit(&mut self, at: u32, fail: u32, needles: &[Needle]) {
        let shorter = &self.states[fail as usize];
        let (whole, word, depth, inner) = (shorter.whole, shorter.word, shorter.depth, shorter.inner);
        let state = &mut self.states[at as usize];
        let text = needles[state.source as usize].text.as_str();
        let starts = word && is_boundary(text, (state.depth - depth) as usize);
        state.fail = fail;
        state.whole = state.whole.max(whole);
        state.inner = if starts { depth } else { inner };
    }

    /// Make the table of a state that falls back to the root.
    fn spread(&mut self, at: u32, children: &[u32]) {
        let mut table = if at == ROOT { [ROOT; 256] } else { self.dense[0] };
        for &child in children {
            table[self.states[child as usize].byte as usize] = child;
        }
        self.states[at as usize].table = self.dense.len() as u32;
        self.dense.push(table);
    }

    fn step(&self, mut at: u32, byte: u8) -> u32 {
        loop {
            let state = &self.states[at as usize];
            if state.table != NONE {
                return self.dense[state.table as usize][byte as usize];
            }
            if let Some(child) = self.child(at, byte) {
                return child;
            }
            at = state.fail;
        }
    }

    /// All that needles stand for in a text. O(text).
    pub fn spans(&self, text: &str) -> Spans {
        let mut spans = Spans::default();
        if self.is_empty() {
            return spans;
        }
        let mut at = ROOT;
        for (place, byte) in text.bytes().enumerate() {
            at = self.step(at, byte);
            if at != ROOT {
                self.ended(at, text, place + 1).into_iter().for_each(|range| spans.push(range));
            }
        }
        spans
    }

    /// The longest range that ends at a place.
    fn ended(&self, at: u32, text: &str, end: usize) -> Option<Range<usize>> {
        let state = &self.states[at as usize];
        let mut length = state.whole as usize;
        if (state.word || state.inner > 0) && text.is_char_boundary(end) && is_boundary(text, end) {
            let starts = || is_boundary(text, end - state.depth as usize);
            length = length.max(if state.word && starts() { state.depth } else { state.inner } as usize);
        }
        (length > 0).then(|| end - length..end)
    }
}

/// Whether a word begins or ends here.
fn is_boundary(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back().is_some_and(goes_on);
    !(before && text[at..].chars().next().is_some_and(goes_on))
}

fn goes_on(char: char) -> bool {
    char.is_alphanumeric() || (!char.is_ascii() && is_combining_mark(char))
}
