//! Every node of anything that parses has selectors, and where a DOM could hold it, no two elements of a document share
//! a short one; fingerprints of them can be kept and looked for.
#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use stillframe_core::testing::capture::columns::{DOCUMENT, Document, ELEMENT, flag};
use stillframe_core::testing::capture::node::{Node, NodeIndex};
use stillframe_core::testing::capture::strings::Strings;
use stillframe_core::testing::element::fingerprint::Fingerprint;
use stillframe_core::testing::element::record::{from_json, to_json};
use stillframe_core::testing::element::selector::selector;
use stillframe_core::testing::element::selectors::selectors;
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::page::bytes;

/// Whether a DOM could hold the document: one root element, elements in elements, and names that elements can have.
fn could_be(document: &Document, strings: &Strings) -> bool {
    let kind = |node: NodeIndex| document.kind[node];
    let elements: Vec<NodeIndex> = document.nodes().filter(|&node| kind(node) == ELEMENT).collect();
    let parent = |node: NodeIndex| document.parent_of(node);
    let is_named = |node: NodeIndex| strings.bytes(document.name[node]).first().is_some_and(u8::is_ascii_alphabetic);
    kind(0) == DOCUMENT
        && elements.iter().filter(|&&node| parent(node) == Some(0)).count() == 1
        && elements.iter().all(|&node| is_named(node) && parent(node).is_some_and(|at| at == 0 || kind(at) == ELEMENT))
}

fuzz_target!(|data: &[u8]| {
    let Ok(snapshot) = Snapshot::from_cdp(bytes(data.to_vec())) else { return };
    for document in snapshot.document_indexes() {
        let mut seen = HashSet::new();
        let distinct = could_be(&snapshot.documents[document], &snapshot.part_of(document).strings);
        for index in snapshot.documents[document].nodes() {
            let node = Node { document, index };
            let found = selector(&snapshot, node);
            let _ = selectors(&snapshot, node);
            if index % 64 == 0 {
                let taken = Fingerprint::of(&snapshot, node, &Default::default());
                let kept = from_json(to_json(&taken).as_bytes()).expect("what was written can be read");
                assert_eq!(kept.selector, taken.selector);
                assert!(taken.find_in(&snapshot).found.is_none_or(|found| found.score.is_finite()));
            }
            let columns = snapshot.document(node);
            if distinct
                && columns.kind[index] == ELEMENT
                && columns.shadow.is_empty()
                && !columns.has(index, flag::PSEUDO)
            {
                assert!(seen.insert(found));
            }
        }
    }
});
