//! The search for similar signatures among millions.
//!
//! Three ways lead to candidates: an equal exact digest (found always), a text within three bits (found always), and an
//! equal band of the structure's sketch. There are 21 bands of 6 slots, so that a structure of similarity J is found with
//! 1 - (1 - J^6)^21: 80 % at 0.65, 94 % at 0.71, 99.4 % at 0.8; 1.5 % at 0.3. Candidates are compared in full.
//!
//! The pages come from strangers, who may all send the same one: a query looks at a bounded number of entries, however
//! full their places are, newest first, and says when it was cut short.

pub(super) mod blocks;
mod chains;
mod keys;
mod stored;

use std::cmp::Ordering;

use self::chains::{Chains, Link};
use self::keys::Keys;
use super::similarity::{Similarity, SimilarityLevel};
use super::sketch::SLOTS;
use super::{Signature, mix};

pub use self::blocks::Blocks;
#[cfg(feature = "testing")]
pub use self::blocks::REACH;
#[cfg(feature = "testing")]
pub use self::blocks::STEPS;

const ROWS: usize = 6;
const BANDS: usize = SLOTS / ROWS;

/// Entries of one chain that a query walks over.
const CHAIN_STEPS: usize = 16;

/// Entries in a row that other bands have led to already, after which a chain is left: pages of one template stand in the
/// same order in all bands, and each step is a read from far memory.
const KNOWN_STEPS: usize = 2;

/// Signatures that a query compares in full.
const COMPARED: usize = 256;

/// A signature in the index that is similar to the one in the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    pub slot: u32,
    pub similarity: Similarity,
}

/// The answer to a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The closest first; of equally close ones the oldest first.
    pub matches: Vec<Match>,
    /// Whether there was more to look at than a query looks at, or more to tell than `limit`.
    pub truncated: bool,
    /// Entries of chains that were walked over and signatures that were compared.
    pub steps: usize,
}

/// Signatures by key, and a bounded search for similar ones.
///
/// ```
/// # const BEFORE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/before.json"));
/// use std::sync::Arc;
/// use stillframe_core::{Signature, SignatureIndex, Snapshot};
///
/// let signature = Signature::of(&Snapshot::from_cdp(Arc::new(BEFORE))?);
/// let mut index = SignatureIndex::new();
/// index.add("https://shop.test/tea", signature.clone());
/// let answer = index.query(&signature, 10);
/// assert_eq!(index.key(answer.matches[0].slot), "https://shop.test/tea");
/// # Ok::<(), stillframe_core::SnapshotError>(())
/// ```
#[derive(Default)]
pub struct SignatureIndex {
    keys: Keys,
    signatures: Vec<Signature>,
    exact: Chains<1>,
    bands: Chains<BANDS>,
    blocks: Blocks,
    removed: usize,
}

fn exact_key(signature: &Signature) -> u64 {
    u64::from_le_bytes(signature.exact[..8].try_into().unwrap_or_default())
}

fn band_keys(structure: &[u16; SLOTS]) -> [u64; BANDS] {
    std::array::from_fn(|band| band_key(structure, band))
}

#[inline(always)]
fn band_key(structure: &[u16; SLOTS], band: usize) -> u64 {
    let half = |start: usize| (0..ROWS / 2).fold(0, |word, at| word << 16 | u64::from(structure[start + at]));
    mix(half(ROWS * band), half(ROWS * band + ROWS / 2))
}

impl SignatureIndex {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many signatures are in.
    #[must_use]
    pub fn len(&self) -> usize {
        self.signatures.len() - self.removed
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Add a signature, replacing the one with this key. False if there is no room for more.
    pub fn add(&mut self, key: &str, signature: Signature) -> bool {
        if self.signatures.len() >= u32::MAX as usize - 1 || u32::try_from(key.len()).is_err() {
            return false;
        }
        self.remove(key);
        self.keys.push(key);
        let signatures = &self.signatures;
        self.exact.push([exact_key(&signature)], |slot| Some([exact_key(&signatures[slot as usize])]));
        let keys = band_keys(&signature.structure);
        self.bands.push(keys, |slot| Some(band_keys(&signatures[slot as usize].structure)));
        self.blocks.add(signature.text, self.signatures.len() as u32);
        self.signatures.push(signature);
        true
    }

    /// Take out the signature of `key`; false if there is none. Its memory is free again when a third has been removed.
    pub fn remove(&mut self, key: &str) -> bool {
        if !self.keys.remove(key) {
            return false;
        }
        self.removed += 1;
        if self.removed > 64 && 3 * self.removed > self.signatures.len() {
            self.compact();
        }
        true
    }

    fn compact(&mut self) {
        let old = std::mem::replace(self, Self::new());
        for (slot, signature) in old.signatures.into_iter().enumerate() {
            if let Some(key) = old.keys.get(slot as u32) {
                self.add(key, signature);
            }
        }
    }

    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Signature> {
        self.keys.find(key).map(|slot| &self.signatures[slot as usize])
    }

    #[must_use]
    pub fn key(&self, slot: u32) -> &str {
        self.keys.get(slot).unwrap_or("")
    }

    /// Keys and signatures, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Signature)> {
        let all = self.signatures.iter().enumerate();
        all.filter_map(|(slot, signature)| Some((self.keys.get(slot as u32)?, signature)))
    }

