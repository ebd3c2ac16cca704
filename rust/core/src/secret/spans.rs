//! Ranges of bytes to redact, merged as they are found, and the text with a replacement for each.

use std::borrow::Cow;
use std::ops::Range;

/// What replaces a secret.
pub const REDACTED: &str = "••••";

/// Ranges in the order of their ends, none touching another.
#[derive(Debug, Default)]
pub struct Spans(Vec<Range<usize>>);

impl Spans {
    /// Take in a range that ends no earlier than those before.
    pub fn push(&mut self, mut range: Range<usize>) {
        while let Some(last) = self.0.last() {
            if last.end < range.start {
                break;
            }
            range.start = range.start.min(last.start);
            self.0.pop();
        }
        self.0.push(range);
    }

    /// These and others.
    pub fn with(self, others: Self) -> Self {
        if others.0.is_empty() {
            return self;
        }
        let mut all: Vec<_> = self.0.into_iter().chain(others.0).collect();
        all.sort_by_key(|range| range.end);
        let mut merged = Self::default();
        all.into_iter().for_each(|range| merged.push(range));
        merged
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Range<usize>> {
        self.0.iter()
    }

    /// Each range in other words: what `place` makes of it.
    pub fn map(self, place: impl Fn(Range<usize>) -> Range<usize>) -> Self {
        let mut mapped = Self::default();
        self.0.into_iter().for_each(|range| mapped.push(place(range)));
        mapped
    }

    pub fn redacted<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.0.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for range in &self.0 {
            out.push_str(&text[from..range.start]);
            out.push_str(REDACTED);
            from = range.end;
        }
        out.push_str(&text[from..]);
        Cow::Owned(out)
    }
}
