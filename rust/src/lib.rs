//! The native core of stillframe: DOM snapshots to columns, digests, deltas and selectors.
//!
//! Bytes in, frozen handles and small plain values out. Everything works on `capture::snapshot::Snapshot`; nothing
//! recurses over a tree, and no input makes it panic. The rooms, each of which may use those above it (a `Snapshot` only
//! keeps what later ones have computed of it):
//!
//! - `capture`: bytes to columns, and the captures of several processes to one `Snapshot`
//! - `secret`: what is shown nowhere, and the rule that takes it out of texts
//! - `form`: what counts as equal, and hashes of it
//! - `element`: what one element is called: role, name, text, selector
//! - `diff`: which nodes of two snapshots are the same one, and the lossless script between them
//! - `delta`: what of that is worth telling, as ranked rows
//! - `outline`: what a page says, as text for a model
//! - `signature`: what a page is like, and which of millions are like it
//! - `wire`: the protocol's messages from Chrome's CBOR to JSON and back (uses the readers of `capture` only)
//!
//! The Python binding is `python`, behind the feature `binding`.

pub mod capture;
pub mod delta;
pub mod diff;
pub mod element;
pub mod error;
pub mod form;
pub mod outline;
pub mod secret;
pub mod signature;
#[doc(hidden)]
pub mod testpage;
pub mod wire;

#[cfg(feature = "binding")]
mod python;
