//! The inverted index of a document: which nodes have a token, and the position of each among similar siblings.
//!
//! Tokens are tags, ids, classes and attribute values, folded to lower case: documents in quirks mode match ids and
//! classes so, and what is unique in any case is unique in every one. Each is a 64-bit hash with the secret of the
//! process; two that collide share their postings, so that a collision can make a unique token look common and never
//! the other way round. Built in one pass, O(nodes + attributes), when somebody asks for all bearers of a token; whether
//! there is but one, a census tells for less. Postings are in document order, so that those inside an element are one slice of them (Manning et al., Introduction to Information Retrieval, ch. 1).

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::OnceLock;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::capture::atom::Atom;
use crate::capture::columns::{flag, Document, NONE};
use crate::capture::page::PartInfo;
use crate::digest::canonical::tokens;
use crate::element::census::Census;
use crate::element::owns::Owns;
use crate::element::places::{element_children, Places};
use crate::element::snapshot::Snapshot;
use crate::element::words::Words;
use crate::hash::by_hash::ByHash;
use crate::hash::process_secret;

/// Values longer than this many bytes are no names of anything.
pub(crate) const LONGEST_VALUE: usize = 256;

/// Nodes of one id that are looked at for the exact one: only a page made for it has more in other cases.
pub const SAME_ID: usize = 64;

/// What kind of token a text is.
#[derive(Clone, Copy)]
pub enum Kind {
    Tag = 1,
    Id,
    Class,
    Value,
    /// A role with an accessible name, and a whole text: `element::words` makes them.
    Role,
    Text,
}

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
    pub(crate) words: OnceLock<Words>,
    pub(crate) owns: OnceLock<Owns>,
}

/// The index of a document, with the document.
#[derive(Clone, Copy)]
pub struct Index<'a> {
    document: &'a Document,
    part: &'a PartInfo,
    pub(crate) known: &'a SelectorIndex,
}

/// The index of a document.
pub fn index_of(snapshot: &Snapshot, document: u32) -> Index<'_> {
    let all = snapshot.indexes.get_or_init(|| snapshot.documents.iter().map(|_| SelectorIndex::default()).collect());
    Index::of(&snapshot.documents[document as usize], snapshot.part_of(document), &all[document as usize])
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
    pub fn having(self, kind: Kind, text: &str) -> &'a [u32] {
        self.postings().get(token(kind, text.as_bytes()))
    }

    /// The elements whose attribute `name` has this value. Only of attributes that `is_indexed`.
    pub fn with_value(self, name: &str, value: &str) -> &'a [u32] {
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
    pub fn naming(self, id: &str) -> &'a [u32] {
        self.few(value_token_of(b"for", id.as_bytes()))
    }

    /// The first element with this id. O(elements that share it).
    pub fn by_id(self, id: &str) -> Option<u32> {
        let part = self.part;
        let exactly = |node: u32| {
            let mut pairs = self.document.attributes(node).iter();
            pairs.any(|pair| {
                part.atoms.get(pair[0] as usize) == Some(&Atom::Id) && part.strings.bytes(pair[1]) == id.as_bytes()
            })
        };
        let sharing = self.few(token(Kind::Id, id.as_bytes()));
        sharing.iter().take(SAME_ID).copied().find(|&node| exactly(node))
    }

    /// (1-based place, number) of `node` among its siblings of the same tag in the same tree.
    pub fn place(self, node: u32) -> (u32, u32) {
        if let Some(like) = self.known.like.get() {
            return like.of(node);
        }
        let document = self.document;
        let Some(parent) = document.parent_of(node) else { return (1, 1) };
        if self.known.walked.load(Relaxed) >= document.len() {
            return self.like().of(node);
        }
        let key = |node: u32| (document.name[node as usize], document.has(node, flag::SHADOW));
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
    pub fn has_twin_sibling(self, node: u32) -> bool {
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
    pub fn place_among_all(self, node: u32) -> u32 {
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

    fn few(self, token: u64) -> &'a [u32] {
        self.census().only(token).unwrap_or_else(|| self.postings().get(token))
    }
}

/// The part of `nodes`, which are sorted, that lies in `start..end`.
pub fn between(nodes: &[u32], start: u32, end: u32) -> &[u32] {
    let from = nodes.partition_point(|&node| node < start);
    let until = from + nodes[from..].partition_point(|&node| node < end);
    &nodes[from..until]
}

/// Whether the values of an attribute are tokens: those that tell one element from another.
pub fn is_indexed(attribute: Atom) -> bool {
    use Atom::*;
    attribute.is_test_id()
        || matches!(
            attribute,
            Name | Href | Src | Alt | Title | Placeholder | AriaLabel | For | Type | Role | Value | Data
        )
}

pub(crate) fn token(kind: Kind, text: &[u8]) -> u64 {
    mix(fold_hash(text), kind as u64)
}

pub(crate) fn value_token_of(name: &[u8], value: &[u8]) -> u64 {
    value_token(fold_hash(name), fold_hash(value))
}

fn value_token(name: u64, value: u64) -> u64 {
    mix(value, name ^ Kind::Value as u64)
}

#[inline(always)]
pub(crate) fn mix(one: u64, other: u64) -> u64 {
    let product = u128::from(one ^ 0x9e37_79b9_7f4a_7c15) * u128::from(other ^ process_secret() | 1);
    product as u64 ^ (product >> 64) as u64
}

/// Never 0, which means "not yet" in tables.
fn fold_hash(text: &[u8]) -> u64 {
    let secret = process_secret();
    if text.iter().any(u8::is_ascii_uppercase) {
        return xxh3_64_with_seed(&text.to_ascii_lowercase(), secret) | 1;
    }
    xxh3_64_with_seed(text, secret) | 1
}

/// Hashes of strings, each computed on first use.
struct Hashes<'a> {
    part: &'a PartInfo,
    known: Vec<u64>,
}

