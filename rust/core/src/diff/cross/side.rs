//! One of the two trees to match: the nodes that take part, their sizes, and their matches so far.

use crate::capture::atom::Atom;
use crate::capture::columns::{Document, flag};
use crate::capture::node::{DocumentIndex, Node, NodeIndex};
use crate::capture::page::PartInfo;
use crate::diff::cross::partners::Partners;
use crate::digest::region::RegionHashes;
use crate::element::snapshot::Snapshot;

pub struct Side<'a> {
    pub snapshot: &'a Snapshot,
    pub at: DocumentIndex,
    pub document: &'a Document,
    pub part: &'a PartInfo,
    hashes: RegionHashes<'a>,
    hash_bits: u64,
    /// The nodes that take part, in pre-order.
    pub own: Vec<NodeIndex>,
    /// By node, how many nodes of its subtree take part; 0 for a node that does not.
    pub live: Vec<u32>,
    /// By node, how many rendered texts, pictures and fields are in its subtree.
    pub leaves: Vec<u32>,
    /// Whether an element stands directly in the node.
    pub holds: Vec<bool>,
    pub partner: Partners,
    /// By node, how it was matched (`engine::EXACT` and so on).
    pub how: Vec<u8>,
    /// Whether the node is or holds a frame that was made again, and so loaded another document; empty if none can be.
    framed: Vec<bool>,
    /// Of matched nodes, whether enough of what they hold was found again.
    pub grounded: Vec<bool>,
}

impl<'a> Side<'a> {
    /// The subtrees at `roots` without those at `holes`; both are sorted and topmost.
    pub fn new(
        snapshot: &'a Snapshot,
        at: DocumentIndex,
        hashes: RegionHashes<'a>,
        roots: &[NodeIndex],
        holes: &[NodeIndex],
        hash_bits: u64,
    ) -> Self {
        let document = &snapshot.documents[at];
        let n = document.len();
        let mut side = Self {
            snapshot,
            at,
            document,
            part: snapshot.part_of(at),
            hashes,
            hash_bits,
            own: own_nodes(document, roots, holes),
            live: vec![0; n],
            leaves: vec![0; n],
            holds: vec![false; n],
            partner: Partners::new(n),
            how: vec![0; n],
            framed: Vec::new(),
            grounded: vec![false; n],
        };
        side.measure();
        side
    }

    /// Frames, and what holds them, are only the same if they are equal with the documents in them.
    pub fn with_new_frames(mut self) -> Self {
        if self.snapshot.documents.len() > 1 {
            self.framed = vec![false; self.document.len()];
            for &node in self.own.iter().rev() {
                if self.document.has(node, flag::FRAME) || self.framed[node] {
                    self.framed[node] = true;
                    if let Some(parent) = self.document.parent_of(node).filter(|&parent| self.is_own(parent)) {
                        self.framed[parent] = true;
                    }
                }
            }
        }
        self
    }

    pub fn is_framed(&self, node: NodeIndex) -> bool {
        self.framed.get(node.at()) == Some(&true)
    }

    fn measure(&mut self) {
        for &node in self.own.iter().rev() {
            let at = node.at();
            let is_leaf = self.live[at] == 0;
            self.live[at] += 1;
            self.leaves[at] += u32::from(is_leaf && self.document.has(node, flag::RENDERED));
            if let Some(parent) = self.document.parent_of(node) {
                let parent = parent.at();
                self.live[parent] += self.live[at];
                self.leaves[parent] += self.leaves[at];
                self.holds[parent] |= self.document.is_element(node);
            }
        }
        // What holds a region is not part of it.
        let mut end = NodeIndex::ROOT;
        for index in 0..self.own.len() {
            let node = self.own[index];
            if node >= end {
                end = self.document.end(node);
                if let Some(parent) = self.document.parent_of(node) {
                    self.live[parent] = 0;
                }
            }
        }
    }

    pub fn is_own(&self, node: NodeIndex) -> bool {
        self.live[node] != 0
    }

    /// Takes part and has no partner.
    pub fn is_free(&self, node: NodeIndex) -> bool {
        self.is_own(node) && self.partner.get(node).is_none()
    }

    pub fn node(&self, index: NodeIndex) -> Node {
        Node { document: self.at, index }
    }

    pub fn tag(&self, index: NodeIndex) -> Atom {
        self.snapshot.tag(self.node(index))
    }

    pub fn attribute(&self, index: NodeIndex, atom: Atom) -> Option<&'a str> {
        self.snapshot.attribute(self.node(index), atom)
    }

    /// Everything in the subtree, and what of it is rendered.
    #[inline]
    pub fn exact(&self, node: NodeIndex) -> u64 {
        let [exact, visible, _] = self.hashes.get(node);
        (exact ^ visible.rotate_left(23)) & self.hash_bits
    }

    /// What is rendered; 0 for what is not.
    pub fn visible(&self, node: NodeIndex) -> u64 {
        self.hashes.get(node)[1] & self.hash_bits
    }

    /// Tags, roles and lasting classes; 0 for texts.
    pub fn shape(&self, node: NodeIndex) -> u64 {
        self.hashes.get(node)[2] & self.hash_bits
    }

    /// The children that take part and have no partner.
    pub fn free_children(&self, node: NodeIndex) -> Vec<NodeIndex> {
        self.document.children(node).filter(|&child| self.is_free(child)).collect()
    }
}

fn own_nodes(document: &Document, roots: &[NodeIndex], holes: &[NodeIndex]) -> Vec<NodeIndex> {
    let mut own = Vec::new();
    let mut hole = 0;
    for &root in roots {
        let mut node = root;
        while node < document.end(root) {
            while hole < holes.len() && holes[hole] < node {
                hole += 1;
            }
            if document.has(node, flag::DROPPED) || holes.get(hole) == Some(&node) {
                node = document.end(node);
                continue;
            }
            own.push(node);
            node += 1;
        }
    }
    own
}
