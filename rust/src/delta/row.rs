//! Rows: what is said of an element, with secrets taken out before anything is cut.

use crate::capture::columns::NONE;
use crate::capture::snapshot::{Node, Snapshot};
use crate::delta::change::{Both, Change, PARENT};
use crate::delta::rank::rank;
use crate::element::name::name;
use crate::element::role::{shown_role, worth};
use crate::element::selector::selector;
use crate::element::text::{cut, legible, rendered_text, Redactor, NAME_CHARACTERS, ROW_CHARACTERS};

/// Characters of an attribute or a value that a row shows.
const VALUE_CHARACTERS: usize = 200;

/// Characters that are shown before the first difference of two long texts.
const LEAD: usize = 15;

/// One element of a list. `change` is there for changed rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub selector: String,
    pub tag_name: String,
    pub role: String,
    pub name: String,
    pub text: String,
    /// The key of the part: with `backend_node_id` it names the node.
    pub frame: String,
    /// CDP's id of the frame whose document holds the element; "" if the capture does not say.
    pub frame_id: String,
    pub backend_node_id: u32,
    pub change: Option<Change>,
}

/// The row of an element.
pub fn row(snapshot: &Snapshot, node: Node, redactor: &Redactor) -> Row {
    let part = snapshot.part_of(node.document);
    let document = snapshot.document(node);
    let frame_id = if document.frame_id == NONE { "" } else { part.strings.get(document.frame_id) };
    Row {
        selector: redactor.redact(&selector(snapshot, node)).into_owned(),
        tag_name: snapshot.tag_name(node),
        role: shown_role(snapshot, node).to_owned(),
        name: redactor.show(&legible(name(snapshot, node)), NAME_CHARACTERS),
        text: redactor.show(&rendered_text(snapshot, node), ROW_CHARACTERS),
        frame: part.key.clone(),
        frame_id: frame_id.to_owned(),
        backend_node_id: document.bid[node.index as usize],
        change: None,
    }
}

/// The row of an element that changed, as it is now.
pub fn changed_row(both: &Both, mut change: Change, redactor: &Redactor) -> Row {
    if change.field == PARENT {
        change.from = both.before.parent(both.old).map(|parent| selector(both.before, parent));
        change.to = both.after.parent(both.new).map(|parent| selector(both.after, parent));
    }
    let redact = |value: Option<String>| value.map(|value| redactor.redact(&value).into_owned());
    let (from, to) = (redact(change.from), redact(change.to));
    let limit = if change.field == "textContent" { ROW_CHARACTERS } else { VALUE_CHARACTERS };
    let (from, to) = match (from, to) {
        (Some(from), Some(to)) => {
            let (from, to) = cut_both(&from, &to, limit);
            (Some(from), Some(to))
        }
        (from, to) => (from.map(|from| cut(&from, limit).to_owned()), to.map(|to| cut(&to, limit).to_owned())),
    };
    let change = Change { field: change.field, from, to };
    Row { change: Some(change), ..row(both.after, both.new, redactor) }
}

/// Cut two texts so that what differs is still to be seen: where their beginnings are the same, that is cut too.
fn cut_both(from: &str, to: &str, limit: usize) -> (String, String) {
    let (short, other) = (cut(from, limit), cut(to, limit));
    if short != other || from == to {
        return (short.to_owned(), other.to_owned());
    }
    let common = from.chars().zip(to.chars()).take_while(|(one, other)| one == other).count();
    let from_there = |text: &str| -> String {
        let rest: String = text.chars().skip(common.saturating_sub(LEAD)).collect();
        format!("…{}", cut(&rest, limit - 1))
    };
    (from_there(from), from_there(to))
}

/// The elements of a whole page that are worth most: dialogs, controls, headings, landmarks, and what has an id.
pub fn page_rows(snapshot: &Snapshot, limit: usize, redactor: &Redactor) -> Vec<Row> {
    let mut nodes = Vec::new();
    for &document in &snapshot.order {
        let columns = &snapshot.documents[document as usize];
        for index in 0..columns.len() as u32 {
            let node = Node { document, index };
            let shown = columns.has(index, crate::capture::columns::flag::RENDERED) && columns.is_element(index);
            let named = || snapshot.attribute(node, crate::capture::atom::Atom::Id).is_some();
            if shown
                && !columns.has(index, crate::capture::columns::flag::DROPPED)
                && (worth(snapshot, node) > 0 || named())
            {
                nodes.push(node);
            }
        }
    }
    // Dialogs and alerts do not go beyond the limit here: a page is no delta.
    let mut kept = rank(snapshot, nodes, |node| (*node, Some("")), &[], limit).kept;
    kept.truncate(limit);
    kept.into_iter().map(|node| row(snapshot, node, redactor)).collect()
}
