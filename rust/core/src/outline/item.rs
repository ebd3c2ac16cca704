//! One line of the text before it is worded.

use crate::capture::node::Node;
use crate::outline::roles::Role;

/// Levels of structure that are shown: deeper elements appear at the last one.
pub const DEEPEST: u32 = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text that stands in the page.
    Text,
    /// An element.
    Line,
    /// An element that begins with a text, which stands for its name.
    Said,
    /// No line: one of a list that holds but one other line, or the text that stands for a name.
    Ghost,
}

#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub node: Node,
    /// The pieces of its text: from, and one past the last.
    pub said: (u32, u32),
    /// The item that holds it, and one past the last item inside.
    pub parent: u32,
    pub end: u32,
    pub children: u32,
    pub depth: u32,
    pub kind: Kind,
    pub role: Role,
    /// What goes first has the lowest: at least as low as all that it holds.
    pub rank: u8,
}
