//! The edits between two captures of one document, by node identity.
//!
//! From the root down in lockstep: equal session hashes end the walk (they cover node ids, so nothing inside can have
//! moved either). Child lists are trimmed at both ends; what is left goes through a map of node ids, built only then:
//! unknown before is inserted, unknown after is deleted, the same parent keeps a longest increasing subsequence and the
//! rest has moved. Cost: the changed nodes, their siblings, and once O(nodes) for the maps if a list changed.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::capture::columns::{DOCUMENT, Document, flag};
use crate::capture::node::{DocumentIndex, DocumentPair, NodeIndex, NodePair};
use crate::capture::page::text_of;
use crate::capture::strings::NONE;
use crate::diff::lis;
use crate::element::snapshot::Snapshot;

/// Which documents of two snapshots are the same one.
pub struct Pairing {
    pub same: Vec<DocumentPair>,
    /// Documents of before that are gone, and of after that are new.
    pub gone: Vec<DocumentIndex>,
    pub fresh: Vec<DocumentIndex>,
    /// Whether the page's own document is the same one.
    pub same_page: bool,
}

/// A child list in which nodes changed places.
pub struct Reorder {
    pub parents: NodePair,
    /// How many children were in both lists.
    pub common: usize,
    /// Those that moved.
    pub moved: Vec<NodePair>,
}

/// The edits of one document; nodes are indexes into the columns before or after.
#[derive(Default)]
pub struct Edits {
    /// Topmost inserted nodes (after). Nodes inside that were there before are in `moved`.
    pub inserted: Vec<NodeIndex>,
    /// Topmost deleted nodes (before). Nodes inside that are still there are in `moved`.
    pub deleted: Vec<NodeIndex>,
    /// Nodes that have another parent.
    pub moved: Vec<NodePair>,
    pub reordered: Vec<Reorder>,
    /// Nodes on both sides that differ, or hold something that differs.
    pub touched: Vec<NodePair>,
    /// How many pairs were looked at.
    pub visited: usize,
}

/// Tell which documents are the same one.
///
/// The same: same part and frame, same document node and root element (by node id; a navigation makes new ones), same
/// origin (processes number their nodes alike), and no different loader where loaders are known.
pub fn pair_documents(before: &Snapshot, after: &Snapshot) -> Pairing {
    let mut by_root: HashMap<(&str, &str, u32), DocumentIndex> = HashMap::new();
    for &at in &before.order {
        by_root.entry(root_key(before, at)).or_insert(at);
    }
    let mut pairing = Pairing { same: Vec::new(), gone: Vec::new(), fresh: Vec::new(), same_page: false };
    let mut taken = vec![false; before.documents.len()];
    for &at in &after.order {
        match by_root.get(&root_key(after, at)) {
            Some(&old) if !taken[old] && is_same(before, old, after, at) => {
                taken[old] = true;
                pairing.same.push(DocumentPair { old, new: at });
            }
            _ => pairing.fresh.push(at),
        }
    }
    pairing.gone = before.order.iter().copied().filter(|&at| !taken[at]).collect();
    pairing.same_page = pairing.same.first() == Some(&DocumentPair { old: before.order[0], new: after.order[0] });
    pairing
}

fn root_key(snapshot: &Snapshot, at: DocumentIndex) -> (&str, &str, u32) {
    let document = &snapshot.documents[at];
    let part = snapshot.part_of(at);
    (&part.key, text_of(part, document.frame_id), document.backend_node_id[0])
}

fn is_same(before: &Snapshot, old: DocumentIndex, after: &Snapshot, new: DocumentIndex) -> bool {
    let (one, other) = (&before.documents[old], &after.documents[new]);
    let element = |document: &Document| {
        document
            .children(NodeIndex::ROOT)
            .find(|&node| document.is_element(node))
            .map(|node| document.backend_node_id[node])
    };
    let frame = text_of(before.part_of(old), one.frame_id);
    let loaders = (loader(before, frame), loader(after, frame));
    one.kind[0] == other.kind[0]
        && root_name(before, old) == root_name(after, new)
        && (element(one) == element(other) || one.kind[0] != DOCUMENT)
        && origin(text_of(before.part_of(old), one.url)) == origin(text_of(after.part_of(new), other.url))
        && !matches!(loaders, (Some(one), Some(other)) if one != other)
}

