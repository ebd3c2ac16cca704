//! Hashing for tables in memory: the secret of the process, and maps whose keys are hashes already.

pub mod by_hash;
pub mod mix;

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

/// Return the secret that this process draws once, so that no page can prepare colliding keys.
pub fn process_secret() -> u64 {
    static SECRET: OnceLock<u64> = OnceLock::new();
    *SECRET.get_or_init(|| RandomState::new().hash_one(0))
}
