//! Finds the 64-bit hashes that differ from one in at most three bits.
//!
//! Manku, Jain, Das Sarma (WWW 2007): cut the hash into four blocks of 16 bits; two hashes that differ in three bits or
//! fewer agree in at least one block. So a table per block names all candidates, and popcount decides.

/// Bits up to which every pair is found: one fewer than there are blocks.
pub const REACH: u32 = 3;

const BLOCKS: usize = 4;
const BUCKETS: usize = 1 << 16;

/// Entries of a bucket that one query looks at, the newest first. In an index of ten million different texts a bucket has
/// 153; beyond this limit the query says that it was cut short.
pub const STEPS: usize = 512;

/// A slot in a bucket, and of its hash the block behind the one that the bucket is for: of a hundred slots one is left that
/// has to be fetched to know how far it is.
#[derive(Clone, Copy)]
struct Entry {
    slot: [u16; 2],
    sample: u16,
}

/// A table per block: hash values to the slots that have them. An empty one has no memory; else 6.3 MB and ~30 B per slot.
#[derive(Default)]
pub struct Blocks {
    buckets: Vec<Vec<Entry>>,
}

fn block_of(hash: u64, block: usize) -> u16 {
    (hash >> (16 * (block % BLOCKS))) as u16
}

fn bucket_of(hash: u64, block: usize) -> usize {
    block * BUCKETS + usize::from(block_of(hash, block))
}

impl Blocks {
    pub fn add(&mut self, hash: u64, slot: u32) {
        if self.buckets.is_empty() {
            self.buckets = vec![Vec::new(); BLOCKS * BUCKETS];
        }
        for block in 0..BLOCKS {
            let entry = Entry { slot: [slot as u16, (slot >> 16) as u16], sample: block_of(hash, block + 1) };
            self.buckets[bucket_of(hash, block)].push(entry);
        }
    }

    /// Call `visit` with every slot within three bits of `hash`, perhaps more than once; `hash_of` tells that of a slot.
    /// True if a bucket was too full to be looked through, or if `visit` said that it wants no more.
    pub fn near(&self, hash: u64, hash_of: impl Fn(u32) -> u64, mut visit: impl FnMut(u32) -> bool) -> bool {
        if self.buckets.is_empty() {
            return false;
        }
        // First all buckets, so that the memory is asked for all of them at once.
        let buckets: [&[Entry]; BLOCKS] = std::array::from_fn(|block| self.buckets[bucket_of(hash, block)].as_slice());
        for (block, entries) in buckets.into_iter().enumerate() {
            let sample = block_of(hash, block + 1);
            for entry in entries.iter().rev().take(STEPS) {
                let slot = u32::from(entry.slot[1]) << 16 | u32::from(entry.slot[0]);
                let near = (entry.sample ^ sample).count_ones() <= REACH;
                if near && (hash_of(slot) ^ hash).count_ones() <= REACH && !visit(slot) {
                    return true;
                }
            }
        }
        buckets.iter().any(|entries| entries.len() > STEPS)
    }

    /// Heap bytes.
    pub fn memory(&self) -> usize {
        let entries: usize = self.buckets.iter().map(Vec::capacity).sum();
        size_of::<Entry>() * entries + size_of::<Vec<Entry>>() * self.buckets.capacity()
    }
}
