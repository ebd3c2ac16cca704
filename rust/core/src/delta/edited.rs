//! Changes inside an editable element as one change of its text, because editors split a word into many elements.

use std::collections::HashMap;

use crate::capture::node::Node;
use crate::delta::change::Change;
use crate::delta::item::{Item, Kind};
use crate::element::role::is_editing_host;
use crate::element::snapshot::Snapshot;
use crate::element::text::rendered_text;

/// Elements above a change among which the editable one is looked for: an editor's line, its tokens and their wrappers.
const ABOVE: usize = 8;

/// The most bytes of a text that is reported whole; a longer one is reported by paragraphs.
const WHOLE: usize = 2000;

/// An element on both sides: the key of its part, and its id.
type Key<'a> = (&'a str, u32);

/// Put together what changed in the same editable element, where that is more than one thing. O(items), and O(nodes) for
/// each such element.
pub fn whole(before: &Snapshot, after: &Snapshot, items: Vec<Item>) -> Vec<Item> {
    let hosts: Vec<Option<Key>> = items.iter().map(|item| host(item.side(before, after), item.node)).collect();
    let mut counts: HashMap<Key, usize> = HashMap::new();
    hosts.iter().flatten().for_each(|key| *counts.entry(*key).or_default() += 1);
    let several = counts.into_iter().filter(|(_, count)| *count > 1);
    let mut texts: HashMap<Key, Option<Item>> =
        several.filter_map(|(key, _)| Some((key, Some(text(before, after, key)?)))).collect();
    let told = items.into_iter().zip(hosts).filter_map(|(item, host)| match host.and_then(|key| texts.get_mut(&key)) {
        Some(text) => text.take(),
        None => Some(item),
    });
    told.collect()
}

/// The editable element that holds the node, and is not the node itself.
fn host(snapshot: &Snapshot, node: Node) -> Option<Key<'_>> {
    let found = snapshot.ancestors(node).take(ABOVE).find(|&at| is_editing_host(snapshot, at))?;
    Some((&snapshot.part_of(found.document).key, snapshot.backend_node_id(found)))
}

fn text(before: &Snapshot, after: &Snapshot, key: Key) -> Option<Item> {
    let (old, new) = (before.find(key.0, key.1)?, after.find(key.0, key.1)?);
    let (from, to) = (rendered_text(before, old), rendered_text(after, new));
    let is_told = from != to && from.len().max(to.len()) <= WHOLE;
    let change = Change::new("textContent", Some(from), Some(to));
    is_told.then(|| Item::new(Kind::Changed, new, Some(old), Some(change)))
}
