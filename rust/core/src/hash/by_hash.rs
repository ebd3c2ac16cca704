//! Tables by hash. Pages of strangers fill them and may know how the hashes are made, so where each key stands depends on
//! the secret of the process too.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

use crate::hash::mix::fold_multiply;
use crate::hash::process_secret;

/// What is known of each of many 64-bit hashes.
pub type ByHash<T> = HashMap<u64, T, Keyed>;

/// Draws the places of hashes, with one multiplication each.
#[derive(Clone, Copy)]
pub struct Keyed(u64);

impl Default for Keyed {
    fn default() -> Self {
        Self(process_secret())
    }
}

impl BuildHasher for Keyed {
    type Hasher = Place;

    #[inline(always)]
    fn build_hasher(&self) -> Place {
        Place(self.0)
    }
}

/// The place of a hash: the secret first, the result in the end.
pub struct Place(u64);

impl Hasher for Place {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    #[inline(always)]
    fn write_u64(&mut self, hash: u64) {
        self.0 = fold_multiply(hash ^ self.0, self.0 | 1);
    }

    #[inline(always)]
    fn finish(&self) -> u64 {
        self.0
    }
}
