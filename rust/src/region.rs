//! From subtrees that came or went to the elements worth naming: wrappers are looked through.

use std::collections::HashSet;

use crate::atom::Atom;
use crate::bounds::bounds;
use crate::canonical::looks_generated;
use crate::columns::{flag, Document};
use crate::role::{role, takes_input};
use crate::snapshot::{Node, Snapshot};
use crate::text::has_own_text;

/// A wrapper with more children than this stands for all of them (source: the default length of a list of rows).
const MANY: usize = 12;

/// A document of at least this many nodes has room for a mount point (`#app`) that says nothing itself.
const MOUNTED: usize = 30;

/// How subtrees are turned into rows.
pub struct Lens<'a> {
    pub snapshot: &'a Snapshot,
    /// A whole document is new: look through wrappers with several children too.
    pub whole: bool,
    /// Visible hashes of the subtrees of the other side: what is in it has neither come nor gone.
    pub reused: Option<&'a HashSet<u64>>,
    /// By node, how many rendered nodes inside are reused; empty without `reused`.
    covered: Vec<u32>,
    document: u32,
}

impl<'a> Lens<'a> {
    pub fn new(snapshot: &'a Snapshot, document: u32, whole: bool, reused: Option<&'a HashSet<u64>>) -> Self {
        let covered = reused.map_or_else(Vec::new, |reused| coverage(snapshot, document, reused));
        Self { snapshot, whole, reused, covered, document }
    }

    /// The elements that stand for the subtrees at `roots`, in document order.
    pub fn rows(&self, roots: &[u32]) -> Vec<Node> {
        let mut stack: Vec<u32> = roots.iter().rev().copied().collect();
        let mut rows = Vec::new();
        while let Some(index) = stack.pop() {
            if !self.counts(index) {
                continue;
            }
            let kids: Vec<u32> = self.document().children(index).filter(|&kid| self.counts(kid)).collect();
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
        &self.snapshot.documents[self.document as usize]
    }

    fn node(&self, index: u32) -> Node {
        Node { document: self.document, index }
    }

    /// Whether the node is a rendered element (or the document) that the other side does not have.
    fn counts(&self, index: u32) -> bool {
        let document = self.document();
        let rendered = document.has(index, flag::RENDERED) && !document.has(index, flag::DROPPED);
        rendered && !document.is_text(index) && !self.is_reused(index)
    }

    fn is_reused(&self, index: u32) -> bool {
        let hashes = || &self.snapshot.digests().nodes[self.document as usize];
        self.reused.is_some_and(|reused| reused.contains(&hashes()[index as usize][1]))
    }

    fn looks_through(&self, node: Node, kids: &[u32]) -> bool {
        if self.is_frame_of_page(node) {
            return true;
        }
        if self.is_mostly_reused(node) {
            return true;
        }
        let plain = self.is_wrapper(node) && !has_own_text(self.snapshot, node);
        plain && self.whole && kids.len() > 1 && kids.len() <= MANY
    }

    /// The document, `html` and `body` are never rows of their own while they hold something.
    fn is_frame_of_page(&self, node: Node) -> bool {
        !self.document().is_element(node.index) || matches!(self.snapshot.tag(node), Atom::Html | Atom::Body)
    }

    fn is_mostly_reused(&self, node: Node) -> bool {
        let Some(&covered) = self.covered.get(node.index as usize) else { return false };
        covered * 2 >= self.document().size[node.index as usize] && covered > 0
    }

    /// Whether the element only groups others: no role, label or lasting id of its own.
    fn is_wrapper(&self, node: Node) -> bool {
        let snapshot = self.snapshot;
        let grouping = match snapshot.tag(node) {
            Atom::Div | Atom::Span | Atom::Center | Atom::Slot | Atom::Section | Atom::Article => true,
            Atom::Main => self.whole,
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
        let size = self.document().size[node.index as usize] as usize;
        self.whole && size >= MOUNTED && size * 2 > self.document().len()
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
fn has_lasting_id(snapshot: &Snapshot, node: Node) -> bool {
    let id = snapshot.attribute(node, Atom::Id).is_some_and(|id| !id.is_empty() && !looks_generated(id));
    id || snapshot.attribute(node, Atom::DataTestid).is_some()
}

fn is_semantic(snapshot: &Snapshot, node: Node) -> bool {
    !role(snapshot, node).is_empty()
        || has_lasting_id(snapshot, node)
        || snapshot.attribute(node, Atom::AriaLabel).is_some()
}

/// Whether there is anything to be seen of the element: text, a control, a picture, or at least a box.
pub fn is_presentable(snapshot: &Snapshot, node: Node) -> bool {
    let document = snapshot.document(node);
    let pictured = |at: Node| {
        matches!(
            snapshot.tag(at),
            Atom::Img | Atom::Svg | Atom::Canvas | Atom::Video | Atom::Iframe | Atom::Progress | Atom::Meter
        )
    };
    let shows = |index: u32| {
        let at = Node { index, ..node };
        let live = document.has(index, flag::RENDERED) && !document.has(index, flag::DROPPED);
        live && (document.is_text(index) || pictured(at) || takes_input(snapshot, at))
    };
    (node.index..document.end(node.index)).any(shows)
        || bounds(snapshot, node).is_some_and(|[_, _, width, height]| width * height > 0.0)
}

/// The visible hashes of all elements in the subtrees at `roots`.
pub fn visible_hashes(snapshot: &Snapshot, document: u32, roots: &[u32], into: &mut HashSet<u64>) {
    let columns = &snapshot.documents[document as usize];
    let hashes = &snapshot.digests().nodes[document as usize];
    for &root in roots {
        for node in root..columns.end(root) {
            if columns.is_element(node) && columns.has(node, flag::RENDERED) && !columns.has(node, flag::DROPPED) {
                into.insert(hashes[node as usize][1]);
            }
        }
    }
}

fn coverage(snapshot: &Snapshot, document: u32, reused: &HashSet<u64>) -> Vec<u32> {
    let columns = &snapshot.documents[document as usize];
    let hashes = &snapshot.digests().nodes[document as usize];
    let mut covered = vec![0u32; columns.len()];
    for node in (0..columns.len()).rev() {
        let element = columns.is_element(node as u32);
        if element && hashes[node][1] != 0 && reused.contains(&hashes[node][1]) {
            covered[node] = columns.size[node];
        }
        if let Some(parent) = columns.parent_of(node as u32) {
            covered[parent as usize] += covered[node];
        }
    }
    covered
}
