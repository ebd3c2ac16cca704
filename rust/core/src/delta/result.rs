//! A delta as its readers have it.

use crate::delta::row::Row;
use crate::outline::control::Control;

/// One list of a delta: its best rows, and the number of all changes.
pub struct List {
    pub rows: Vec<Row>,
    pub total: usize,
}

/// What changed between two snapshots.
///
/// ```
/// # const BEFORE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/before.json"));
/// # const AFTER: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/after.json"));
/// use std::sync::Arc;
/// use stillframe_core::{Delta, DeltaOptions, Snapshot};
///
/// let (before, after) = (Snapshot::from_cdp(Arc::new(BEFORE))?, Snapshot::from_cdp(Arc::new(AFTER))?);
/// let delta = Delta::between(&before, &after, &DeltaOptions::default());
/// assert_eq!(delta.appeared.rows[0].text, "Added");
/// assert!(delta.changed.rows.iter().any(|row| row.selector == "#cart"));
/// assert!(delta.disappeared.rows.is_empty());
/// # Ok::<(), stillframe_core::SnapshotError>(())
/// ```
#[non_exhaustive]
pub struct Delta {
    /// Whether the page's own document is the same one.
    pub same_document: bool,
    pub appeared: List,
    pub disappeared: List,
    pub changed: List,
    /// The controls nearest to what changed and to the last action, where no row names any.
    pub nearby: Vec<Control>,
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
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.appeared.total == 0 && self.disappeared.total == 0 && self.changed.total == 0
    }
}
