//! From subtrees that came or went to the elements worth a row: looks through wrappers.

use std::collections::HashSet;

use crate::capture::atom::Atom;
use crate::capture::bounds::bounds;
use crate::capture::columns::{Document, flag};
use crate::capture::node::{DocumentIndex, Node, NodeIndex};
use crate::digest::canonical::looks_generated;
use crate::digest::region::RegionHashes;
use crate::element::role::{role, takes_input};
use crate::element::roles::Role;
use crate::element::snapshot::Snapshot;
use crate::element::text::has_own_text;

/// A wrapper with more children than this stands for all of them (source: the default length of a list of rows).
const MANY: usize = 12;

/// A document of at least this many nodes has room for a mount point (`#app`) that says nothing itself.
const MOUNTED: usize = 30;

/// How far subtrees are looked through for the elements that stand for them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// The document is the same: wrappers alone.
    Subtree,
    /// Another document took its place: its parts too, since nearly all of them are new.
    Parts,
    /// The whole document is new: wrappers with several children too.
    Whole,
}

/// How subtrees are turned into rows.
pub struct Lens<'a> {
    pub snapshot: &'a Snapshot,
    /// How far parts of the page are looked through.
    pub depth: Depth,
    /// Visible hashes of the subtrees of the other side: what is in it has neither come nor gone.
    pub reused: Option<&'a HashSet<u64>>,
    /// By node; empty without `reused`.
    shares: Vec<Share>,
    hashes: Option<&'a RegionHashes<'a>>,
    document: DocumentIndex,
}

/// What the other side has: the visible hashes of its subtrees, and the hashes of this side to look up.
#[derive(Clone, Copy)]
pub struct Reuse<'a> {
    pub theirs: &'a HashSet<u64>,
    pub ours: &'a RegionHashes<'a>,
}

impl<'a> Lens<'a> {
    /// The elements that stand for the subtrees at `roots`, in document order.
    pub fn rows(
        snapshot: &'a Snapshot,
        document: DocumentIndex,
        depth: Depth,
        reuse: Option<Reuse<'a>>,
        roots: &[NodeIndex],
    ) -> Vec<Node> {
        let shares = reuse.map_or_else(Vec::new, |reuse| shares(snapshot, document, reuse, roots));
        let (reused, hashes) = (reuse.map(|reuse| reuse.theirs), reuse.map(|reuse| reuse.ours));
        Self { snapshot, depth, reused, shares, hashes, document }.look(roots)
    }

    fn look(&self, roots: &[NodeIndex]) -> Vec<Node> {
        let mut stack: Vec<NodeIndex> = roots.iter().rev().copied().collect();
        let mut rows = Vec::new();
        while let Some(index) = stack.pop() {
            if !self.counts(index) {
                continue;
            }
            let kids: Vec<NodeIndex> = self.document().children(index).filter(|&kid| self.counts(kid)).collect();
            let node = self.node(index);
            if !kids.is_empty() && self.looks_through(node, &kids) {
                stack.extend(kids.iter().rev());
            } else if !self.is_frame_of_page(node) && is_presentable(self.snapshot, node) {
                rows.push(self.representative(node));
            }
        }
        rows
    }

    fn document(&self) -> &'a Document {
        &self.snapshot.documents[self.document]
    }

    fn node(&self, index: NodeIndex) -> Node {
        Node { document: self.document, index }
    }

    /// Whether the node is a rendered element (or the document) that the other side does not have.
    fn counts(&self, index: NodeIndex) -> bool {
        let document = self.document();
        document.is_shown(index) && !document.is_text(index) && !self.is_reused(index)
    }

    fn is_reused(&self, index: NodeIndex) -> bool {
        let (Some(reused), Some(hashes)) = (self.reused, self.hashes) else { return false };
        reused.contains(&hashes.get(index)[1])
    }

    fn looks_through(&self, node: Node, kids: &[NodeIndex]) -> bool {
        if self.is_frame_of_page(node) {
            return true;
        }
        if self.is_mostly_reused(node) && !self.has_fresh_text(node) {
            return true;
        }
        if self.depth == Depth::Subtree || kids.len() > MANY || has_own_text(self.snapshot, node) {
            return false;
        }
        self.is_part_of_page(node) || self.is_whole() && self.is_wrapper(node) && kids.len() > 1
    }

    fn is_whole(&self) -> bool {
        self.depth == Depth::Whole
    }

    /// The document, `html` and `body` are never rows of their own while they hold something.
    fn is_frame_of_page(&self, node: Node) -> bool {
        !self.document().is_element(node.index) || matches!(self.snapshot.tag(node), Atom::Html | Atom::Body)
    }

    fn is_mostly_reused(&self, node: Node) -> bool {
        self.shares.get(node.index.at()).is_some_and(|share| share.reused * 2 >= share.all && share.reused > 0)
    }

    /// Whether a text stands directly in the element that the other side does not have: no row further in would tell it.
    fn has_fresh_text(&self, node: Node) -> bool {
        let document = self.document();
        let is_text = |&child: &NodeIndex| document.is_text(child) && document.has(child, flag::RENDERED);
        document.children(node.index).filter(is_text).any(|text| !self.is_reused(text))
    }

    /// Whether the element only groups others: no role, label or lasting id of its own.
    fn is_wrapper(&self, node: Node) -> bool {
        let snapshot = self.snapshot;
        let grouping = match snapshot.tag(node) {
            Atom::Div | Atom::Span | Atom::Center | Atom::Slot | Atom::Section | Atom::Article => true,
            Atom::Main => self.is_whole(),
            Atom::Other => snapshot.tag_name(node).contains('-'),
            _ => false,
        };
        grouping
            && snapshot.attribute(node, Atom::Role).is_none()
            && snapshot.attribute(node, Atom::AriaLabel).is_none()
            && (!has_lasting_id(snapshot, node) || self.is_mount_point(node))
    }

    /// The one element that an application puts the whole page in.
    fn is_mount_point(&self, node: Node) -> bool {
        let size = self.document().size[node.index] as usize;
        self.is_whole() && size >= MOUNTED && size * 2 > self.document().len()
    }

    /// A large part of another page, or what holds its main content: what a user reads there stands further in.
    fn is_part_of_page(&self, node: Node) -> bool {
        let size = self.document().size[node.index] as usize;
        let groups = matches!(self.snapshot.tag(node), Atom::Div | Atom::Section | Atom::Article | Atom::Main);
        let role = role(self.snapshot, node);
        let is_part = matches!(role, Role::Generic | Role::Main | Role::Article | Role::Region);
        groups && is_part && (size >= MOUNTED || role == Role::Main || self.holds_main(node))
    }

    fn holds_main(&self, node: Node) -> bool {
        let end = self.document().end(node.index).min(node.index + MOUNTED as u32);
        (node.index + 1)
            .until(end)
            .nodes()
            .any(|index| matches!(self.snapshot.tag(self.node(index)), Atom::Main | Atom::H1))
    }

    /// Follow wrappers with a single child down to the first element that means something; the wrapper itself if
    /// there is none.
    fn representative(&self, node: Node) -> Node {
        let mut at = node;
        while self.is_wrapper(at) && !has_own_text(self.snapshot, at) {
            let mut kids = self.document().children(at.index).filter(|&kid| self.counts(kid));
            let (Some(kid), None) = (kids.next(), kids.next()) else { return node };
            at = self.node(kid);
        }
        if is_semantic(self.snapshot, at) { at } else { node }
    }
}

