//! Documents that came or went as a whole: after a navigation, rows are not compared one by one.

use std::collections::HashSet;

use crate::capture::node::{DocumentIndex, Node, NodeIndex};
use crate::delta::findings::Findings;
use crate::delta::region::{Depth, Lens, Reuse, visible_hashes};
use crate::digest::region::RegionHashes;
use crate::element::snapshot::Snapshot;

/// Summarise the documents that are `gone` and `fresh`; subtrees that look the same on both sides are left out.
pub fn whole_documents(
    before: &Snapshot,
    gone: &[DocumentIndex],
    after: &Snapshot,
    fresh: &[DocumentIndex],
    findings: &mut Findings,
) {
    // With nothing on one side there is nothing to leave out: no page is hashed because a frame was put in.
    let replaced = !gone.is_empty() && !fresh.is_empty();
    let (ours, theirs) = (replaced.then(|| hashes(before, gone)), replaced.then(|| hashes(after, fresh)));
    findings.appeared.extend(rows(after, fresh, ours.as_ref()));
    findings.disappeared.extend(rows(before, gone, theirs.as_ref()));
}

/// The elements that stand for whole documents, without the subtrees whose hashes the other side has too.
fn rows(snapshot: &Snapshot, documents: &[DocumentIndex], theirs: Option<&HashSet<u64>>) -> Vec<Node> {
    let rows_of = |&document: &DocumentIndex| {
        let found = theirs.map(|theirs| (theirs, RegionHashes::whole(snapshot, document)));
        let reuse = found.as_ref().map(|(theirs, ours)| Reuse { theirs, ours });
        Lens::rows(snapshot, document, Depth::Whole, reuse, &[NodeIndex::ROOT])
    };
    documents.iter().flat_map(rows_of).collect()
}

fn hashes(snapshot: &Snapshot, documents: &[DocumentIndex]) -> HashSet<u64> {
    let mut hashes = HashSet::new();
    for &document in documents {
        let found = RegionHashes::whole(snapshot, document);
        visible_hashes(&snapshot.documents[document], &found, &[NodeIndex::ROOT], &mut hashes);
    }
    hashes
}
