//! Stage (a): equal subtrees, found by their hashes, the heaviest first.

use std::cmp::Reverse;

use crate::capture::node::NodeIndex;
use crate::diff::cross::engine::Engine;
use crate::diff::cross::release::is_light;
use crate::diff::cross::side::Side;
use crate::hash::by_hash::{ByHash, Keyed};

/// Equal subtrees that are on a side more often than this are told apart by their places.
const CANDIDATES: u32 = 16;

/// The nodes of one hash on both sides.
#[derive(Clone, Copy, Default)]
pub struct Group {
    heads: [NodeIndex; 2],
    tails: [NodeIndex; 2],
    counts: [u32; 2],
}

impl Group {
    fn add(&mut self, side: usize, node: NodeIndex, next: &mut [u32]) {
        if self.counts[side] == 0 {
            self.heads[side] = node;
        } else {
            next[self.tails[side]] = node.number();
        }
        self.tails[side] = node;
        self.counts[side] += 1;
    }

    fn list(&self, side: usize, next: &[u32]) -> Vec<NodeIndex> {
        let mut nodes = Vec::with_capacity(self.counts[side] as usize);
        let mut node = self.heads[side];
        for _ in 0..self.counts[side] {
            nodes.push(node);
            node = NodeIndex::new(next[node]);
        }
        nodes
    }
}

/// Groups with nodes on both sides, the heaviest first, and the links of their lists.
pub struct Groups {
    found: Vec<Group>,
    next: [Vec<u32>; 2],
}

/// Elements by their hash. O(nodes), and O(k log k) for the order of the groups.
pub fn groups(engine: &Engine) -> Groups {
    let (a, b) = (&engine.a, &engine.b);
    let mut next = [vec![0u32; a.document.len()], vec![0u32; b.document.len()]];
    let mut known: ByHash<u32> = ByHash::with_capacity_and_hasher(a.own.len() / 2, Keyed::default());
    let mut found: Vec<Group> = Vec::new();
    for node in elements(a) {
        let slot = *known.entry(a.exact(node)).or_insert_with(|| {
            found.push(Group::default());
            found.len() as u32 - 1
        });
        found[slot as usize].add(0, node, &mut next[0]);
    }
    for node in elements(b) {
        if let Some(&slot) = known.get(&b.exact(node)) {
            found[slot as usize].add(1, node, &mut next[1]);
        }
    }
    found.retain(|group| group.counts[1] > 0 && group.counts.iter().all(|&count| count <= CANDIDATES));
    found.sort_unstable_by_key(|group| (Reverse(b.live[group.heads[1]]), group.heads[1]));
    Groups { found, next }
}

fn elements<'s>(side: &'s Side) -> impl Iterator<Item = NodeIndex> + 's {
    side.own.iter().copied().filter(|&node| side.document.is_element(node))
}

/// Subtrees that are there once on each side.
pub fn unique(engine: &mut Engine, groups: &Groups) {
    for group in &groups.found {
        let [one, two] = group.heads;
        if group.counts != [1, 1] || !engine.a.is_free(one) || !engine.b.is_free(two) {
            continue;
        }
        if !engine.spend(1) {
            return;
        }
        engine.take(one, two);
    }
}

/// Subtrees that are there a few times: those whose parents are matched, then the heavy ones in order.
pub fn ambiguous(engine: &mut Engine, groups: &Groups) {
    for group in groups.found.iter().filter(|group| group.counts != [1, 1]) {
        let mut ones = group.list(0, &groups.next[0]);
        let mut twos = group.list(1, &groups.next[1]);
        ones.retain(|&node| engine.a.is_free(node));
        twos.retain(|&node| engine.b.is_free(node));
        if ones.is_empty() || twos.is_empty() {
            continue;
        }
        if !engine.spend(ones.len() + twos.len()) {
            return;
        }
        for &two in &twos {
            let parent = engine.b.document.parent_of(two).and_then(|parent| engine.b.partner.get(parent));
            let Some(parent) = parent else { continue };
            let candidate =
                ones.iter().position(|&one| engine.a.document.parent_of(one) == Some(parent) && engine.a.is_free(one));
            if let Some(at) = candidate {
                engine.take(ones[at], two);
            }
            if !engine.spend(ones.len()) {
                return;
            }
        }
        if is_light(&engine.b, twos[0]) {
            continue;
        }
        ones.retain(|&node| engine.a.is_free(node));
        twos.retain(|&node| engine.b.is_free(node));
        for (&one, &two) in ones.iter().zip(&twos) {
            engine.take(one, two);
        }
    }
}
