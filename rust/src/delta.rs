//! What changed from one snapshot to another: few ranked rows, each an element worth naming.
//!
//! Documents that are the same one are compared by node identity. Documents that came or went are summarised: what both
//! sides have is left out, the rest is looked through down to elements that mean something. Selectors, names and texts
//! are only made for the rows that are kept.
//!
//! A row stands for its subtree up to the frames in it, and its text ends there too: a frame's document has rows of its
//! own, with the selectors and identities that lead into it, also when it came or went together with its frame.

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
    /// Documents (after) in frames that came with what holds them, and (before) that went with it.
    pub came_along: Vec<u32>,
    pub went_along: Vec<u32>,
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
    let appeared = rank(after, findings.appeared, |node| (*node, None), &findings.came_along, limit);
    let disappeared = rank(before, findings.disappeared, |node| (*node, None), &findings.went_along, limit);
    let changed = rank(after, findings.changed, |(_, new, change)| (*new, Some(change.field.as_str())), &[], limit);
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
    let mut appeared_regions = Vec::new();
    let mut vanished_regions = Vec::new();
    for &(old, new) in &pairing.same {
        match edits(before, old, after, new) {
            Some(edits) => {
                let same = SameDocument::new(before, old, after, new, &edits);
                same.find(&mut findings);
                appeared_regions.push((new, same.appeared_intervals()));
                vanished_regions.push((old, same.disappeared_intervals()));
            }
            None => {
                pairing.gone.push(old);
                pairing.fresh.push(new);
            }
        }
    }
    findings.came_along = along(after, &appeared_regions);
    findings.went_along = along(before, &vanished_regions);
    whole_documents(before, &pairing.gone, after, &pairing.fresh, &mut findings);
    (findings, pairing.same_page)
}

/// The documents whose frame is in one of the `regions` that came or went, or in a document that did as a whole.
fn along(snapshot: &Snapshot, regions: &[(u32, Vec<(u32, u32)>)]) -> Vec<u32> {
    let is_covered = |owner: Node| {
        let found = regions.iter().find(|entry| entry.0 == owner.document);
        found.is_none_or(|(_, intervals)| intervals.iter().any(|&(start, end)| (start..end).contains(&owner.index)))
    };
    let documents = snapshot.order.iter().copied();
    documents.filter(|&document| snapshot.owner[document as usize].is_some_and(is_covered)).collect()
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
