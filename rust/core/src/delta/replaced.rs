//! Elements that were replaced by others with the same words: a paragraph that became a heading.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::capture::node::Node;
use crate::delta::change::Change;
use crate::delta::item::{Item, Kind};
use crate::delta::visit::Visit;
use crate::element::role::{role, shown_role};
use crate::element::roles::Role;
use crate::element::snapshot::Snapshot;
use crate::element::text::{has_own_text, text_within};

/// Elements on either side that are compared by their words, and nodes of each that are read.
const COMPARED: usize = 512;
const NODES: u32 = 256;

/// Wrappers around the words that are looked through.
const DEEP: usize = 6;

/// Turn an element that went and one of another kind that came with the same words into one change of the role. Where a
/// document was loaded, the same words in the same kind of element are not a change. Elsewhere a list stands for its
/// items: several paragraphs became one.
pub fn pair(before: &Snapshot, after: &Snapshot, mut items: Vec<Item>, visit: Visit) -> Vec<Item> {
    if !visit.loaded {
        items = apart(before, after, items);
    }
    let of = |kind| items.iter().enumerate().filter(move |(_, item)| item.kind == kind).take(COMPARED);
    let mut gone: HashMap<String, VecDeque<usize>> = HashMap::new();
    for (at, item) in of(Kind::Disappeared) {
        gone.entry(text_within(before, item.node, NODES)).or_default().push_back(at);
    }
    gone.remove("");
    if gone.is_empty() {
        return items;
    }
    let mut pairs: HashMap<usize, usize> = HashMap::new();
    for (at, item) in of(Kind::Appeared) {
        let text = text_within(after, item.node, NODES);
        let found = gone.get_mut(&text).and_then(VecDeque::pop_front);
        pairs.extend(found.map(|old| (at, old)));
    }
    let mut changes: HashMap<usize, Item> = HashMap::new();
    let mut dropped = vec![false; items.len()];
    for (new, old) in pairs {
        let (ones, others) = (chain(before, items[old].node), chain(after, items[new].node));
        let change = if visit.loaded { None } else { unlike(before, &ones, after, &others) };
        if let Some((one, other, change)) = change {
            changes.insert(new, Item::new(Kind::Changed, other, Some(one), Some(change)));
            dropped[old] = true;
        } else if visit.loaded && is_same_kind(before, ones[0], after, others[0]) {
            dropped[old] = true;
            dropped[new] = true;
        }
    }
    let kept = items.into_iter().enumerate().filter(|(at, _)| !dropped[*at]);
    kept.map(|(at, item)| changes.remove(&at).unwrap_or(item)).collect()
}

fn is_same_kind(before: &Snapshot, old: Node, after: &Snapshot, new: Node) -> bool {
    before.tag_name(old) == after.tag_name(new) && role(before, old) == role(after, new)
}

/// The change of what the element is: its role, or its tag where no role tells them apart.
pub fn kinds(before: &Snapshot, old: Node, after: &Snapshot, new: Node) -> Option<Change> {
    let tags = (before.tag_name(old), after.tag_name(new));
    if tags.0 == tags.1 {
        return None;
    }
    let (from, to) = (shown_role(before, old), shown_role(after, new));
    if from == to {
        return Some(Change::new("tagName", Some(tags.0), Some(tags.1)));
    }
    let or_tag = |role: &str, tag: String| Some(if role.is_empty() { tag } else { role.to_owned() });
    Some(Change::new("role", or_tag(from, tags.0), or_tag(to, tags.1)))
}

/// The innermost elements of the two that differ in kind: a paragraph may stand in an item of a list now.
fn unlike(before: &Snapshot, ones: &[Node], after: &Snapshot, others: &[Node]) -> Option<(Node, Node, Change)> {
    let last = ones.len().max(others.len());
    (0..last).find_map(|at| {
        let (one, other) = (*ones.get(at).or(ones.last())?, *others.get(at).or(others.last())?);
        kinds(before, one, after, other).map(|change| (one, other, change))
    })
}

/// Elements that hold nothing but one other and have a role, the innermost first; the node itself if there is none.
fn chain(snapshot: &Snapshot, node: Node) -> Vec<Node> {
    let document = snapshot.document(node);
    let (mut at, mut found) = (node, vec![node]);
    for _ in 0..DEEP {
        let mut kids = document.children(at.index).filter(|&kid| document.is_shown(kid));
        let (Some(kid), None) = (kids.next(), kids.next()) else { break };
        if !document.is_element(kid) {
            break;
        }
        at = Node { index: kid, ..node };
        if role(snapshot, at).is_structure() {
            found.insert(0, at);
        }
    }
    found
}

/// Lists whose items all have the words of an element on the other side, as their items.
fn apart(before: &Snapshot, after: &Snapshot, items: Vec<Item>) -> Vec<Item> {
    let is_list = |item: &Item| role(item.side(before, after), item.node) == Role::List;
    if !items.iter().any(|item| item.kind != Kind::Changed && is_list(item)) {
        return items;
    }
    let words = |kind, snapshot: &Snapshot| -> HashSet<String> {
        let told = items.iter().filter(|item| item.kind == kind).take(COMPARED);
        told.map(|item| text_within(snapshot, item.node, NODES)).filter(|text| !text.is_empty()).collect()
    };
    let (came, went) = (words(Kind::Appeared, after), words(Kind::Disappeared, before));
    let parts = |item: &Item| {
        let (snapshot, others) = match item.kind {
            Kind::Appeared => (after, &went),
            Kind::Disappeared => (before, &came),
            Kind::Changed => return None,
        };
        let document = snapshot.document(item.node);
        let kids = document.children(item.node.index).filter(|&kid| document.is_shown(kid) && document.is_element(kid));
        let kids: Vec<Node> = kids.take(COMPARED).map(|index| Node { index, ..item.node }).collect();
        let is_known = |kid: &Node| others.contains(&text_within(snapshot, *kid, NODES));
        // Texts between the items would be in none of them.
        let holds_items = is_list(item) && kids.len() > 1 && !has_own_text(snapshot, item.node);
        (holds_items && kids.iter().all(is_known)).then_some(kids)
    };
    let parted = items.into_iter().flat_map(|item| match parts(&item) {
        Some(kids) => kids.into_iter().map(|kid| Item { node: kid, ..item.clone() }).collect(),
        None => vec![item],
    });
    parted.collect()
}
