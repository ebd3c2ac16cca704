//! The tree of a document as selectors see it: what is slotted is a child of its host, and where a shadow tree begins.

use crate::capture::atom::Atom;
use crate::capture::columns::{flag, rare};
use crate::capture::node::Node;
use crate::element::snapshot::Snapshot;

/// The parent in the document, or the host of a node at the top of a shadow tree.
///
/// A capture shows what is put into a slot under that slot (it walks the flat tree); in the document it is a child of
/// the host, and selectors see it there, too. The slot is in a shadow tree and what is put into it is not in that one.
pub fn tree_parent(snapshot: &Snapshot, node: Node) -> Option<Node> {
    let parent = snapshot.parent(node)?;
    let document = snapshot.document(node);
    if document.shadow.is_empty() || snapshot.tag(parent) != Atom::Slot {
        return Some(parent);
    }
    let tree = |node: Node| rare(&document.shadow, node.index);
    if tree(parent).is_none() || tree(parent) == tree(node) {
        return Some(parent);
    }
    let mut above = snapshot.inclusive_ancestors(parent);
    above.find(|above| tree(*above) == tree(node))
}

/// Whether `node` is, or may be, the child of a shadow root of `parent`.
///
/// A capture names the type of the shadow root a node is in, so a root inside another of the same type does not show;
/// there a custom element is taken to hold its children in its shadow, which the descendant combinator allows for.
pub fn crosses_shadow(snapshot: &Snapshot, node: Node, parent: Node) -> bool {
    let document = snapshot.document(node);
    if document.has(node.index, flag::SHADOW) {
        return true;
    }
    let in_shadow = rare(&document.shadow, node.index).is_some();
    in_shadow && snapshot.tag_name(parent).contains('-')
}
