//! What changed from one snapshot to another: few ranked rows, each an element worth naming.
//!
//! Documents that are the same one are compared by node identity. Documents that came or went are summarised: what both
//! sides have is left out, the rest is looked through down to elements that mean something. Selectors, names and texts
//! are only made for the rows that are kept.

use crate::change::{Both, Change};
use crate::diff::{edits, pair_documents};
use crate::rank::{rank, Ranked};
use crate::row::{changed_row, row, Row};
use crate::same::SameDocument;
use crate::snapshot::{Node, Snapshot};
use crate::text::Redactor;
use crate::whole::whole_documents;

/// Rows per list unless the caller says otherwise (reference native.md §2.6).
pub const DEFAULT_LIMIT: usize = 12;

/// What is known of the difference before anything is ranked or worded.
#[derive(Default)]
pub struct Findings {
    pub appeared: Vec<Node>,
    pub disappeared: Vec<Node>,
    /// (node before, node after, what changed)
    pub changed: Vec<(Node, Node, Change)>,
    /// Subtrees that were taken out and put in again just the same.
    pub rerendered: usize,
    pub script_length: usize,
    pub visited: usize,
}

/// One list of a delta: its best rows, and how many there were.
pub struct List {
    pub rows: Vec<Row>,
    pub total: usize,
}

pub struct Delta {
    /// Whether the page's own document is the same one.
    pub same_document: bool,
    pub appeared: List,
    pub disappeared: List,
    pub changed: List,
    pub rerendered: usize,
    /// Edits by node identity; 0 for documents that came or went.
    pub script_length: usize,
    /// Pairs of nodes that were looked at.
    pub visited: usize,
}

impl Delta {
    pub fn is_empty(&self) -> bool {
        self.appeared.total == 0 && self.disappeared.total == 0 && self.changed.total == 0
    }
}

/// Compare two snapshots. `limit` rows are kept per list, and besides every dialog, alert and live region.
pub fn delta(before: &Snapshot, after: &Snapshot, limit: usize, redactor: &Redactor) -> Delta {
    let (findings, same_document) = find(before, after);
    let appeared = rank(after, findings.appeared, |node| (*node, None), limit);
    let disappeared = rank(before, findings.disappeared, |node| (*node, None), limit);
    let changed = rank(after, findings.changed, |(_, new, change)| (*new, Some(change.field.as_str())), limit);
    Delta {
        same_document,
        appeared: list(appeared, |node| row(after, node, redactor)),
        disappeared: list(disappeared, |node| row(before, node, redactor)),
        changed: list(changed, |(old, new, change)| changed_row(&Both { before, old, after, new }, change, redactor)),
        rerendered: findings.rerendered,
        script_length: findings.script_length,
        visited: findings.visited,
    }
}

fn list<T>(ranked: Ranked<T>, mut word: impl FnMut(T) -> Row) -> List {
    List { total: ranked.total, rows: ranked.kept.into_iter().map(&mut word).collect() }
}

/// All findings, unranked, and whether the page's document is the same one.
pub fn find(before: &Snapshot, after: &Snapshot) -> (Findings, bool) {
    let mut findings = Findings::default();
    if is_same_capture(before, after) {
        return (findings, true);
    }
    let mut pairing = pair_documents(before, after);
    let mut appeared_frames = Vec::new();
    let mut vanished_frames = Vec::new();
    for &(old, new) in &pairing.same {
        match edits(before, old, after, new) {
            Some(edits) => {
                let same = SameDocument::new(before, old, after, new, &edits);
                same.find(&mut findings);
                appeared_frames.push((new, same.appeared_intervals()));
                vanished_frames.push((old, same.disappeared_intervals()));
            }
            None => {
                pairing.gone.push(old);
                pairing.fresh.push(new);
            }
        }
    }
    let covered = |list: &[(u32, Vec<(u32, u32)>)], owner: Node| {
        let found = list.iter().find(|entry| entry.0 == owner.document);
        // A frame inside a document that came or went as a whole belongs to that.
        found.is_none_or(|(_, intervals)| intervals.iter().any(|&(start, end)| (start..end).contains(&owner.index)))
    };
    let shown = |snapshot: &Snapshot, document: u32, list: &[(u32, Vec<(u32, u32)>)]| {
        snapshot.owner[document as usize].is_none_or(|owner| !covered(list, owner))
    };
    pairing.gone.retain(|&document| shown(before, document, &vanished_frames));
    pairing.fresh.retain(|&document| shown(after, document, &appeared_frames));
    whole_documents(before, &pairing.gone, after, &pairing.fresh, &mut findings);
    (findings, pairing.same_page)
}

/// Whether the bytes are the same, so that nothing can have changed.
fn is_same_capture(before: &Snapshot, after: &Snapshot) -> bool {
    let same = |(one, other): (&crate::snapshot::PartInfo, &crate::snapshot::PartInfo)| {
        one.key == other.key && one.owner == other.owner && one.content() == other.content()
    };
    before.parts.len() == after.parts.len()
        && before.loaders == after.loaders
        && before.parts.iter().zip(&after.parts).all(same)
}
