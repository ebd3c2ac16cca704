//! Which nodes of two snapshots are the same.

pub mod cross;
pub mod identity;
pub mod lis;
pub mod record;
