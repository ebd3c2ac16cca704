//! Volatile masks: nodes that a second set of digests leaves out because they change by themselves.
//!
//! Masks serve stability and recognition: is this the page that was here before, but for its clock? They never hide
//! anything from the delta, and each is reported with what it leaves out and why. What a mask leaves out is as narrow as
//! it can be: the digits of a text, the text, an animated style, the attributes, what a subtree holds beyond its
//! structure, and only then the subtree.
//!
//! Never masked beyond its text and animated style: what takes more than 30 % of the viewport, and what holds the
//! focused element. A capture does not tell the focus; unless the caller does, a rendered control with a live value
//! (where one types) is taken to have it.

use std::cmp::Reverse;

use crate::capture::bounds::bounds;
use crate::capture::columns::flag;
use crate::capture::node::{Interval, Node, NodeIndex};
use crate::digest::action::Action;
use crate::digest::stored::{Digests, masked_digests};
use crate::element::snapshot::Snapshot;
use crate::mask::level::{Level, Mask, Why};
use crate::mask::places::Places;
use crate::mask::rules::rules;

/// The share of the viewport above which nothing but texts and animated styles is masked.
const LARGEST_SHARE: f32 = 0.3;

/// A mask that was learned: a place and what changes there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learned {
    /// The steps from the root of the page.
    pub path: Vec<u64>,
    pub level: Level,
    pub changed: u8,
    pub probes: u8,
}

/// The node that has the focus: its part and backend node id.
pub type Focus = (String, u32);

/// What is to be masked, in whatever snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Masks {
    /// Whether the static rules apply.
    pub rules: bool,
    /// Sorted by path.
    learned: Vec<Learned>,
}

/// The digests of a snapshot, plain and under masks, and the masks that were used.
pub struct Masked {
    pub plain: Digests,
    pub digests: Digests,
    pub masks: Vec<Mask>,
}

impl Masks {
    pub fn new(rules: bool, mut learned: Vec<Learned>) -> Self {
        learned.sort_by(|one, other| (&one.path, one.level).cmp(&(&other.path, other.level)));
        Self { rules, learned }
    }

    pub fn learned(&self) -> &[Learned] {
        &self.learned
    }

    /// The digests of `snapshot`, with and without the masks. O(nodes).
    pub fn apply(&self, snapshot: &Snapshot, focus: Option<&Focus>) -> Masked {
        let masks = self.on(snapshot, focus);
        if masks.is_empty() {
            let plain = *snapshot.digests();
            return Masked { plain, digests: plain, masks };
        }
        let (plain, digests) = masked_digests(snapshot, &actions(snapshot, &masks));
        Masked { plain, digests, masks }
    }

    /// The masks that hold in `snapshot`, in page order.
    pub fn on(&self, snapshot: &Snapshot, focus: Option<&Focus>) -> Vec<Mask> {
        let mut masks = if self.rules { rules(snapshot) } else { Vec::new() };
        masks.extend(self.found_in(snapshot));
        // What has to be known for the guard costs a look at every node.
        if masks.iter().any(|mask| !mask.level.is_harmless()) {
            let guard = Guard::new(snapshot, focus);
            masks.retain(|mask| mask.level.is_harmless() || guard.allows(mask.node));
        }
        masks.sort_by_key(|mask| (mask.node, Reverse(mask.level)));
        // Of one lane the widest holds.
        masks.dedup_by_key(|mask| (mask.node, mask.level.lane()));
        outermost(snapshot, &masks)
    }

    /// The learned masks by the nodes that are in their places. O(children of the nodes on the ways there).
    fn found_in(&self, snapshot: &Snapshot) -> Vec<Mask> {
        let mut found = Vec::new();
        if self.learned.is_empty() {
            return found;
        }
        let places = Places::new(snapshot);
        // A node, and the masks whose paths begin with its own.
        let mut stack = vec![(places.root(), 0..self.learned.len(), 0usize)];
        while let Some((node, range, depth)) = stack.pop() {
            let here = self.learned[range.clone()].partition_point(|mask| mask.path.len() == depth);
            for mask in &self.learned[range.start..range.start + here] {
                let why = Why::Learned { changed: mask.changed, probes: mask.probes };
                found.push(Mask { node, level: mask.level, why });
            }
            let below = range.start + here..range.end;
            if below.is_empty() {
                continue;
            }
            for child in places.children(node) {
                let step = child.step();
                let deeper = &self.learned[below.clone()];
                let start = below.start + deeper.partition_point(|mask| mask.path[depth] < step);
                let end = below.start + deeper.partition_point(|mask| mask.path[depth] <= step);
                if start < end {
                    stack.push((child.node, start..end, depth + 1));
                }
            }
        }
        found
    }
}

