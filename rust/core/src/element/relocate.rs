//! Finds an element again by its fingerprint, and says how certain the answer is.
//!
//! 1. Its node id is alive in the same document: it is the same node, whatever became of it.
//! 2. Its selector matches one element, and that one is like it (`SURE`); if the selector counts siblings, nothing else
//!    may be more like it.
//! 3. Elements that share its tokens, each vote worth what the token says on this page (IDF), are compared in full. The
//!    best one is taken if it is like enough (`ACCEPTED`) and the next one clearly less so (`MARGIN`); else nobody is,
//!    and the ranked alternatives are for the caller to judge.
//!
//! Whatever is found comes with the step that found it, its score, its margin and the evidence: nothing heals silently.

use std::collections::HashMap;

use crate::capture::node::{DocumentIndex, Node, NodeIndex};
use crate::element::fingerprint::{Fingerprint, Home, Traits, home, traits};
use crate::element::index::Index;
use crate::element::likeness::{Evidence, Rarity, evidence, score};
use crate::element::resolve::resolve;
use crate::element::snapshot::{Snapshot, index_of};
use crate::element::tokens::Kind;
use crate::element::words::{sum_of, words_of};

/// The likeness from which a selector that still matches one element is trusted.
pub const SURE: f32 = 0.8;

/// A selector that counts siblings leads to another element once a list has another order: it is believed only if
/// nothing is more like (many of the wrong answers of bench/relocate.py came of those before).
const COUNTING: &str = ":nth-";

/// What the best candidate must reach, and by how much it must lead.
pub const ACCEPTED: f32 = 0.5;
pub const MARGIN: f32 = 0.1;

/// Nodes of one token that may vote, and candidates that are compared in full.
const VOTERS: usize = 4096;
const COMPARED: usize = 64;

/// The number of alternatives reported.
pub const TOLD: usize = 5;

/// The step that found the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The node itself lives.
    Alive,
    /// Its selector still leads to it.
    Selector,
    /// It was recognised by what it is like; its node, and maybe its selector, are others.
    Likeness,
    /// Nobody was like enough, or too many were.
    Nothing,
}

/// An element that may be meant.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub node: Node,
    pub score: f32,
    pub evidence: Vec<Evidence>,
}

/// Where the element of a fingerprint is in another snapshot, and how certain that is.
///
/// ```
/// # const BEFORE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/before.json"));
/// use std::sync::Arc;
/// use stillframe_core::{Fingerprint, Node, Redactor, Relocation, Snapshot};
///
/// let snapshot = Snapshot::from_cdp(Arc::new(BEFORE))?;
/// let last = Node::numbered(0, snapshot.documents[0].len() as u32 - 1);
/// let found: Relocation = Fingerprint::of(&snapshot, last, &Redactor::default()).find_in(&snapshot);
/// assert_eq!(found.margin, 1.0);
/// assert_eq!(found.found.expect("it is there").score, 1.0);
/// # Ok::<(), stillframe_core::SnapshotError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Relocation {
    pub how: How,
    /// The element, where one was found.
    pub found: Option<Candidate>,
    /// How far the best candidate leads; 1 where it was not compared with others.
    pub margin: f32,
    /// Other candidates, best first; where nothing was found the best one is among them.
    pub alternatives: Vec<Candidate>,
}

impl Fingerprint {
    /// Look for the element of a fingerprint. O(tokens · nodes that bear them) after one index and one digest of the page.
    #[must_use]
    pub fn find_in(&self, snapshot: &Snapshot) -> Relocation {
        let surely = |how, node| {
            let found = compare(snapshot, &self.traits, node);
            Relocation { how, margin: 1.0, alternatives: Vec::new(), found: Some(found) }
        };
        if let Some(node) = alive(snapshot, self) {
            return surely(How::Alive, node);
        }
        let Some(node) = resolve(snapshot, &self.selector) else {
            return by_likeness(snapshot, &self.traits);
        };
        let relocation = surely(How::Selector, node);
        let sure = relocation.found.as_ref().is_some_and(|found| found.score >= SURE);
        if sure && !self.selector.contains(COUNTING) {
            return relocation;
        }
        let ranked = ranked(snapshot, &self.traits, Some(node));
        if sure && ranked.best() == Some(node) {
            return relocation;
        }
        ranked
    }
}

impl Relocation {
    /// The element that is most like, taken or not.
    fn best(&self) -> Option<Node> {
        self.found.as_ref().or(self.alternatives.first()).map(|best| best.node)
    }
}

/// Look for the element by what it is like alone.
pub fn by_likeness(snapshot: &Snapshot, wanted: &Traits) -> Relocation {
    ranked(snapshot, wanted, None)
}

