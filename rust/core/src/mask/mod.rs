//! Volatile masks: which nodes a page changes by itself, and the digests of the page without them.

pub mod learn;
pub mod level;
pub mod masks;
pub mod places;
pub mod rules;
