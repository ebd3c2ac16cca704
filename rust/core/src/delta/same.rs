//! The findings of one document that both snapshots contain: from edits by identity to elements.
//!
//! Texts are lifted to their element; what appeared and disappeared is topmost; a subtree that was replaced by an equal
//! one is not a change; what moved is one row.

use std::collections::{HashMap, HashSet};

use crate::capture::atom::Atom;
use crate::capture::columns::{Document, flag};
use crate::capture::node::{DocumentIndex, Interval, Node, NodeIndex, NodePair};
use crate::delta::change::{Both, Change, PARENT};
use crate::delta::findings::Findings;
use crate::delta::formatting::Formatting;
use crate::delta::reconcile::reconcile;
use crate::delta::region::{Depth, Lens, Reuse, visible_hashes};
use crate::delta::replaced::kinds;
use crate::delta::sides::Side;
use crate::diff::identity::{Edits, Reorder};
use crate::diff::record::each_own;
use crate::digest::region::RegionHashes;
use crate::element::control::value;
use crate::element::role::role;
use crate::element::roles::Role;
use crate::element::snapshot::Snapshot;
use crate::element::text::{has_own_text, is_formatting};

/// Whether an element is a text with words in it, before and after; asked once per element, not once per child.
type OwnText = HashMap<NodePair, bool>;

pub struct SameDocument<'a> {
    before: &'a Snapshot,
    after: &'a Snapshot,
    old: DocumentIndex,
    new: DocumentIndex,
    edits: &'a Edits,
    /// Whether another document took the place of the one before.
    depth: Depth,
    /// Pairs that were looked at, by either index.
    to_new: HashMap<NodeIndex, NodeIndex>,
    to_old: HashMap<NodeIndex, NodeIndex>,
    /// Topmost subtrees that came into sight (after) and went out of sight (before), sorted.
    came: Vec<NodeIndex>,
    went: Vec<NodeIndex>,
    /// Elements of which a text changed, sorted.
    texts: Vec<NodePair>,
    /// What styles words and came into or went from the text of an element.
    formatting: HashMap<NodePair, Formatting>,
}

impl<'a> SameDocument<'a> {
    pub fn new(
        before: &'a Snapshot,
        old: DocumentIndex,
        after: &'a Snapshot,
        new: DocumentIndex,
        edits: &'a Edits,
    ) -> Self {
        let mut same = Self {
            before,
            after,
            old,
            new,
            edits,
            depth: Depth::Subtree,
            to_new: edits.touched.iter().map(|pair| (pair.old, pair.new)).collect(),
            to_old: edits.touched.iter().map(|pair| (pair.new, pair.old)).collect(),
            came: Vec::new(),
            went: Vec::new(),
            texts: Vec::new(),
            formatting: HashMap::new(),
        };
        same.sort_out();
        same
    }

    /// The same for a document that took another one's place.
    pub fn loaded(self) -> Self {
        Self { depth: Depth::Parts, ..self }
    }

    /// The subtrees that came into sight, as intervals of nodes (after).
    pub fn appeared_intervals(&self) -> Vec<Interval> {
        self.came.iter().map(|&root| self.new_document().subtree(root)).collect()
    }

    /// The subtrees that went out of sight, as intervals of nodes (before).
    pub fn disappeared_intervals(&self) -> Vec<Interval> {
        self.went.iter().map(|&root| self.old_document().subtree(root)).collect()
    }

    pub fn find(&self, findings: &mut Findings) {
        findings.visited += self.edits.visited;
        self.regions(findings);
        self.changes(findings);
        self.moves(findings);
    }

