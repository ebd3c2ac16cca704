//! `aria-owns`: elements that a page moves elsewhere in the accessible tree.

use crate::capture::node::{DocumentIndex, Node};
use crate::element::attributes::named_attribute;
use crate::element::ids::by_id;
use crate::element::owns::Owns;
use crate::element::snapshot::{Snapshot, index_of};

/// Elements that one element may own, and bytes of the attribute that are read for them.
const OWNED: usize = 64;
const BYTES: usize = 4096;

/// Who owns whom in a document. O(nodes) on first use, and only if the page has such attributes at all.
pub fn owns_of(snapshot: &Snapshot, document: DocumentIndex) -> &Owns {
    index_of(snapshot, document).known.owns.get_or_init(|| read(snapshot, document))
}

fn read(snapshot: &Snapshot, at: DocumentIndex) -> Owns {
    let part = snapshot.part_of(at);
    let is_it = |id: u32| part.strings.bytes(id).eq_ignore_ascii_case(b"aria-owns");
    let aria = part.atoms.iter().enumerate().filter(|(_, atom)| atom.is_aria());
    let mut owns = Owns::default();
    if !aria.into_iter().any(|(id, _)| is_it(id as u32)) {
        return owns;
    }
    let document = &snapshot.documents[at];
    // No page gets more answers than it has nodes.
    let mut answers = document.len();
    for index in document.nodes() {
        let owner = Node { document: at, index };
        let Some(ids) = named_attribute(snapshot, owner, "aria-owns") else { continue };
        for id in ids.get(..BYTES).unwrap_or(ids).split_ascii_whitespace().take(OWNED.min(answers)) {
            answers -= 1;
            if let Some(owned) = by_id(snapshot, owner, id) {
                owns.add(document, index, owned);
            }
        }
    }
    owns
}
