//! The label of an element in a template: its tag, role and durable classes.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{KEYS, SEED, mix};
use crate::capture::atom::Atom;
use crate::capture::columns::Document;
use crate::capture::node::NodeIndex;
use crate::capture::page::PartInfo;
use crate::digest::canonical::{is_state, looks_generated, tokens};

/// The labels of a part, each computed on first use.
pub(super) struct Labels<'a> {
    pub part: &'a PartInfo,
    /// By string: the hash of the tag; 0 means "not yet".
    tags: Vec<u64>,
    /// By string: the hash of the classes; 0 means "not yet".
    classes: Vec<u64>,
}

impl<'a> Labels<'a> {
    pub fn new(part: &'a PartInfo) -> Self {
        let count = part.strings.len();
        Self { part, tags: vec![0; count], classes: vec![0; count] }
    }

    pub fn atom(&self, id: u32) -> Atom {
        self.part.atoms.get(id as usize).copied().unwrap_or(Atom::Other)
    }

    /// The label of an element, for an `input` with its type.
    pub fn of(&mut self, document: &Document, node: NodeIndex) -> u64 {
        let name = document.name[node];
        let mut label = self.tag(name);
        let input = self.atom(name) == Atom::Input;
        // A sum, so that the order of attributes does not count.
        for &[key, value] in document.attributes(node) {
            match self.atom(key) {
                Atom::Class => label = label.wrapping_add(self.classes(value)),
                Atom::Role => label = label.wrapping_add(self.plain(value, KEYS[2])),
                Atom::Type if input => label = label.wrapping_add(self.plain(value, KEYS[3])),
                _ => {}
            }
        }
        label
    }

    /// HTML shouts its tags and XHTML does not.
    fn tag(&mut self, id: u32) -> u64 {
        let Some(&known) = self.tags.get(id as usize) else { return KEYS[4] };
        if known != 0 {
            return known;
        }
        let hash = xxh3_64_with_seed(&self.part.strings.bytes(id).to_ascii_lowercase(), SEED) | 1;
        self.tags[id as usize] = hash;
        hash
    }

    fn plain(&self, id: u32, key: u64) -> u64 {
        mix(xxh3_64_with_seed(self.part.strings.bytes(id), SEED), key)
    }

    fn classes(&mut self, id: u32) -> u64 {
        let Some(&known) = self.classes.get(id as usize) else { return 0 };
        if known != 0 {
            // An element without lasting classes has the label of one without classes.
            return known & !1;
        }
        let sum = class_sum(self.part.strings.bytes(id)) & !1;
        self.classes[id as usize] = sum | 1;
        sum
    }
}

/// A sum over the different lasting tokens of a `class` value, so that order and repeats do not count.
fn class_sum(value: &[u8]) -> u64 {
    let lasting = tokens(value).filter(|token| !is_state(token) && !looks_made_up(token));
    let mut set: Vec<Vec<u8>> = lasting.map(without_digits).collect();
    set.sort_unstable();
    set.dedup();
    set.iter().fold(0, |sum: u64, token| sum.wrapping_add(mix(xxh3_64_with_seed(token, SEED), KEYS[5])))
}

fn looks_made_up(token: &[u8]) -> bool {
    std::str::from_utf8(token).is_ok_and(looks_generated) || is_hash_word(token)
}

/// `hXyZkQ`, as styled-components writes: few letters, of which the case changes four times or more.
fn is_hash_word(token: &[u8]) -> bool {
    let turns = token.windows(2).filter(|pair| {
        pair[0].is_ascii_alphabetic()
            && pair[1].is_ascii_alphabetic()
            && pair[0].is_ascii_uppercase() != pair[1].is_ascii_uppercase()
    });
    (5..=10).contains(&token.len()) && turns.count() >= 4
}

/// `post-123` is `post-#`: numbers in classes count things.
fn without_digits(token: &[u8]) -> Vec<u8> {
    let mut kept: Vec<u8> = Vec::with_capacity(token.len());
    for &byte in token {
        if !byte.is_ascii_digit() {
            kept.push(byte);
        } else if kept.last() != Some(&b'#') {
            kept.push(b'#');
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_last_is_not_part_of_a_label() {
        let plain = class_sum(b"card product");
        for same in
            ["product card", "card card product", "card product active is-open css-1a2b3c", "card product hXyZkQ"]
        {
            assert_eq!(class_sum(same.as_bytes()), plain, "{same}");
        }
        assert_eq!(class_sum(b"post-12"), class_sum(b"post-9"));
        assert_ne!(class_sum(b"card"), plain);
        assert_eq!(class_sum(b"active"), 0);
    }
}
