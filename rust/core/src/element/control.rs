//! The values of form controls.

use crate::capture::atom::Atom;
use crate::capture::columns::{flag, rare};
use crate::capture::node::Node;
use crate::element::snapshot::Snapshot;
use crate::element::text::{rendered_text, words_within};

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
    let inside = document.inside(node.index);
    let options = inside
        .nodes()
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
    if shown.is_empty() { words_within(snapshot, option) } else { shown }
}
