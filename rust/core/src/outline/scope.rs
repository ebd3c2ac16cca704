//! Which part of a page the text covers, and what a capture does not show of a page.

use crate::capture::node::Node;

/// Which part of the page the text covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Page,
    /// What the window shows, by the boxes of texts and controls; what scrollers clip is not known.
    Viewport,
    /// One element and what it holds.
    Below(Node),
    /// From a node on, in reading order: how to go on where a budget ended.
    From(Node),
}

/// What a capture does not show: where keys go, and which dialogs keep all else from being used.
#[derive(Clone, Debug, Default)]
pub struct Attention {
    pub active: Option<Node>,
    pub modals: Vec<Node>,
}
