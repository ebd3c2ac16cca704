//! From matched nodes to edits, in the terms of the diff by identity.

use crate::capture::columns::{Document, flag};
use crate::capture::node::{DocumentIndex, NodeIndex, NodePair};
use crate::diff::cross::engine::EXACT;
use crate::diff::cross::partners::Partners;
use crate::diff::cross::side::Side;
use crate::diff::identity::{Edits, IdMap, Reorder};
use crate::diff::lis;
use crate::element::snapshot::Snapshot;

struct Assembly<'a> {
    old: &'a Document,
    new: &'a Document,
    to_new: &'a Partners,
    to_old: &'a Partners,
    edits: Edits,
    stack: Vec<NodePair>,
}

/// The edits between two documents whose nodes are matched. `is_equal` tells of a matched pair that nothing in it
/// differs. O(nodes that are not in equal subtrees).
pub fn assemble(
    old: &Document,
    new: &Document,
    to_new: &Partners,
    to_old: &Partners,
    is_equal: impl Fn(NodePair) -> bool,
) -> Edits {
    let mut assembly = Assembly { old, new, to_new, to_old, edits: Edits::default(), stack: Vec::new() };
    if to_old.get(NodeIndex::ROOT) == Some(NodeIndex::ROOT) {
        assembly.stack.push(NodePair::new(NodeIndex::ROOT, NodeIndex::ROOT));
    } else {
        assembly.inserted(NodeIndex::ROOT);
        assembly.edits.deleted.push(NodeIndex::ROOT);
    }
    while let Some(pair) = assembly.stack.pop() {
        assembly.edits.visited += 1;
        if !is_equal(pair) {
            assembly.visit(pair);
        }
    }
    assembly.edits
}

impl Assembly<'_> {
    fn visit(&mut self, pair: NodePair) {
        let NodePair { old: one, new: two } = pair;
        self.edits.touched.push(pair);
        let mut common = Vec::new();
        for child in self.new.children(two) {
            match self.to_old.get(child) {
                None => self.inserted(child),
                Some(partner) => {
                    if self.old.parent_of(partner) == Some(one) {
                        common.push(NodePair::new(partner, child));
                    } else {
                        self.edits.moved.push(NodePair::new(partner, child));
                    }
                    self.stack.push(NodePair::new(partner, child));
                }
            }
        }
        let gone = self.old.children(one).filter(|&child| self.to_new.get(child).is_none());
        self.edits.deleted.extend(gone);
        let order: Vec<NodeIndex> = common.iter().map(|pair| pair.old).collect();
        if order.is_sorted() {
            return;
        }
        let kept = lis::keep(&order);
        let moved: Vec<NodePair> = common.iter().zip(kept).filter(|(_, kept)| !kept).map(|(pair, _)| *pair).collect();
        self.edits.reordered.push(Reorder { parents: pair, common: common.len(), moved });
    }

    /// A node that was not there before; what is inside may have been.
    fn inserted(&mut self, root: NodeIndex) {
        self.edits.inserted.push(root);
        let mut node = root + 1;
        while node < self.new.end(root) {
            if self.new.has(node, flag::DROPPED) {
                node = self.new.end(node);
                continue;
            }
            match self.to_old.get(node) {
                None => node += 1,
                Some(partner) => {
                    self.edits.moved.push(NodePair::new(partner, node));
                    self.stack.push(NodePair::new(partner, node));
                    node = self.new.end(node);
                }
            }
        }
    }
}

/// The edits of one document when node ids tell of most nodes, and matching of the rest. None if ids repeat.
pub fn merged(
    before: &Snapshot,
    old: DocumentIndex,
    after: &Snapshot,
    new: DocumentIndex,
    one: &Side,
    two: &Side,
) -> Option<Edits> {
    let (mut to_new, mut to_old) = (one.partner.clone(), two.partner.clone());
    let (was, is) = (one.document, two.document);
    let ids = IdMap::new(was)?;
    for node in is.nodes() {
        if is.has(node, flag::DROPPED) || to_old.get(node).is_some() {
            continue;
        }
        let Some(partner) = ids.get(is.backend_node_id[node]) else { continue };
        let strings = (&one.part.strings, &two.part.strings);
        let name = |document: &Document, node: NodeIndex| document.name[node];
        if to_new.get(partner).is_none()
            && was.kind[partner] == is.kind[node]
            && strings.0.bytes(name(was, partner)) == strings.1.bytes(name(is, node))
        {
            to_old.set(node, partner);
            to_new.set(partner, node);
        }
    }
    let (ours, theirs) = (before.hashes(), after.hashes());
    let is_trusted = ours.bits == u64::MAX && theirs.bits == u64::MAX;
    let (ours, theirs) = (&ours.documents[old], &theirs.documents[new]);
    Some(assemble(was, is, &to_new, &to_old, |pair| {
        two.how[pair.new] == EXACT || (is_trusted && ours[pair.old] == theirs[pair.new])
    }))
}
