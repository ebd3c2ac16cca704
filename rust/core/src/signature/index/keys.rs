//! The keys of an index: texts in one arena, found by a hash.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::chains::Chains;
use crate::hash::process_secret;

/// The highest bit of an end says that the key has been removed.
const REMOVED: u64 = 1 << 63;

#[derive(Default)]
pub struct Keys {
    bytes: Vec<u8>,
    /// By slot: where its key ends; the one before ends where it begins.
    ends: Vec<u64>,
    by_hash: Chains<1>,
}

/// Keys are often URLs, which strangers make up: nobody can know which of them share a place.
fn hash(key: &[u8]) -> u64 {
    xxh3_64_with_seed(key, process_secret())
}

fn key_of<'a>(bytes: &'a [u8], ends: &[u64], slot: u32) -> &'a [u8] {
    let slot = slot as usize;
    let start = if slot == 0 { 0 } else { ends[slot - 1] & !REMOVED };
    &bytes[start as usize..(ends[slot] & !REMOVED) as usize]
}

impl Keys {
    /// Add the key of the next slot.
    pub fn push(&mut self, key: &str) {
        let (bytes, ends) = (&self.bytes, &self.ends);
        let known = |slot: u32| (ends[slot as usize] & REMOVED == 0).then(|| [hash(key_of(bytes, ends, slot))]);
        self.by_hash.push([hash(key.as_bytes())], known);
        self.bytes.extend_from_slice(key.as_bytes());
        self.ends.push(self.bytes.len() as u64);
    }

    /// The slot that has `key`; removed ones are in no chain.
    pub fn find(&self, key: &str) -> Option<u32> {
        let hash = hash(key.as_bytes());
        let mut link = self.by_hash.first(0, hash);
        while let Some(slot) = link.slot() {
            if link.may_have(hash) && key_of(&self.bytes, &self.ends, slot) == key.as_bytes() {
                return Some(slot);
            }
            link = self.by_hash.after(0, link);
        }
        None
    }

    /// The key of `slot`; None if it has been removed or was never there.
    pub fn get(&self, slot: u32) -> Option<&str> {
        let end = self.ends.get(slot as usize)?;
        (end & REMOVED == 0).then(|| std::str::from_utf8(key_of(&self.bytes, &self.ends, slot)).unwrap_or(""))
    }

    /// Forget `key`; false if it is not there.
    pub fn remove(&mut self, key: &str) -> bool {
        let found = self.find(key);
        if let Some(slot) = found {
            self.ends[slot as usize] |= REMOVED;
            self.by_hash.unlink(0, hash(key.as_bytes()), slot);
        }
        found.is_some()
    }

    /// Heap bytes.
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + 8 * self.ends.capacity() + self.by_hash.memory()
    }
}
