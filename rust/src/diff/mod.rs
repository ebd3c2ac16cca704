//! Which nodes of two snapshots are the same one, and the lossless script between them.

pub mod cross;
pub mod identity;
pub mod lis;
pub mod record;
