//! Which labels a control has, and which control a label is for.

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::{Interval, Node, NodeIndex};
use crate::element::attributes::input_type;
use crate::element::ids::{by_id, in_tree_of};
use crate::element::snapshot::{Snapshot, index_of};

/// Nodes of a label among which its control is looked for.
pub(super) const LABEL_NODES: u32 = 512;

/// Ancestors that are looked at for a label, and for what hides an element.
pub(super) const ABOVE: usize = 64;

/// Whether a label can be for it.
pub fn is_labelable(snapshot: &Snapshot, node: Node) -> bool {
    use Atom::*;
    match snapshot.tag(node) {
        Input => input_type(snapshot, node) != "hidden",
        Button | Meter | Output | Progress | Select | Textarea => true,
        // A custom element that speaks for itself is taken for one that belongs to forms.
        _ => snapshot.has_internals(node),
    }
}

/// The control that a label is for.
pub fn control_of(snapshot: &Snapshot, label: Node) -> Option<Node> {
    let document = snapshot.document(label);
    let node = |index| Node { index, ..label };
    let is_control = |index: &NodeIndex| document.has_tag(*index) && is_labelable(snapshot, node(*index));
    if let Some(id) = snapshot.attribute(label, Atom::For) {
        return by_id(snapshot, label, id).filter(is_control).map(node);
    }
    document.inside(label.index).nodes().take(LABEL_NODES as usize).find(is_control).map(node)
}

/// The labels of a control, in document order: those that name it, and the one that holds it first. A label that names a
/// custom element is one for the first control in its shadow tree, which has none of its own.
pub fn labels(snapshot: &Snapshot, node: Node) -> Vec<NodeIndex> {
    let document = snapshot.document(node);
    let mut found = naming(snapshot, node);
    let is = |index: NodeIndex, tag: Atom| snapshot.tag(Node { index, ..node }) == tag;
    let above = std::iter::successors(document.parent_of(node.index), |&node| document.parent_of(node)).take(ABOVE);
    let mut first = node.index;
    for label in above.filter(|&index| is(index, Atom::Label)) {
        // It is for the first control that it holds: one that comes before this one has all further labels too.
        if has_control(snapshot, node, (label + 1).until(first)) || first - label > LABEL_NODES {
            break;
        }
        first = label;
        if snapshot.attribute(Node { index: label, ..node }, Atom::For).is_none() {
            found.push(label);
        }
    }
    if found.is_empty() && !document.shadow.is_empty() {
        found = host(snapshot, node).map_or_else(Vec::new, |host| naming(snapshot, host));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The labels that name an element by its id.
fn naming(snapshot: &Snapshot, node: Node) -> Vec<NodeIndex> {
    let Some(id) = snapshot.attribute(node, Atom::Id).filter(|id| !id.is_empty()) else { return Vec::new() };
    if by_id(snapshot, node, id) != Some(node.index) {
        return Vec::new();
    }
    let is_flat = snapshot.document(node).shadow.is_empty();
    let is_for = |&index: &NodeIndex| {
        let label = Node { index, ..node };
        snapshot.tag(label) == Atom::Label
            && snapshot.attribute(label, Atom::For) == Some(id)
            && (is_flat || by_id(snapshot, label, id) == Some(node.index))
    };
    in_tree_of(snapshot, node, index_of(snapshot, node.document).naming(id)).filter(is_for).collect()
}

/// The custom element in whose shadow tree a control is the first one.
fn host(snapshot: &Snapshot, control: Node) -> Option<Node> {
    let document = snapshot.document(control);
    let mut up = std::iter::successors(Some(control.index), |&index| document.parent_of(index)).take(ABOVE);
    let top = up.find(|&index| document.has(index, flag::SHADOW))?;
    let host = Node { index: document.parent_of(top)?, ..control };
    let is_custom = snapshot.strings(host).bytes(document.name[host.index]).contains(&b'-');
    (is_custom && !has_control(snapshot, control, (host.index + 1).until(control.index))).then_some(host)
}

/// Whether one of the nodes is a control that a label can be for.
fn has_control(snapshot: &Snapshot, node: Node, nodes: Interval) -> bool {
    let mut elements = nodes.nodes().take(LABEL_NODES as usize).filter(|&index| snapshot.document(node).has_tag(index));
    elements.any(|index| is_labelable(snapshot, Node { index, ..node }))
}
