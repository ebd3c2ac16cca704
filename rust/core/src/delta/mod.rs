//! What changed between two snapshots, as a few ranked rows.
//!
//! 1. Findings (`pairs`, `same`, `reconcile`, `remade`, `region`, `whole`). Documents that are the same one are compared
//!    by node identity, and what was built again in them by what it holds. A document that took another one's place is
//!    compared by what it holds too, if at least half of what is rendered in the two is the same (`cross::RELATED`), or a
//!    tenth if both have one path. All others came or went: they are summarised, what both sides have is left out, the rest
//!    is looked through down to elements that mean something.
//! 2. Items (`item`). What changes by itself is left out (`noise`), what an editor makes becomes its text (`edited`), words
//!    become lines (`lines`), cells rows and rows tables (`table`), an element of another kind with the same words one change
//!    (`replaced`).
//! 3. Order. Items get a priority and a worth (`weight`, `classes`, `overlay`), those that another one says better, or that
//!    the page may well have changed by itself, become bookkeeping (`repeats`, `noise`), like ones are put together (`fold`),
//!    and what has room is kept (`rank`).
//! 4. Words (`row`, `news`). Selectors, names and texts are only made for the rows that are kept.
//! 5. Next steps (`controls`). Rows get what can be acted on in them; without any, the delta ends with what is nearest.
//!
//! A row stands for its subtree up to the frames in it, and its text ends there too: a frame's document has rows of its
//! own, with the selectors and identities that lead into it, also when it came or went together with its frame.

pub mod change;
mod classes;
pub mod controls;
mod edited;
mod findings;
mod fold;
mod formatting;
pub mod item;
mod limits;
mod lines;
mod news;
pub mod noise;
mod overlay;
mod pairs;
mod rank;
mod reconcile;
mod region;
mod remade;
mod repeats;
mod replaced;
mod representative;
mod result;
pub mod row;
pub mod row_controls;
mod same;
mod sides;
mod table;
mod visit;
pub mod weight;
mod whole;

pub use limits::DEFAULT_LIMIT;
pub use result::{Delta, List};

use std::collections::HashMap;

use crate::capture::node::{DocumentIndex, Interval, Node};
use crate::delta::controls::{News, Search, Told};
use crate::delta::findings::Findings;
use crate::delta::item::{Item, Kind};
use crate::delta::noise::{Habits, Noise};
use crate::delta::overlay::{Overlays, Regions, is_within};
use crate::delta::pairs::Pairs;
use crate::delta::rank::{Kept, rank, weigh_all};
use crate::delta::row::{Row, Wording, changed_row, row, share_of_parts};
use crate::delta::visit::{Visit, place};
use crate::delta::whole::whole_documents;
use crate::element::snapshot::Snapshot;

impl Delta {
    /// Compare two snapshots of the same page, the earlier one first.
    #[must_use]
    pub fn between(before: &Snapshot, after: &Snapshot, options: &DeltaOptions) -> Self {
        let (limit, wording) = (options.limit, &options.wording);
        let one = std::ptr::eq(before, after);
        let (mut findings, same_document) = if one { (Findings::default(), true) } else { find(before, after) };
        let visit = Visit {
            loaded: !same_document,
            elsewhere: !same_document && place(before, before.order[0]) != place(after, after.order[0]),
        };
        let items = worth_telling(before, after, &mut findings, visit, options);
        let behind = (findings.came_along.as_slice(), findings.went_along.as_slice());
        let [appeared, changed, disappeared] = rank(before, after, items, behind, visit, limit);
        let shown = appeared.items.iter().chain(&changed.items).map(|(_, item)| item);
        let share = share_of_parts(after, shown);
        let (told, gone) = (told(&appeared, &changed), disappeared.items.first().map(|(_, item)| item.node));
        let mut delta = Self {
            same_document,
            appeared: list(appeared, |item| row(after, &item, wording, share)),
            disappeared: list(disappeared, |item| row(before, &item, wording, share)),
            changed: list(changed, |item| changed_row(before, after, item, wording, share)),
            nearby: Vec::new(),
            rerendered: findings.rerendered,
            script_length: findings.script_length,
            visited: findings.visited,
            matched: findings.matched,
            approximate: findings.approximate,
        };
        if options.controls > 0 && !delta.is_empty() {
            let (most, target, redactor) = (options.controls, options.target, &*wording.redactor);
            Search { before, after, most, target, redactor }.fill(&mut delta, &told, gone);
        }
        delta
    }
}

