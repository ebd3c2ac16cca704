//! Elements that refer to others by id. An id belongs to one tree: the document, or one shadow tree.

use crate::capture::atom::Atom;
use crate::capture::columns::rare;
use crate::capture::node::{Node, NodeIndex};
use crate::element::attributes::named_attribute;
use crate::element::index::SAME_ID;
use crate::element::snapshot::{Snapshot, index_of};
use crate::element::tokens::Kind;
use crate::element::tree::{crosses_shadow, tree_parent};

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
pub fn namers(snapshot: &Snapshot, node: Node) -> impl Iterator<Item = NodeIndex> + '_ {
    let ids =
        snapshot.attribute(node, Atom::AriaLabelledby).or_else(|| named_attribute(snapshot, node, "aria-labeledby"));
    let ids = ids.map(|ids| ids.get(..ID_BYTES).unwrap_or(ids)).unwrap_or_default();
    ids.split_ascii_whitespace().take(NAMERS).filter_map(move |id| by_id(snapshot, node, id))
}

/// The element with this id in the tree of `node`.
pub fn by_id(snapshot: &Snapshot, node: Node, id: &str) -> Option<NodeIndex> {
    let index = index_of(snapshot, node.document);
    if snapshot.document(node).shadow.is_empty() {
        return index.by_id(id);
    }
    let exactly = |at: &NodeIndex| snapshot.attribute(Node { index: *at, ..node }, Atom::Id) == Some(id);
    let found: Vec<NodeIndex> = in_tree_of(snapshot, node, index.having(Kind::Id, id)).filter(exactly).collect();
    if found.len() < 2 || rare(&snapshot.document(node).shadow, node.index).is_none() {
        return found.first().copied();
    }
    let labels: Vec<NodeIndex> =
        in_tree_of(snapshot, node, index.naming(id)).filter(|&label| label != node.index).collect();
    nearest(snapshot, node, &found, &labels)
}

/// The element in `found` nearest to `node`: in the innermost element that holds both, and the least deep there.
/// A capture does not show a shadow root inside another one of the same type, where components use the same ids again,
/// each for its own tree. An element with a label still nearer to it belongs to that label's tree.
fn nearest(snapshot: &Snapshot, node: Node, found: &[NodeIndex], labels: &[NodeIndex]) -> Option<NodeIndex> {
    let document = snapshot.document(node);
    let up_to = |index: NodeIndex, top: NodeIndex| {
        let above = std::iter::successors(Some(index), |&index| document.parent_of(index)).take(DEEP);
        above.take_while(move |&index| index != top)
    };
    let is_of_another = |index: NodeIndex, top: NodeIndex| {
        let part = up_to(index, top).last();
        part.is_some_and(|part| labels.iter().any(|&label| document.within(label, part)))
    };
    let mut above = snapshot.inclusive_ancestors(node).take(DEEP).map(|above| above.index);
    above.find_map(|top| {
        let within = found.iter().copied().filter(|&index| document.within(index, top));
        within.filter(|&index| !is_of_another(index, top)).min_by_key(|&index| up_to(index, top).count())
    })
}

/// Those of `nodes`, which ascend, that are in the same tree as `node`. Components bring the same ids again and again,
/// so all that lies outside of the host is passed at once.
pub fn in_tree_of<'a>(
    snapshot: &'a Snapshot,
    node: Node,
    nodes: &'a [NodeIndex],
) -> impl Iterator<Item = NodeIndex> + 'a {
    let document = snapshot.document(node);
    let is_flat = document.shadow.is_empty();
    let tree = if is_flat { None } else { tree_of(snapshot, node) };
    let tree_nodes = tree.map_or(document.subtree(NodeIndex::ROOT), |host| document.subtree(host));
    let from = nodes.partition_point(|&index| index < tree_nodes.start);
    let within = nodes[from..].iter().copied().take_while(move |&index| index < tree_nodes.end).take(SAME_ID);
    within.filter(move |&index| is_flat || tree_of(snapshot, Node { index, ..node }) == tree)
}

/// The host of the shadow tree that a node is in; None in the document, and where it is very deep.
fn tree_of(snapshot: &Snapshot, node: Node) -> Option<NodeIndex> {
    let mut at = node;
    for _ in 0..DEEP {
        let parent = snapshot.parent(at)?;
        if crosses_shadow(snapshot, at, parent) {
            return Some(parent.index);
        }
        at = holder_of_slotted(snapshot, at, parent).or_else(|| tree_parent(snapshot, at))?;
    }
    None
}

/// The custom element in whose slot a node stands that is in a shadow tree of the same type: it is a child of that one.
fn holder_of_slotted(snapshot: &Snapshot, node: Node, slot: Node) -> Option<Node> {
    let document = snapshot.document(node);
    let tree = |node: Node| rare(&document.shadow, node.index);
    if snapshot.tag(slot) != Atom::Slot || tree(node).is_none() || tree(node) != tree(slot) {
        return None;
    }
    let mut below = slot;
    for above in snapshot.ancestors(slot).take(DEEP) {
        if crosses_shadow(snapshot, below, above) {
            return (tree(above) == tree(node)).then_some(above);
        }
        below = above;
    }
    None
}
