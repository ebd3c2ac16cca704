//! Digests of a few subtrees of a page.

use std::collections::HashMap;

use crate::capture::node::{DocumentIndex, NodeIndex};
use crate::digest::digested::Digested;
use crate::digest::stored::subtree_digests;

/// One half of each digest for the nodes of some subtrees: those of the whole page if they are known, else just these.
pub enum RegionHashes<'a> {
    Whole(&'a [[u64; 3]]),
    Part(HashMap<NodeIndex, [u64; 3]>),
}

impl<'a> RegionHashes<'a> {
    /// The hashes of a whole document. O(nodes of the page) the first time.
    pub fn whole(snapshot: &'a Digested, document: DocumentIndex) -> Self {
        Self::Whole(&snapshot.node_digests()[document])
    }

    /// The hashes of the subtrees at `roots`. O(their nodes), or O(all nodes) if the page has frames, whose documents
    /// belong to the hashes of what holds them.
    pub fn of(snapshot: &'a Digested, document: DocumentIndex, roots: &[NodeIndex]) -> Self {
        if snapshot.documents.len() > 1 {
            return Self::whole(snapshot, document);
        }
        if let Some(nodes) = snapshot.known_node_digests() {
            return Self::Whole(&nodes[document]);
        }
        Self::Part(subtree_digests(snapshot, document, roots))
    }

    /// (exact, visible, struct); zeros for a node that is in none of the subtrees or has no such hash.
    pub fn get(&self, node: NodeIndex) -> [u64; 3] {
        match self {
            Self::Whole(hashes) => hashes[node],
            Self::Part(hashes) => hashes.get(&node).copied().unwrap_or_default(),
        }
    }
}
