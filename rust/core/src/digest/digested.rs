//! A capture together with its digests, each computed on first use.

use std::ops::Deref;
use std::sync::OnceLock;

use crate::capture::page::Capture;
use crate::digest::node_hashes::{NodeHashes, node_hashes};
use crate::digest::stored::{self, Digests, NodeDigests};
use crate::hash::process_secret;

/// A capture that keeps its digests. It dereferences to the `Capture`.
pub struct Digested {
    capture: Capture,
    digests: OnceLock<Digests>,
    node_digests: OnceLock<NodeDigests>,
    hashes: OnceLock<NodeHashes>,
}

impl Digested {
    pub fn new(capture: Capture) -> Self {
        Self { capture, digests: OnceLock::new(), node_digests: OnceLock::new(), hashes: OnceLock::new() }
    }

    /// Return the three 128-bit digests of the page. O(nodes) the first time.
    #[must_use]
    pub fn digests(&self) -> &Digests {
        self.digests.get_or_init(|| stored::digests(self))
    }

    /// Return one half of each digest for every node. O(nodes) the first time.
    #[must_use]
    pub fn node_digests(&self) -> &NodeDigests {
        self.node_digests.get_or_init(|| stored::node_digests(self))
    }

    /// Return the digests of the nodes if an earlier call computed them.
    #[must_use]
    pub fn known_node_digests(&self) -> Option<&NodeDigests> {
        self.node_digests.get()
    }

    /// Return hashes of the nodes that are only valid inside this process. O(nodes) the first time.
    #[must_use]
    pub fn hashes(&self) -> &NodeHashes {
        self.hashes.get_or_init(|| node_hashes(self, process_secret(), u64::MAX))
    }

    /// Keep only `bits` of each node hash, so that a test sees what happens when hashes collide.
    #[cfg(feature = "testing")]
    pub fn weaken_hashes(&mut self, bits: u64) {
        self.hashes = OnceLock::from(node_hashes(self, process_secret(), bits));
    }
}

impl Deref for Digested {
    type Target = Capture;

    #[inline(always)]
    fn deref(&self) -> &Capture {
        &self.capture
    }
}
