//! Which elements of a document have a role, a name or a text, by their sums (`element::words` makes them).

use crate::capture::node::NodeIndex;
use crate::element::postings::Postings;
use crate::element::tokens::{Kind, mix, token};

pub struct WordIndex {
    /// Of every element: its text (`plainText`), as `Sum` without space.
    pub(super) text: Vec<u64>,
    pub(super) postings: Postings,
    /// Names could be made within the work that a document of this size is worth: only then none is missed.
    pub(super) complete: bool,
}

impl WordIndex {
    /// The elements with this role, and with this role and the name of `node`.
    pub fn with_role(&self, role: &str) -> &[NodeIndex] {
        self.postings.get(role_token(role))
    }

    /// Those that share it by their names without white space; nothing where not all names are known.
    pub fn with_name(&self, role: &str, name: u64) -> &[NodeIndex] {
        match self.complete {
            true => self.postings.get(named_token(role, name)),
            false => &[],
        }
    }

    /// The elements that have the text `sum`, those round them included.
    pub fn with_text(&self, sum: u64) -> &[NodeIndex] {
        self.postings.get(mix(sum, Kind::Text as u64))
    }
}

pub(super) fn role_token(role: &str) -> u64 {
    token(Kind::Role, role.as_bytes())
}

pub(super) fn named_token(role: &str, name: u64) -> u64 {
    // In this order: of the second one `mix` leaves out a bit.
    mix(name, role_token(role))
}
