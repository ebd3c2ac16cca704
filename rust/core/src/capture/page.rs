//! The capture of a whole page: its parts (one per renderer process) and their documents, each in its place.

use std::sync::OnceLock;

use crate::capture::atom::Atom;
use crate::capture::columns::{Document, flag};
use crate::capture::node::{DocumentIndex, Node, NodeIndex};
use crate::capture::parse::parse;
use crate::capture::part::Internals;
use crate::capture::strings::{Bytes, NONE, Strings};
use crate::error::{ErrorKind, Result, SnapshotError};

/// The capture of one renderer process, and its place in the page.
///
/// ```
/// # const BEFORE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/before.json"));
/// use std::sync::Arc;
/// use stillframe_core::{PartSource, Snapshot};
///
/// let page = PartSource { key: String::new(), owner: None, raw: Arc::new(BEFORE), internals: Vec::new() };
/// // The frame element is unknown here, so the frame hangs under the root of its holder.
/// let owner = Some((String::new(), None));
/// let frame = PartSource { key: "FRAME".to_owned(), owner, raw: Arc::new(BEFORE), internals: Vec::new() };
/// assert_eq!(Snapshot::from_parts(vec![page, frame], Vec::new())?.documents.len(), 2);
/// # Ok::<(), stillframe_core::SnapshotError>(())
/// ```
pub struct PartSource {
    /// Names the part; with a backend node id it names a node. The page's own part has the key "".
    pub key: String,
    /// The part and the backend node id of the frame element that holds this part; None for the page's own.
    pub owner: Option<(String, Option<u32>)>,
    pub raw: Bytes,
    /// What custom elements say of themselves, which the bytes do not hold.
    pub internals: Vec<Internals>,
}

pub struct PartInfo {
    pub key: String,
    pub strings: Strings,
    pub atoms: Vec<Atom>,
    pub raw: Bytes,
    pub owner: Option<(String, Option<u32>)>,
    pub internals: Vec<Internals>,
    span: (usize, usize),
}

impl PartInfo {
    /// The bytes of the result, without the message it came in.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        &(*self.raw).as_ref()[self.span.0..self.span.1]
    }
}

pub struct Capture {
    pub parts: Vec<PartInfo>,
    pub documents: Vec<Document>,
    /// The frame element that holds each document.
    pub owner: Vec<Option<Node>>,
    /// Documents in page order: each after the one that holds it.
    pub order: Vec<DocumentIndex>,
    /// Loader id by frame id, where the caller knows them: the surest sign of a new document.
    pub loaders: Vec<(String, String)>,
    /// The elements that say something by `ElementInternals`, in order, with how many of their attributes stand in the
    /// document.
    written: Vec<(Node, u32)>,
    /// Where each layout box stands in the bytes, by document.
    pub(super) bounds: OnceLock<Vec<Vec<u32>>>,
}

impl Capture {
    /// Captures of several processes; each part but the first hangs under a frame element of an earlier or later one.
    pub fn from_parts(sources: Vec<PartSource>, loaders: Vec<(String, String)>) -> Result<Self> {
        if sources.is_empty() {
            return Err(SnapshotError::new(ErrorKind::Parts, 0, "parts"));
        }
        let mut parts = Vec::with_capacity(sources.len());
        let mut documents: Vec<Document> = Vec::new();
        let mut written = Vec::new();
        let mut first = Vec::with_capacity(sources.len());
        for (at, source) in sources.into_iter().enumerate() {
            let mut part = parse(source.raw.clone())?;
            first.push(DocumentIndex::from_at(documents.len()));
            written.extend(part.add_internals(&source.internals).into_iter().map(|(node, count)| {
                let document = DocumentIndex::from_at(node.document.at() + documents.len());
                (Node { document, ..node }, count)
            }));
            documents.extend(part.documents.into_iter().map(|mut document| {
                document.part = at as u32;
                document
            }));
            let PartSource { key, owner, raw, internals } = source;
            if parts.iter().any(|other: &PartInfo| other.key == key) {
                return Err(SnapshotError::new(ErrorKind::Parts, 0, "parts"));
            }
            let (strings, atoms, span) = (part.strings, part.atoms, part.span);
            parts.push(PartInfo { key, strings, atoms, raw, owner, internals, span });
        }
        let owner = owners(&parts, &documents, &first)?;
        let order = page_order(&owner)?;
        let mut snapshot = Self { parts, documents, owner, order, loaders, written, bounds: OnceLock::new() };
        snapshot.follow_owners();
        Ok(snapshot)
    }

