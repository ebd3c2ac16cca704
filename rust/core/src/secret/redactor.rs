//! The rule that removes secrets from texts.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::OnceLock;

use unicode_normalization::UnicodeNormalization;

use super::automaton::{Automaton, How, Needle};
use super::canonical::decomposed;
use super::forms::{MIN_CHARACTERS, forms};
use super::seen::Seen;
use super::spans::Spans;

/// Removes secrets from texts, in every form and Unicode normal form in which pages show them.
///
/// *Declared* secrets are redacted wherever they occur. Of *typed* texts, those of at least 4 characters are redacted
/// wherever they occur, and their beginnings of at least 4 characters where they stand as words, because a page echoes
/// each key. Texts of 2 and 3 characters, and those of up to 7 ASCII letters only, are redacted as words; single
/// characters only if they are the whole text. So a page whose password is `admin` still says "administration". O(text),
/// for any number of secrets.
///
/// ```
/// use stillframe_core::Redactor;
///
/// let redactor = Redactor::new(&["hunter2!"]);
/// assert_eq!(redactor.redact("/login?password=hunter2%21"), "/login?password=••••");
/// ```
pub struct Redactor {
    needles: Vec<Needle>,
    automaton: Automaton,
    /// Single characters, which are redacted only if they are the whole text.
    alone: HashSet<String>,
    longest: usize,
    seen: OnceLock<Seen>,
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new::<&str>(&[])
    }
}

impl Redactor {
    #[must_use]
    pub fn new<S: AsRef<str>>(declared: &[S]) -> Self {
        Self::of(declared, &[])
    }

    #[must_use]
    pub fn of<S: AsRef<str>>(declared: &[S], typed: &[S]) -> Self {
        let mut needles: Vec<Needle> =
            declared.iter().flat_map(|secret| needles(secret.as_ref(), &[How::Anywhere])).collect();
        let mut alone = HashSet::new();
        for text in typed.iter().map(AsRef::as_ref) {
            match characters(text) {
                0 => {}
                1 => drop(alone.insert(text.trim().nfc().collect())),
                2 | 3 => needles.extend(self::needles(text, &[How::Word])),
                4..=7 if is_one_word(text) => {
                    needles.extend(self::needles(text, &[How::Word, How::Beginnings(MIN_CHARACTERS)]));
                }
                _ => needles.extend(self::needles(text, &[How::Anywhere, How::Beginnings(MIN_CHARACTERS)])),
            }
        }
        let longest = needles.iter().map(|needle| needle.text.len()).max().unwrap_or(0);
        Self { automaton: Automaton::new(&needles), needles, alone, longest, seen: OnceLock::new() }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.automaton.is_empty() && self.alone.is_empty()
    }

    #[must_use]
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.spans(text).redacted(text)
    }

    /// Return the ranges of bytes to redact.
    pub fn spans(&self, text: &str) -> Spans {
        let mut spans = Spans::default();
        if !self.alone.is_empty() && self.is_alone(text) {
            spans.push(0..text.len());
            return spans;
        }
        spans = self.automaton.spans(text);
        match decomposed(text) {
            Some(other) if !self.automaton.is_empty() => spans.with(other.back(self.automaton.spans(&other.text))),
            _ => spans,
        }
    }

    /// Which of some texts that are shown one after the other show a secret or a part of one, whatever the case and the
    /// spaces.
    #[must_use]
    pub fn hidden_in<S: AsRef<str>>(&self, texts: &[S]) -> Vec<usize> {
        let seen = self.seen.get_or_init(|| Seen::new(&self.needles));
        let parts = seen.parts(texts);
        let whole = |number: &usize| !self.spans(texts[*number].as_ref()).is_empty();
        (0..texts.len()).filter(|number| parts.contains(number) || whole(number)).collect()
    }

    /// Bytes of the longest form of a secret.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.longest
    }

    fn is_alone(&self, text: &str) -> bool {
        let trimmed = text.trim();
        // A character may have some marks.
        trimmed.len() <= 32 && self.alone.contains(&trimmed.nfc().collect::<String>())
    }
}

fn needles<'a>(secret: &'a str, ways: &'a [How]) -> impl Iterator<Item = Needle> + 'a {
    forms(secret).into_iter().flat_map(|text| ways.iter().map(move |&how| Needle { text: text.clone(), how }))
}

/// Whether a text is ASCII letters and nothing else, as words of a page are.
fn is_one_word(text: &str) -> bool {
    text.trim().bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Characters of a text as a person counts them, but for marks that no one character includes.
fn characters(text: &str) -> usize {
    text.trim().nfc().count()
}
