//! Which kind of line each role of `element::roles` makes.

use crate::capture::node::Node;
use crate::element::role::role;
pub use crate::element::roles::{Role, Sort};
use crate::element::snapshot::Snapshot;

/// The role of an element as lines say it.
pub fn role_of(snapshot: &Snapshot, node: Node) -> Role {
    match role(snapshot, node) {
        Role::None => Role::Generic,
        role => role,
    }
}
