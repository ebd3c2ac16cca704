//! Finds, by their hashes, subtrees that a framework removed and inserted again while rendering.

use std::collections::HashMap;

use crate::capture::atom::Atom;
use crate::capture::columns::{flag, Document};
use crate::capture::page::Node;
use crate::delta::change::{Both, Change, PARENT};
use crate::delta::remade::Remade;
use crate::delta::Findings;
use crate::digest::canonical::looks_generated;
use crate::digest::region::RegionHashes;
use crate::element::name::name;
use crate::element::role::shown_role;
use crate::element::snapshot::Snapshot;

/// Pairs of unequal subtrees that are looked at closely, per diff: names cost something.
const CLOSE_LOOKS: usize = 256;

/// One side of the comparison: a document and the hashes of the subtrees in question.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    pub snapshot: &'a Snapshot,
    pub document: u32,
    pub hashes: &'a RegionHashes<'a>,
}

impl Side<'_> {
    pub fn node(&self, index: u32) -> Node {
        Node { document: self.document, index }
    }

    pub fn parent(&self, index: u32) -> Option<u32> {
        self.snapshot.documents[self.document as usize].parent_of(index)
    }

    /// The elements in a node that are rendered.
    pub fn kids(&self, index: u32) -> Vec<u32> {
        let document = &self.snapshot.documents[self.document as usize];
        elements(document, index).into_iter().filter(|&kid| document.is_shown(kid)).collect()
    }
}

/// Take pairs out of `went` and `came`: equal subtrees are no change, and of those that have the same structure, role
/// and name (or lasting id) only what changed inside is one.
///
/// `holder` is the node after that holds a node before, if that is known: what is equal and has another holder now has
/// moved, which is a row.
pub fn reconcile(
    before: Side,
    went: &mut Vec<u32>,
    after: Side,
    came: &mut Vec<u32>,
    holder: impl Fn(u32) -> Option<u32>,
    findings: &mut Findings,
) {
    // The exact hash says nothing of what is in sight; that is what the visible one adds.
    let exact = |side: Side, index: u32| {
        let [exact, visible, _] = side.hashes.get(index);
        (exact != 0).then_some((exact, visible))
    };
    let in_place = |index: u32, holder: Option<u32>, side: Side| Some((exact(side, index)?, holder?));
    let equal = pair_up(
        went,
        came,
        |index| in_place(index, holder(index), before),
        |index| in_place(index, after.parent(index), after),
    );
    findings.rerendered += equal.len();
    remove(went, came, &equal);
    let equal = pair_up(went, came, |index| exact(before, index), |index| exact(after, index));
    findings.rerendered += equal.len();
    remove(went, came, &equal);
    for &(one, other) in equal.iter().filter(|pair| holder(pair.0).is_some()) {
        findings.changed.push((before.node(one), after.node(other), Change::new(PARENT, None, None)));
    }
    if went.is_empty() || came.is_empty() || went.len().min(came.len()) > CLOSE_LOOKS {
        return;
    }
    let key = |side: Side, index: u32| {
        identity(side.snapshot, side.node(index)).map(|identity| (side.hashes.get(index)[2], identity))
    };
    let alike = pair_up(went, came, |index| key(before, index), |index| key(after, index));
    let mut kept = Vec::new();
    for &(one, other) in &alike {
        let (old, new) = (before.node(one), after.node(other));
        let both = Both { before: before.snapshot, old, after: after.snapshot, new };
        if inner_changes(both, findings) {
            kept.push((one, other));
        }
    }
    remove(went, came, &kept);
    Remade::new(before, after, holder).find(went, came, findings);
}

pub fn remove(went: &mut Vec<u32>, came: &mut Vec<u32>, pairs: &[(u32, u32)]) {
    let (mut gone, mut found): (Vec<u32>, Vec<u32>) = pairs.iter().copied().unzip();
    gone.sort_unstable();
    found.sort_unstable();
    went.retain(|node| gone.binary_search(node).is_err());
    came.retain(|node| found.binary_search(node).is_err());
}

/// Pair nodes with the same key, in order; those without one take no part.
pub fn pair_up<K: std::hash::Hash + Eq>(
    went: &[u32],
    came: &[u32],
    before: impl Fn(u32) -> Option<K>,
    after: impl Fn(u32) -> Option<K>,
) -> Vec<(u32, u32)> {
    let mut waiting: HashMap<K, Vec<u32>> = HashMap::new();
    for &node in went.iter().rev() {
        if let Some(key) = before(node) {
            waiting.entry(key).or_default().push(node);
        }
    }
    let mut pairs = Vec::new();
    for &node in came {
        if let Some(other) = after(node).and_then(|key| waiting.get_mut(&key)?.pop()) {
            pairs.push((other, node));
        }
    }
    pairs
}

/// What makes an element the same one when node ids do not: a lasting id, or role and name.
fn identity(snapshot: &Snapshot, node: Node) -> Option<String> {
    let lasting = |atom| snapshot.attribute(node, atom).filter(|id| !id.is_empty() && !looks_generated(id));
    if let Some(id) = lasting(Atom::Id).or_else(|| lasting(Atom::DataTestid)) {
        return Some(format!("{}#{id}", snapshot.tag_name(node)));
    }
    let role = shown_role(snapshot, node);
    let name = if role.is_empty() { String::new() } else { name(snapshot, node) };
    (!name.is_empty()).then(|| format!("{role} {name}"))
}

/// Report what differs between two subtrees of the same shape; false, and nothing reported, if the shapes differ.
pub fn inner_changes(both: Both, findings: &mut Findings) -> bool {
    let mut pairs = vec![(both.old.index, both.new.index)];
    let mut at = 0;
    while let Some(&(one, other)) = pairs.get(at) {
        let ours = elements(both.before.document(both.old), one);
        let theirs = elements(both.after.document(both.new), other);
        // What came into sight or went out of it inside is no change of a field: such a pair is told as two.
        let is = |snapshot: &Snapshot, node: Node, index: u32| {
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
    crate::element::text::has_own_text(pair.before, pair.old)
        || crate::element::text::has_own_text(pair.after, pair.new)
}

fn elements(document: &Document, node: u32) -> Vec<u32> {
    document.children(node).filter(|&child| document.is_element(child)).collect()
}
