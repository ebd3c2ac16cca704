//! Digests of a page: the canonical form, which decides what counts as equal, and hashes of it.

pub mod action;
pub mod canonical;
pub mod digested;
pub mod node_hashes;
pub mod region;
pub mod seed;
pub mod stored;
mod strings;
mod sums;
