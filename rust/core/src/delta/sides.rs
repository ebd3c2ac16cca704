//! The two sides of a comparison, and how their nodes are paired and compared.

use std::collections::HashMap;

use crate::capture::columns::{Document, flag};
use crate::capture::node::{DocumentIndex, Node, NodeIndex, NodePair};
use crate::delta::change::Both;
use crate::delta::findings::Findings;
use crate::digest::region::RegionHashes;
use crate::element::snapshot::Snapshot;
use crate::element::text::has_own_text;

/// One side of the comparison: a document and the hashes of the subtrees in question.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    pub snapshot: &'a Snapshot,
    pub document: DocumentIndex,
    pub hashes: &'a RegionHashes<'a>,
}

impl Side<'_> {
    pub fn node(&self, index: NodeIndex) -> Node {
        Node { document: self.document, index }
    }

    pub fn parent(&self, index: NodeIndex) -> Option<NodeIndex> {
        self.snapshot.documents[self.document].parent_of(index)
    }

    /// The elements in a node that are rendered.
    pub fn kids(&self, index: NodeIndex) -> Vec<NodeIndex> {
        let document = &self.snapshot.documents[self.document];
        elements(document, index).into_iter().filter(|&kid| document.is_shown(kid)).collect()
    }
}

pub fn remove(went: &mut Vec<NodeIndex>, came: &mut Vec<NodeIndex>, pairs: &[NodePair]) {
    let (mut gone, mut found): (Vec<NodeIndex>, Vec<NodeIndex>) = pairs.iter().map(|pair| (pair.old, pair.new)).unzip();
    gone.sort_unstable();
    found.sort_unstable();
    went.retain(|node| gone.binary_search(node).is_err());
    came.retain(|node| found.binary_search(node).is_err());
}

/// Pair nodes with the same key, in order; those without one take no part.
pub fn pair_up<K: std::hash::Hash + Eq>(
    went: &[NodeIndex],
    came: &[NodeIndex],
    before: impl Fn(NodeIndex) -> Option<K>,
    after: impl Fn(NodeIndex) -> Option<K>,
) -> Vec<NodePair> {
    let mut waiting: HashMap<K, Vec<NodeIndex>> = HashMap::new();
    for &node in went.iter().rev() {
        if let Some(key) = before(node) {
            waiting.entry(key).or_default().push(node);
        }
    }
    let mut pairs = Vec::new();
    for &node in came {
        if let Some(other) = after(node).and_then(|key| waiting.get_mut(&key)?.pop()) {
            pairs.push(NodePair::new(other, node));
        }
    }
    pairs
}

/// Report what differs between two subtrees of the same shape; false, and nothing reported, if the shapes differ.
pub fn inner_changes(both: Both, findings: &mut Findings) -> bool {
    let mut pairs = vec![(both.old.index, both.new.index)];
    let mut at = 0;
    while let Some(&(one, other)) = pairs.get(at) {
        let ours = elements(both.before.document(both.old), one);
        let theirs = elements(both.after.document(both.new), other);
        // A field whose inside appeared or disappeared did not change: report such a pair as two rows.
        let is = |snapshot: &Snapshot, node: Node, index: NodeIndex| {
            let node = Node { index, ..node };
            (snapshot.tag_name(node), snapshot.document(node).has(index, flag::RENDERED))
        };
        let alike = ours.len() == theirs.len()
            && ours.iter().zip(&theirs).all(|(&a, &b)| is(both.before, both.old, a) == is(both.after, both.new, b));
        if !alike {
            return false;
        }
        pairs.extend(ours.into_iter().zip(theirs));
        at += 1;
    }
    for (one, other) in pairs {
        let pair = Both { old: Node { index: one, ..both.old }, new: Node { index: other, ..both.new }, ..both };
        let rendered = both.after.document(both.new).has(other, flag::RENDERED)
            && both.before.document(both.old).has(one, flag::RENDERED);
        if rendered && !pair.is_option() {
            let changes = pair.text_change().filter(|_| has_texts(&pair)).into_iter().chain(pair.changes());
            findings.changed.extend(changes.map(|change| (pair.old, pair.new, change)));
        }
    }
    true
}

/// Whether a text stands directly in the element on either side: else its children report.
fn has_texts(pair: &Both) -> bool {
    has_own_text(pair.before, pair.old) || has_own_text(pair.after, pair.new)
}

fn elements(document: &Document, node: NodeIndex) -> Vec<NodeIndex> {
    document.children(node).filter(|&child| document.is_element(child)).collect()
}
