//! Who owns whom in the accessible tree of a document.
//!
//! Each element has one owner, the first that names it; none owns what holds it, by the tree or by other owners.

use crate::capture::columns::Document;
use crate::capture::node::NodeIndex;
use crate::hash::by_hash::ByHash;

/// Owners that are walked over to tell a circle, and ancestors on the way to each.
const OWNERS: usize = 16;
const ABOVE: usize = 32;

/// An element that another one owns.
#[derive(Clone, Copy)]
pub struct Owned {
    pub owner: NodeIndex,
    pub owned: NodeIndex,
}

/// Who owns whom in a document.
#[derive(Default)]
pub struct Owns {
    /// By owner, and then in the order of the attribute.
    by_owner: Vec<Owned>,
    /// The owner of each that is owned.
    by_owned: ByHash<NodeIndex>,
}

impl Owns {
    /// Have `owner` own a node, unless that has an owner or holds `owner`.
    pub(super) fn add(&mut self, document: &Document, owner: NodeIndex, owned: NodeIndex) {
        let free = !self.by_owned.contains_key(&u64::from(owned));
        if free && !self.holds(document, owned, owner) {
            self.by_owned.insert(u64::from(owned), owner);
            self.by_owner.push(Owned { owner, owned });
        }
    }

    /// Whether `node` is in `holder`, by the tree or by owners; true where that takes too long to tell.
    fn holds(&self, document: &Document, holder: NodeIndex, node: NodeIndex) -> bool {
        let mut at = node;
        for _ in 0..OWNERS {
            if document.within(at, holder) {
                return true;
            }
            match self.nearest_owned(document, at) {
                Some(owner) => at = owner,
                None => return false,
            }
        }
        true
    }

    /// The owner of `node` or of the nearest element that holds it and has one.
    fn nearest_owned(&self, document: &Document, node: NodeIndex) -> Option<NodeIndex> {
        let mut above = std::iter::successors(Some(node), |&at| document.parent_of(at)).take(ABOVE);
        above.find_map(|at| self.owner(at))
    }

    pub fn is_empty(&self) -> bool {
        self.by_owned.is_empty()
    }

    pub fn owner(&self, owned: NodeIndex) -> Option<NodeIndex> {
        self.by_owned.get(&u64::from(owned)).copied()
    }

    /// What `owner` owns, in order.
    pub fn owned(&self, owner: NodeIndex) -> &[Owned] {
        let first = self.by_owner.partition_point(|each| each.owner < owner);
        let count = self.by_owner[first..].partition_point(|each| each.owner == owner);
        &self.by_owner[first..first + count]
    }
}
