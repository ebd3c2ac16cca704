//! Elements that refer to others by id. An id belongs to one tree: the document, or one shadow tree.

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::page::Node;
use crate::element::index::{index_of, Kind, SAME_ID};
use crate::element::role::named_attribute;
use crate::element::selector::tree_parent;
use crate::element::snapshot::Snapshot;

/// Ancestors that are looked at for the shadow tree of an element.
const DEEP: usize = 512;

/// Elements that `aria-labelledby` may name, and bytes of it that are read.
const NAMERS: usize = 32;
const ID_BYTES: usize = 4096;

/// Whether `aria-labelledby` names an element that is there.
pub fn has_namer(snapshot: &Snapshot, node: Node) -> bool {
    namers(snapshot, node).next().is_some()
}

/// The elements that `aria-labelledby` names.
pub fn namers(snapshot: &Snapshot, node: Node) -> impl Iterator<Item = u32> + '_ {
    let ids =
        snapshot.attribute(node, Atom::AriaLabelledby).or_else(|| named_attribute(snapshot, node, "aria-labeledby"));
    let ids = ids.map(|ids| ids.get(..ID_BYTES).unwrap_or(ids)).unwrap_or_default();
    ids.split_ascii_whitespace().take(NAMERS).filter_map(move |id| by_id(snapshot, node, id))
}

/// The element with this id in the tree of `node`.
pub fn by_id(snapshot: &Snapshot, node: Node, id: &str) -> Option<u32> {
    let index = index_of(snapshot, node.document);
    if snapshot.document(node).shadow.is_empty() {
        return index.by_id(id);
    }
    let exactly = |at: &u32| snapshot.attribute(Node { index: *at, ..node }, Atom::Id) == Some(id);
    in_tree_of(snapshot, node, index.having(Kind::Id, id)).find(exactly)
}

/// Those of `nodes`, which ascend, that are in the same tree as `node`. Components bring the same ids again and again,
/// so all that lies outside of the host is passed at once.
pub fn in_tree_of<'a>(snapshot: &'a Snapshot, node: Node, nodes: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
    let document = snapshot.document(node);
    let is_flat = document.shadow.is_empty();
    let tree = if is_flat { None } else { tree_of(snapshot, node) };
    let (first, end) = tree.map_or((0, document.len() as u32), |host| (host, document.end(host)));
    let from = nodes.partition_point(|&index| index < first);
    let within = nodes[from..].iter().copied().take_while(move |&index| index < end).take(SAME_ID);
    within.filter(move |&index| is_flat || tree_of(snapshot, Node { index, ..node }) == tree)
}

/// The host of the shadow tree that a node is in; None in the document, and where it is very deep.
fn tree_of(snapshot: &Snapshot, node: Node) -> Option<u32> {
    let document = snapshot.document(node);
    let mut above = std::iter::successors(Some(node), |node| tree_parent(snapshot, *node)).take(DEEP);
    above.find(|at| document.has(at.index, flag::SHADOW)).and_then(|top| document.parent_of(top.index))
}