    /// Up to `limit` signatures that are related or closer. Bounded work, whatever the size of the index.
    #[must_use]
    pub fn query(&self, wanted: &Signature, limit: usize) -> Answer {
        let mut search = Search::new(self, wanted);
        search.exact();
        search.texts();
        search.bands();
        search.answer(limit)
    }

    /// Heap bytes, without what the allocator adds.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.keys.memory()
            + size_of::<Signature>() * self.signatures.capacity()
            + self.exact.memory()
            + self.bands.memory()
            + self.blocks.memory()
    }
}

/// One query on its way.
struct Search<'a> {
    index: &'a SignatureIndex,
    wanted: &'a Signature,
    /// Slots that have been compared: a table twice as large as it may become full.
    seen: [u32; 2 * COMPARED],
    compared: usize,
    answer: Answer,
}

impl<'a> Search<'a> {
    fn new(index: &'a SignatureIndex, wanted: &'a Signature) -> Self {
        Self { index, wanted, seen: [u32::MAX; 2 * COMPARED], compared: 0, answer: Answer::default() }
    }

    /// Signatures with the same exact digest, which are found whatever else there is.
    fn exact(&mut self) {
        let (chains, wanted) = (&self.index.exact, self.wanted);
        let key = exact_key(wanted);
        let mut link = chains.first(0, key);
        for _ in 0..CHAIN_STEPS {
            let Some(slot) = link.slot() else { return };
            self.answer.steps += 1;
            if link.may_have(key) && self.index.signatures[slot as usize].exact == wanted.exact {
                self.compare(slot);
            }
            link = chains.after(0, link);
        }
        self.answer.truncated |= link.slot().is_some();
    }

    fn texts(&mut self) {
        let index = self.index;
        let text_of = |slot: u32| index.signatures[slot as usize].text;
        let truncated = index.blocks.near(self.wanted.text, text_of, |slot| self.compare(slot));
        self.answer.truncated |= truncated;
    }

    /// Walks all bands at once, a step each: what they read lies all over the memory, and so it is read at the same time.
    fn bands(&mut self) {
        let (chains, wanted) = (&self.index.bands, self.wanted);
        let keys = band_keys(&wanted.structure);
        let mut links: [Link; BANDS] = std::array::from_fn(|band| chains.first(band, keys[band]));
        let mut known = [0; BANDS];
        for _ in 0..CHAIN_STEPS {
            let after: [Link; BANDS] = std::array::from_fn(|band| chains.after(band, links[band]));
            for band in 0..BANDS {
                let Some(slot) = links[band].slot() else { continue };
                self.answer.steps += 1;
                let stay = !links[band].may_have(keys[band]) || self.visit(slot, band, &mut known[band]);
                self.answer.truncated |= !stay && after[band].slot().is_some();
                links[band] = if stay { after[band] } else { Link::default() };
            }
            if links.iter().all(|link| link.slot().is_none()) {
                return;
            }
        }
        self.answer.truncated = true;
    }

    /// Compare a slot if its band is the wanted one; false if the chain is to be left. `known` counts what has been seen.
    fn visit(&mut self, slot: u32, band: usize, known: &mut usize) -> bool {
        let (rows, other) = (ROWS * band..ROWS * (band + 1), &self.index.signatures[slot as usize]);
        if self.has_seen(slot) {
            *known += 1;
        } else if other.structure[rows.clone()] == self.wanted.structure[rows] {
            *known = 0;
            return self.compare(slot);
        }
        *known < KNOWN_STEPS
    }

    /// Where in `seen` the slot stands, or would.
    fn place(&self, slot: u32) -> usize {
        let mut at = (slot.wrapping_mul(0x9e37_79b9) >> 16) as usize % self.seen.len();
        while self.seen[at] != u32::MAX && self.seen[at] != slot {
            at = (at + 1) % self.seen.len();
        }
        at
    }

    fn has_seen(&self, slot: u32) -> bool {
        self.seen[self.place(slot)] == slot
    }

    /// Compare a slot, unless that has been done; false if there have been too many others.
    fn compare(&mut self, slot: u32) -> bool {
        let at = self.place(slot);
        if self.seen[at] == slot {
            return true;
        }
        if self.compared == COMPARED {
            self.answer.truncated = true;
            return false;
        }
        self.compared += 1;
        self.answer.steps += 1;
        self.seen[at] = slot;
        if self.index.keys.get(slot).is_some() {
            let similarity = self.wanted.compare(&self.index.signatures[slot as usize]);
            if similarity.level > SimilarityLevel::New {
                self.answer.matches.push(Match { slot, similarity });
            }
        }
        true
    }

    fn answer(mut self, limit: usize) -> Answer {
        let matches = &mut self.answer.matches;
        if matches.len() > limit {
            self.answer.truncated = true;
            matches.select_nth_unstable_by(limit, closest_first);
            matches.truncate(limit);
        }
        matches.sort_unstable_by(closest_first);
        self.answer
    }
}

fn closest_first(one: &Match, other: &Match) -> Ordering {
    let (first, second) = (&one.similarity, &other.similarity);
    let closer = second.level.cmp(&first.level).then(second.structure.total_cmp(&first.structure));
    closer.then(first.text_distance.cmp(&second.text_distance)).then(one.slot.cmp(&other.slot))
}
