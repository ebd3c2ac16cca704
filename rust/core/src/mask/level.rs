//! One mask: which node, how much of it is left out, and why.

use crate::capture::node::Node;

/// What a mask leaves out, narrowest first in each of three lanes: text, attributes, subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The numbers in an element's own text.
    Digits,
    /// An element's own text.
    Text,
    /// Its style attribute.
    Style,
    /// Its attributes, its state and what it holds as a control.
    Attributes,
    /// All of the subtree but its structure: tags, roles and lasting classes, equal neighbours once.
    Structure,
    /// The subtree, its being there included.
    Subtree,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Self::Digits => "digits",
            Self::Text => "text",
            Self::Style => "style",
            Self::Attributes => "attributes",
            Self::Structure => "structure",
            Self::Subtree => "subtree",
        }
    }

    pub(super) fn lane(self) -> u8 {
        self as u8 / 2
    }

    /// Whether a mask of this level may be put on large elements and on the focused one.
    pub(super) fn is_harmless(self) -> bool {
        self < Self::Attributes
    }
}

/// Why something is masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    Rule(&'static str),
    /// Changed in `changed` of the last `probes` probes.
    Learned {
        changed: u8,
        probes: u8,
    },
}

/// A mask on a node of one snapshot: an element, or a text for a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask {
    pub node: Node,
    pub level: Level,
    pub why: Why,
}
