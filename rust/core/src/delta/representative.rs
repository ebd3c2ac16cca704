//! The element that represents a subtree: for a layer around a dialog, the dialog.

use crate::capture::node::{Node, NodeIndex};
use crate::delta::region::{has_lasting_id, holds_something};
use crate::delta::weight::is_words;
use crate::element::role::{is_urgent, role};
use crate::element::roles::Role;
use crate::element::snapshot::Snapshot;
use crate::element::text::{has_own_text, text_within};

/// Nodes of a subtree that are searched, and of which texts are compared.
const SEARCHED: u32 = 64;
const MEASURED: u32 = 256;

/// Wrappers around a text.
const DEEP: usize = 8;

/// The first element in `node` that speaks up or is a list to choose from and has all of its text, or the one text that
/// wrappers are put around; else `node`.
pub fn of(snapshot: &Snapshot, node: Node) -> Node {
    if !matches!(role(snapshot, node), Role::Generic | Role::None) {
        return node;
    }
    let document = snapshot.document(node);
    let end = document.end(node.index).min(node.index.saturating_add(SEARCHED));
    let shown = |&index: &NodeIndex| document.is_element(index) && document.is_shown(index);
    let found = (node.index + 1)
        .until(end)
        .nodes()
        .filter(shown)
        .map(|index| Node { index, ..node })
        .find(|&at| speaks(snapshot, at));
    let has_all = |at: &Node| text_within(snapshot, *at, MEASURED) == text_within(snapshot, node, MEASURED);
    found.filter(has_all).or_else(|| only_text(snapshot, node)).unwrap_or(node)
}

/// The element of words that is all there is in a wrapper without an id.
fn only_text(snapshot: &Snapshot, node: Node) -> Option<Node> {
    let document = snapshot.document(node);
    let mut at = node;
    for _ in 0..DEEP {
        if is_words(snapshot, at) {
            return (at != node).then_some(at);
        }
        if has_lasting_id(snapshot, at) || has_own_text(snapshot, at) {
            return None;
        }
        let kids = document.children(at.index).map(|index| Node { index, ..node });
        let mut full = kids.filter(|&kid| document.is_shown(kid.index) && holds_something(snapshot, kid));
        let (Some(kid), None) = (full.next(), full.next()) else { return None };
        at = kid;
    }
    None
}

fn speaks(snapshot: &Snapshot, node: Node) -> bool {
    let role = role(snapshot, node);
    is_urgent(snapshot, node, role) || matches!(role, Role::Listbox | Role::Menu | Role::Tooltip | Role::Tree)
}