    fn old_document(&self) -> &'a Document {
        &self.before.documents[self.old]
    }

    fn new_document(&self) -> &'a Document {
        &self.after.documents[self.new]
    }

    fn old_node(&self, index: NodeIndex) -> Node {
        Node { document: self.old, index }
    }

    fn new_node(&self, index: NodeIndex) -> Node {
        Node { document: self.new, index }
    }

    fn both(&self, pair: NodePair) -> Both<'a> {
        Both { before: self.before, old: self.old_node(pair.old), after: self.after, new: self.new_node(pair.new) }
    }

    // -- sorting edits into what came, what went and whose text changed --------------------------------------------

    fn sort_out(&mut self) {
        let (old, new) = (self.old_document(), self.new_document());
        let (mut came, mut went) = (Vec::new(), Vec::new());
        let mut texts: HashSet<NodePair> = HashSet::new();
        // A text that says something else where it is now has gone from where it was, and so has what is hidden there.
        let still = |pair: &&NodePair| {
            old.has(pair.old, flag::RENDERED) == new.has(pair.new, flag::RENDERED)
                && (!new.is_text(pair.new) || self.is_same_text(**pair))
        };
        let arrived: HashSet<NodeIndex> = self.edits.moved.iter().filter(still).map(|pair| pair.new).collect();
        let left: HashSet<NodeIndex> = self.edits.moved.iter().filter(still).map(|pair| pair.old).collect();
        let mut known = HashMap::new();
        for &root in &self.edits.inserted {
            match self.lifted_in(root, &mut known) {
                Some(pair) => {
                    texts.insert(pair);
                    if new.is_element(root) {
                        self.formatting.entry(pair).or_default().came.push(root);
                    }
                }
                None if has_own(new, root, &arrived) || is_link(self.after, self.new_node(root)) => came.push(root),
                None => {}
            }
        }
        for &root in &self.edits.deleted {
            match self.lifted_out(root, &mut known) {
                Some(pair) => {
                    texts.insert(pair);
                    if old.is_element(root) {
                        self.formatting.entry(pair).or_default().went.push(root);
                    }
                }
                None if has_own(old, root, &left) || is_link(self.before, self.old_node(root)) => went.push(root),
                None => {}
            }
        }
        for &pair in &self.edits.touched {
            let NodePair { old: one, new: other } = pair;
            let (was, is) = (old.has(one, flag::RENDERED), new.has(other, flag::RENDERED));
            if new.is_text(other) {
                self.text_touched(pair, &mut texts);
            } else if !was && is {
                came.push(other);
            } else if was && !is {
                went.push(one);
            }
        }
        for &pair in &self.edits.moved {
            if new.is_text(pair.new) {
                self.text_touched(pair, &mut texts);
            }
        }
        self.came = topmost(new, came);
        self.went = topmost(old, went);
        self.texts = texts.into_iter().collect();
        self.texts.sort_unstable();
    }

    /// The element that an inserted text, or a word of styled text, belongs to.
    fn lifted_in(&self, root: NodeIndex, known: &mut OwnText) -> Option<NodePair> {
        let parent = self.new_document().parent_of(root)?;
        let pair = NodePair::new(*self.to_old.get(&parent)?, parent);
        self.is_words(self.after, self.new_node(root), pair, known).then_some(pair)
    }

    fn lifted_out(&self, root: NodeIndex, known: &mut OwnText) -> Option<NodePair> {
        let parent = self.old_document().parent_of(root)?;
        let pair = NodePair::new(parent, *self.to_new.get(&parent)?);
        self.is_words(self.before, self.old_node(root), pair, known).then_some(pair)
    }

    /// Whether `node` is a text, or an element that only styles words among other words.
    fn is_words(&self, snapshot: &Snapshot, node: Node, parents: NodePair, known: &mut OwnText) -> bool {
        if snapshot.document(node).is_text(node.index) {
            return true;
        }
        let named = [Atom::Id, Atom::Role, Atom::Tabindex, Atom::AriaLabel];
        is_formatting(snapshot.tag(node))
            && named.iter().all(|&attribute| snapshot.attribute(node, attribute).is_none())
            && *known.entry(parents).or_insert_with(|| {
                let has_text = has_own_text(self.before, self.old_node(parents.old))
                    || has_own_text(self.after, self.new_node(parents.new));
                has_text && self.both(parents).is_plain()
            })
    }

    /// A text that is on both sides: its parents' texts changed if it did, or if it has another parent.
    fn text_touched(&self, pair: NodePair, texts: &mut HashSet<NodePair>) {
        let parents = (self.old_document().parent_of(pair.old), self.new_document().parent_of(pair.new));
        if let Some(parent) = parents.0 {
            texts.extend(self.to_new.get(&parent).map(|&new| NodePair::new(parent, new)));
        }
        if let Some(parent) = parents.1 {
            texts.extend(self.to_old.get(&parent).map(|&old| NodePair::new(old, parent)));
        }
    }

    // -- findings --------------------------------------------------------------------------------------------------

    fn regions(&self, findings: &mut Findings) {
        let (mut came, mut went) = (self.came.clone(), self.went.clone());
        if came.is_empty() || went.is_empty() {
            findings.appeared.extend(Lens::rows(self.after, self.new, self.depth, None, &came));
            findings.disappeared.extend(Lens::rows(self.before, self.old, self.depth, None, &went));
            return;
        }
        let ours = RegionHashes::of(self.before, self.old, &went);
        let theirs = RegionHashes::of(self.after, self.new, &came);
        let before = Side { snapshot: self.before, document: self.old, hashes: &ours };
        let after = Side { snapshot: self.after, document: self.new, hashes: &theirs };
        let holder = |index: NodeIndex| self.to_new.get(&self.old_document().parent_of(index)?).copied();
        reconcile(before, &mut went, after, &mut came, holder, findings);
        let (mut gone, mut found) = (HashSet::new(), HashSet::new());
        visible_hashes(self.old_document(), &ours, &went, &mut gone);
        visible_hashes(self.new_document(), &theirs, &came, &mut found);
        let reuse = Reuse { theirs: &gone, ours: &theirs };
        findings.appeared.extend(Lens::rows(self.after, self.new, self.depth, Some(reuse), &came));
        let reuse = Reuse { theirs: &found, ours: &ours };
        findings.disappeared.extend(Lens::rows(self.before, self.old, self.depth, Some(reuse), &went));
    }

    fn changes(&self, findings: &mut Findings) {
        let (old, new) = (self.old_document(), self.new_document());
        for &pair in &self.texts {
            let both = self.both(pair);
            if !new.is_element(pair.new) || !self.is_told_nowhere(pair) || both.is_option() {
                continue;
            }
            if let Some(change) = both.text_change() {
                findings.changed.push((both.old, both.new, change));
                continue;
            }
            match self.formatting.get(&pair) {
                Some(formatting) if self.is_in_sight(pair) => {
                    let (came, went) = formatting.told(self.before, self.old, self.after, self.new);
                    findings.appeared.extend(came);
                    findings.disappeared.extend(went);
                }
                _ => {}
            }
        }
        for &pair in &self.edits.touched {
            let (NodePair { old: one, new: other }, both) = (pair, self.both(pair));
            if !new.is_element(other) || !self.is_in_sight(pair) || both.is_option() {
                continue;
            }
            let unlike = old.attributes(one).len() + new.attributes(other).len() > 0
                || old.flags[one] != new.flags[other]
                // The value of a field is in no attribute, and a field may have none at all.
                || old.has(one, flag::VALUE)
                || new.has(other, flag::VALUE)
                || self.after.tag(self.new_node(other)) == Atom::Select;
            if unlike {
                let changes = both.changes().into_iter();
                findings.changed.extend(changes.map(|change| (both.old, both.new, change)));
            }
        }
    }

    /// Whether the element is rendered on both sides, and one of its texts in no row of what came or went.
    fn is_told_nowhere(&self, NodePair { old: one, new: other }: NodePair) -> bool {
        let (old, new) = (self.old_document(), self.new_document());
        old.has(one, flag::RENDERED)
            && new.has(other, flag::RENDERED)
            && !(is_inside(new, &self.came, other) && is_inside(old, &self.went, one))
    }

    /// Whether the element is rendered on both sides, and in nothing that came or went as a whole.
    fn is_in_sight(&self, NodePair { old: one, new: other }: NodePair) -> bool {
        self.old_document().has(one, flag::RENDERED)
            && self.new_document().has(other, flag::RENDERED)
            && !is_inside(self.new_document(), &self.came, other)
            && !is_inside(self.old_document(), &self.went, one)
    }

    fn moves(&self, findings: &mut Findings) {
        for &pair in &self.edits.moved {
            if !self.is_element_in_sight(pair) {
                continue;
            }
            // The row names both parents if it is kept: selectors are not made for rows that are not.
            findings.changed.push((self.old_node(pair.old), self.new_node(pair.new), Change::new(PARENT, None, None)));
        }
        for reorder in &self.edits.reordered {
            self.reordered(reorder, findings);
        }
        self.rewrapped(findings);
    }

    /// Texts that an editor moved into an element of another kind, which took the place of their own: a paragraph became a
    /// heading. Neither element has come or gone as far as its words say.
    fn rewrapped(&self, findings: &mut Findings) {
        let (old, new) = (self.old_document(), self.new_document());
        let mut texts = self.edits.moved.iter().filter(|pair| new.is_text(pair.new) && self.is_same_text(**pair));
        let Some(first) = texts.next() else { return };
        let (gone, made) = (topmost(old, self.edits.deleted.clone()), topmost(new, self.edits.inserted.clone()));
        let mut told = HashSet::new();
        for pair in std::iter::once(first).chain(texts) {
            let (Some(was), Some(is)) = (old.parent_of(pair.old), new.parent_of(pair.new)) else { continue };
            let is_replaced = is_inside(old, &gone, was) && is_inside(new, &made, is) && old.has(was, flag::RENDERED);
            let parents = NodePair::new(was, is);
            if !is_replaced || !self.is_element_in_sight(parents) || !told.insert(parents) {
                continue;
            }
            let change = kinds(self.before, self.old_node(was), self.after, self.new_node(is));
            let change = change.filter(|change| change.field == "role");
            findings.changed.extend(change.map(|change| (self.old_node(was), self.new_node(is), change)));
        }
    }

    fn is_element_in_sight(&self, NodePair { old: one, new: other }: NodePair) -> bool {
        self.new_document().is_element(other)
            && self.old_document().has(one, flag::RENDERED)
            && self.new_document().has(other, flag::RENDERED)
            && !is_inside(self.new_document(), &self.came, other)
    }

    /// Each element that changed places if most kept theirs; else one row that says how many did.
    fn reordered(&self, reorder: &Reorder, findings: &mut Findings) {
        let moved: Vec<NodePair> =
            reorder.moved.iter().copied().filter(|pair| self.is_element_in_sight(*pair)).collect();
        if moved.is_empty() {
            return;
        }
        if moved.len() * 2 < reorder.common {
            let was = elements(self.old_document(), reorder.parents.old);
            let is = elements(self.new_document(), reorder.parents.new);
            for NodePair { old: one, new: other } in moved {
                let (Ok(from), Ok(to)) = (was.binary_search(&one), is.binary_search(&other)) else { continue };
                // An element that only changed places with a text still has its place among elements.
                if from != to {
                    let change = Change::new("position", Some((from + 1).to_string()), Some((to + 1).to_string()));
                    findings.changed.push((self.old_node(one), self.new_node(other), change));
                }
            }
            return;
        }
        if self.is_in_sight(reorder.parents) {
            let words = format!("reordered {} of {}", moved.len(), reorder.common);
            let change = Change::new("order", None, Some(words));
            let NodePair { old, new } = reorder.parents;
            findings.changed.push((self.old_node(old), self.new_node(new), change));
        }
    }

    /// How many edits the lossless script has, without making it: nodes inserted and deleted, moves, and for each
    /// touched pair one for whatever of its own changed.
    pub fn script_length(&self) -> usize {
        let mut left: Vec<NodeIndex> = self.edits.moved.iter().map(|pair| pair.old).collect();
        let mut arrived: Vec<NodeIndex> = self.edits.moved.iter().map(|pair| pair.new).collect();
        left.sort_unstable();
        arrived.sort_unstable();
        let mut length = self.edits.moved.len();
        length += self.edits.reordered.iter().map(|reorder| reorder.moved.len()).sum::<usize>();
        for &root in &self.edits.deleted {
            each_own(self.old_document(), root, &left, |_| length += 1);
        }
        for &root in &self.edits.inserted {
            each_own(self.new_document(), root, &arrived, |_| length += 1);
        }
        length + self.edits.touched.iter().filter(|pair| self.differs_itself(**pair)).count()
    }

    fn is_same_text(&self, NodePair { old: one, new: other }: NodePair) -> bool {
        let (part, other_part) = (self.before.part_of(self.old), self.after.part_of(self.new));
        let (was, is) = (self.old_document().value[one], self.new_document().value[other]);
        part.strings.bytes(was) == other_part.strings.bytes(is)
    }

    fn differs_itself(&self, pair: NodePair) -> bool {
        const OWN: u16 = flag::CHECKED | flag::SELECTED | flag::SHADOW | flag::RENDERED;
        let (old, new) = (self.old_document(), self.new_document());
        let NodePair { old: one, new: other } = pair;
        (old.flags[one] ^ new.flags[other]) & OWN != 0
            || !self.is_same_text(pair)
            || !same_attributes(self.before, self.old_node(one), self.after, self.new_node(other))
    }
}

