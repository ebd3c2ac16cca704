//! What elements are found by: tags, ids, classes and attribute values, each as one number.
//!
//! Texts are folded to lower case: documents in quirks mode match ids and classes so, and what is unique in any case is
//! unique in every one. A token is a 64-bit hash with the secret of the process; two that collide share their postings,
//! so that a collision can make a unique token look common and never the other way round.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::capture::atom::Atom;
use crate::hash::process_secret;

/// Values longer than this many bytes do not name anything.
pub(crate) const LONGEST_VALUE: usize = 256;

/// What kind of token a text is.
#[derive(Clone, Copy)]
pub enum Kind {
    Tag = 1,
    Id,
    Class,
    Value,
    /// A role with an accessible name, and a whole text: `element::words` makes them.
    Role,
    Text,
}

pub(super) fn token(kind: Kind, text: &[u8]) -> u64 {
    mix(fold_hash(text), kind as u64)
}

pub(super) fn value_token_of(name: &[u8], value: &[u8]) -> u64 {
    value_token(fold_hash(name), fold_hash(value))
}

pub(super) fn value_token(name: u64, value: u64) -> u64 {
    mix(value, name ^ Kind::Value as u64)
}

#[inline(always)]
pub(super) fn mix(one: u64, other: u64) -> u64 {
    let product = u128::from(one ^ 0x9e37_79b9_7f4a_7c15) * u128::from(other ^ process_secret() | 1);
    product as u64 ^ (product >> 64) as u64
}

/// Never 0, which means "not yet" in tables.
pub(super) fn fold_hash(text: &[u8]) -> u64 {
    let secret = process_secret();
    if text.iter().any(u8::is_ascii_uppercase) {
        return xxh3_64_with_seed(&text.to_ascii_lowercase(), secret) | 1;
    }
    xxh3_64_with_seed(text, secret) | 1
}

/// Whether the values of an attribute are tokens: those that tell one element from another.
pub fn is_indexed(attribute: Atom) -> bool {
    use Atom::*;
    attribute.is_test_id()
        || matches!(
            attribute,
            Name | Href | Src | Alt | Title | Placeholder | AriaLabel | For | Type | Role | Value | Data
        )
}
