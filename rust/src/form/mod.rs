//! What counts as equal, hashes of it, and what of it is left out of some.

pub mod by_hash;
pub mod canonical;
pub mod digest;
pub mod learn;
pub mod mask;
mod mix;
pub mod region;
pub mod rules;
pub mod session;
pub mod step;
mod strings;
mod sums;
