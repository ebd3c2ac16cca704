//! Accessible names, as near as attributes and texts of a snapshot allow.
//!
//! In this order: aria-labelledby, aria-label, label (by `for`, then around), what the element itself is labelled
//! with (alt, value of a button, legend, caption), text for roles named by content, placeholder, title.

use crate::capture::atom::Atom;
use crate::capture::columns::{flag, rare};
use crate::capture::snapshot::{Node, Snapshot};
use crate::element::index::{index_of, SAME_ID};
use crate::element::role::{input_type, is_named_by_content, role};
use crate::element::text::rendered_text;

/// The name of `node`; "" if it has none. Cost: the texts it is made of, plus one index per document on first use.
pub fn name(snapshot: &Snapshot, node: Node) -> String {
    let attribute = |wanted| snapshot.attribute(node, wanted).map(str::trim).filter(|value| !value.is_empty());
    if let Some(named) = attribute(Atom::AriaLabelledby).map(|ids| by_ids(snapshot, node, ids)) {
        if !named.is_empty() {
            return named;
        }
    }
    if let Some(label) = attribute(Atom::AriaLabel) {
        return label.to_owned();
    }
    let own = native(snapshot, node).filter(|name| !name.is_empty());
    own.or_else(|| by_content(snapshot, node))
        .or_else(|| attribute(Atom::Placeholder).map(str::to_owned))
        .or_else(|| attribute(Atom::Title).map(str::to_owned))
        .unwrap_or_default()
}

fn by_ids(snapshot: &Snapshot, node: Node, ids: &str) -> String {
    let index = index_of(snapshot, node.document);
    let texts = ids.split_whitespace().take(8).filter_map(|id| {
        let index = index.by_id(id)?;
        Some(rendered_or_any_text(snapshot, Node { index, ..node }))
    });
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A hidden element may label another one, so its text counts even if it is not rendered.
fn rendered_or_any_text(snapshot: &Snapshot, node: Node) -> String {
    let shown = rendered_text(snapshot, node);
    if !shown.is_empty() {
        return shown;
    }
    let document = snapshot.document(node);
    let inside = node.index..document.end(node.index).min(node.index.saturating_add(256));
    let texts = inside.filter(|&at| document.is_text(at) && !document.has(at, flag::DROPPED));
    let words = texts.map(|at| snapshot.strings(node).get(document.value[at as usize]).trim());
    words.collect::<Vec<_>>().join(" ")
}

fn native(snapshot: &Snapshot, node: Node) -> Option<String> {
    let attribute = |wanted| snapshot.attribute(node, wanted).map(|value| value.trim().to_owned());
    match snapshot.tag(node) {
        Atom::Input => match input_type(snapshot, node).as_str() {
            "submit" | "button" | "reset" => attribute(Atom::Value).or_else(|| by_label(snapshot, node)),
            "image" => attribute(Atom::Alt),
            _ => by_label(snapshot, node),
        },
        Atom::Textarea | Atom::Select | Atom::Meter | Atom::Progress | Atom::Output => by_label(snapshot, node),
        Atom::Button => by_label(snapshot, node),
        Atom::Img | Atom::Area => attribute(Atom::Alt),
        Atom::Fieldset => child_text(snapshot, node, Atom::Legend),
        Atom::Figure => child_text(snapshot, node, Atom::Figcaption),
        Atom::Table => child_text(snapshot, node, Atom::Caption),
        _ => None,
    }
}

fn child_text(snapshot: &Snapshot, node: Node, wanted: Atom) -> Option<String> {
    let mut children = snapshot.document(node).children(node.index).map(|index| Node { index, ..node });
    children.find(|child| snapshot.tag(*child) == wanted).map(|child| rendered_text(snapshot, child))
}

fn by_label(snapshot: &Snapshot, node: Node) -> Option<String> {
    let id = snapshot.attribute(node, Atom::Id).filter(|id| !id.is_empty());
    let index = index_of(snapshot, node.document);
    let by_id = id.and_then(|id| {
        let labels = index.naming(id).iter().take(SAME_ID).map(|&index| Node { index, ..node });
        let exactly = |label: &Node| snapshot.attribute(*label, Atom::For) == Some(id);
        labels.filter(|label| snapshot.tag(*label) == Atom::Label).find(exactly)
    });
    let around = || {
        let above = std::iter::successors(snapshot.parent(node), |node| snapshot.parent(*node));
        above.take(16).find(|above| snapshot.tag(*above) == Atom::Label)
    };
    by_id.or_else(around).map(|label| rendered_text(snapshot, label))
}

fn by_content(snapshot: &Snapshot, node: Node) -> Option<String> {
    if !is_named_by_content(role(snapshot, node)) {
        return None;
    }
    let text = rendered_text(snapshot, node);
    let text = if text.is_empty() { image_text(snapshot, node) } else { text };
    (!text.is_empty()).then_some(text)
}

/// A link or button that holds nothing but a picture is named by it.
fn image_text(snapshot: &Snapshot, node: Node) -> String {
    let end = snapshot.document(node).end(node.index).min(node.index.saturating_add(64));
    let inside = (node.index + 1..end).map(|index| Node { index, ..node });
    let labels = inside.filter_map(|at| match snapshot.tag(at) {
        Atom::Img => snapshot.attribute(at, Atom::Alt),
        _ => snapshot.attribute(at, Atom::AriaLabel),
    });
    labels.map(str::trim).find(|label| !label.is_empty()).unwrap_or_default().to_owned()
}

/// What a control holds, as far as the capture says.
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
        None => rendered_or_any_text(snapshot, option),
    });
    values.collect::<Vec<_>>().join(", ")
}