    /// A frame element knows that it holds a document; a document in a frame that is not rendered is not rendered.
    fn follow_owners(&mut self) {
        for at in 0..self.order.len() {
            let document = self.order[at];
            let Some(owner) = self.owner[document] else { continue };
            let holder = &mut self.documents[owner.document];
            holder.flags[owner.index] |= flag::FRAME;
            if !holder.has(owner.index, flag::RENDERED) {
                for bits in &mut self.documents[document].flags {
                    *bits &= !(flag::RENDERED | flag::BOX);
                }
            }
        }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.documents.iter().map(Document::len).sum()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All documents, in the order of the capture.
    pub fn document_indexes(&self) -> impl Iterator<Item = DocumentIndex> + use<> {
        (0..self.documents.len()).map(DocumentIndex::from_at)
    }

    #[must_use]
    pub fn part_of(&self, document: DocumentIndex) -> &PartInfo {
        &self.parts[self.documents[document].part as usize]
    }

    #[must_use]
    pub fn document(&self, node: Node) -> &Document {
        &self.documents[node.document]
    }

    /// The attributes that stand in the document, which CSS finds; the others are what the element says by
    /// `ElementInternals`.
    #[must_use]
    pub fn written_attributes(&self, node: Node) -> &[[u32; 2]] {
        let all = self.document(node).attributes(node.index);
        &all[..self.written_count(node).map_or(all.len(), |count| count as usize)]
    }

    /// Whether `node` says something by `ElementInternals`.
    #[must_use]
    pub fn has_internals(&self, node: Node) -> bool {
        self.written_count(node).is_some()
    }

    fn written_count(&self, node: Node) -> Option<u32> {
        self.written.binary_search_by_key(&node, |entry| entry.0).ok().map(|at| self.written[at].1)
    }

    /// Whether `node` is an element in the DOM's sense.
    #[must_use]
    pub fn has_tag(&self, node: Node) -> bool {
        self.document(node).has_tag(node.index)
    }

    #[must_use]
    pub fn strings(&self, node: Node) -> &Strings {
        &self.part_of(node.document).strings
    }

    /// The tag of `node`, as one of the names the core knows.
    #[must_use]
    pub fn tag(&self, node: Node) -> Atom {
        let name = self.document(node).name[node.index];
        self.part_of(node.document).atoms.get(name as usize).copied().unwrap_or(Atom::Other)
    }

    /// The tag as the page has it: lower case, except where SVG and XML mean it otherwise.
    #[must_use]
    pub fn tag_name(&self, node: Node) -> String {
        let name = self.strings(node).get(self.document(node).name[node.index]);
        let shouted = !name.bytes().any(|byte| byte.is_ascii_lowercase());
        if shouted { name.to_ascii_lowercase() } else { name.to_owned() }
    }

    /// The value of an attribute by its atom; Some("") where it stands without a value.
    #[must_use]
    pub fn attribute(&self, node: Node, wanted: Atom) -> Option<&str> {
        let part = self.part_of(node.document);
        let pairs = self.document(node).attributes(node.index);
        let found = pairs.iter().find(|pair| part.atoms.get(pair[0] as usize) == Some(&wanted))?;
        Some(part.strings.get(found[1]))
    }

    /// The node with this identity. O(nodes).
    #[must_use]
    pub fn find(&self, part_key: &str, backend_node_id: u32) -> Option<Node> {
        let part = self.parts.iter().position(|part| part.key == part_key)? as u32;
        find_in(&self.documents, part, backend_node_id)
    }

    #[must_use]
    pub fn parent(&self, node: Node) -> Option<Node> {
        self.document(node).parent_of(node.index).map(|index| Node { index, ..node })
    }

    /// CDP's id of the node, which names it among those of its part.
    #[must_use]
    pub fn backend_node_id(&self, node: Node) -> u32 {
        self.document(node).backend_node_id[node.index]
    }

    /// The ancestors of `node` in its document, its parent first.
    pub fn ancestors(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        std::iter::successors(self.parent(node), |node| self.parent(*node))
    }

    /// `node` and its ancestors.
    pub fn inclusive_ancestors(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        std::iter::successors(Some(node), |node| self.parent(*node))
    }

    /// The place of `node` in the order of the page: by document, then by node.
    #[must_use]
    pub fn place(&self, node: Node) -> (usize, NodeIndex) {
        let place = self.order.iter().position(|&document| document == node.document);
        (place.unwrap_or(usize::MAX), node.index)
    }
}

fn find_in(documents: &[Document], part: u32, backend_node_id: u32) -> Option<Node> {
    let mut candidates = documents.iter().enumerate().filter(|(_, document)| document.part == part);
    candidates.find_map(|(at, document)| {
        let index = position(&document.backend_node_id, backend_node_id)?;
        Some(Node { document: DocumentIndex::from_at(at), index: NodeIndex::from_at(index) })
    })
}

/// Where `backend_node_id` first stands in a column; in blocks, which the processor compares many numbers at a time.
fn position(column: &[u32], backend_node_id: u32) -> Option<usize> {
    let has = |block: &&[u32]| block.iter().fold(false, |found, &other| found | (other == backend_node_id));
    let block = column.chunks(128).position(|block| has(&block))?;
    let offset = column[128 * block..].iter().position(|&other| other == backend_node_id)?;
    Some(128 * block + offset)
}

/// Who holds each document. `first` is the first document of each part.
fn owners(parts: &[PartInfo], documents: &[Document], first: &[DocumentIndex]) -> Result<Vec<Option<Node>>> {
    let mut owner: Vec<Option<Node>> = vec![None; documents.len()];
    for (at, document) in documents.iter().enumerate() {
        for &(node, child) in &document.content_document {
            let child = first[document.part as usize].at() + child as usize;
            if owner[child].is_some() || child == first[document.part as usize].at() {
                return Err(SnapshotError::new(ErrorKind::Cycle, 0, "contentDocumentIndex"));
            }
            owner[child] = Some(Node { document: DocumentIndex::from_at(at), index: node });
        }
    }
    for (at, part) in parts.iter().enumerate() {
        let Some((holder, backend_node_id)) = &part.owner else { continue };
        let Some(holder) = parts.iter().position(|other| &other.key == holder) else {
            return Err(SnapshotError::new(ErrorKind::Parts, 0, "parts"));
        };
        // A frame element that went away between the captures: its document hangs under the root of the holder.
        let found = backend_node_id.and_then(|backend_node_id| find_in(documents, holder as u32, backend_node_id));
        owner[first[at].at()] = Some(found.unwrap_or(Node { document: first[holder], index: NodeIndex::ROOT }));
    }
    Ok(owner)
}

/// Documents in page order, holders first. Fails when they hold one another in a circle.
fn page_order(owner: &[Option<Node>]) -> Result<Vec<DocumentIndex>> {
    let mut held: Vec<(Node, DocumentIndex)> = Vec::new();
    let mut stack: Vec<DocumentIndex> = Vec::new();
    for (at, owner) in owner.iter().enumerate() {
        let document = DocumentIndex::from_at(at);
        match owner {
            Some(node) => held.push((*node, document)),
            None => stack.push(document),
        }
    }
    held.sort_unstable();
    stack.reverse();
    let mut order = Vec::with_capacity(owner.len());
    while let Some(document) = stack.pop() {
        order.push(document);
        let start = held.partition_point(|(node, _)| node.document < document);
        let end = held.partition_point(|(node, _)| node.document <= document);
        stack.extend(held[start..end].iter().rev().map(|(_, child)| *child));
    }
    if order.len() != owner.len() {
        return Err(SnapshotError::new(ErrorKind::Cycle, 0, "documents"));
    }
    Ok(order)
}

/// The string index of a document's field, as text.
pub fn text_of(part: &PartInfo, id: u32) -> &str {
    if id == NONE { "" } else { part.strings.get(id) }
}