impl Hashes<'_> {
    #[inline(always)]
    fn of(&mut self, id: u32) -> u64 {
        let Some(slot) = self.known.get_mut(id as usize) else { return 1 };
        if *slot == 0 {
            *slot = fold_hash(self.part.strings.bytes(id));
        }
        *slot
    }
}

/// Tokens to the nodes that bear them.
#[derive(Default)]
pub struct Postings {
    numbers: ByHash<u32>,
    /// Where the nodes of each token begin; one more at the end.
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

impl Postings {
    pub fn get(&self, token: u64) -> &[u32] {
        let Some(&number) = self.numbers.get(&token) else { return &[] };
        &self.nodes[self.starts[number as usize] as usize..self.starts[number as usize + 1] as usize]
    }
}

/// Postings in the making: nodes come in document order.
#[derive(Default)]
pub struct Collector {
    numbers: ByHash<u32>,
    counts: Vec<u32>,
    pairs: Vec<(u32, u32)>,
}

impl Collector {
    #[inline(always)]
    pub fn number(&mut self, token: u64) -> u32 {
        let next = self.counts.len() as u32;
        let number = *self.numbers.entry(token).or_insert(next);
        if number == next {
            self.counts.push(0);
        }
        number
    }

    #[inline(always)]
    pub fn add(&mut self, number: u32, node: u32) {
        self.counts[number as usize] += 1;
        self.pairs.push((number, node));
    }

    pub fn finish(self) -> Postings {
        let mut starts = Vec::with_capacity(self.counts.len() + 1);
        let mut sum = 0u32;
        for count in &self.counts {
            starts.push(sum);
            sum += count;
        }
        starts.push(sum);
        let mut next = starts.clone();
        let mut nodes = vec![0; self.pairs.len()];
        for (number, node) in self.pairs {
            let slot = &mut next[number as usize];
            nodes[*slot as usize] = node;
            *slot += 1;
        }
        Postings { numbers: self.numbers, starts, nodes }
    }
}

fn collect(document: &Document, part: &PartInfo) -> Postings {
    let count = part.strings.len();
    let mut collector = Collector::default();
    let mut hashes = Hashes { part, known: vec![0; count] };
    let mut tags = vec![NONE; count];
    // Of a `class` value seen before: where the numbers of its tokens stand.
    let mut classes: Vec<(u32, u32)> = vec![(NONE, 0); count];
    let mut class_numbers: Vec<u32> = Vec::new();
    collector.pairs.reserve(2 * document.len());
    for node in 0..document.len() as u32 {
        if !document.has_tag(node) || document.has(node, flag::PSEUDO) {
            continue;
        }
        let name = document.name[node as usize];
        if let Some(tag) = tags.get_mut(name as usize) {
            if *tag == NONE {
                *tag = collector.number(mix(hashes.of(name), Kind::Tag as u64));
            }
            collector.add(*tag, node);
        }
        for &[name, value] in document.attributes(node) {
            let Some(&atom) = part.atoms.get(name as usize) else { continue };
            match atom {
                Atom::Class => {
                    let Some(&(start, len)) = classes.get(value as usize) else { continue };
                    let (start, len) = if start == NONE {
                        let start = class_numbers.len() as u32;
                        for class in tokens(part.strings.bytes(value)) {
                            class_numbers.push(collector.number(mix(fold_hash(class), Kind::Class as u64)));
                        }
                        let len = each_once(&mut class_numbers, start as usize);
                        classes[value as usize] = (start, len);
                        (start, len)
                    } else {
                        (start, len)
                    };
                    for &number in &class_numbers[start as usize..(start + len) as usize] {
                        collector.add(number, node);
                    }
                }
                Atom::Id => {
                    let number = collector.number(mix(hashes.of(value), Kind::Id as u64));
                    collector.add(number, node);
                }
                atom if is_indexed(atom) && part.strings.bytes(value).len() <= LONGEST_VALUE => {
                    let (name, value) = (hashes.of(name), hashes.of(value));
                    let number = collector.number(value_token(name, value));
                    collector.add(number, node);
                }
                _ => {}
            }
        }
    }
    collector.finish()
}

/// Leave each number of `numbers[start..]` once; how many remain.
fn each_once(numbers: &mut Vec<u32>, start: usize) -> u32 {
    numbers[start..].sort_unstable();
    let mut kept = start;
    for at in start..numbers.len() {
        if kept == start || numbers[kept - 1] != numbers[at] {
            numbers[kept] = numbers[at];
            kept += 1;
        }
    }
    numbers.truncate(kept);
    (kept - start) as u32
}
