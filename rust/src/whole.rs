//! Documents that came or went as a whole: after a navigation nothing is compared row by row.

use std::collections::HashSet;

use crate::delta::Findings;
use crate::region::{visible_hashes, Lens};
use crate::snapshot::Snapshot;

/// Summarise the documents that are `gone` and `fresh`; subtrees that look the same on both sides are left out.
pub fn whole_documents(before: &Snapshot, gone: &[u32], after: &Snapshot, fresh: &[u32], findings: &mut Findings) {
    if gone.is_empty() && fresh.is_empty() {
        return;
    }
    let (ours, theirs) = (hashes(before, gone), hashes(after, fresh));
    for &document in fresh {
        findings.appeared.extend(Lens::new(after, document, true, Some(&ours)).rows(&[0]));
    }
    for &document in gone {
        findings.disappeared.extend(Lens::new(before, document, true, Some(&theirs)).rows(&[0]));
    }
}

fn hashes(snapshot: &Snapshot, documents: &[u32]) -> HashSet<u64> {
    let mut hashes = HashSet::new();
    for &document in documents {
        visible_hashes(snapshot, document, &[0], &mut hashes);
    }
    hashes
}
