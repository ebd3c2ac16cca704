//! The snapshot of a page: a capture with its digests and with the indexes that selectors and names need.

use std::ops::Deref;
use std::sync::OnceLock;

use crate::capture::node::DocumentIndex;
use crate::capture::page::{Capture, PartSource};
use crate::capture::strings::Bytes;
use crate::digest::digested::Digested;
use crate::element::index::{Index, Indexes, SelectorIndex};
use crate::error::Result;

/// A DOM snapshot of a whole page: all its documents, shadow roots and frames.
///
/// Immutable, and safe to share between threads. It computes digests and indexes when they are first needed. It
/// dereferences to `Digested`, which dereferences to `Capture`: each of these types keeps what its own room computes.
///
/// ```
/// # const BEFORE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/before.json"));
/// use std::sync::Arc;
/// use stillframe_core::Snapshot;
///
/// let snapshot = Snapshot::from_cdp(Arc::new(BEFORE))?;
/// assert_eq!(snapshot.documents.len(), 1);
/// assert_eq!(snapshot.digests(), Snapshot::from_cdp(Arc::new(BEFORE))?.digests());
/// # Ok::<(), stillframe_core::SnapshotError>(())
/// ```
pub struct Snapshot {
    digested: Digested,
    indexes: OnceLock<Indexes>,
}

impl Snapshot {
    /// Read the result of `DOMSnapshot.captureSnapshot`, or the message that carries it, in JSON or Chrome's CBOR.
    pub fn from_cdp(raw: Bytes) -> Result<Self> {
        Self::from_parts(vec![PartSource { key: String::new(), owner: None, raw, internals: Vec::new() }], Vec::new())
    }

    /// Combine the captures of several renderer processes. `loaders` maps frame ids to loader ids where the caller
    /// knows them.
    pub fn from_parts(parts: Vec<PartSource>, loaders: Vec<(String, String)>) -> Result<Self> {
        let capture = Capture::from_parts(parts, loaders)?;
        Ok(Self { digested: Digested::new(capture), indexes: OnceLock::new() })
    }

    /// See `Digested::weaken_hashes`.
    #[cfg(feature = "testing")]
    pub fn weaken_hashes(&mut self, bits: u64) {
        self.digested.weaken_hashes(bits);
    }
}

impl Deref for Snapshot {
    type Target = Digested;

    #[inline(always)]
    fn deref(&self) -> &Digested {
        &self.digested
    }
}

/// The index of a document.
pub fn index_of(snapshot: &Snapshot, document: DocumentIndex) -> Index<'_> {
    let all = snapshot.indexes.get_or_init(|| snapshot.documents.iter().map(|_| SelectorIndex::default()).collect());
    Index::of(&snapshot.documents[document], snapshot.part_of(document), &all[document])
}
