//! Secrets in drawn text: across several boxes of text, in the case that CSS gives them.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;

use super::automaton::{Automaton, How, Needle};

pub struct Seen(Automaton);

impl Seen {
    /// Of what is looked for anywhere; a word of few letters says nothing where spaces and lines do not count.
    pub fn new(needles: &[Needle]) -> Self {
        let anywhere = needles.iter().filter(|needle| needle.how == How::Anywhere);
        let flat = anywhere.map(|needle| Needle { text: flat(&needle.text), how: How::Anywhere });
        Self(Automaton::new(&flat.filter(|needle| !needle.text.is_empty()).collect::<Vec<_>>()))
    }

    /// Which of the texts hold a needle or a part of one.
    pub fn parts<S: AsRef<str>>(&self, texts: &[S]) -> HashSet<usize> {
        if self.0.is_empty() {
            return HashSet::new();
        }
        let (mut whole, mut starts) = (String::new(), Vec::new());
        for text in texts {
            starts.push(whole.len());
            whole.push_str(&flat(text.as_ref()));
        }
        let mut found = HashSet::new();
        for range in self.0.spans(&whole).iter() {
            // Texts of which nothing is left begin where the next one does.
            let first = starts.partition_point(|&start| start <= range.start) - 1;
            let after = starts.partition_point(|&start| start < range.end);
            found.extend(first..after);
        }
        found
    }
}

/// A text without its spaces, all in one case, decomposed.
fn flat(text: &str) -> String {
    let dark = text.chars().filter(|char| !char.is_whitespace());
    // By way of the capitals, which make two letters of ß as a style sheet does.
    dark.flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfd().collect()
}
