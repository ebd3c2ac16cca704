//! From matched nodes to edits, in the terms of the diff by identity.

use crate::capture::columns::{flag, Document};
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
    stack: Vec<(u32, u32)>,
}

/// The edits between two documents whose nodes are matched. `is_equal` tells of a matched pair that nothing in it
/// differs. O(nodes that are not in equal subtrees).
pub fn assemble(
    old: &Document,
    new: &Document,
    to_new: &Partners,
    to_old: &Partners,
    is_equal: impl Fn(u32, u32) -> bool,
) -> Edits {
    let mut assembly = Assembly { old, new, to_new, to_old, edits: Edits::default(), stack: Vec::new() };
    if to_old.get(0) == Some(0) {
        assembly.stack.push((0, 0));
    } else {
        assembly.inserted(0);
        assembly.edits.deleted.push(0);
    }
    while let Some((one, two)) = assembly.stack.pop() {
        assembly.edits.visited += 1;
        if !is_equal(one, two) {
            assembly.visit(one, two);
        }
    }
    assembly.edits
}

impl Assembly<'_> {
    fn visit(&mut self, one: u32, two: u32) {
        self.edits.touched.push((one, two));
        let mut common = Vec::new();
        for child in self.new.children(two) {
            match self.to_old.get(child) {
                None => self.inserted(child),
                Some(partner) => {
                    if self.old.parent[partner as usize] == one {
                        common.push((partner, child));
                    } else {
                        self.edits.moved.push((partner, child));
                    }
                    self.stack.push((partner, child));
                }
            }
        }
        let gone = self.old.children(one).filter(|&child| self.to_new.get(child).is_none());
        self.edits.deleted.extend(gone);
        let order: Vec<u32> = common.iter().map(|pair| pair.0).collect();
        if order.is_sorted() {
            return;
        }
        let kept = lis::keep(&order);
        let moved: Vec<(u32, u32)> = common.iter().zip(kept).filter(|(_, kept)| !kept).map(|(pair, _)| *pair).collect();
        self.edits.reordered.push(Reorder { before: one, after: two, common: common.len(), moved });
    }

    /// A node that was not there before; what is inside may have been.
    fn inserted(&mut self, root: u32) {
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
                    self.edits.moved.push((partner, node));
                    self.stack.push((partner, node));
                    node = self.new.end(node);
                }
            }
        }
    }
}

/// The edits of one document when node ids tell of most nodes, and matching of the rest. None if ids repeat.
pub fn merged(before: &Snapshot, old: u32, after: &Snapshot, new: u32, one: &Side, two: &Side) -> Option<Edits> {
    let (mut to_new, mut to_old) = (one.partner.clone(), two.partner.clone());
    let (was, is) = (one.document, two.document);
    let ids = IdMap::new(was)?;
    for node in 0..is.len() as u32 {
        if is.has(node, flag::DROPPED) || to_old.get(node).is_some() {
            continue;
        }
        let Some(partner) = ids.get(is.backend_node_id[node as usize]) else { continue };
        let strings = (&one.part.strings, &two.part.strings);
        let name = |document: &Document, node: u32| document.name[node as usize];
        if to_new.get(partner).is_none()
            && was.kind[partner as usize] == is.kind[node as usize]
            && strings.0.bytes(name(was, partner)) == strings.1.bytes(name(is, node))
        {
            to_old.set(node, partner);
            to_new.set(partner, node);
        }
    }
    let (ours, theirs) = (before.hashes(), after.hashes());
    let is_trusted = ours.bits == u64::MAX && theirs.bits == u64::MAX;
    let (ours, theirs) = (&ours.documents[old as usize], &theirs.documents[new as usize]);
    Some(assemble(was, is, &to_new, &to_old, |a, b| {
        two.how[b as usize] == EXACT || (is_trusted && ours[a as usize] == theirs[b as usize])
    }))
}
