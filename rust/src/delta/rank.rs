//! Which rows come first, and which are left out.

use std::cmp::Reverse;

use crate::capture::bounds::bounds;
use crate::capture::columns::flag;
use crate::capture::snapshot::{Node, Snapshot};
use crate::element::role::{is_urgent, role, worth};
use crate::element::text::text_within;

/// The best of a list, in order, and how many it had.
pub struct Ranked<T> {
    pub kept: Vec<T>,
    pub total: usize,
}

/// Nodes of a subtree that are searched for a dialog or an alert.
const SEARCHED: u32 = 2048;

/// Nodes whose text is measured; rows may lie in one another, so this bounds the work.
const MEASURED: u32 = 256;

/// What a change of the state of a control is worth (reference native.md §2.6).
const FORM_STATE: u32 = 50;

/// What rows are sorted by: whether they come behind, worth, place in the page.
type Key = (bool, Reverse<u32>, (u32, u32));

/// Sort by worth, then by place in the page; keep `limit`, and every dialog, alert and live region.
///
/// Worth: role 0–100, share of the page's area 0–20, logarithm of the length of the text 0–10. What is in the documents
/// `behind` comes after all else: an advertisement's frame must not push out rows of the page. Only dialogs, alerts and
/// live regions keep their rank there.
pub fn rank<T>(
    snapshot: &Snapshot,
    items: Vec<T>,
    about: impl Fn(&T) -> (Node, Option<&str>),
    behind: &[u32],
    limit: usize,
) -> Ranked<T> {
    let total = items.len();
    let mut scored: Vec<(Key, bool, T)> = Vec::with_capacity(total);
    for item in items {
        let (node, field) = about(&item);
        let (base, urgent) = base_worth(snapshot, node, field);
        let score = base * 100 + area_worth(snapshot, node) + text_worth(snapshot, node);
        let is_behind = !urgent && behind.contains(&node.document);
        scored.push(((is_behind, Reverse(score), snapshot.place(node)), urgent, item));
    }
    scored.sort_by_key(|entry| entry.0);
    let mut kept = Vec::new();
    for (at, (_, urgent, item)) in scored.into_iter().enumerate() {
        if at < limit || urgent {
            kept.push(item);
        }
    }
    Ranked { kept, total }
}

fn base_worth(snapshot: &Snapshot, node: Node, field: Option<&str>) -> (u32, bool) {
    let own = worth(snapshot, node);
    match field {
        Some("value" | "checked" | "selected" | "disabled" | "expanded") => (own.max(FORM_STATE), own == 100),
        Some(_) => (own, own == 100),
        None => {
            let urgent = own == 100 || holds_urgent(snapshot, node);
            (if urgent { 100 } else { own }, urgent)
        }
    }
}

fn holds_urgent(snapshot: &Snapshot, node: Node) -> bool {
    let document = snapshot.document(node);
    let end = document.end(node.index).min(node.index.saturating_add(SEARCHED));
    (node.index..end).any(|index| {
        let at = Node { index, ..node };
        document.has(index, flag::RENDERED) && document.is_element(index) && is_urgent(snapshot, at, role(snapshot, at))
    })
}

/// Hundredths: up to 20 points for the share of the page that the element covers.
fn area_worth(snapshot: &Snapshot, node: Node) -> u32 {
    let [width, height] = snapshot.document(node).content_size;
    let page = width * height;
    let covered = bounds(snapshot, node).map_or(0.0, |[_, _, width, height]| width * height);
    if page > 0.0 && covered > 0.0 {
        ((covered / page).min(1.0) * 2000.0) as u32
    } else {
        0
    }
}

/// Hundredths: one point for each doubling of the text, up to 10.
fn text_worth(snapshot: &Snapshot, node: Node) -> u32 {
    let length = text_within(snapshot, node, MEASURED).len() as u32;
    (100 * (32 - length.leading_zeros())).min(1000)
}