/// The same, where one element takes part in any case: among many that share as much it might not be compared.
fn ranked(snapshot: &Snapshot, wanted: &Traits, favourite: Option<Node>) -> Relocation {
    let mut nodes = candidates(snapshot, wanted);
    nodes.extend(favourite.filter(|node| !nodes.contains(node)));
    let mut ranked: Vec<Candidate> = nodes.into_iter().map(|node| compare(snapshot, wanted, node)).collect();
    // Elements in page order where they are equally like.
    ranked.sort_by(|one, other| {
        other.score.total_cmp(&one.score).then(snapshot.place(one.node).cmp(&snapshot.place(other.node)))
    });
    let best = ranked.first().map_or(0.0, |best| best.score);
    let next = ranked.get(1).map_or(0.0, |next| next.score);
    let margin = best - next;
    let clear = best >= ACCEPTED && margin >= MARGIN;
    let mut ranked = ranked.into_iter();
    let found = if clear { ranked.next() } else { None };
    let how = if clear { How::Likeness } else { How::Nothing };
    Relocation { how, found, margin, alternatives: ranked.take(TOLD).collect() }
}

/// The node of the fingerprint if this is still the document it was in.
fn alive(snapshot: &Snapshot, fingerprint: &Fingerprint) -> Option<Node> {
    let is_home = |at: &DocumentIndex| is_same_document(&fingerprint.home, &home(snapshot, *at));
    let document = snapshot.document_indexes().find(is_home)?;
    let columns = &snapshot.documents[document];
    let index =
        columns.backend_node_id.iter().position(|&backend_node_id| backend_node_id == fingerprint.backend_node_id)?;
    let index = NodeIndex::from_at(index);
    let node = Node { document, index };
    let element = columns.has_tag(index) && snapshot.tag_name(node) == fingerprint.traits.tag;
    element.then_some(node)
}

fn is_same_document(one: &Home, other: &Home) -> bool {
    let loaders = one.loader.is_empty() || other.loader.is_empty() || one.loader == other.loader;
    one.frame == other.frame && one.document_id == other.document_id && one.root_id == other.root_id && loaders
}

pub(crate) fn compare(snapshot: &Snapshot, wanted: &Traits, node: Node) -> Candidate {
    let rarity = Page { index: index_of(snapshot, node.document), nodes: snapshot.document(node).len() };
    let evidence = evidence(wanted, &traits(snapshot, node), &rarity);
    Candidate { node, score: score(&evidence), evidence }
}

/// How rare tokens are on a page.
struct Page<'a> {
    index: Index<'a>,
    nodes: usize,
}

impl Page<'_> {
    /// The inverse document frequency of a token that `bearers` elements have.
    fn worth(&self, bearers: usize) -> f32 {
        ((self.nodes as f32 + 1.0) / (bearers as f32 + 1.0)).ln().max(0.0)
    }
}

impl Rarity for Page<'_> {
    fn of_class(&self, class: &str) -> f32 {
        self.worth(self.index.having(Kind::Class, class).len()) + 0.1
    }
}

/// The elements that share most with what is looked for, by the sum of what the shared tokens say.
fn candidates(snapshot: &Snapshot, wanted: &Traits) -> Vec<Node> {
    let mut votes: HashMap<Node, f32> = HashMap::new();
    for document in snapshot.document_indexes() {
        let index = index_of(snapshot, document);
        let page = Page { index, nodes: snapshot.documents[document].len() };
        for bearers in tokens(snapshot, document, wanted) {
            let worth = page.worth(bearers.len()) + 0.01;
            // Of a token that half the page has, those near the front are as good as any: others decide.
            for &node in bearers.iter().take(VOTERS) {
                *votes.entry(Node { document, index: node }).or_default() += worth;
            }
        }
    }
    let mut ranked: Vec<(Node, f32)> = votes.into_iter().collect();
    ranked.sort_unstable_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    ranked.truncate(COMPARED);
    ranked.into_iter().map(|(node, _)| node).collect()
}

/// The postings of everything that is known of an element.
fn tokens<'a>(snapshot: &'a Snapshot, document: DocumentIndex, wanted: &Traits) -> Vec<&'a [NodeIndex]> {
    let index = index_of(snapshot, document);
    let words = words_of(snapshot, document);
    let mut found = vec![index.having(Kind::Tag, &wanted.tag)];
    if !wanted.id.is_empty() {
        found.push(index.having(Kind::Id, &wanted.id));
    }
    found.extend(wanted.classes.iter().map(|class| index.having(Kind::Class, class)));
    found.extend(wanted.attributes.iter().map(|(name, value)| index.with_value(name, value)));
    if !wanted.href.is_empty() {
        found.extend(["href", "src"].map(|name| index.with_value(name, &wanted.href)));
    }
    if !wanted.text.is_empty() {
        found.push(words.with_text(sum_of(&wanted.text)));
    }
    if !wanted.role.is_empty() {
        found.push(words.with_role(&wanted.role));
        found.push(words.with_name(&wanted.role, sum_of(&wanted.name)));
    }
    found
}