fn root_name(snapshot: &Snapshot, at: DocumentIndex) -> &str {
    text_of(snapshot.part_of(at), snapshot.documents[at].name[0])
}

fn loader<'a>(snapshot: &'a Snapshot, frame: &str) -> Option<&'a str> {
    snapshot.loaders.iter().find(|entry| entry.0 == frame).map(|entry| entry.1.as_str())
}

/// Scheme and host of a URL; the whole scheme where there is no host.
fn origin(url: &str) -> &str {
    let Some(scheme) = url.find(':') else { return url };
    if !url[scheme..].starts_with("://") {
        return &url[..scheme];
    }
    let host = scheme + 3;
    url[host..].find(['/', '?', '#']).map_or(url, |end| &url[..host + end])
}

/// Index of each node id among the nodes of the canonical form.
pub(crate) struct IdMap {
    dense: Vec<u32>,
    sparse: HashMap<u32, u32>,
}

impl IdMap {
    /// None if an id stands for two nodes, which no browser does.
    pub(crate) fn new(document: &Document) -> Option<Self> {
        let n = document.len();
        let highest = document.backend_node_id.iter().copied().max().unwrap_or(0) as usize;
        let is_dense = highest < 8 * n + 1024;
        let mut dense = vec![NONE; if is_dense { highest + 1 } else { 0 }];
        let mut sparse = HashMap::with_capacity(if is_dense { 0 } else { n });
        for (node, &backend_node_id) in document.backend_node_id.iter().enumerate() {
            if document.flags[node] & flag::DROPPED != 0 {
                continue;
            }
            let other = match dense.get_mut(backend_node_id as usize) {
                Some(slot) => std::mem::replace(slot, node as u32),
                None => sparse.insert(backend_node_id, node as u32).unwrap_or(NONE),
            };
            if other != NONE {
                return None;
            }
        }
        Some(Self { dense, sparse })
    }

    pub(crate) fn get(&self, backend_node_id: u32) -> Option<NodeIndex> {
        let found = match self.dense.get(backend_node_id as usize) {
            Some(&node) => node,
            None => self.sparse.get(&backend_node_id).copied()?,
        };
        NodeIndex::known(found)
    }
}

/// How far ahead in a list a node is looked for before it is looked up by id.
const NEARBY: usize = 4;

/// Look-ups by id that are done by a scan (~0.1 ns per node) before maps are made (~5 ns per node).
const SCANS: usize = 16;

fn scan(document: &Document, backend_node_id: u32) -> Option<NodeIndex> {
    let found = document.backend_node_id.iter().position(|&other| other == backend_node_id).map(NodeIndex::from_at)?;
    (!document.has(found, flag::DROPPED)).then_some(found)
}

/// A name of at least this many bytes is compared once, however many nodes have it.
const LONG_NAME: usize = 64;

