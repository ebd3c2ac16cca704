//! The native core of stillframe: DOM snapshots to columns, digests, deltas and selectors.
//!
//! Bytes go in; immutable values come out. Nothing recurses over a tree, and no input makes the core panic.
//!
//! The crate consists of these rooms. A room uses itself and the rooms above it in this list, never the ones below, and no
//! modules form a circle; the test `rust/core/tests/rooms.rs` reads the list and checks every `crate::` and `super::` path.
//!
//! - `error`: the error that every reader of bytes returns
//! - `hash`: the secret of the process, and maps that depend on it
//! - `capture`: from bytes to columns, and from the captures of several processes to one `Capture`
//! - `wire`: DevTools messages from Chrome's CBOR to JSON and back
//! - `secret`: how pages show a secret, and the rule that removes it from texts
//! - `digest`: the canonical form of a page and its digests; `Digested` is a capture that keeps them
//! - `element`: role, name, text and selectors of one element; `Snapshot` is a `Digested` that keeps the indexes for them
//! - `mask`: what a page changes by itself, and digests without it
//! - `diff`: which nodes of two snapshots are the same, and the lossless script between the snapshots
//! - `outline`: what a page says, as text for a model
//! - `delta`: the changes that matter to a user, as ranked rows
//! - `signature`: how similar two pages are, and which of millions of pages are similar to one
//! - `testing`: made-up pages, and the insides of all rooms, for tests (feature `testing`)
//! - `python`: the Python binding (feature `binding`)

// Without the binding, some rooms have no user but an embedder who needs more of them exported. With it, dead code is an
// error: `make lint` builds what the wheel holds, too.
#![cfg_attr(
    not(any(feature = "binding", feature = "testing")),
    allow(dead_code, unused_imports, reason = "only the binding uses all of the rooms")
)]

mod capture;
mod delta;
mod diff;
mod digest;
mod element;
mod error;
mod hash;
mod mask;
mod outline;
mod secret;
mod signature;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod testing;
mod wire;

#[cfg(feature = "binding")]
mod python;

pub use crate::capture::node::{DocumentIndex, DocumentPair, Interval, Node, NodeIndex, NodePair};
pub use crate::capture::page::PartSource;
pub use crate::capture::strings::Bytes;
pub use crate::delta::row::Row;
pub use crate::delta::{Delta, DeltaOptions};
pub use crate::digest::stored::Digests;
pub use crate::element::fingerprint::Fingerprint;
pub use crate::element::relocate::Relocation;
pub use crate::element::snapshot::Snapshot;
pub use crate::error::{ErrorKind, SnapshotError};
pub use crate::mask::learn::MaskLearner;
pub use crate::secret::Redactor;
pub use crate::signature::Signature;
pub use crate::signature::index::SignatureIndex;
