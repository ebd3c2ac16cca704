//! One of the two trees to match: the nodes that take part, their sizes, and their matches so far.

use crate::capture::atom::Atom;
use crate::capture::columns::{flag, Document};
use crate::capture::page::{Node, PartInfo};
use crate::diff::cross::partners::Partners;
use crate::digest::region::RegionHashes;
use crate::element::snapshot::Snapshot;

pub struct Side<'a> {
    pub snapshot: &'a Snapshot,
    pub at: u32,
    pub document: &'a Document,
    pub part: &'a PartInfo,
    hashes: RegionHashes<'a>,
    hash_bits: u64,
    /// The nodes that take part, in pre-order.
    pub own: Vec<u32>,
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
        at: u32,
        hashes: RegionHashes<'a>,
        roots: &[u32],
        holes: &[u32],
        hash_bits: u64,
    ) -> Self {
        let document = &snapshot.documents[at as usize];
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
                if self.document.has(node, flag::FRAME) || self.framed[node as usize] {
                    self.framed[node as usize] = true;
                    if let Some(parent) = self.document.parent_of(node).filter(|&parent| self.is_own(parent)) {
                        self.framed[parent as usize] = true;
                    }
                }
            }
        }
        self
    }

    pub fn is_framed(&self, node: u32) -> bool {
        self.framed.get(node as usize) == Some(&true)
    }

    fn measure(&mut self) {
        for &node in self.own.iter().rev() {
            let at = node as usize;
            let is_leaf = self.live[at] == 0;
            self.live[at] += 1;
            self.leaves[at] += u32::from(is_leaf && self.document.has(node, flag::RENDERED));
            if let Some(parent) = self.document.parent_of(node) {
                let parent = parent as usize;
                self.live[parent] += self.live[at];
                self.leaves[parent] += self.leaves[at];
                self.holds[parent] |= self.document.is_element(node);
            }
        }
        // What holds a region is not part of it.
        let mut end = 0;
        for index in 0..self.own.len() {
            let node = self.own[index];
            if node >= end {
                end = self.document.end(node);
                if let Some(parent) = self.document.parent_of(node) {
                    self.live[parent as usize] = 0;
                }
            }
        }
    }

    pub fn is_own(&self, node: u32) -> bool {
        self.live[node as usize] != 0
    }

    /// Takes part and has no partner.
    pub fn is_free(&self, node: u32) -> bool {
        self.is_own(node) && self.partner.get(node).is_none()
    }

    pub fn node(&self, index: u32) -> Node {
        Node { document: self.at, index }
    }

    pub fn tag(&self, index: u32) -> Atom {
        self.snapshot.tag(self.node(index))
    }

    pub fn attribute(&self, index: u32, atom: Atom) -> Option<&'a str> {
        self.snapshot.attribute(self.node(index), atom)
    }

    /// Everything in the subtree, and what of it is rendered.
    #[inline]
    pub fn exact(&self, node: u32) -> u64 {
        let [exact, visible, _] = self.hashes.get(node);
        (exact ^ visible.rotate_left(23)) & self.hash_bits
    }

    /// What is rendered; 0 for what is not.
    pub fn visible(&self, node: u32) -> u64 {
        self.hashes.get(node)[1] & self.hash_bits
    }

    /// Tags, roles and lasting classes; 0 for texts.
    pub fn shape(&self, node: u32) -> u64 {
        self.hashes.get(node)[2] & self.hash_bits
    }

    /// The children that take part and have no partner.
    pub fn free_children(&self, node: u32) -> Vec<u32> {
        self.document.children(node).filter(|&child| self.is_free(child)).collect()
    }
}

fn own_nodes(document: &Document, roots: &[u32], holes: &[u32]) -> Vec<u32> {
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
