//! The steps that the program `gate` counts and `time` times: one line per step in `STEPS`.

use stillframe_core::testing::capture::node::{DocumentIndex, Node};
use stillframe_core::testing::capture::strings::Bytes;
use stillframe_core::testing::delta::{Delta, DeltaOptions};
use stillframe_core::testing::diff::cross;
use stillframe_core::testing::diff::identity::edits;
use stillframe_core::testing::digest::node_hashes::node_hashes;
use stillframe_core::testing::digest::stored::digests;
use stillframe_core::testing::element::index::{Index, SelectorIndex};
use stillframe_core::testing::element::selector::selector;
use stillframe_core::testing::element::selectors;
use stillframe_core::testing::element::snapshot::{Snapshot, index_of};
use stillframe_core::testing::element::tokens::Kind;
use stillframe_core::testing::element::words::words_of;
use stillframe_core::testing::hash::process_secret;
use stillframe_core::testing::page::{Encoding, bytes, card_grid, loaded_again};
use stillframe_core::testing::signature::Signature;

/// The captures that a step works on: a page before and after four edits.
pub struct Page {
    pub before: Bytes,
    pub after: Bytes,
}

/// What a step does once its inputs are there; the answer keeps the compiler from leaving it out.
pub type Work = Box<dyn Fn() -> usize>;

pub struct Step {
    pub name: &'static str,
    /// The figures to stay under at 1k, 10k, 100k and 1M nodes in ns per node, if there are any.
    pub gates: Option<[f64; 4]>,
    /// Make ready what is not counted.
    pub prepare: fn(&Page) -> Work,
}

pub const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

pub const STEPS: &[Step] = &[
    Step { name: "parse", gates: Some([70.0, 70.0, 80.0, 180.0]), prepare: parse },
    Step { name: "digests", gates: Some([45.0, 45.0, 50.0, 70.0]), prepare: three_digests },
    // The reference has 60 to 80 ns, without the digests.
    Step { name: "signature", gates: Some([80.0, 80.0, 80.0, 80.0]), prepare: signature },
    Step { name: "hashes", gates: None, prepare: hashes },
    Step { name: "edits", gates: Some([8.0, 6.0, 6.0, 15.0]), prepare: same_document },
    Step { name: "rows", gates: None, prepare: rows },
    Step { name: "cross", gates: Some([250.0, 250.0, 300.0, 500.0]), prepare: other_document },
    Step { name: "summary", gates: Some([150.0, 130.0, 140.0, 300.0]), prepare: summary },
    Step { name: "index", gates: None, prepare: index },
    // Of every tenth node, so a tenth of what one selector may cost: 20, 20 and 50 us.
    Step { name: "selectors", gates: Some([2000.0, 2000.0, 5000.0, 5000.0]), prepare: selectors },
    Step { name: "all-selectors", gates: None, prepare: all_selectors },
];

fn parsed(raw: &Bytes) -> Snapshot {
    Snapshot::from_cdp(raw.clone()).expect("a valid page")
}

fn both(page: &Page) -> (Snapshot, Snapshot) {
    let (before, after) = (parsed(&page.before), parsed(&page.after));
    let _ = (before.hashes(), after.hashes());
    (before, after)
}

fn parse(page: &Page) -> Work {
    let raw = page.after.clone();
    Box::new(move || parsed(&raw).len())
}

fn three_digests(page: &Page) -> Work {
    let after = parsed(&page.after);
    Box::new(move || usize::from(digests(&after).exact[0]))
}

/// What a page is like, its digests at hand.
fn signature(page: &Page) -> Work {
    let after = parsed(&page.after);
    let _ = after.digests();
    Box::new(move || usize::from(Signature::of(&after).exact[0]))
}

fn hashes(page: &Page) -> Work {
    let after = parsed(&page.after);
    Box::new(move || node_hashes(&after, process_secret(), u64::MAX).documents.len())
}

fn same_document(page: &Page) -> Work {
    let (before, after) = both(page);
    Box::new(move || {
        edits(&before, DocumentIndex::FIRST, &after, DocumentIndex::FIRST).map_or(0, |found| found.visited)
    })
}

/// The page and another load of it with 5 % of the nodes changed; the digests of their nodes are part of the work.
fn other_document(page: &Page) -> Work {
    let before = parsed(&page.before);
    let mut tree = card_grid(before.len());
    loaded_again(&mut tree);
    let after = parsed(&bytes(tree.encode(&Encoding::default())));
    Box::new(move || {
        cross::documents(&before, DocumentIndex::FIRST, &after, DocumentIndex::FIRST, cross::Limits::default()).matched
    })
}

/// From two captures that have been parsed and hashed to ranked rows.
fn rows(page: &Page) -> Work {
    let (before, after) = both(page);
    Box::new(move || Delta::between(&before, &after, &DeltaOptions::default()).changed.total)
}

/// From the bytes after to ranked rows, with the capture before at hand.
fn summary(page: &Page) -> Work {
    let (before, raw) = (parsed(&page.before), page.after.clone());
    let _ = before.hashes();
    Box::new(move || Delta::between(&before, &parsed(&raw), &DeltaOptions::default()).changed.total)
}

/// The inverted index that selectors are checked against.
fn index(page: &Page) -> Work {
    let after = parsed(&page.after);
    Box::new(move || {
        let known = SelectorIndex::default();
        let index = Index::of(&after.documents[0], after.part_of(DocumentIndex::FIRST), &known);
        index.prepare();
        index.having(Kind::Tag, "div").len()
    })
}

fn every_tenth(snapshot: &Snapshot) -> impl Iterator<Item = Node> {
    (5..snapshot.len() as u32).step_by(10).map(|index| Node::numbered(0, index))
}

/// The short selector of every tenth node, index at hand.
fn selectors(page: &Page) -> Work {
    let after = parsed(&page.after);
    index_of(&after, DocumentIndex::FIRST).prepare();
    Box::new(move || every_tenth(&after).map(|node| selector(&after, node).len()).sum())
}

/// All selectors of every tenth node, index and words at hand.
fn all_selectors(page: &Page) -> Work {
    let after = parsed(&page.after);
    index_of(&after, DocumentIndex::FIRST).prepare();
    words_of(&after, DocumentIndex::FIRST);
    Box::new(move || every_tenth(&after).map(|node| selectors::selectors(&after, node).len()).sum())
}