/// Whether the element has a lasting id or an attribute for tests.
pub fn has_lasting_id(snapshot: &Snapshot, node: Node) -> bool {
    let id = snapshot.attribute(node, Atom::Id).is_some_and(|id| !id.is_empty() && !looks_generated(id));
    id || snapshot.attribute(node, Atom::DataTestid).is_some()
}

fn is_semantic(snapshot: &Snapshot, node: Node) -> bool {
    role(snapshot, node).is_structure()
        || has_lasting_id(snapshot, node)
        || snapshot.attribute(node, Atom::AriaLabel).is_some()
}

/// Whether there is anything to be seen of the element: text, a control, a picture, or at least a box.
pub fn is_presentable(snapshot: &Snapshot, node: Node) -> bool {
    holds_something(snapshot, node) || bounds(snapshot, node).is_some_and(|[_, _, width, height]| width * height > 0.0)
}

/// Whether there is a text, a control or a picture in the element.
pub fn holds_something(snapshot: &Snapshot, node: Node) -> bool {
    snapshot.document(node).subtree(node.index).nodes().any(|index| shows(snapshot, Node { index, ..node }))
}

/// Whether the node itself is something to be seen: a text, a control, a picture.
fn shows(snapshot: &Snapshot, node: Node) -> bool {
    const PICTURES: [Atom; 7] =
        [Atom::Img, Atom::Svg, Atom::Canvas, Atom::Video, Atom::Iframe, Atom::Progress, Atom::Meter];
    let document = snapshot.document(node);
    let is_one = || PICTURES.contains(&snapshot.tag(node)) || takes_input(snapshot, node);
    document.is_shown(node.index) && (document.is_text(node.index) || is_one())
}

/// The visible hashes of all elements and texts in the subtrees at `roots`.
pub fn visible_hashes(document: &Document, hashes: &RegionHashes, roots: &[NodeIndex], into: &mut HashSet<u64>) {
    for &root in roots {
        for node in document.subtree(root) {
            let is_one = document.is_element(node) || document.is_text(node);
            if is_one && document.is_shown(node) {
                into.insert(hashes.get(node)[1]);
            }
        }
    }
}

/// How much of a subtree can be seen, and how much of that is in subtrees that the other side has too. Boxes that hold
/// nothing do not count: they are the same everywhere.
#[derive(Clone, Copy, Default)]
struct Share {
    all: u32,
    reused: u32,
}

fn shares(snapshot: &Snapshot, document: DocumentIndex, reuse: Reuse, roots: &[NodeIndex]) -> Vec<Share> {
    let columns = &snapshot.documents[document];
    let mut shares = vec![Share::default(); columns.len()];
    for &root in roots {
        for index in columns.subtree(root).nodes().rev() {
            let at = index.at();
            shares[at].all += u32::from(shows(snapshot, Node { document, index }));
            let hash = reuse.ours.get(index)[1];
            if hash != 0 && columns.is_element(index) && reuse.theirs.contains(&hash) {
                shares[at].reused = shares[at].all;
            }
            if let Some(parent) = columns.parent_of(index) {
                let Share { all, reused } = shares[at];
                shares[parent].all += all;
                shares[parent].reused += reused;
            }
        }
    }
    shares
}
