//! Form controls: their labels and values.

use crate::capture::atom::Atom;
use crate::capture::columns::{flag, rare};
use crate::capture::page::Node;
use crate::element::ids::{by_id, in_tree_of};
use crate::element::index::index_of;
use crate::element::name::{words_within, ABOVE, LABEL_NODES};
use crate::element::role::input_type;
use crate::element::snapshot::Snapshot;
use crate::element::text::rendered_text;

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
    let is_control = |index: &u32| document.has_tag(*index) && is_labelable(snapshot, node(*index));
    if let Some(id) = snapshot.attribute(label, Atom::For) {
        return by_id(snapshot, label, id).filter(is_control).map(node);
    }
    (label.index + 1..document.end(label.index)).take(LABEL_NODES as usize).find(is_control).map(node)
}

/// The labels of a control, in document order: those that name it, and the one that holds it first. A label that names a
/// custom element is one for the first control in its shadow tree, which has none of its own.
pub fn labels(snapshot: &Snapshot, node: Node) -> Vec<u32> {
    let document = snapshot.document(node);
    let mut found = naming(snapshot, node);
    let is = |index: u32, tag: Atom| snapshot.tag(Node { index, ..node }) == tag;
    let above = std::iter::successors(document.parent_of(node.index), |&node| document.parent_of(node)).take(ABOVE);
    let mut first = node.index;
    for label in above.filter(|&index| is(index, Atom::Label)) {
        // It is for the first control that it holds: one that comes before this one has all further labels too.
        if has_control(snapshot, node, label + 1, first) || first - label > LABEL_NODES {
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
fn naming(snapshot: &Snapshot, node: Node) -> Vec<u32> {
    let Some(id) = snapshot.attribute(node, Atom::Id).filter(|id| !id.is_empty()) else { return Vec::new() };
    if by_id(snapshot, node, id) != Some(node.index) {
        return Vec::new();
    }
    let is_flat = snapshot.document(node).shadow.is_empty();
    let is_for = |&index: &u32| {
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
    let is_custom = snapshot.strings(host).bytes(document.name[host.index as usize]).contains(&b'-');
    (is_custom && !has_control(snapshot, control, host.index + 1, control.index)).then_some(host)
}

/// Whether one of the nodes from `start` to `end` is a control that a label can be for.
fn has_control(snapshot: &Snapshot, node: Node, start: u32, end: u32) -> bool {
    let mut elements = (start..end).take(LABEL_NODES as usize).filter(|&index| snapshot.document(node).has_tag(index));
    elements.any(|index| is_labelable(snapshot, Node { index, ..node }))
}

/// What a button made of an `input` says: its value, if it has one.
pub fn button_value(snapshot: &Snapshot, node: Node) -> Option<&str> {
    let live = rare(&snapshot.document(node).input_value, node.index).map(|id| snapshot.strings(node).get(id));
    let given = snapshot.attribute(node, Atom::Value);
    live.filter(|live| given.is_some() || !live.is_empty()).or(given)
}

/// Whether an `input` of this type is a button.
pub fn is_button(kind: &str) -> bool {
    matches!(kind, "button" | "submit" | "reset" | "image")
}

/// The value of a control, where the capture has it.
pub fn value(snapshot: &Snapshot, node: Node) -> Option<String> {
    let document = snapshot.document(node);
    let live = rare(&document.input_value, node.index).or_else(|| rare(&document.text_value, node.index));
    live.map(|id| snapshot.strings(node).get(id).to_owned())
}

/// The values of the selected options of a list, joined by ", ".
pub fn selected_values(snapshot: &Snapshot, node: Node) -> String {
    let document = snapshot.document(node);
    let inside = node.index + 1..document.end(node.index);
    let options = inside
        .map(|index| Node { index, ..node })
        .filter(|option| document.has(option.index, flag::SELECTED) && snapshot.tag(*option) == Atom::Option);
    let values = options.map(|option| match snapshot.attribute(option, Atom::Value) {
        Some(value) => value.to_owned(),
        None => option_text(snapshot, option),
    });
    values.collect::<Vec<_>>().join(", ")
}

fn option_text(snapshot: &Snapshot, option: Node) -> String {
    let shown = rendered_text(snapshot, option);
    if shown.is_empty() {
        words_within(snapshot, option)
    } else {
        shown
    }
}
