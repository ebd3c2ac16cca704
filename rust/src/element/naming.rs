//! Where the name of an element comes from: a text, or what some elements hold (page/agent/names.js says the same).

use std::borrow::Cow;

use crate::capture::atom::Atom;
use crate::capture::columns::rare;
use crate::capture::snapshot::{Node, Snapshot};
use crate::element::index::{index_of, SAME_ID};
use crate::element::role::{input_type, is_named_by_content};
use crate::element::words::{is_blank, GATHERED};

/// Whether a name is a text, or what some elements hold.
pub(crate) enum Source<'a> {
    Text(Cow<'a, str>),
    /// The content of these elements; of those with `true` their own label comes first.
    Nodes(Vec<(u32, bool)>),
}

/// Where the name of an element comes from.
pub(crate) fn source<'a>(snapshot: &'a Snapshot, node: Node, role: &str) -> Source<'a> {
    let attribute = |wanted| snapshot.attribute(node, wanted).filter(|value| !is_blank(value));
    let index = index_of(snapshot, node.document);
    if let Some(ids) = attribute(Atom::AriaLabelledby) {
        let named = ids.split_whitespace().take(8).filter_map(|id| index.by_id(id));
        let named: Vec<_> = named.map(|index| (index, true)).collect();
        if !named.is_empty() {
            return Source::Nodes(named);
        }
    }
    if let Some(label) = attribute(Atom::AriaLabel) {
        return Source::Text(Cow::Borrowed(label));
    }
    let tag = snapshot.tag(node);
    let kind = if tag == Atom::Input { input_type(snapshot, node) } else { String::new() };
    if is_button(&kind) {
        let value = button_value(snapshot, node);
        let value = Some(value).filter(|value| !value.is_empty());
        let default = match kind.as_str() {
            "submit" => "Submit",
            "reset" => "Reset",
            _ => "",
        };
        let named = value.or_else(|| attribute(Atom::Alt)).or_else(|| attribute(Atom::Title)).unwrap_or(default);
        return Source::Text(Cow::Borrowed(named));
    }
    if is_labelable(tag) {
        let labels = labels(snapshot, node);
        if !labels.is_empty() {
            return Source::Nodes(labels.into_iter().map(|label| (label, false)).collect());
        }
    }
    let child = |wanted: Atom| {
        let mut children = snapshot.document(node).children(node.index).map(|index| Node { index, ..node });
        children.find(|child| snapshot.tag(*child) == wanted).map(|child| Source::Nodes(vec![(child.index, false)]))
    };
    let native = match tag {
        Atom::Img | Atom::Area => attribute(Atom::Alt).map(|alt| Source::Text(Cow::Borrowed(alt))),
        Atom::Fieldset => child(Atom::Legend),
        Atom::Table => child(Atom::Caption),
        Atom::Figure => child(Atom::Figcaption),
        _ => None,
    };
    if let Some(native) = native {
        return native;
    }
    if is_named_by_content(role) || matches!(role, "row" | "listitem") || matches!(tag, Atom::Button | Atom::Summary) {
        return Source::Nodes(vec![(node.index, false)]);
    }
    Source::Text(Cow::Borrowed(attribute(Atom::Title).or_else(|| attribute(Atom::Placeholder)).unwrap_or("")))
}

pub(super) fn is_button(kind: &str) -> bool {
    matches!(kind, "button" | "submit" | "reset" | "image")
}

pub(super) fn button_value(snapshot: &Snapshot, node: Node) -> &str {
    let live = rare(&snapshot.document(node).input_value, node.index).map(|id| snapshot.strings(node).get(id));
    live.or_else(|| snapshot.attribute(node, Atom::Value)).unwrap_or("")
}

/// Whether a label can be for it.
pub(crate) fn is_labelable(tag: Atom) -> bool {
    use Atom::*;
    matches!(tag, Button | Input | Meter | Output | Progress | Select | Textarea)
}

/// The labels of a control, in document order: those that name it, and the one that holds it first.
fn labels(snapshot: &Snapshot, node: Node) -> Vec<u32> {
    let index = index_of(snapshot, node.document);
    let document = snapshot.document(node);
    let mut found = Vec::new();
    if let Some(id) = snapshot.attribute(node, Atom::Id).filter(|id| !id.is_empty()) {
        let naming = index.naming(id).iter().take(SAME_ID).map(|&index| Node { index, ..node });
        let exactly = |label: &Node| snapshot.attribute(*label, Atom::For) == Some(id);
        found.extend(
            naming.filter(|label| snapshot.tag(*label) == Atom::Label).filter(exactly).map(|label| label.index),
        );
    }
    let mut above = std::iter::successors(document.parent_of(node.index), |&node| document.parent_of(node)).take(16);
    let around = above.find(|&index| snapshot.tag(Node { index, ..node }) == Atom::Label);
    if let Some(label) = around.filter(|&index| snapshot.attribute(Node { index, ..node }, Atom::For).is_none()) {
        let is_control = |index: &u32| is_labelable(snapshot.tag(Node { index: *index, ..node }));
        if (label..document.end(label)).take(GATHERED as usize).find(is_control) == Some(node.index) {
            found.push(label);
        }
    }
    found.sort_unstable();
    found
}
