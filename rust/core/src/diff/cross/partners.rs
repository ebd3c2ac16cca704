//! For each node of one side, its match on the other side.

/// A sparse answer in a dense table: memory that is never written to costs nothing.
#[derive(Clone, Default)]
pub struct Partners(Vec<u32>);

impl Partners {
    pub fn new(nodes: usize) -> Self {
        Self(vec![0; nodes])
    }

    #[inline]
    pub fn get(&self, node: u32) -> Option<u32> {
        self.0[node as usize].checked_sub(1)
    }

    pub fn set(&mut self, node: u32, other: u32) {
        self.0[node as usize] = other + 1;
    }

    pub fn clear(&mut self, node: u32) {
        self.0[node as usize] = 0;
    }
}
