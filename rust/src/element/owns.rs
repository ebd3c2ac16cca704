//! `aria-owns`: elements that a page puts elsewhere for those who cannot see it.
//!
//! Each element has one owner, the first that names it; none owns what holds it, by the tree or by other owners.

use crate::capture::columns::Document;
use crate::capture::snapshot::{Node, Snapshot};
use crate::element::index::index_of;
use crate::element::role::named_attribute;

/// Elements that one element may own, and bytes of the attribute that are read for them.
const OWNED: usize = 64;
const BYTES: usize = 4096;

/// Owners that are walked over to tell a circle.
const ABOVE: usize = 256;

/// Who owns whom in a document.
#[derive(Default)]
pub struct Owns {
    /// (owner, owned), by owner and then in the order of the attribute.
    by_owner: Vec<(u32, u32)>,
    /// (owned, owner), sorted.
    by_owned: Vec<(u32, u32)>,
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
        let index = index_of(snapshot, owner.document);
        for id in ids.get(..BYTES).unwrap_or(ids).split_ascii_whitespace().take(OWNED) {
            let Some(owned) = index.by_id(id) else { continue };
            let Err(place) = self.by_owned.binary_search_by_key(&owned, |pair| pair.0) else { continue };
            if !self.holds(snapshot.document(owner), owned, owner.index) {
                self.by_owned.insert(place, (owned, owner.index));
                self.by_owner.push((owner.index, owned));
            }
        }
    }

    /// Whether `node` is in `holder`, by the tree or by owners; true where that takes too long to tell.
    fn holds(&self, document: &Document, holder: u32, node: u32) -> bool {
        let mut at = node;
        for _ in 0..ABOVE {
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
        let place = self.by_owned.binary_search_by_key(&owned, |pair| pair.0).ok()?;
        Some(self.by_owned[place].1)
    }

    /// What `owner` owns, in order.
    pub fn owned(&self, owner: u32) -> &[(u32, u32)] {
        let first = self.by_owner.partition_point(|pair| pair.0 < owner);
        let count = self.by_owner[first..].partition_point(|pair| pair.0 == owner);
        &self.by_owner[first..first + count]
    }
}
