//! Every node of anything that parses has a selector, and no two elements of a document share one.
#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use stillframe_core::columns::{flag, ELEMENT};
use stillframe_core::selector::selector;
use stillframe_core::snapshot::{Node, Snapshot};
use stillframe_core::testpage::bytes;

fuzz_target!(|data: &[u8]| {
    let Ok(snapshot) = Snapshot::parse(bytes(data.to_vec())) else { return };
    for document in 0..snapshot.documents.len() as u32 {
        let mut seen = HashSet::new();
        for index in 0..snapshot.documents[document as usize].len() as u32 {
            let node = Node { document, index };
            let found = selector(&snapshot, node);
            let columns = snapshot.document(node);
            if columns.kind[index as usize] == ELEMENT && columns.shadow.is_empty() && !columns.has(index, flag::PSEUDO) {
                assert!(seen.insert(found));
            }
        }
    }
});
