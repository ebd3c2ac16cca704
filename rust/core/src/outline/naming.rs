//! The names, texts and values in lines, each collected only up to the length that is shown.

use std::borrow::Cow;

use crate::capture::atom::Atom;
use crate::capture::node::{Node, NodeIndex};
pub use crate::element::gather::collapsed;
use crate::element::gather::{Gathered, boundary};
use crate::element::ids::by_id;
pub use crate::element::labels::control_of;
pub use crate::element::name::content;
use crate::element::name::{name_of, name_without_content};
use crate::element::reading::{Enter, Reading, read};
use crate::element::snapshot::Snapshot;
use crate::element::text::{Redactor, cut, legible};
use crate::outline::roles::Role;

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
    Element(NodeIndex),
}

pub fn namer(snapshot: &Snapshot, node: Node) -> Namer {
    let attribute = |wanted| snapshot.attribute(node, wanted).filter(|value| !value.trim().is_empty());
    if let Some(ids) = attribute(Atom::AriaLabelledby) {
        let mut named = ids.split_ascii_whitespace().take(8).filter_map(|id| by_id(snapshot, node, id));
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
    let named = legible(named);
    if !named.is_empty() {
        return named;
    }
    if by_content {
        let content = legible(content(snapshot, node));
        if !content.is_empty() {
            return content;
        }
    }
    legible(collapsed(snapshot.attribute(node, Atom::Title).unwrap_or("")))
}

/// What an element whose content can be edited holds, line by line, of about `room` bytes at most; what only stands in for
/// that is left out.
pub fn edited(snapshot: &Snapshot, node: Node, room: usize) -> String {
    let mut gathered = Gathered::of_lines(room);
    read(snapshot, node, &Reading { nodes: u32::MAX, generated: false }, &mut gathered, |_| Enter::Into);
    gathered.done()
}

/// A text as it is shown: secrets taken out, then cut; and whether it was cut.
///
/// Of a text of which only a part was gathered, the end could be the beginning of a secret, so it is not shown.
pub fn shorten(redactor: &Redactor, text: &str, partial: bool, limit: usize) -> (String, bool) {
    let redacted = redactor.redact(text);
    let whole = match partial {
        false => redacted,
        true => {
            let kept = redacted.len().saturating_sub(redactor.longest());
            Cow::Owned(redacted[..boundary(&redacted, kept)].to_owned())
        }
    };
    let short = cut(&whole, limit);
    if short.len() == whole.len() && !partial {
        return (whole.into_owned(), false);
    }
    (format!("{}{CUT}", short.trim_end()), true)
}
