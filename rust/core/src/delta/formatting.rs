//! Words that were made bold, struck out or marked, and those that no longer are: their text is the same, so no change of
//! a text says so.

use std::collections::HashMap;

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::{DocumentIndex, Node, NodeIndex};
use crate::element::snapshot::Snapshot;
use crate::element::text::text_within;

/// Nodes of one text that are looked through for formatting, and nodes whose words are compared.
const TEXT_NODES: u32 = 500;

/// The elements that style words and came into (after) or went from (before) the text of one element.
#[derive(Default)]
pub struct Formatting {
    pub came: Vec<NodeIndex>,
    pub went: Vec<NodeIndex>,
}

impl Formatting {
    /// What came and what went of a text whose words stayed; what was made again as it was did neither.
    pub fn told(
        &self,
        before: &Snapshot,
        old: DocumentIndex,
        after: &Snapshot,
        new: DocumentIndex,
    ) -> (Vec<Node>, Vec<Node>) {
        let mut gone: HashMap<(Atom, String), Vec<Node>> = HashMap::new();
        for (node, words) in telling(before, old, &self.went).into_iter().rev() {
            gone.entry((before.tag(node), words)).or_default().push(node);
        }
        let mut came = Vec::new();
        for (node, words) in telling(after, new, &self.came) {
            if gone.get_mut(&(after.tag(node), words)).and_then(Vec::pop).is_none() {
                came.push(node);
            }
        }
        let mut went: Vec<Node> = gone.into_values().flatten().collect();
        went.sort_unstable();
        (came, went)
    }
}

/// Whether the tag says something of the words in it; `span` and `font` only style them.
fn tells(tag: Atom) -> bool {
    use Atom::*;
    matches!(tag, B | Code | Del | Em | I | Ins | Kbd | Mark | Q | S | Strong | Sub | Sup | U)
}

/// The topmost elements in and under `roots` that say something of their words, with the words.
fn telling(snapshot: &Snapshot, document: DocumentIndex, roots: &[NodeIndex]) -> Vec<(Node, String)> {
    let columns = &snapshot.documents[document];
    let mut found = Vec::new();
    for &root in roots {
        let end = columns.end(root).min(root + TEXT_NODES);
        let mut index = root;
        while index < end {
            let node = Node { document, index };
            let is_telling = columns.is_element(index) && tells(snapshot.tag(node));
            let words = if is_telling { text_within(snapshot, node, TEXT_NODES) } else { String::new() };
            let is_done = !words.is_empty() || !columns.has(index, flag::RENDERED);
            if !words.is_empty() {
                found.push((node, words));
            }
            index = if is_done { columns.end(index) } else { index + 1 };
        }
    }
    found
}
