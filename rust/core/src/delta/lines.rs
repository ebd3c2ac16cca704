//! Reports the line around a changed word: "Showing 1 to 10 of 57 entries", not "57".

use std::collections::HashSet;

use crate::capture::node::Node;
use crate::delta::change::{Both, Change};
use crate::delta::item::Item;
use crate::delta::region::has_lasting_id;
use crate::element::flow::is_phrasing;
use crate::element::role::role;
use crate::element::roles::Role;
use crate::element::snapshot::Snapshot;
use crate::element::text::{has_own_text, is_only_words, rendered_text};

/// Elements around a word that may be its line, and bytes of a line: of longer ones only the word is reported.
const ABOVE: usize = 4;
const LINE: usize = 200;

/// Lift changed texts to the outermost element around them that holds nothing but words; each line has one row.
pub fn whole(before: &Snapshot, after: &Snapshot, items: Vec<Item>) -> Vec<Item> {
    let mut told: HashSet<Node> = HashSet::new();
    let lifted = items.into_iter().map(|item| match item.field() {
        Some("textContent") => lift(before, after, item),
        _ => item,
    });
    lifted.filter(|item| item.field() != Some("textContent") || told.insert(item.node)).collect()
}

fn lift(before: &Snapshot, after: &Snapshot, item: Item) -> Item {
    let Some(old) = item.old else { return item };
    let mut both = Both { before, old, after, new: item.node };
    let mut found = None;
    for _ in 0..ABOVE {
        let is_word = is_phrasing(after.tag(both.new)) && is_no_more_than_words(after, both.new);
        let (Some(old), Some(new)) = (before.parent(both.old), after.parent(both.new)) else { break };
        // A word that moved has another line now.
        let has_moved = before.backend_node_id(both.old) == after.backend_node_id(both.new)
            && before.backend_node_id(old) != after.backend_node_id(new);
        if !is_word || has_moved || before.tag_name(old) != after.tag_name(new) || !has_tag(before, old, after, new) {
            break;
        }
        both = Both { old, new, ..both };
        if !is_only_words(before, old) || !is_only_words(after, new) {
            break;
        }
        // Words beside one another in a box, such as a name and a price, do not make a line.
        if is_phrasing(after.tag(new)) || has_own_text(after, new) {
            found = Some(both);
        }
    }
    match found.and_then(|both| Some((both, line(&both)?))) {
        Some((both, change)) => Item { node: both.new, old: Some(both.old), change: Some(change), ..item },
        None => item,
    }
}

fn has_tag(before: &Snapshot, old: Node, after: &Snapshot, new: Node) -> bool {
    before.has_tag(old) && after.has_tag(new)
}

fn line(both: &Both) -> Option<Change> {
    let (from, to) = (rendered_text(both.before, both.old), rendered_text(both.after, both.new));
    let is_line = from != to && from.len().max(to.len()) <= LINE;
    is_line.then(|| Change::new("textContent", Some(from), Some(to)))
}

/// Whether an element is no more than words of its line: a link or a button is a thing of its own, and so is an element
/// with an id.
fn is_no_more_than_words(snapshot: &Snapshot, node: Node) -> bool {
    let role = role(snapshot, node);
    !has_lasting_id(snapshot, node)
        && !role.is_control()
        && !matches!(role, Role::Alert | Role::Status | Role::Log | Role::Timer)
}
