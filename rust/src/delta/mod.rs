//! What changed from one snapshot to another: few ranked rows, each an element worth naming.
//!
//! Documents that are the same one are compared by node identity, and what was made anew in them by what it holds. A
//! document that took another one's place is compared by what it holds too, if at least half of what is rendered in the
//! two is the same (`cross::RELATED`). All others came or went: they are summarised, what both sides have is left out,
//! the rest is looked through down to elements that mean something. Selectors, names and texts are only made for the
//! rows that are kept.
//!
//! A row stands for its subtree up to the frames in it, and its text ends there too: a frame's document has rows of its
//! own, with the selectors and identities that lead into it, also when it came or went together with its frame.

pub mod change;
mod pairs;
mod rank;
mod reconcile;
mod region;
pub mod row;
mod same;
mod whole;

use std::collections::HashMap;

use crate::capture::snapshot::{Node, Snapshot};
use crate::delta::change::{Both, Change};
use crate::delta::pairs::Pairs;
use crate::delta::rank::{rank, Ranked};
use crate::delta::row::{changed_row, row, Row};
use crate::delta::whole::whole_documents;
use crate::element::text::Redactor;

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
    /// Pairs of nodes that were matched by what they hold.
    pub matched: usize,
    pub approximate: bool,
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
    /// Edits by node identity, or by what was matched in another document; 0 for documents that came or went.
    pub script_length: usize,
    /// Pairs of nodes that were looked at.
    pub visited: usize,
    /// Pairs of nodes that were matched by what they hold, because their ids do not tell.
    pub matched: usize,
    /// Whether the work of matching ran out: what appeared and disappeared may then be the same thing.
    pub approximate: bool,
}

impl Delta {
    pub fn is_empty(&self) -> bool {
        self.appeared.total == 0 && self.disappeared.total == 0 && self.changed.total == 0
    }
}

/// Compare two snapshots. `limit` rows are kept per list, and besides every dialog, alert and live region.
pub fn delta(before: &Snapshot, after: &Snapshot, limit: usize, redactor: &Redactor) -> Delta {
    let one = std::ptr::eq(before, after);
    let (findings, same_document) = if one { (Findings::default(), true) } else { find(before, after) };
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
        matched: findings.matched,
        approximate: findings.approximate,
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
    let mut pairs = Pairs::new(before, after);
    pairs.compare(&mut findings);
    findings.came_along = along(after, &pairs.appeared);
    findings.went_along = along(before, &pairs.vanished);
    whole_documents(before, &pairs.gone, after, &pairs.fresh, &mut findings);
    (findings, pairs.same_page)
}

/// The documents whose frame is in one of the `regions` that came or went, or in a document that did as a whole. The
/// intervals of a region are sorted and apart.
fn along(snapshot: &Snapshot, regions: &[(u32, Vec<(u32, u32)>)]) -> Vec<u32> {
    let regions: HashMap<u32, &[(u32, u32)]> = regions.iter().map(|(at, found)| (*at, found.as_slice())).collect();
    let is_covered = |owner: Node| match regions.get(&owner.document) {
        Some(intervals) => {
            let after = intervals.partition_point(|&(start, _)| start <= owner.index);
            after > 0 && owner.index < intervals[after - 1].1
        }
        None => true,
    };
    let documents = snapshot.order.iter().copied();
    documents.filter(|&document| snapshot.owner[document as usize].is_some_and(is_covered)).collect()
}

/// Whether the bytes are the same, so that nothing can have changed.
fn is_same_capture(before: &Snapshot, after: &Snapshot) -> bool {
    let same = |(one, other): (&crate::capture::snapshot::PartInfo, &crate::capture::snapshot::PartInfo)| {
        one.key == other.key && one.owner == other.owner && one.content() == other.content()
    };
    before.parts.len() == after.parts.len()
        && before.loaders == after.loaders
        && before.parts.iter().zip(&after.parts).all(same)
}
