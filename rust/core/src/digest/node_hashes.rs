//! Node hashes that are valid inside one process only: 64 bits per node, for the diff of two captures.
//!
//! They cover node ids and rendering: equal means that the subtree needs no look. The secret is drawn by the process, so
//! that no page can know it and hide a change behind a collision.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::capture::atom::Atom;
use crate::capture::columns::{Document, flag};
use crate::capture::node::NodeIndex;
use crate::capture::page::{Capture, PartInfo};
use crate::capture::strings::NONE;
use crate::digest::canonical::{live_value, token_set};
use crate::hash::mix::{append, draw, draw_base, fold_multiply, reduced};

/// State that belongs to a node's local hash.
const STATE: u16 = flag::CHECKED | flag::SELECTED | flag::SHADOW | flag::RENDERED;

/// By document, the session hash of every node; 0 for dropped ones.
pub struct NodeHashes {
    pub documents: Vec<Vec<u64>>,
    /// The bits that are kept: fewer than 64 only in tests.
    pub bits: u64,
}

/// Eight secrets for mixing and one base for the polynomial.
#[derive(Clone, Copy)]
struct Lane {
    key: [u64; 8],
    base: u64,
}

impl Lane {
    fn new(secret: u64) -> Self {
        Self { key: std::array::from_fn(|n| draw(secret, n as u64) | 1), base: draw_base(secret, 8) }
    }

    #[inline(always)]
    fn pair(&self, name: u64, value: u64) -> u64 {
        fold_multiply(name ^ self.key[0], value ^ self.key[1])
    }

    #[inline(always)]
    fn local(&self, name: u64, text: u64, state: u64, sum: u64) -> u64 {
        fold_multiply(name ^ self.key[2], text ^ self.key[3])
            .wrapping_add(fold_multiply(state ^ self.key[4], sum ^ self.key[5]))
    }

    #[inline(always)]
    fn subtree(&self, local: u64, children: u64) -> u64 {
        fold_multiply(local ^ self.key[6], reduced(children) ^ self.key[7])
    }
}

/// Hash every node of every document with `secret`, keeping only `bits` of each.
pub fn node_hashes(snapshot: &Capture, secret: u64, bits: u64) -> NodeHashes {
    let strings: Vec<Vec<u64>> = snapshot.parts.iter().map(|part| string_hashes(part, secret)).collect();
    let lane = Lane::new(secret);
    let documents = snapshot.documents.iter();
    let hash = |document: &Document| {
        let at = document.part as usize;
        session_document(document, &snapshot.parts[at], &strings[at], lane, bits, secret)
    };
    NodeHashes { documents: documents.map(hash).collect(), bits }
}

fn string_hashes(part: &PartInfo, secret: u64) -> Vec<u64> {
    let mut hashes = Vec::with_capacity(part.strings.len());
    part.strings.each(|bytes| hashes.push(xxh3_64_with_seed(bytes, secret)));
    hashes
}

#[inline(always)]
fn look_up(table: &[u64], id: u32) -> u64 {
    table.get(id as usize).copied().unwrap_or(0)
}

fn session_document(
    document: &Document,
    part: &PartInfo,
    strings: &[u64],
    lane: Lane,
    bits: u64,
    secret: u64,
) -> Vec<u64> {
    let n = document.len();
    let mut children = vec![1u64; n];
    let mut classes = vec![0u64; strings.len()];
    for node in (0..n).rev() {
        let flags = document.flags[node];
        if flags & flag::DROPPED != 0 {
            children[node] = 0;
            continue;
        }
        let mut sum = 0u64;
        for &[name, value] in document.attributes(NodeIndex::from_at(node)) {
            let atom = part.atoms.get(name as usize).copied().unwrap_or(Atom::Other);
            if atom.is_noise() {
                continue;
            }
            let value = if atom == Atom::Class {
                class_hash(&mut classes, value, |value| class_sum(part, value, secret))
            } else {
                look_up(strings, value)
            };
            sum = sum.wrapping_add(lane.pair(look_up(strings, name), value));
        }
        if flags & flag::VALUE != 0 {
            sum = sum.wrapping_add(lane.pair(1, look_up(strings, live_value(document, NodeIndex::from_at(node)))));
        }
        let name =
            look_up(strings, document.name[node]) ^ u64::from(document.backend_node_id[node]).wrapping_mul(lane.key[0]);
        let state = u64::from(flags & STATE) | u64::from(document.kind[node]) << 16;
        let local = lane.local(name, look_up(strings, document.value[node]), state, sum);
        let hash = lane.subtree(local, children[node]) & bits;
        let parent = document.parent[node];
        if parent != NONE {
            let above = &mut children[parent as usize];
            *above = append(*above, lane.base, hash);
        }
        children[node] = hash;
    }
    children
}

fn class_hash(memo: &mut [u64], value: u32, make: impl FnOnce(u32) -> u64) -> u64 {
    match memo.get_mut(value as usize) {
        Some(slot) => {
            if *slot == 0 {
                *slot = make(value) | 1;
            }
            *slot
        }
        None => 1,
    }
}

/// A sum over distinct tokens: their order and repeats do not matter.
fn class_sum(part: &PartInfo, value: u32, seed: u64) -> u64 {
    let set = token_set(part.strings.bytes(value));
    set.into_iter().fold(0, |sum: u64, token| sum.wrapping_add(xxh3_64_with_seed(token, seed)))
}
