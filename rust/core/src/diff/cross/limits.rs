//! What a matching may cost, and where it begins.

use crate::capture::node::NodePair;

/// What a matching may cost, and how far hashes are trusted to tell nodes apart.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Steps per node before the rest is inserted and deleted.
    pub steps: usize,
    /// Bits of hashes that are kept: fewer than 64 only in tests.
    pub hash_bits: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 20, hash_bits: u64::MAX }
    }
}

/// A parent that is the same on both sides, of which children came and went.
pub struct Context {
    pub parents: NodePair,
    /// Whether enough of it stayed to tell its children by their places.
    pub is_grounded: bool,
}
