//! What custom elements say of themselves by `ElementInternals`: their role, states and name, which no capture has.
//!
//! A script of the page reads it, and here it becomes attributes: they count where the element has none of that name.

use std::collections::HashMap;

use crate::capture::atom::atom;
use crate::capture::columns::Document;
use crate::capture::node::{DocumentIndex, Node, NodeIndex};
use crate::capture::part::{Internals, Part};
use crate::capture::strings::Strings;

impl Part {
    /// Give elements the attributes that their internals stand for, and return how many stand in the document, by the
    /// indexes of document and node. O(nodes + attributes) if there are any.
    pub fn add_internals(&mut self, internals: &[Internals]) -> Vec<(Node, u32)> {
        if internals.is_empty() {
            return Vec::new();
        }
        let by_id: HashMap<u32, &[(String, String)]> = internals.iter().map(|(id, said)| (*id, &said[..])).collect();
        let mut written = Vec::new();
        for (at, document) in self.documents.iter_mut().enumerate() {
            if document.backend_node_id.iter().any(|id| by_id.contains_key(id)) {
                let counts = add(document, &by_id, &mut self.strings);
                written.extend(
                    counts
                        .into_iter()
                        .map(|(index, count)| (Node { document: DocumentIndex::from_at(at), index }, count)),
                );
            }
        }
        let known = self.atoms.len() as u32;
        self.atoms.extend((known..self.strings.len() as u32).map(|id| atom(self.strings.bytes(id))));
        written
    }
}

/// Returns how many attributes each element had before.
fn add(
    document: &mut Document,
    by_id: &HashMap<u32, &[(String, String)]>,
    strings: &mut Strings,
) -> Vec<(NodeIndex, u32)> {
    let mut attrs: Vec<u32> = Vec::with_capacity(document.attrs.len());
    let mut starts = Vec::with_capacity(document.attr_start.len());
    let mut counts = Vec::new();
    starts.push(0);
    for node in document.nodes() {
        let written = document.attributes(node);
        attrs.extend(written.as_flattened());
        let said = by_id.get(&document.backend_node_id[node]).filter(|_| document.has_tag(node));
        if let Some(said) = said {
            counts.push((node, written.len() as u32));
            for (name, value) in *said {
                if !written.iter().any(|pair| strings.bytes(pair[0]).eq_ignore_ascii_case(name.as_bytes())) {
                    attrs.extend([strings.push(name), strings.push(value)]);
                }
            }
        }
        starts.push((attrs.len() / 2) as u32);
    }
    (document.attrs, document.attr_start) = (attrs, starts);
    counts
}
