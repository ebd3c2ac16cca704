//! Documents that came or went as a whole: after a navigation nothing is compared row by row.

use std::collections::HashSet;

use crate::delta::Findings;
use crate::digest::RegionHashes;
use crate::region::{visible_hashes, Lens, Reuse};
use crate::snapshot::Snapshot;

/// Summarise the documents that are `gone` and `fresh`; subtrees that look the same on both sides are left out.
pub fn whole_documents(before: &Snapshot, gone: &[u32], after: &Snapshot, fresh: &[u32], findings: &mut Findings) {
    if gone.is_empty() && fresh.is_empty() {
        return;
    }
    let (ours, theirs) = (hashes(before, gone), hashes(after, fresh));
    for &document in fresh {
        let found = RegionHashes::Whole(&after.digests().nodes[document as usize]);
        let reuse = Reuse { theirs: &ours, ours: &found };
        findings.appeared.extend(Lens::rows(after, document, true, Some(reuse), &[0]));
    }
    for &document in gone {
        let found = RegionHashes::Whole(&before.digests().nodes[document as usize]);
        let reuse = Reuse { theirs: &theirs, ours: &found };
        findings.disappeared.extend(Lens::rows(before, document, true, Some(reuse), &[0]));
    }
}

fn hashes(snapshot: &Snapshot, documents: &[u32]) -> HashSet<u64> {
    let mut hashes = HashSet::new();
    for &document in documents {
        let found = RegionHashes::Whole(&snapshot.digests().nodes[document as usize]);
        visible_hashes(&snapshot.documents[document as usize], &found, &[0], &mut hashes);
    }
    hashes
}
