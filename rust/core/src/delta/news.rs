//! The text of a part of a page in a row that has no room for all of it: what is new there comes first, what leads
//! around in it comes last.

use crate::capture::node::Node;
use crate::delta::table::is_header;
use crate::element::reading::Enter;
use crate::element::role::role;
use crate::element::roles::Role;
use crate::element::snapshot::Snapshot;
use crate::element::text::{has_own_text, text_except, text_within};

/// Nodes of a strip of links, tabs or buttons, how many of them make one, and bytes of the longest label.
const STRIP_NODES: u32 = 200;
const STRIP: usize = 3;
const LABEL: usize = 40;

/// Strips of one part that come after its text; any beyond stay where they are.
const STRIPS: usize = 16;

/// The text in and under `node`: navigation, strips of tabs, links or buttons, and the heads of columns come last.
pub fn news_first(snapshot: &Snapshot, node: Node) -> String {
    let strips = strips(snapshot, node);
    let news = text_except(snapshot, node, |at| if strips.contains(&at) { Enter::Skip } else { Enter::Into });
    let rest = strips.iter().map(|&strip| text_within(snapshot, strip, STRIP_NODES));
    let told: Vec<String> = std::iter::once(news).chain(rest).filter(|text| !text.is_empty()).collect();
    told.join(" ")
}

/// The topmost elements under `node` that lead around or head columns, in document order. O(nodes · their depth in
/// small elements).
fn strips(snapshot: &Snapshot, node: Node) -> Vec<Node> {
    let document = snapshot.document(node);
    let end = document.end(node.index);
    let (mut index, mut found) = (node.index + 1, Vec::new());
    while index < end && found.len() < STRIPS {
        let at = Node { index, ..node };
        let is_strip = document.is_element(index) && document.is_shown(index) && leads_around(snapshot, at);
        if is_strip {
            found.push(at);
        }
        index = if is_strip || !document.is_shown(index) { document.end(index) } else { index + 1 };
    }
    found
}

fn leads_around(snapshot: &Snapshot, node: Node) -> bool {
    match role(snapshot, node) {
        Role::Navigation | Role::TabList | Role::Toolbar | Role::MenuBar => true,
        Role::Row => is_header(snapshot, node),
        Role::Table | Role::Grid | Role::TreeGrid | Role::RowGroup | Role::Article => false,
        role => !is_label(role) && is_strip(snapshot, node),
    }
}

/// Whether the text of the element says what it leads to or does.
fn is_label(role: Role) -> bool {
    use Role::*;
    matches!(role, Link | Button | Tab | MenuItem | MenuItemCheckbox | MenuItemRadio)
}

/// Whether all text in the element is that of some short controls.
fn is_strip(snapshot: &Snapshot, node: Node) -> bool {
    let document = snapshot.document(node);
    if document.size[node.index] > STRIP_NODES || has_own_text(snapshot, node) {
        return false;
    }
    let (mut index, mut controls) = (node.index + 1, 0);
    while index < document.end(node.index) {
        let at = Node { index, ..node };
        if !document.is_shown(index) {
            index = document.end(index);
            continue;
        }
        if document.is_element(index) && is_label(role(snapshot, at)) {
            if text_within(snapshot, at, STRIP_NODES).len() > LABEL {
                return false;
            }
            controls += 1;
            index = document.end(index);
            continue;
        }
        if document.is_element(index) && has_own_text(snapshot, at) {
            return false;
        }
        index += 1;
    }
    controls >= STRIP
}
