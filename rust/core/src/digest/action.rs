//! What a pass over the digests leaves out of a node.

use crate::capture::atom::Atom;

/// What is done to a node in the pass over the digests, narrowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    Digits,
    Style,
    Attributes,
    Structure,
    Hide,
}

impl Action {
    /// Whether an attribute is left out.
    pub fn hides(self, attribute: Atom) -> bool {
        self == Self::Attributes || (self == Self::Style && attribute == Atom::Style)
    }
}
