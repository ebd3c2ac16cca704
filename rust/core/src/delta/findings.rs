//! What was found, before it is ranked and worded.

use crate::capture::node::{DocumentIndex, Node};
use crate::delta::change::Change;
use crate::delta::overlay::Regions;
use crate::delta::table::Known;

/// The difference before ranking and wording.
#[derive(Default)]
pub struct Findings {
    pub appeared: Vec<Node>,
    pub disappeared: Vec<Node>,
    /// Documents (after) in frames that came with what holds them, and (before) that went with it.
    pub came_along: Vec<DocumentIndex>,
    pub went_along: Vec<DocumentIndex>,
    /// (node before, node after, what changed)
    pub changed: Vec<(Node, Node, Change)>,
    /// Subtrees that were taken out and put in again just the same.
    pub rerendered: usize,
    pub script_length: usize,
    pub visited: usize,
    /// Pairs of nodes that were matched by what they hold.
    pub matched: usize,
    pub approximate: bool,
    /// Documents (after) that were compared with one before.
    pub known: Known,
    /// The subtrees that came into sight in them.
    pub arrived: Regions,
}