fn same_attributes(before: &Snapshot, old: Node, after: &Snapshot, new: Node) -> bool {
    let (one, other) = (before.strings(old), after.strings(new));
    let (ours, theirs) = (before.document(old).attributes(old.index), after.document(new).attributes(new.index));
    let live = value(before, old) == value(after, new);
    live && ours.len() == theirs.len()
        && ours
            .iter()
            .zip(theirs)
            .all(|(a, b)| one.bytes(a[0]) == other.bytes(b[0]) && one.bytes(a[1]) == other.bytes(b[1]))
}

/// Whether an element makes a link of what was there before.
fn is_link(snapshot: &Snapshot, node: Node) -> bool {
    snapshot.document(node).has(node.index, flag::RENDERED) && role(snapshot, node) == Role::Link
}

/// Whether anything rendered under `root` came or went with it: nodes in `others` only changed places.
fn has_own(document: &Document, root: NodeIndex, others: &HashSet<NodeIndex>) -> bool {
    if !document.has(root, flag::RENDERED) {
        return false;
    }
    let mut node = root;
    let mut moved = false;
    let mut own = false;
    while node < document.end(root) {
        if others.contains(&node) {
            moved = true;
            node = document.end(node);
            continue;
        }
        own |= document.is_shown(node) && document.is_text(node);
        node += 1;
    }
    own || !moved
}

/// The nodes that are inside no other one, sorted.
fn topmost(document: &Document, mut nodes: Vec<NodeIndex>) -> Vec<NodeIndex> {
    nodes.sort_unstable();
    let mut end = NodeIndex::ROOT;
    nodes.retain(|&node| {
        let top = node >= end;
        if top {
            end = document.end(node);
        }
        top
    });
    nodes
}

/// Whether `node` is in one of the subtrees at `roots` (sorted, topmost).
fn is_inside(document: &Document, roots: &[NodeIndex], node: NodeIndex) -> bool {
    let at = roots.partition_point(|&root| root <= node);
    at > 0 && document.within(node, roots[at - 1])
}

/// The elements of a list, in pre-order and so sorted.
fn elements(document: &Document, parent: NodeIndex) -> Vec<NodeIndex> {
    document.children(parent).filter(|&child| document.is_element(child)).collect()
}
