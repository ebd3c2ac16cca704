//! The element that a subtree is known by: of a layer with a dialog in it, the dialog.

use crate::capture::snapshot::{Node, Snapshot};
use crate::element::role::{is_urgent, role};
use crate::element::roles::Role;
use crate::element::text::text_within;

/// Nodes of a subtree that are searched, and of which texts are compared.
const SEARCHED: u32 = 64;
const MEASURED: u32 = 256;

/// The first element in `node` that speaks up or is a list to choose from and has all of its text; else `node`.
pub fn of(snapshot: &Snapshot, node: Node) -> Node {
    if !matches!(role(snapshot, node), Role::Generic | Role::None) {
        return node;
    }
    let document = snapshot.document(node);
    let end = document.end(node.index).min(node.index.saturating_add(SEARCHED));
    let shown = |&index: &u32| document.is_element(index) && document.is_shown(index);
    let found =
        (node.index + 1..end).filter(shown).map(|index| Node { index, ..node }).find(|&at| speaks(snapshot, at));
    let has_all = |at: &Node| text_within(snapshot, *at, MEASURED) == text_within(snapshot, node, MEASURED);
    found.filter(has_all).unwrap_or(node)
}

fn speaks(snapshot: &Snapshot, node: Node) -> bool {
    let role = role(snapshot, node);
    is_urgent(snapshot, node, role) || matches!(role, Role::Listbox | Role::Menu | Role::Tooltip | Role::Tree)
}
