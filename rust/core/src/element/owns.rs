//! `aria-owns`: elements that a page moves elsewhere in the accessible tree.
//!
//! Each element has one owner, the first that names it; none owns what holds it, by the tree or by other owners.

use crate::capture::columns::Document;
use crate::capture::page::Node;
use crate::element::ids::by_id;
use crate::element::index::index_of;
use crate::element::role::named_attribute;
use crate::element::snapshot::Snapshot;
use crate::hash::by_hash::ByHash;

/// Elements that one element may own, and bytes of the attribute that are read for them.
const OWNED: usize = 64;
const BYTES: usize = 4096;

/// Owners that are walked over to tell a circle, and ancestors on the way to each.
const OWNERS: usize = 16;
const ABOVE: usize = 32;

/// Who owns whom in a document.
#[derive(Default)]
pub struct Owns {
    /// (owner, owned), by owner and then in the order of the attribute.
    by_owner: Vec<(u32, u32)>,
    /// The owner of each that is owned.
    by_owned: ByHash<u32>,
    /// The number of elements answered so far: no page gets more answers than it has nodes.
    asked: usize,
}

/// Who owns whom in a document. O(nodes) on first use, and only if the page has such attributes at all.
pub fn owns_of(snapshot: &Snapshot, document: u32) -> &Owns {
    index_of(snapshot, document).known.owns.get_or_init(|| Owns::new(snapshot, document))
}

impl Owns {
    fn new(snapshot: &Snapshot, at: u32) -> Self {
        let part = snapshot.part_of(at);
        let is_it = |id: u32| part.strings.bytes(id).eq_ignore_ascii_case(b"aria-owns");
        let aria = part.atoms.iter().enumerate().filter(|(_, atom)| atom.is_aria());
        let mut owns = Self::default();
        if !aria.into_iter().any(|(id, _)| is_it(id as u32)) {
            return owns;
        }
        for index in 0..snapshot.documents[at as usize].len() as u32 {
            owns.read(snapshot, Node { document: at, index });
        }
        owns
    }

    fn read(&mut self, snapshot: &Snapshot, owner: Node) {
        let Some(ids) = named_attribute(snapshot, owner, "aria-owns") else { return };
        let nodes = snapshot.document(owner).len();
        for id in ids.get(..BYTES).unwrap_or(ids).split_ascii_whitespace().take(OWNED) {
            self.asked += 1;
            let Some(owned) = by_id(snapshot, owner, id).filter(|_| self.asked <= nodes) else { continue };
            let free = !self.by_owned.contains_key(&u64::from(owned));
            if free && !self.holds(snapshot.document(owner), owned, owner.index) {
                self.by_owned.insert(u64::from(owned), owner.index);
                self.by_owner.push((owner.index, owned));
            }
        }
    }

    /// Whether `node` is in `holder`, by the tree or by owners; true where that takes too long to tell.
    fn holds(&self, document: &Document, holder: u32, node: u32) -> bool {
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
    fn nearest_owned(&self, document: &Document, node: u32) -> Option<u32> {
        let mut above = std::iter::successors(Some(node), |&at| document.parent_of(at)).take(ABOVE);
        above.find_map(|at| self.owner(at))
    }

    pub fn is_empty(&self) -> bool {
        self.by_owned.is_empty()
    }

    pub fn owner(&self, owned: u32) -> Option<u32> {
        self.by_owned.get(&u64::from(owned)).copied()
    }

    /// What `owner` owns, in order.
    pub fn owned(&self, owner: u32) -> &[(u32, u32)] {
        let first = self.by_owner.partition_point(|pair| pair.0 < owner);
        let count = self.by_owner[first..].partition_point(|pair| pair.0 == owner);
        &self.by_owner[first..first + count]
    }
}
