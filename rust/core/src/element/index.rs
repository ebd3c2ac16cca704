//! The inverted index of a document: which nodes have a token, and the position of each among similar siblings.
//!
//! Each part is computed when somebody first asks for it: the places of elements among their siblings, all bearers of a
//! token (`element::postings`), and whether there is but one, which a census tells for less.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::capture::atom::Atom;
use crate::capture::columns::{Document, flag};
use crate::capture::node::NodeIndex;
use crate::capture::page::PartInfo;
use crate::capture::strings::NONE;
use crate::element::census::Census;
use crate::element::owns::Owns;
use crate::element::places::{Places, element_children};
use crate::element::postings::{Postings, collect};
use crate::element::tokens::{Kind, fold_hash, token, value_token_of};
use crate::element::word_index::WordIndex;
use crate::hash::by_hash::ByHash;

/// Nodes of one id that are looked at for the exact one: only a page made for it has more in other cases.
pub const SAME_ID: usize = 64;

/// What is known of each document so far.
pub type Indexes = Vec<SelectorIndex>;

/// What is known of a document so far; each piece is computed on first use.
#[derive(Default)]
pub struct SelectorIndex {
    census: OnceLock<Census>,
    postings: OnceLock<Postings>,
    /// Places among the siblings of the same tag, of the same tag in any case, and among all.
    like: OnceLock<Places>,
    like_in_any_case: OnceLock<Places>,
    among_all: OnceLock<Places>,
    /// Siblings that were walked over for single answers: once they are as many as there are nodes, `like` is made.
    walked: AtomicUsize,
    pub(crate) words: OnceLock<WordIndex>,
    pub(crate) owns: OnceLock<Owns>,
}

/// The index of a document, with the document.
#[derive(Clone, Copy)]
pub struct Index<'a> {
    document: &'a Document,
    part: &'a PartInfo,
    pub(crate) known: &'a SelectorIndex,
}

impl<'a> Index<'a> {
    pub fn of(document: &'a Document, part: &'a PartInfo, known: &'a SelectorIndex) -> Self {
        Self { document, part, known }
    }

    /// Compute what selectors of many elements need, so that a measurement leaves it out.
    #[cfg(feature = "testing")]
    pub fn prepare(self) {
        self.census();
        self.postings();
        self.like();
    }

    /// The elements with this tag, id or class, in document order.
    pub fn having(self, kind: Kind, text: &str) -> &'a [NodeIndex] {
        self.postings().get(token(kind, text.as_bytes()))
    }

    /// The elements whose attribute `name` has this value. Only of attributes that `is_indexed`.
    pub fn with_value(self, name: &str, value: &str) -> &'a [NodeIndex] {
        self.postings().get(value_token_of(name.as_bytes(), value.as_bytes()))
    }

    /// Whether exactly one element has this tag, id or class.
    pub fn is_unique(self, kind: Kind, text: &str) -> bool {
        self.is_one(token(kind, text.as_bytes()))
    }

    /// Whether exactly one element has this value. Only of attributes that the census counts.
    pub fn is_unique_value(self, name: &str, value: &str) -> bool {
        self.is_one(value_token_of(name.as_bytes(), value.as_bytes()))
    }

    /// The elements whose `for` has this value. A few questions of those that one element answers cost no whole index.
    pub fn naming(self, id: &str) -> &'a [NodeIndex] {
        self.few(value_token_of(b"for", id.as_bytes()))
    }

    /// The first element with this id. O(elements that share it).
    pub fn by_id(self, id: &str) -> Option<NodeIndex> {
        let part = self.part;
        let exactly = |node: NodeIndex| {
            let mut pairs = self.document.attributes(node).iter();
            pairs.any(|pair| {
                part.atoms.get(pair[0] as usize) == Some(&Atom::Id) && part.strings.bytes(pair[1]) == id.as_bytes()
            })
        };
        let sharing = self.few(token(Kind::Id, id.as_bytes()));
        sharing.iter().take(SAME_ID).copied().find(|&node| exactly(node))
    }

    /// (1-based place, number) of `node` among its siblings of the same tag in the same tree.
    pub fn place(self, node: NodeIndex) -> (u32, u32) {
        if let Some(like) = self.known.like.get() {
            return like.of(node);
        }
        let document = self.document;
        let Some(parent) = document.parent_of(node) else { return (1, 1) };
        if self.known.walked.load(Relaxed) >= document.len() {
            return self.like().of(node);
        }
        let key = |node: NodeIndex| (document.name[node], document.has(node, flag::SHADOW));
        let (mut nth, mut alike, mut walked) = (1, 0, 0);
        for child in element_children(document, parent) {
            walked += 1;
            alike += u32::from(key(child) == key(node));
            if child == node {
                nth = alike;
            }
        }
        self.known.walked.fetch_add(walked, Relaxed);
        (nth, alike.max(1))
    }

    /// Whether a sibling has the same tag in another case, so of another namespace: `:nth-of-type()` counts them apart
    /// and matches both.
    pub fn has_twin_sibling(self, node: NodeIndex) -> bool {
        if !self.census().twin_tags {
            return false;
        }
        let in_any_case = self.known.like_in_any_case.get_or_init(|| {
            let mut firsts: ByHash<u32> = ByHash::default();
            let names = 0..self.part.strings.len() as u32;
            let same = names.map(|name| *firsts.entry(fold_hash(self.part.strings.bytes(name))).or_insert(name));
            let same: Vec<u32> = same.collect();
            Places::new(self.document, same.len(), |name| same.get(name as usize).copied().unwrap_or(NONE))
        });
        in_any_case.of(node).1 > self.place(node).1
    }

    /// 1-based place of `node` among all its siblings in the same tree.
    pub fn place_among_all(self, node: NodeIndex) -> u32 {
        self.known.among_all.get_or_init(|| Places::new(self.document, 1, |_| 0)).of(node).0
    }

    fn census(self) -> &'a Census {
        self.known.census.get_or_init(|| Census::new(self.document, self.part))
    }

    fn postings(self) -> &'a Postings {
        self.known.postings.get_or_init(|| collect(self.document, self.part))
    }

    fn like(self) -> &'a Places {
        self.known.like.get_or_init(|| Places::new(self.document, self.part.strings.len(), |name| name))
    }

    fn is_one(self, token: u64) -> bool {
        self.census().only(token).is_some_and(|bearers| bearers.len() == 1)
    }

    fn few(self, token: u64) -> &'a [NodeIndex] {
        self.census().only(token).unwrap_or_else(|| self.postings().get(token))
    }
}
