//! Orders the rows and drops those beyond the limit.

use std::cmp::Reverse;

use crate::capture::node::DocumentIndex;
use crate::delta::item::{Item, Kind, Priority};
use crate::delta::limits::DEFAULT_LIMIT;
use crate::delta::overlay::Overlays;
use crate::delta::repeats;
use crate::delta::visit::Visit;
use crate::delta::weight::weigh;
use crate::element::snapshot::Snapshot;
use crate::element::text::text_within;

/// Nodes whose text is measured; rows may lie in one another, so this bounds the work.
const MEASURED: u32 = 64;

/// The rows of one list in the order they are read in, and how many findings there were for it.
#[derive(Default)]
pub struct Kept {
    /// Places in the order of all rows of the delta, with the items.
    pub items: Vec<(usize, Item)>,
    pub total: usize,
}

/// Give every item its priority and its worth.
pub fn weigh_all(before: &Snapshot, after: &Snapshot, items: &mut [Item], visit: Visit, overlays: &Overlays) {
    for item in items.iter_mut() {
        (item.priority, item.worth) = weigh(before, after, item, visit, overlays);
    }
    repeats::demote(before, after, items);
}

/// Sort all items by priority, worth and place in the page, and keep of each kind what has room.
///
/// Parts of the page and attributes have room for half of `limit` rows of all three lists together, and the best that came
/// or went in any case; bookkeeping has some if there is nothing else, or beyond the default limit. Messages go beyond the
/// limit, but not without end. What is in the documents `behind` comes after all else: an advertisement's frame must not
/// push out rows of the page. So does what another page had.
pub fn rank(
    before: &Snapshot,
    after: &Snapshot,
    items: Vec<Item>,
    behind: (&[DocumentIndex], &[DocumentIndex]),
    visit: Visit,
    limit: usize,
) -> [Kept; 3] {
    let mut scored: Vec<_> = items
        .into_iter()
        .map(|item| {
            let (snapshot, documents) =
                if item.kind == Kind::Disappeared { (before, behind.1) } else { (after, behind.0) };
            let is_former = visit.elsewhere && item.kind == Kind::Disappeared;
            let is_behind =
                item.priority != Priority::Message && (is_former || documents.contains(&item.node.document));
            let text = text_within(snapshot, item.node, MEASURED).len();
            let worth = item.worth * 100 + 10 * (usize::BITS - text.leading_zeros());
            ((is_behind, item.priority, Reverse(worth), item.kind, snapshot.place(item.node)), item)
        })
        .collect();
    scored.sort_by_key(|entry| entry.0);
    let mut room = Room::new(limit, scored.first().map(|(_, item)| item.priority));
    let mut kept = [Kept::default(), Kept::default(), Kept::default()];
    for (at, (_, item)) in scored.into_iter().enumerate() {
        let list = &mut kept[item.kind as usize];
        list.total += item.count;
        if room.takes(at, &item, list.items.len()) {
            list.items.push((at, item));
        }
    }
    kept
}

/// What is left of the room for rows.
struct Room {
    limit: usize,
    /// Rows of the whole delta before which parts of the page and attributes still have a row.
    parts: usize,
    bookkeeping: usize,
    messages: usize,
}

impl Room {
    fn new(limit: usize, best: Option<Priority>) -> Self {
        let alone = if best == Some(Priority::Bookkeeping) { ALONE } else { 0 };
        Self {
            limit,
            parts: limit.div_ceil(2),
            bookkeeping: limit.saturating_sub(DEFAULT_LIMIT).max(alone),
            messages: if limit == 0 { 0 } else { limit.max(DEFAULT_LIMIT) },
        }
    }

    fn takes(&mut self, at: usize, item: &Item, listed: usize) -> bool {
        match item.priority {
            Priority::Message if listed >= self.limit => take(&mut self.messages),
            _ if listed >= self.limit => false,
            Priority::Message | Priority::Text | Priority::State => true,
            // The best of what came or went has a row in any case.
            Priority::Structure | Priority::Attribute => at < self.parts || listed == 0 && item.kind != Kind::Changed,
            Priority::Bookkeeping => take(&mut self.bookkeeping),
        }
    }
}

/// Rows of bookkeeping where there is nothing else to tell.
const ALONE: usize = 3;

fn take(room: &mut usize) -> bool {
    let takes = *room > 0;
    *room = room.saturating_sub(1);
    takes
}