/// How to compare two snapshots.
///
/// ```
/// # const BEFORE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/before.json"));
/// # const AFTER: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/after.json"));
/// use std::sync::Arc;
/// use stillframe_core::{Delta, DeltaOptions, Snapshot};
///
/// let (before, after) = (Snapshot::from_cdp(Arc::new(BEFORE))?, Snapshot::from_cdp(Arc::new(AFTER))?);
/// let delta = Delta::between(&before, &after, &DeltaOptions { limit: 1, ..DeltaOptions::default() });
/// assert_eq!((delta.changed.rows.len(), delta.changed.total), (1, 2));
/// # Ok::<(), stillframe_core::SnapshotError>(())
/// ```
pub struct DeltaOptions<'a> {
    /// Rows per list; some more may be messages to the user.
    pub limit: usize,
    pub noise: &'a Noise,
    /// Elements that have changed by themselves before, too seldom to be sure: their changes come last.
    pub habitual: &'a Noise,
    pub wording: Wording,
    /// Controls that are listed per row; 0 for none, and none nearby.
    pub controls: usize,
    /// The target of the last action, in the later snapshot.
    pub target: Option<Node>,
}

impl Default for DeltaOptions<'_> {
    fn default() -> Self {
        Self { limit: DEFAULT_LIMIT, noise: &[], habitual: &[], wording: Wording::default(), controls: 0, target: None }
    }
}

impl DeltaOptions<'_> {
    /// At most `limit` rows per list, and the defaults for all else; `usize::MAX` for every row.
    #[must_use]
    pub fn limited(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }
}

/// The findings as items: what only took another's place, rows of tables and like changes put together.
fn worth_telling(
    before: &Snapshot,
    after: &Snapshot,
    findings: &mut Findings,
    visit: Visit,
    options: &DeltaOptions,
) -> Vec<Item> {
    let came = std::mem::take(&mut findings.appeared).into_iter();
    let went = std::mem::take(&mut findings.disappeared).into_iter();
    let changed = std::mem::take(&mut findings.changed).into_iter();
    let items: Vec<Item> = came
        .map(|node| Item::new(Kind::Appeared, representative::of(after, node), None, None))
        .chain(went.map(|node| Item::new(Kind::Disappeared, representative::of(before, node), None, None)))
        .chain(changed.map(|(old, new, change)| Item::new(Kind::Changed, new, Some(old), Some(change))))
        .collect();
    let items = noise::without(before, after, items, options.noise);
    let habits = Habits::of(before, after, &items, options.habitual);
    let items = edited::whole(before, after, items);
    let items = lines::whole(before, after, items);
    let items = table::gather(before, after, items, &findings.known, options.limit);
    let mut items = replaced::pair(before, after, items, visit);
    weigh_all(before, after, &mut items, visit, &Overlays::new(after, &findings.arrived));
    habits.demote(after, &mut items);
    fold::fold(before, after, items, options.limit)
}

/// The elements that are there, the best rows first.
fn told(appeared: &Kept, changed: &Kept) -> Vec<Told> {
    let shown = appeared.items.iter().chain(&changed.items);
    let mut told: Vec<Told> = shown
        .map(|&(rank, ref item)| {
            let is_one_of_many = item.kind == Kind::Appeared && item.count > 1;
            let news = News::of(item.change.as_ref());
            Told { rank, node: item.node, is_one_of_many, alike: item.examples.clone(), news }
        })
        .collect();
    told.sort_by_key(|told| told.rank);
    told
}

fn list(kept: Kept, mut word: impl FnMut(Item) -> Row) -> List {
    let word = |(rank, item)| Row { rank, ..word(item) };
    List { total: kept.total, rows: kept.items.into_iter().map(word).collect() }
}

/// Return all findings, unranked, and whether the main document is the same.
pub fn find(before: &Snapshot, after: &Snapshot) -> (Findings, bool) {
    let mut findings = Findings::default();
    if is_same_capture(before, after) {
        return (findings, true);
    }
    let mut pairs = Pairs::new(before, after);
    pairs.compare(&mut findings);
    findings.came_along = along(after, &pairs.appeared);
    findings.went_along = along(before, &pairs.vanished);
    whole_documents(before, &pairs.gone, after, &pairs.fresh, &mut findings);
    findings.known = pairs.known;
    findings.arrived = pairs.appeared;
    (findings, pairs.same_page)
}

/// The documents whose frame is in one of the `regions` that came or went, or in a document that did as a whole. The
/// intervals of a region are sorted and apart.
fn along(snapshot: &Snapshot, regions: &Regions) -> Vec<DocumentIndex> {
    let regions: HashMap<DocumentIndex, &[Interval]> =
        regions.iter().map(|(at, found)| (*at, found.as_slice())).collect();
    let is_covered =
        |owner: Node| regions.get(&owner.document).is_none_or(|intervals| is_within(intervals, owner.index));
    let documents = snapshot.order.iter().copied();
    documents.filter(|&document| snapshot.owner[document].is_some_and(is_covered)).collect()
}

/// Whether the bytes are the same, so that nothing can have changed.
fn is_same_capture(before: &Snapshot, after: &Snapshot) -> bool {
    let same = |(one, other): (&crate::capture::page::PartInfo, &crate::capture::page::PartInfo)| {
        let is_placed = one.key == other.key && one.owner == other.owner;
        is_placed && one.internals == other.internals && one.content() == other.content()
    };
    before.parts.len() == after.parts.len()
        && before.loaders == after.loaders
        && before.parts.iter().zip(&after.parts).all(same)
}
