//! The content of one node in the canonical form.

use std::collections::BTreeMap;

use crate::capture::atom::Atom;
use crate::capture::columns::{Document, flag};
use crate::capture::node::NodeIndex;
use crate::digest::canonical::{live_value, token_set};
use crate::element::snapshot::Snapshot;

/// Everything about one node that the canonical form keeps, apart from its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    pub kind: u8,
    pub name: String,
    pub text: String,
    pub attributes: BTreeMap<String, String>,
    /// `value`, `checked`, `selected`, `shadow` and `rendered`, as far as they apply.
    pub properties: BTreeMap<&'static str, String>,
}

impl Record {
    pub fn of(snapshot: &Snapshot, document: &Document, node: NodeIndex) -> Self {
        let part = &snapshot.parts[document.part as usize];
        let at = node.at();
        let mut attributes = BTreeMap::new();
        for &[name, value] in document.attributes(node) {
            let atom = part.atoms.get(name as usize).copied().unwrap_or(Atom::Other);
            let mut value = part.strings.get(value).to_owned();
            if atom == Atom::Class {
                let tokens = token_set(value.as_bytes()).join(&b' ');
                value = String::from_utf8_lossy(&tokens).into_owned();
            }
            if !atom.is_noise() {
                attributes.insert(part.strings.get(name).to_owned(), value);
            }
        }
        let mut properties = BTreeMap::new();
        for (bit, name) in [
            (flag::CHECKED, "checked"),
            (flag::SELECTED, "selected"),
            (flag::SHADOW, "shadow"),
            (flag::RENDERED, "rendered"),
        ] {
            if document.has(node, bit) {
                properties.insert(name, "true".to_owned());
            }
        }
        if document.has(node, flag::VALUE) {
            properties.insert("value", part.strings.get(live_value(document, node)).to_owned());
        }
        Self {
            kind: document.kind[at],
            name: part.strings.get(document.name[at]).to_owned(),
            text: part.strings.get(document.value[at]).to_owned(),
            attributes,
            properties,
        }
    }
}

/// Visit the nodes under `root` that came or went with it: all but those in `others` and what is inside them.
pub fn each_own(document: &Document, root: NodeIndex, others: &[NodeIndex], mut visit: impl FnMut(NodeIndex)) {
    let mut node = root;
    while node < document.end(root) {
        if document.has(node, flag::DROPPED) || others.binary_search(&node).is_ok() {
            node = document.end(node);
            continue;
        }
        visit(node);
        node += 1;
    }
}
