//! The native core of stillframe: DOM snapshots to columns, digests, deltas and selectors.
//!
//! Bytes in, frozen handles and small plain values out. Everything works on `snapshot::Snapshot`; nothing recurses over
//! a tree, and no input makes it panic. The Python binding is `python`, behind the feature of that name.

pub mod atom;
pub mod bounds;
pub mod canonical;
pub mod change;
pub mod columns;
pub mod delta;
pub mod diff;
pub mod digest;
pub mod error;
mod json;
pub mod lis;
pub mod name;
pub mod parse;
mod rank;
mod reconcile;
mod region;
pub mod role;
pub mod row;
mod same;
pub mod script;
pub mod selector;
pub mod snapshot;
#[doc(hidden)]
pub mod testpage;
pub mod text;
mod whole;

#[cfg(feature = "python")]
mod python;
