//! For each node of one side, its match on the other side.

use crate::capture::node::NodeIndex;

/// A sparse answer in a dense table, one more than the match: memory that is never written to costs nothing.
#[derive(Clone, Default)]
pub struct Partners(Vec<u32>);

impl Partners {
    pub fn new(nodes: usize) -> Self {
        Self(vec![0; nodes])
    }

    #[inline]
    pub fn get(&self, node: NodeIndex) -> Option<NodeIndex> {
        self.0[node].checked_sub(1).map(NodeIndex::new)
    }

    pub fn set(&mut self, node: NodeIndex, other: NodeIndex) {
        self.0[node] = other.number() + 1;
    }

    pub fn clear(&mut self, node: NodeIndex) {
        self.0[node] = 0;
    }
}
