//! Words of a text and shingles of three of them.
//!
//! ASCII is cut at everything but letters and digits, the rest by Unicode's word boundaries (UAX #29). There scripts that
//! write no spaces (Han, Hiragana, Thai, Khmer …) come apart into letters, so that their shingles are runs of three letters.

use unicode_segmentation::UnicodeSegmentation;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{KEYS, SEED, mix};

/// A word: the hash of its lower-case form, and whether a digit is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    pub hash: u64,
    pub digit: bool,
    /// Letters and digits.
    pub letters: u32,
}

/// Call `visit` for every word of `text` in order.
pub fn each(text: &str, visit: &mut impl FnMut(Word)) {
    let mut scratch = Vec::new();
    for chunk in text.split_ascii_whitespace() {
        if chunk.is_ascii() {
            chunk.as_bytes().split(|byte| !byte.is_ascii_alphanumeric()).for_each(|word| ascii(word, visit));
        } else {
            chunk.unicode_words().for_each(|word| visit(other(word, &mut scratch)));
        }
    }
}

#[inline]
fn ascii(word: &[u8], visit: &mut impl FnMut(Word)) {
    /// Longer words are rare enough to be copied.
    const SHORT: usize = 32;
    if word.is_empty() {
        return;
    }
    let digit = word.iter().any(u8::is_ascii_digit);
    let mut short = [0u8; SHORT];
    let hash = if word.len() <= SHORT {
        let lower = &mut short[..word.len()];
        lower.copy_from_slice(word);
        lower.make_ascii_lowercase();
        xxh3_64_with_seed(lower, SEED)
    } else {
        xxh3_64_with_seed(&word.to_ascii_lowercase(), SEED)
    };
    visit(Word { hash, digit, letters: u32::try_from(word.len()).unwrap_or(u32::MAX) });
}

fn other(word: &str, scratch: &mut Vec<u8>) -> Word {
    scratch.clear();
    let (mut letters, mut digit) = (0, false);
    let mut buffer = [0; 4];
    for letter in word.chars() {
        digit |= letter.is_numeric();
        letters += 1;
        for lower in letter.to_lowercase() {
            scratch.extend_from_slice(lower.encode_utf8(&mut buffer).as_bytes());
        }
    }
    Word { hash: xxh3_64_with_seed(scratch, SEED), digit, letters }
}

/// Three words that follow one another; where a block has fewer, these.
#[derive(Default)]
pub struct Shingler {
    recent: [Option<Word>; 2],
    /// Words since the block began, up to 3.
    words: u8,
}

impl Shingler {
    /// The next word; the shingle that it completes, and whether a digit is in it.
    #[inline]
    pub fn push(&mut self, word: Word) -> Option<(u64, bool)> {
        let found = match self.recent {
            [Some(first), Some(second)] => {
                let hash = mix(mix(first.hash, second.hash), word.hash);
                Some((hash, first.digit || second.digit || word.digit))
            }
            _ => None,
        };
        self.recent = [self.recent[1], Some(word)];
        self.words = (self.words + 1).min(3);
        found
    }

    /// The block ends: its shingle, if it had too few words for one of three.
    #[inline]
    pub fn end(&mut self) -> Option<(u64, bool)> {
        let found = match (self.words, self.recent) {
            (1, [_, Some(word)]) => Some((mix(word.hash, KEYS[6]), word.digit)),
            (2, [Some(first), Some(second)]) => {
                Some((mix(mix(first.hash, second.hash), KEYS[7]), first.digit || second.digit))
            }
            _ => None,
        };
        *self = Self::default();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word> {
        let mut found = Vec::new();
        each(text, &mut |word| found.push(word));
        found
    }

    #[test]
    fn words_are_found_in_every_script() {
        assert_eq!(words("Hello, big-world 42!").len(), 4);
        assert_eq!(words("HELLO Ärger"), words("hello ärger"));
        assert_eq!(words("東京都知事").len(), 5);
        assert_eq!(words("ภาษา").len(), words("ภาษา").len());
        assert!(words("ภาษาไทย").len() > 3);
        assert_eq!(words("… — ! ، ").len(), 0);
        assert!(words("in 2024").last().is_some_and(|word| word.digit));
        assert_eq!(words(&"x".repeat(100)).first().map(|word| word.letters), Some(100));
    }

    #[test]
    fn short_blocks_have_a_shingle_too() {
        for (text, shingles) in [("", 0), ("one", 1), ("one two", 1), ("one two three", 1), ("a b c d", 2)] {
            let mut shingler = Shingler::default();
            let mut found = 0;
            each(text, &mut |word| found += usize::from(shingler.push(word).is_some()));
            found += usize::from(shingler.end().is_some());
            assert_eq!(found, shingles, "{text}");
        }
    }
}
