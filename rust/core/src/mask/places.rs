//! Places in a page that survive a re-render: steps from the root, each by an element's properties, not its node id.
//!
//! A step is a tag with its lasting id, or else with its role and lasting classes, and its number among siblings that
//! have the same. Classes that come and go with a state (`active`, `is-open`) are not part of it.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::{DocumentIndex, Node, NodeIndex};
use crate::digest::canonical::{is_state, looks_generated, tokens};
use crate::digest::seed::SEED;
use crate::element::snapshot::Snapshot;
use crate::hash::mix::fold_multiply;

/// One element below another.
#[derive(Clone, Copy)]
pub struct Child {
    pub node: Node,
    /// What the element is: the same for siblings that only their number tells apart.
    pub kind: u64,
    /// How many siblings of that kind stand before it.
    pub number: u32,
}

impl Child {
    pub fn step(&self) -> u64 {
        fold_multiply(self.kind ^ SEED, u64::from(self.number) ^ 0x9e37_79b9_7f4a_7c15)
    }
}

/// A snapshot with what is asked of it at every step.
pub struct Places<'a> {
    pub snapshot: &'a Snapshot,
    frames: HashMap<Node, Vec<DocumentIndex>>,
}

impl<'a> Places<'a> {
    pub fn new(snapshot: &'a Snapshot) -> Self {
        let mut frames: HashMap<Node, Vec<DocumentIndex>> = HashMap::new();
        for &document in &snapshot.order {
            if let Some(owner) = snapshot.owner[document] {
                frames.entry(owner).or_default().push(document);
            }
        }
        Self { snapshot, frames }
    }

    pub fn root(&self) -> Node {
        Node { document: self.snapshot.order[0], index: NodeIndex::ROOT }
    }

    /// The elements directly below `node`, in order, the documents of a frame included. O(children).
    pub fn children(&self, node: Node) -> Vec<Child> {
        let document = self.snapshot.document(node);
        let inside = document.children(node.index).filter(|&child| document.is_element(child));
        let inside = inside.map(|index| Node { index, ..node });
        let held =
            self.frames.get(&node).into_iter().flatten().map(|&document| Node { document, index: NodeIndex::ROOT });
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        let mut child = |node: Node| {
            let kind = self.kind(node);
            let next = numbers.entry(kind).or_default();
            *next += 1;
            Child { node, kind, number: *next - 1 }
        };
        inside.chain(held).map(&mut child).collect()
    }

    fn kind(&self, node: Node) -> u64 {
        let hash = |text: &[u8]| xxh3_64_with_seed(text, SEED);
        let (snapshot, document) = (self.snapshot, self.snapshot.document(node));
        let shadow = u64::from(document.has(node.index, flag::SHADOW));
        let tag = hash(snapshot.strings(node).bytes(document.name[node.index])) ^ shadow;
        if let Some(id) = snapshot.attribute(node, Atom::Id).filter(|id| !id.is_empty() && !looks_generated(id)) {
            return fold_multiply(tag, hash(id.as_bytes()) ^ 1);
        }
        let role = hash(snapshot.attribute(node, Atom::Role).unwrap_or("").as_bytes());
        let class = snapshot.attribute(node, Atom::Class).unwrap_or("");
        let lasting = tokens(class.as_bytes()).filter_map(|token| std::str::from_utf8(token).ok());
        let lasting = lasting.filter(|token| !looks_generated(token) && !is_state(token.as_bytes()));
        let classes = lasting.fold(0u64, |sum, token| sum.wrapping_add(hash(token.as_bytes())));
        fold_multiply(tag, fold_multiply(role, classes ^ SEED) ^ 2)
    }
}
