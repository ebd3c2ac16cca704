//! Empty elements without a line: those that repeat others, and those that nobody can use.

use super::Walk;
use crate::capture::atom::Atom;
use crate::capture::bounds::bounds;
use crate::capture::node::Node;
use crate::outline::naming::has_own_name;

impl Walk<'_> {
    /// Whether an empty element between cells is in every row, and in the first several times: the handles of columns.
    /// Those of the first row are enough.
    pub(super) fn is_repeated(&mut self, node: Node) -> bool {
        let alone = self.snapshot.document(node).size[node.index] == 1;
        if !alone || !self.facts[&node.document].is_handle(node.index) || has_own_name(self.snapshot, node) {
            return false;
        }
        let Some(row) = self.opens.last().map(|open| open.item).filter(|_| self.is_in_row()) else { return false };
        let class = self.snapshot.attribute(node, Atom::Class).unwrap_or("");
        let rows = self.items.get(self.items[row as usize].parent as usize).map_or(1, |holder| holder.children);
        if rows > 1 {
            return self.repeated.contains(class);
        }
        if self.handle.replace((row, class)) == Some((row, class)) {
            self.repeated.insert(class);
        }
        false
    }

    /// Whether an empty element has no area to click on, and neither a name nor the focus: nobody can reach it.
    pub(super) fn is_nowhere(&self, node: Node) -> bool {
        let facts = &self.facts[&node.document];
        let alone = self.snapshot.document(node).size[node.index] == 1;
        let clicked = facts.reached(node.index) && !facts.focuses(node.index) && !has_own_name(self.snapshot, node);
        alone
            && clicked
            && bounds(self.snapshot, node).is_some_and(|[_, _, width, height]| width <= 0.0 || height <= 0.0)
    }
}