/// Two captures of one document, and the walk through them.
struct Walk<'a> {
    before: (&'a Snapshot, &'a Document, &'a [u64]),
    after: (&'a Snapshot, &'a Document, &'a [u64]),
    /// Whether equal hashes are not trusted (they are short in a test).
    verify: bool,
    ids: Option<(IdMap, IdMap)>,
    long_names: RefCell<HashMap<(u32, u32), bool>>,
    /// Nodes looked up by id so far.
    scans: usize,
    edits: Edits,
    stack: Vec<NodePair>,
}

/// The edits between two captures of one document; None if node ids repeat, so that they identify nothing.
pub fn edits(before: &Snapshot, old: DocumentIndex, after: &Snapshot, new: DocumentIndex) -> Option<Edits> {
    let (hashes, others) = (before.hashes(), after.hashes());
    let mut walk = Walk {
        before: (before, &before.documents[old], &hashes.documents[old]),
        after: (after, &after.documents[new], &others.documents[new]),
        verify: hashes.bits != u64::MAX || others.bits != u64::MAX,
        ids: None,
        long_names: RefCell::default(),
        scans: 0,
        edits: Edits::default(),
        stack: vec![NodePair::new(NodeIndex::ROOT, NodeIndex::ROOT)],
    };
    while let Some(pair) = walk.stack.pop() {
        walk.visit(pair)?;
    }
    Some(walk.edits)
}

impl Walk<'_> {
    fn visit(&mut self, pair: NodePair) -> Option<()> {
        let NodePair { old: one, new: other } = pair;
        self.edits.visited += 1;
        if self.is_equal(one, other) {
            return Some(());
        }
        self.edits.touched.push(pair);
        let old: Vec<NodeIndex> = self.before.1.children(one).collect();
        let new: Vec<NodeIndex> = self.after.1.children(other).collect();
        let start = old.iter().zip(&new).take_while(|(a, b)| self.is_same_node(**a, **b)).count();
        let rest = old.len().min(new.len()) - start;
        let tail = old.iter().rev().zip(new.iter().rev()).take(rest);
        let end = tail.take_while(|(a, b)| self.is_same_node(**a, **b)).count();
        for (a, b) in old[..start].iter().zip(&new[..start]) {
            self.push(*a, *b);
        }
        for (a, b) in old[old.len() - end..].iter().zip(&new[new.len() - end..]) {
            self.push(*a, *b);
        }
        let (old, new) = (&old[start..old.len() - end], &new[start..new.len() - end]);
        if old.is_empty() && new.is_empty() {
            return Some(());
        }
        self.middle(pair, old, new)
    }

    /// Put a pair on the stack unless there is nothing to be found in it.
    #[inline]
    fn push(&mut self, one: NodeIndex, other: NodeIndex) {
        if self.verify || self.before.2[one] != self.after.2[other] {
            self.stack.push(NodePair::new(one, other));
        }
    }

    /// The part of a child list that is not simply the same at both ends.
    fn middle(&mut self, parents: NodePair, old: &[NodeIndex], new: &[NodeIndex]) -> Option<()> {
        let mut common = Vec::new();
        let mut known = vec![false; old.len()];
        let mut next = 0;
        for &node in new {
            if let Some(at) = self.nearby(old, next, node) {
                next = at + 1;
                known[at] = true;
                common.push(NodePair::new(old[at], node));
                self.push(old[at], node);
                continue;
            }
            match self.earlier(node)? {
                None => self.inserted(node)?,
                Some(earlier) => {
                    if self.before.1.parent_of(earlier) == Some(parents.old) {
                        common.push(NodePair::new(earlier, node));
                    } else {
                        self.edits.moved.push(NodePair::new(earlier, node));
                    }
                    self.push(earlier, node);
                }
            }
        }
        for (&node, _) in old.iter().zip(&known).filter(|(_, known)| !**known) {
            if self.later(node)?.is_none() {
                self.edits.deleted.push(node);
            }
        }
        let order: Vec<NodeIndex> = common.iter().map(|pair| pair.old).collect();
        let kept = lis::keep(&order);
        let moved: Vec<NodePair> = common.iter().zip(kept).filter(|(_, kept)| !kept).map(|(pair, _)| *pair).collect();
        if !moved.is_empty() {
            self.edits.reordered.push(Reorder { parents, common: common.len(), moved });
        }
        Some(())
    }

    /// Where `node` is among the next few of `old`: most of a list keeps its order.
    fn nearby(&self, old: &[NodeIndex], next: usize, node: NodeIndex) -> Option<usize> {
        let few = next..old.len().min(next + NEARBY);
        few.into_iter().find(|&at| self.is_same_node(old[at], node))
    }

    /// A node that was not there before; what is inside may have been.
    fn inserted(&mut self, root: NodeIndex) -> Option<()> {
        self.edits.inserted.push(root);
        let document = self.after.1;
        let end = document.end(root);
        let mut node = root + 1;
        while node < end {
            if document.has(node, flag::DROPPED) {
                node = document.end(node);
                continue;
            }
            match self.earlier(node)? {
                None => node += 1,
                Some(earlier) => {
                    self.edits.moved.push(NodePair::new(earlier, node));
                    self.push(earlier, node);
                    node = document.end(node);
                }
            }
        }
        Some(())
    }

    /// The node before that is `node` after; the outer None means that ids repeat.
    fn earlier(&mut self, node: NodeIndex) -> Option<Option<NodeIndex>> {
        let backend_node_id = self.after.1.backend_node_id[node];
        let found = match self.maps()? {
            Some((before, _)) => before.get(backend_node_id),
            None => scan(self.before.1, backend_node_id),
        };
        Some(found.filter(|&found| self.is_same_node(found, node)))
    }

    fn later(&mut self, node: NodeIndex) -> Option<Option<NodeIndex>> {
        let backend_node_id = self.before.1.backend_node_id[node];
        let found = match self.maps()? {
            Some((_, after)) => after.get(backend_node_id),
            None => scan(self.after.1, backend_node_id),
        };
        Some(found.filter(|&found| self.is_same_node(node, found)))
    }

    /// The maps by id once they are worth making: a few nodes are sooner found by a scan.
    fn maps(&mut self) -> Option<Option<&(IdMap, IdMap)>> {
        self.scans += 1;
        if self.scans <= SCANS && !self.verify {
            return Some(None);
        }
        if self.ids.is_none() {
            self.ids = Some((IdMap::new(self.before.1)?, IdMap::new(self.after.1)?));
        }
        Some(self.ids.as_ref())
    }

    /// Same id, same kind, same name: a browser never gives an id to another node of one process.
    fn is_same_node(&self, one: NodeIndex, other: NodeIndex) -> bool {
        let ((_, old, _), (_, new, _)) = (self.before, self.after);
        let (a, b) = (one.at(), other.at());
        old.backend_node_id[a] == new.backend_node_id[b]
            && old.kind[a] == new.kind[b]
            && self.is_same_name(old.name[a], new.name[b])
    }

    fn is_same_name(&self, one: u32, other: u32) -> bool {
        let ((before, old, _), (after, new, _)) = (self.before, self.after);
        let name = before.parts[old.part as usize].strings.bytes(one);
        let same = || name == after.parts[new.part as usize].strings.bytes(other);
        if name.len() < LONG_NAME {
            return same();
        }
        *self.long_names.borrow_mut().entry((one, other)).or_insert_with(same)
    }

    fn is_equal(&self, one: NodeIndex, other: NodeIndex) -> bool {
        let equal = self.before.2[one] == self.after.2[other];
        equal && (!self.verify || self.is_equal_by_looking(one, other))
    }

    /// Compare two subtrees node by node.
    fn is_equal_by_looking(&self, one: NodeIndex, other: NodeIndex) -> bool {
        let ((before, old, _), (after, new, _)) = (self.before, self.after);
        let live = |document: &Document, start: NodeIndex| -> Vec<NodeIndex> {
            document.subtree(start).nodes().filter(|&node| !document.has(node, flag::DROPPED)).collect()
        };
        let (ours, theirs) = (live(old, one), live(new, other));
        ours.len() == theirs.len()
            && ours.iter().zip(&theirs).all(|(&a, &b)| {
                let parent = |document: &Document, node: NodeIndex, root: NodeIndex| match node == root {
                    true => NONE,
                    false => document.backend_node_id[document.parent[node] as usize],
                };
                self.is_same_node(a, b)
                    && parent(old, a, one) == parent(new, b, other)
                    && crate::diff::record::Record::of(before, old, a) == crate::diff::record::Record::of(after, new, b)
            })
    }
}
