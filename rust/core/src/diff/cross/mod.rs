//! Matches the nodes of two trees when node ids do not help: after a navigation, a reload or a full re-render.
//!
//! Stages, each on what the earlier ones left: (a) equal subtrees that are there once on
//! either side, heaviest first, (b) anchors that are unique on both sides, (c) parents by the votes of their children,
//! again (a) for subtrees that are there a few times, (d) inside matched parents by content, shape and place, (e) a few
//! leaves by similar texts. What was matched only by its place is given up again unless enough of what it holds, or of
//! what holds it, is still there (`release`). Matched nodes have the same kind and name, and equal subtrees have been
//! compared node by node: hashes that collide cost matches, never a wrong edit.
//!
//! The two sides are put in an order of their own first, so that there and back give the same pairs. Cost:
//! O(n log n); the work of matching is counted, and when 20 steps per node are used up (`Limits`), what is left is
//! inserted and deleted. No recursion.

mod anchors;
mod assemble;
mod engine;
mod exact;
mod lcs;
mod limits;
mod partners;
mod place;
mod release;
mod side;
mod votes;

use crate::capture::columns::Document;
use crate::capture::node::{DocumentIndex, NodeIndex, NodePair};
use crate::diff::cross::assemble::assemble;
use crate::diff::cross::engine::Engine;
use crate::diff::cross::limits::Context;
use crate::diff::cross::side::Side;
use crate::diff::identity::Edits;
use crate::digest::region::RegionHashes;
use crate::element::snapshot::Snapshot;

pub use limits::Limits;
pub use partners::Partners;

/// How much of what is rendered (texts, pictures, fields) two documents must share for their rows to be compared.
pub const RELATED: f64 = 0.5;

/// How two different documents match.
#[cfg_attr(not(feature = "testing"), expect(dead_code, reason = "only tests read `to_new` and `work`"))]
pub struct Crossing {
    pub edits: Edits,
    /// By node before and after: the node on the other side.
    pub to_new: Partners,
    pub to_old: Partners,
    /// Pairs of nodes that were matched.
    pub matched: usize,
    /// Topmost subtrees that are on both sides just the same.
    pub equal: usize,
    /// Share of what is rendered that was found again, 0 to 1.
    pub shared: f64,
    /// Whether work ran out, so that some of what is inserted and deleted may be the same.
    pub approximate: bool,
    /// Steps of work that were counted.
    pub work: usize,
}

impl Crossing {
    /// Whether the documents have so much in common that their rows are reported as those of one document.
    pub fn is_related(&self) -> bool {
        self.shared >= RELATED
    }
}

/// Match two documents by what they hold.
pub fn documents(
    before: &Snapshot,
    old: DocumentIndex,
    after: &Snapshot,
    new: DocumentIndex,
    limits: Limits,
) -> Crossing {
    let one = Side::new(before, old, hashes(before, old), &[NodeIndex::ROOT], &[], limits.hash_bits);
    let two = Side::new(after, new, hashes(after, new), &[NodeIndex::ROOT], &[], limits.hash_bits);
    let mut engine = Engine::new(one, two, limits);
    if engine.root() {
        run(&mut engine, &[]);
    }
    let (equal, matched) = engine.counts();
    let shared = engine.shared();
    let (approximate, work) = (engine.approximate, engine.work);
    let [one, two] = engine.into_sides();
    let edits =
        assemble(one.document, two.document, &one.partner, &two.partner, |pair| two.how[pair.new] == engine::EXACT);
    Crossing { edits, to_new: one.partner, to_old: two.partner, matched, equal, shared, approximate, work }
}

fn hashes(snapshot: &Snapshot, document: DocumentIndex) -> RegionHashes<'_> {
    RegionHashes::whole(snapshot, document)
}

/// The pairs of what one document lost and what it got.
pub struct Rerender {
    pub edits: Edits,
    pub matched: usize,
    pub equal: usize,
    pub approximate: bool,
}

/// Match what is inserted with what is deleted in one document: a framework may have made it again.
///
/// None if nothing of it is the same, so that `edits` stand as they are.
pub fn regions(
    before: &Snapshot,
    old: DocumentIndex,
    after: &Snapshot,
    new: DocumentIndex,
    edits: &Edits,
    limits: Limits,
) -> Option<Rerender> {
    if edits.inserted.is_empty() || edits.deleted.is_empty() {
        return None;
    }
    let (mut gone, mut come) = (edits.deleted.clone(), edits.inserted.clone());
    let (mut left, mut arrived): (Vec<NodeIndex>, Vec<NodeIndex>) =
        edits.moved.iter().map(|pair| (pair.old, pair.new)).unzip();
    for list in [&mut gone, &mut come, &mut left, &mut arrived] {
        list.sort_unstable();
    }
    let hashes = RegionHashes::of(before, old, &gone);
    let one = Side::new(before, old, hashes, &gone, &left, limits.hash_bits).with_new_frames();
    let hashes = RegionHashes::of(after, new, &come);
    let two = Side::new(after, new, hashes, &come, &arrived, limits.hash_bits).with_new_frames();
    let contexts = contexts(edits, one.document, &gone, two.document, &come);
    let mut engine = Engine::new(one, two, limits);
    run(&mut engine, &contexts);
    let (equal, matched) = engine.counts();
    if matched == 0 {
        return None;
    }
    let approximate = engine.approximate;
    let [one, two] = engine.into_sides();
    let edits = assemble::merged(before, old, after, new, &one, &two)?;
    Some(Rerender { edits, matched, equal, approximate })
}

fn contexts(edits: &Edits, one: &Document, gone: &[NodeIndex], two: &Document, come: &[NodeIndex]) -> Vec<Context> {
    let by_parent = |document: &Document, roots: &[NodeIndex]| {
        let mut sizes: Vec<(NodeIndex, u32)> =
            roots.iter().filter_map(|&root| Some((document.parent_of(root)?, document.size[root]))).collect();
        sizes.sort_unstable();
        sizes.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        sizes
    };
    let (lost, got) = (by_parent(one, gone), by_parent(two, come));
    let size_of = |list: &[(NodeIndex, u32)], node: NodeIndex| {
        list.binary_search_by_key(&node, |entry| entry.0).ok().map(|at| list[at].1)
    };
    let mut found = Vec::new();
    for &parents in &edits.touched {
        let NodePair { old: a, new: b } = parents;
        let (Some(lost), Some(got)) = (size_of(&lost, a), size_of(&got, b)) else { continue };
        let (was, is) = (one.size[a], two.size[b]);
        let kept = (was - lost.min(was)) + (is - got.min(is));
        found.push(Context { parents, is_grounded: f64::from(kept) >= RELATED * f64::from(was + is) });
    }
    found.sort_unstable_by_key(|context| context.parents.new);
    found
}

fn run(engine: &mut Engine, contexts: &[Context]) {
    engine.enter(contexts);
    let groups = exact::groups(engine);
    exact::unique(engine, &groups);
    anchors::match_anchors(engine);
    votes::vote(engine);
    exact::ambiguous(engine, &groups);
    votes::vote(engine);
    release::drop_light(engine);
    place::place_all(engine, contexts);
    release::release(engine);
    release::drop_light(engine);
}
