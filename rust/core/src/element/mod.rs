//! Role, name, text and selectors of one element, its fingerprint, and `Snapshot`, which keeps the indexes for them.

pub mod census;
pub mod control;
pub mod fingerprint;
pub mod flow;
pub mod gather;
pub mod generated;
pub mod ids;
pub mod index;
pub mod likeness;
pub mod name;
pub mod owns;
pub mod places;
pub mod record;
pub mod relocate;
pub mod resolve;
pub mod role;
pub mod roles;
pub mod selector;
pub mod selectors;
pub mod snapshot;
pub mod text;
pub mod words;
