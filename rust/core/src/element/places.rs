//! The position of each element among its siblings, as CSS counts them.

use crate::capture::columns::{flag, Document, NONE};

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
        let mut counts: Vec<(u32, u32)> = vec![(NONE, 0); 2 * keys];
        let key =
            |node: u32| 2 * key(document.name[node as usize]) as usize + usize::from(document.has(node, flag::SHADOW));
        for parent in 0..n as u32 {
            if document.size[parent as usize] < 2 {
                continue;
            }
            for child in element_children(document, parent) {
                let Some(slot) = counts.get_mut(key(child)) else { continue };
                *slot = if slot.0 == parent { (parent, slot.1 + 1) } else { (parent, 1) };
                nth[child as usize] = slot.1;
            }
            for child in element_children(document, parent) {
                if let Some(slot) = counts.get(key(child)) {
                    alike[child as usize] = slot.1;
                }
            }
        }
        Self { nth, alike }
    }

    pub fn of(&self, node: u32) -> (u32, u32) {
        (self.nth[node as usize], self.alike[node as usize])
    }
}

/// All child elements, those that the canonical form drops included (CSS counts them), pseudo elements not.
pub fn element_children(document: &Document, parent: u32) -> impl Iterator<Item = u32> + '_ {
    let end = document.end(parent);
    let next = move |node: &u32| Some(*node + document.size[*node as usize]).filter(|&next| next < end);
    let first = (parent + 1 < end).then_some(parent + 1);
    std::iter::successors(first, next).filter(|&node| document.has_tag(node) && !document.has(node, flag::PSEUDO))
}
