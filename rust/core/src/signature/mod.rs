//! The similarity signature of a page: a few hundred bytes that tell, without the page, whether another page is the same.
//!
//! A signature holds an exact hash, a hash and a MinHash sketch of the page's structure, a SimHash of its text, a hash
//! of its URL's pattern, and some counts. All of it comes from one scan and a published seed, so that signatures made on
//! different machines can be compared; none of it depends on masks, node ids or what the session has seen before.
//!
//! - `label`, `scan`: a page to features: pq-grams of its elements, shingles of its words
//! - `sketch`: features to MinHash and SimHash
//! - `similarity`: what two signatures say of their pages
//! - `record`: the stored form
//! - `index`: which of millions of signatures are like this one

pub mod error;
pub mod index;
mod label;
pub mod record;
mod scan;
pub mod similarity;
pub mod sketch;
pub mod url;
pub mod words;

use crate::capture::page::text_of;
use crate::digest::seed;
use crate::element::snapshot::Snapshot;

/// The version of what a signature means. Any change to features, weights, hashes or layout raises it: signatures of
/// different versions cannot be compared.
pub const VERSION: u8 = 1;

/// The published seed of all feature hashes.
pub const SEED: u64 = seed::SEED;

/// Names the seed in the stored form: its upper half, "stil" in ASCII.
pub const SEED_ID: u32 = (SEED >> 32) as u32;

/// How much of everything a page has. Counts stop at `u32::MAX`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Nodes of the canonical form in the page's own documents, and frame elements of the others.
    pub nodes: u32,
    /// Letters and digits of rendered words.
    pub text: u32,
    /// `a` and `area` with an `href`.
    pub links: u32,
    pub forms: u32,
    /// Different pq-grams: the size of the set that `structure` sketches.
    pub grams: u32,
    /// Different word shingles: the size of the set that `text` sketches.
    pub shingles: u32,
}

/// The similarity signature of one page.
///
/// ```
/// # const BEFORE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/before.json"));
/// # const AFTER: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/after.json"));
/// use std::sync::Arc;
/// use stillframe_core::{Signature, Snapshot};
///
/// let (before, after) = (Snapshot::from_cdp(Arc::new(BEFORE))?, Snapshot::from_cdp(Arc::new(AFTER))?);
/// let similarity = Signature::of(&before).compare(&Signature::of(&after));
/// assert!(!similarity.exact && similarity.structure > 0.5);
/// # Ok::<(), stillframe_core::SnapshotError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The exact digest: equal canonical forms.
    pub exact: [u8; 16],
    /// A hash of the set of pq-grams: equal templates, however often their parts are repeated.
    pub template: [u8; 16],
    /// A MinHash sketch of the same set: the share of equal slots estimates the Jaccard similarity.
    pub structure: [u16; sketch::SLOTS],
    /// A SimHash of the rendered words: few different bits mean a similar text.
    pub text: u64,
    /// A hash of the URL's pattern.
    pub url: u64,
    pub counts: Counts,
}

impl Signature {
    /// The signature of a page. O(nodes + bytes of text); the digests are computed if they have not been.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        let found = scan::scan(snapshot);
        let page = snapshot.order[0];
        let address = text_of(snapshot.part_of(page), snapshot.documents[page].url);
        Self {
            exact: snapshot.digests().exact,
            template: sketch::set_hash(found.grams.iter().copied()),
            structure: sketch::min_hash(&found.grams),
            text: found.text,
            url: url::pattern_hash(address),
            counts: found.counts,
        }
    }
}

/// Fixed odd numbers, drawn from the seed once and for all (splitmix64).
pub(crate) const KEYS: [u64; 8] = keys();

const fn keys() -> [u64; 8] {
    let mut keys = [0; 8];
    let mut state = SEED;
    let mut at = 0;
    while at < keys.len() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        keys[at] = (mixed ^ (mixed >> 31)) | 1;
        at += 1;
    }
    keys
}

/// Mix two numbers into one; the order counts.
#[inline(always)]
pub(crate) fn mix(one: u64, other: u64) -> u64 {
    let product = u128::from(one ^ KEYS[0]) * u128::from(other ^ KEYS[1]);
    (product as u64) ^ ((product >> 64) as u64)
}
