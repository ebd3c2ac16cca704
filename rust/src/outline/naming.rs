//! What lines say of elements: names, texts and values, each gathered only as far as it can be shown.

use std::borrow::Cow;

use crate::capture::atom::Atom;
use crate::capture::snapshot::{Node, Snapshot};
pub use crate::element::gather::collapsed;
use crate::element::gather::{boundary, Gathered, GATHERED};
use crate::element::index::index_of;
pub use crate::element::name::{content, control_of};
use crate::element::name::{name_of, name_without_content};
use crate::element::text::{cut, Redactor};
use crate::outline::facts::Facts;
use crate::outline::roles::{Role, Sort};

/// Children among which the one that gives a name is looked for.
const CHILDREN: usize = 64;

/// What stands where a text was cut.
pub const CUT: char = '…';

/// Who gives a name to an element that is not named by what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Namer {
    Nobody,
    Attribute,
    /// An element inside it.
    Element(u32),
}

pub fn namer(snapshot: &Snapshot, node: Node) -> Namer {
    let attribute = |wanted| snapshot.attribute(node, wanted).filter(|value| !value.trim().is_empty());
    if let Some(ids) = attribute(Atom::AriaLabelledby) {
        let index = index_of(snapshot, node.document);
        let mut named = ids.split_ascii_whitespace().take(8).filter_map(|id| index.by_id(id));
        if let Some(first) = named.next() {
            let inside = snapshot.document(node).within(first, node.index) && named.next().is_none();
            return if inside { Namer::Element(first) } else { Namer::Attribute };
        }
    }
    if attribute(Atom::AriaLabel).is_some() {
        return Namer::Attribute;
    }
    let wanted = match snapshot.tag(node) {
        Atom::Fieldset => Atom::Legend,
        Atom::Table => Atom::Caption,
        _ => return if attribute(Atom::Title).is_some() { Namer::Attribute } else { Namer::Nobody },
    };
    let mut children = snapshot.document(node).children(node.index).take(CHILDREN);
    let found = children.find(|&index| snapshot.tag(Node { index, ..node }) == wanted);
    found.map_or(Namer::Nobody, Namer::Element)
}

/// Whether an author named the element.
pub fn has_own_name(snapshot: &Snapshot, node: Node) -> bool {
    [Atom::AriaLabel, Atom::AriaLabelledby, Atom::Alt, Atom::Title]
        .into_iter()
        .any(|name| snapshot.attribute(node, name).is_some_and(|value| !value.trim().is_empty()))
}

/// The name of an element that makes a line; what it holds gives it only where that is not said below.
pub fn name(snapshot: &Snapshot, node: Node, role: Role, by_content: bool) -> String {
    let named = if by_content { name_of(snapshot, node, role).0 } else { name_without_content(snapshot, node, role) };
    if !named.is_empty() {
        return named;
    }
    if by_content {
        let content = content(snapshot, node);
        if !content.is_empty() {
            return content;
        }
    }
    collapsed(snapshot.attribute(node, Atom::Title).unwrap_or(""))
}

/// The texts from node `first` to node `last`, those of neighbouring cells parted by a bar.
pub fn run(snapshot: &Snapshot, facts: &Facts, first: Node, last: u32) -> String {
    let document = snapshot.document(first);
    let mut gathered = Gathered::default();
    let mut index = first.index;
    while index <= last && !gathered.is_full() {
        let at = Node { index, ..first };
        if !facts.shown(index) {
            index = document.end(index);
            continue;
        }
        if document.is_text(index) {
            gathered.text(snapshot.strings(at).get(document.value[index as usize]));
        } else if facts.role(index).sort() == Sort::Cell {
            gathered.bar();
        } else if snapshot.tag(at) == Atom::Br {
            gathered.part();
        }
        index += 1;
    }
    gathered.done()
}

/// A text as it is shown: secrets taken out, then cut; and whether it was cut.
///
/// Of a text that was gathered only in part, the end could be the beginning of a secret, so it is not shown.
pub fn shorten(redactor: &Redactor, text: &str, limit: usize) -> (String, bool) {
    let redacted = redactor.redact(text);
    let whole = match text.len() < GATHERED {
        true => redacted,
        false => {
            let kept = redacted.len().saturating_sub(redactor.longest());
            Cow::Owned(redacted[..boundary(&redacted, kept)].to_owned())
        }
    };
    let short = cut(&whole, limit);
    if short.len() == whole.len() && text.len() < GATHERED {
        return (whole.into_owned(), false);
    }
    (format!("{}{CUT}", short.trim_end()), true)
}