/// Those of `masks`, which are in order, that lie in no subtree which is masked as a whole; in page order.
fn outermost(snapshot: &Snapshot, masks: &[Mask]) -> Vec<Mask> {
    let mut kept = Vec::with_capacity(masks.len());
    // By document, the subtrees that are masked; None for a document in a frame in one of them.
    let mut covered: Vec<Option<Vec<Interval>>> = vec![None; snapshot.documents.len()];
    for &at in &snapshot.order {
        let is_covered = snapshot.owner[at].is_some_and(|owner| match &covered[owner.document] {
            None => true,
            Some(spans) => {
                let after = spans.partition_point(|span| span.start <= owner.index);
                after > 0 && owner.index < spans[after - 1].end
            }
        });
        if is_covered {
            continue;
        }
        let start = masks.partition_point(|mask| mask.node.document < at);
        let end = masks.partition_point(|mask| mask.node.document <= at);
        let mut spans: Vec<Interval> = Vec::new();
        for mask in &masks[start..end] {
            let Node { index, .. } = mask.node;
            if spans.last().is_some_and(|span| index < span.end) {
                continue;
            }
            if mask.level >= Level::Structure {
                spans.push(snapshot.documents[at].subtree(index));
            }
            kept.push(*mask);
        }
        covered[at] = Some(spans);
    }
    kept
}

/// By document, what is done to which nodes, in their order; one action per node, the widest.
fn actions(snapshot: &Snapshot, masks: &[Mask]) -> Vec<Vec<(NodeIndex, Action)>> {
    let mut actions: Vec<Vec<(NodeIndex, Action)>> = vec![Vec::new(); snapshot.documents.len()];
    for mask in masks {
        let (document, index) = (snapshot.document(mask.node), mask.node.index);
        let list = &mut actions[mask.node.document];
        let texts = |node: NodeIndex| document.children(node).filter(|&child| document.is_text(child));
        match mask.level {
            Level::Digits if document.is_text(index) => list.push((index, Action::Digits)),
            Level::Digits => list.extend(texts(index).map(|text| (text, Action::Digits))),
            Level::Text => list.extend(texts(index).map(|text| (text, Action::Hide))),
            Level::Style => list.push((index, Action::Style)),
            Level::Attributes => list.push((index, Action::Attributes)),
            Level::Structure => list.push((index, Action::Structure)),
            Level::Subtree => list.push((index, Action::Hide)),
        }
    }
    for list in &mut actions {
        list.sort_by_key(|&(node, action)| (node, Reverse(action)));
        list.dedup_by_key(|entry| entry.0);
    }
    actions
}

/// Tells what must not be masked beyond its text.
pub struct Guard<'a> {
    snapshot: &'a Snapshot,
    /// By document, in order: the nodes that have the focus, or may have it, and the frames that hold such nodes.
    focus: Vec<Vec<NodeIndex>>,
    viewport: Option<[f32; 4]>,
    /// Whether boxes can be looked up: a capture whose layout is out of order would make each a search.
    has_boxes: bool,
}

impl<'a> Guard<'a> {
    /// O(nodes).
    pub fn new(snapshot: &'a Snapshot, focus: Option<&Focus>) -> Self {
        let has_boxes = snapshot.documents.iter().all(|document| document.layout_node.is_sorted());
        let root = Node { document: snapshot.order[0], index: NodeIndex::ROOT };
        let viewport = if has_boxes { box_of(snapshot, root) } else { None };
        Self { snapshot, focus: focusable(snapshot, focus), viewport, has_boxes }
    }

    pub fn allows(&self, node: Node) -> bool {
        let document = self.snapshot.document(node);
        let focus = &self.focus[node.document];
        let after = focus.partition_point(|&index| index < node.index);
        let holds_focus = focus.get(after).is_some_and(|&index| index < document.end(node.index));
        !holds_focus && self.share(node) <= LARGEST_SHARE
    }

    /// The share of the viewport that an element takes; where no boxes are known, that of the nodes of its document.
    fn share(&self, node: Node) -> f32 {
        let document = self.snapshot.document(node);
        let Some([_, _, width, height]) = self.viewport.filter(|area| area[2] * area[3] > 0.0) else {
            return document.size[node.index] as f32 / document.len() as f32;
        };
        if !self.has_boxes {
            return 1.0;
        }
        // A document is as large as its frame.
        let holder = self.snapshot.owner[node.document].filter(|_| node.index == NodeIndex::ROOT);
        let Some([_, _, wide, high]) = box_of(self.snapshot, holder.unwrap_or(node)) else { return 0.0 };
        wide.min(width) * high.min(height) / (width * height)
    }
}

fn box_of(snapshot: &Snapshot, node: Node) -> Option<[f32; 4]> {
    let has_box = snapshot.document(node).has(node.index, flag::BOX);
    has_box.then(|| bounds(snapshot, node)).flatten()
}

/// By document, in order: the node that has the focus, or else all that may have it, and the frames that hold them.
fn focusable(snapshot: &Snapshot, focus: Option<&Focus>) -> Vec<Vec<NodeIndex>> {
    let mut found: Vec<Vec<NodeIndex>> = vec![Vec::new(); snapshot.documents.len()];
    match focus {
        Some((part, backend_node_id)) => {
            let node = snapshot.find(part, *backend_node_id);
            node.into_iter().for_each(|node| found[node.document].push(node.index));
        }
        None => {
            let wanted = flag::VALUE | flag::RENDERED;
            for (document, list) in snapshot.documents.iter().zip(&mut found) {
                let controls =
                    document.flags.iter().zip(document.nodes()).filter(|(bits, _)| **bits & wanted == wanted);
                list.extend(controls.map(|(_, index)| index));
            }
        }
    }
    for &at in snapshot.order.iter().rev() {
        found[at].sort_unstable();
        if let (false, Some(owner)) = (found[at].is_empty(), snapshot.owner[at]) {
            found[owner.document].push(owner.index);
        }
    }
    found
}
