//! The position of each element among its siblings, as CSS counts them.

use crate::capture::columns::{Document, flag};
use crate::capture::node::NodeIndex;
use crate::capture::strings::NONE;

/// Of each node its 1-based place among its like siblings, and how many those are, itself included. Siblings of a
/// shadow tree and of the light one are counted apart.
pub struct Places {
    nth: Vec<u32>,
    alike: Vec<u32>,
}

impl Places {
    /// Like are those whose tags (strings) have the same key below `keys`. One walk over all lists of children, so a
    /// parent of a million costs a million.
    pub fn new(document: &Document, keys: usize, key: impl Fn(u32) -> u32) -> Self {
        let n = document.len();
        let (mut nth, mut alike) = (vec![1u32; n], vec![1u32; n]);
        // Per key and tree: whose children are being counted, and how many there were.
        let mut counts: Vec<(NodeIndex, u32)> = vec![(NodeIndex::new(NONE), 0); 2 * keys];
        let key =
            |node: NodeIndex| 2 * key(document.name[node]) as usize + usize::from(document.has(node, flag::SHADOW));
        for parent in document.nodes() {
            if document.size[parent] < 2 {
                continue;
            }
            for child in element_children(document, parent) {
                let Some(slot) = counts.get_mut(key(child)) else { continue };
                *slot = if slot.0 == parent { (parent, slot.1 + 1) } else { (parent, 1) };
                nth[child] = slot.1;
            }
            for child in element_children(document, parent) {
                if let Some(slot) = counts.get(key(child)) {
                    alike[child] = slot.1;
                }
            }
        }
        Self { nth, alike }
    }

    pub fn of(&self, node: NodeIndex) -> (u32, u32) {
        (self.nth[node], self.alike[node])
    }
}

/// All child elements, those that the canonical form drops included (CSS counts them), pseudo elements not.
pub fn element_children(document: &Document, parent: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
    let end = document.end(parent);
    let next = move |node: &NodeIndex| Some(*node + document.size[*node]).filter(|&next| next < end);
    let first = (parent + 1 < end).then_some(parent + 1);
    std::iter::successors(first, next).filter(|&node| document.has_tag(node) && !document.has(node, flag::PSEUDO))
}
