//! Sketches of sets: MinHash with 128 slots of 16 bits, and a 64-bit SimHash.
//!
//! MinHash is one-permutation: a feature falls into one slot, and each slot keeps its smallest. Slots that stay empty,
//! as they do for small sets, are filled by further rounds with other hashes (Dahlgaard, Knudsen, Thorup: Fast
//! similarity sketching, FOCS 2017). Unlike densification by borrowing, that keeps the estimate as sharp for 20 features as
//! 128 independent permutations would: sigma ≤ sqrt(J (1 - J) / 128), which is 0.044 at J = 0.5. O(features + 128 ln 128).

use super::{KEYS, mix};

/// Slots of a MinHash sketch.
pub const SLOTS: usize = 128;

/// Rounds in which a feature chooses its slot; after them each slot that is empty looks at all features. Both together
/// fill all slots of any set but the empty one.
const FREE_ROUNDS: u64 = SLOTS as u64;

/// The MinHash sketch of a set; zeros for the empty set. Repeats do not matter.
pub fn min_hash(features: &[u64]) -> [u16; SLOTS] {
    let mut best = [u64::MAX; SLOTS];
    let mut empty = if features.is_empty() { 0 } else { SLOTS };
    let mut round = 0;
    while empty > 0 && round < FREE_ROUNDS {
        let mut filled = best;
        for &feature in features {
            let hash = mix(feature, KEYS[2].wrapping_mul(2 * round + 1));
            let slot = (hash >> 57) as usize;
            // What an earlier round put there is smaller than anything this one has.
            if best[slot] == u64::MAX {
                filled[slot] = filled[slot].min(hash << 7 >> 7);
            }
        }
        best = filled;
        empty = best.iter().filter(|&&hash| hash == u64::MAX).count();
        round += 1;
    }
    for (slot, hash) in best.iter_mut().enumerate().filter(|(_, hash)| **hash == u64::MAX) {
        let key = KEYS[3].wrapping_mul(2 * slot as u64 + 1);
        *hash = features.iter().map(|&feature| mix(feature, key) << 7 >> 7).min().unwrap_or(0);
    }
    best.map(|hash| hash as u16)
}

/// How many slots are equal.
#[inline]
pub fn equal_slots(one: &[u16; SLOTS], other: &[u16; SLOTS]) -> u32 {
    // Bytes as partial sums, so that the compiler can compare many slots at once.
    let mut equal = 0;
    for (one, other) in one.chunks_exact(64).zip(other.chunks_exact(64)) {
        equal += u32::from(one.iter().zip(other).map(|(one, other)| u16::from(one == other)).sum::<u16>());
    }
    equal
}

/// The estimated Jaccard similarity of the sets that were sketched. Two empty sets are equal.
pub fn jaccard(one: &[u16; SLOTS], other: &[u16; SLOTS]) -> f64 {
    f64::from(equal_slots(one, other)) / SLOTS as f64
}

/// A 128-bit hash of a set, whatever its order. Repeats are the caller's to leave out.
pub fn set_hash(features: impl Iterator<Item = u64>) -> [u8; 16] {
    let mut sums = [0u64; 2];
    for feature in features {
        sums[0] = sums[0].wrapping_add(mix(feature, KEYS[4]));
        sums[1] = sums[1].wrapping_add(mix(feature, KEYS[5]));
    }
    (u128::from(sums[0]) << 64 | u128::from(sums[1])).to_be_bytes()
}

/// Bit by bit, how many of the hashes that were counted have it.
#[derive(Clone)]
struct Ballot {
    totals: [u32; 64],
    /// Eight counters of one byte in each word; counter `i` of word `byte` is for bit `8 * byte + i`.
    lanes: [u64; 8],
    pending: u8,
    votes: u32,
}

/// Each bit of a byte in a byte of its own.
const SPREAD: [u64; 256] = spread();

const fn spread() -> [u64; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= ((byte as u64 >> bit) & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
}

impl Ballot {
    const NEW: Self = Self { totals: [0; 64], lanes: [0; 8], pending: 0, votes: 0 };

    #[inline]
    fn vote(&mut self, hash: u64) {
        for (lane, byte) in self.lanes.iter_mut().zip(hash.to_le_bytes()) {
            *lane += SPREAD[byte as usize];
        }
        self.pending += 1;
        if self.pending == u8::MAX {
            self.count();
        }
    }

    fn count(&mut self) {
        for (byte, lane) in self.lanes.iter_mut().enumerate() {
            for (bit, count) in lane.to_le_bytes().into_iter().enumerate() {
                self.totals[8 * byte + bit] += u32::from(count);
            }
            *lane = 0;
        }
        self.votes = self.votes.saturating_add(u32::from(self.pending));
        self.pending = 0;
    }
}

/// The SimHash (Charikar 2002) of hashes in classes of equal weight. A bit is set where more than half of the weight has
/// it; 0 for no hashes.
pub fn sim_hash<const CLASSES: usize>(hashes: impl Iterator<Item = (u64, u8)>, weights: [u64; CLASSES]) -> u64 {
    let mut ballots = [const { Ballot::NEW }; CLASSES];
    for (hash, class) in hashes {
        // Features are sums and products: mixed once more, so that their bits are independent of the MinHash.
        ballots[class as usize % CLASSES].vote(mix(hash, KEYS[6]));
    }
    ballots.iter_mut().for_each(Ballot::count);
    let all: u64 = ballots.iter().zip(weights).map(|(ballot, weight)| u64::from(ballot.votes) * weight).sum();
    (0..64).fold(0, |hash, bit| {
        let for_it: u64 =
            ballots.iter().zip(weights).map(|(ballot, weight)| u64::from(ballot.totals[bit]) * weight).sum();
        hash | u64::from(2 * for_it > all) << bit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sim_hash_is_the_weighted_majority() {
        let hashes: Vec<(u64, u8)> = (0..700u64).map(|at| (mix(at, at), (at % 3) as u8)).collect();
        let weights = [4, 1, 16];
        let slow = (0..64).fold(0u64, |found, bit| {
            let sum: i64 = hashes
                .iter()
                .map(|&(hash, class)| {
                    let weight = weights[class as usize] as i64;
                    if mix(hash, KEYS[6]) >> bit & 1 == 1 { weight } else { -weight }
                })
                .sum();
            found | u64::from(sum > 0) << bit
        });
        assert_eq!(sim_hash(hashes.into_iter(), weights), slow);
        assert_eq!(sim_hash(std::iter::empty(), weights), 0);
    }

    #[test]
    fn one_feature_fills_every_slot() {
        let one = min_hash(&[7]);
        assert!(one.iter().collect::<std::collections::HashSet<_>>().len() > 100);
        assert_eq!(jaccard(&one, &min_hash(&[7, 7])), 1.0);
        assert_eq!(min_hash(&[]), [0; SLOTS]);
        assert!(jaccard(&one, &min_hash(&[8])) < 0.05);
    }
}
