//! Attributes that need more than their atom to be read.

use crate::capture::atom::Atom;
use crate::capture::node::Node;
use crate::element::snapshot::Snapshot;

/// The value of an attribute that has no atom.
pub fn named_attribute<'a>(snapshot: &'a Snapshot, node: Node, wanted: &str) -> Option<&'a str> {
    let strings = snapshot.strings(node);
    let mut pairs = snapshot.document(node).attributes(node.index).iter();
    let found = pairs.find(|pair| strings.bytes(pair[0]).eq_ignore_ascii_case(wanted.as_bytes()))?;
    Some(strings.get(found[1]))
}

/// The `type` of an input in lower case; "" if it has none.
pub fn input_type(snapshot: &Snapshot, node: Node) -> String {
    snapshot.attribute(node, Atom::Type).unwrap_or("").trim().to_ascii_lowercase()
}
