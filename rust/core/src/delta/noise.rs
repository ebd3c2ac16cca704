//! Leaves out what changes by itself, such as a clock or a carousel.

use std::collections::{HashMap, HashSet};

use crate::capture::node::{DocumentIndex, Node};
use crate::delta::item::{Item, Kind, Priority};
use crate::element::snapshot::Snapshot;

/// Elements that change by themselves: (key of the part, backend node id).
pub type Noise = [(String, u32)];

/// Leave out what changed in the elements of `noise`, what one turn of them took away and what it put in its place, and
/// the documents of frames that were in it. O(nodes) if there is any noise.
pub fn without(before: &Snapshot, after: &Snapshot, items: Vec<Item>, noise: &Noise) -> Vec<Item> {
    if noise.is_empty() {
        return items;
    }
    let (was, is) = (restless(before, noise), restless(after, noise));
    let turned = turned(before, after, &items, &was, &is);
    let frames_of = |snapshot, kind| frames(snapshot, &items, &turned, kind);
    let frames = (frames_of(before, Kind::Disappeared), frames_of(after, Kind::Appeared));
    let is_noise = |at: usize, item: &Item| match item.kind {
        Kind::Changed => is_by_itself(before, after, item, &is),
        Kind::Appeared => turned.contains(&at) || frames.1.contains(&item.node.document),
        Kind::Disappeared => turned.contains(&at) || frames.0.contains(&item.node.document),
    };
    items.into_iter().enumerate().filter(|(at, item)| !is_noise(*at, item)).map(|(_, item)| item).collect()
}

/// Elements above a change among which one is looked for that renders it again.
const MAKERS: usize = 4;

/// Changes of elements that have changed by themselves before, too seldom to be sure that the action is not the cause.
#[derive(Default)]
pub struct Habits {
    /// Elements with such a change and those with another one, sorted.
    own: Vec<Node>,
    others: Vec<Node>,
}

impl Habits {
    /// O(nodes) if there are any such elements.
    pub fn of(before: &Snapshot, after: &Snapshot, items: &[Item], habitual: &Noise) -> Self {
        if habitual.is_empty() {
            return Self::default();
        }
        let found = restless(after, habitual);
        let is_habit = |item: &&Item| {
            let levels = if is_made(before, after, item) { MAKERS } else { 1 };
            let mut above = after.inclusive_ancestors(item.node).take(levels);
            item.kind == Kind::Changed && above.any(|at| found.contains(&at))
        };
        let shown = items.iter().filter(|item| item.kind != Kind::Disappeared);
        let (own, others): (Vec<&Item>, Vec<&Item>) = shown.partition(is_habit);
        let sorted = |items: Vec<&Item>| {
            let mut nodes: Vec<Node> = items.into_iter().map(|item| item.node).collect();
            nodes.sort_unstable();
            nodes
        };
        Self { own: sorted(own), others: sorted(others) }
    }

    /// Turn items of which nothing else is known into bookkeeping: where there is more to tell, an action did that.
    pub fn demote(&self, after: &Snapshot, items: &mut [Item]) {
        let holds = |nodes: &[Node], node: Node| {
            let next = nodes.get(nodes.partition_point(|at| *at < node));
            next.is_some_and(|at| at.document == node.document && after.document(node).within(at.index, node.index))
        };
        let is_habit = |item: &&mut Item| {
            item.kind == Kind::Changed && holds(&self.own, item.node) && !holds(&self.others, item.node)
        };
        items.iter_mut().filter(is_habit).for_each(|item| item.priority = Priority::Bookkeeping);
    }
}

fn restless(snapshot: &Snapshot, noise: &Noise) -> HashSet<Node> {
    let keys: HashSet<(&str, u32)> = noise.iter().map(|(part, id)| (part.as_str(), *id)).collect();
    let mut found = HashSet::new();
    for (document, columns) in snapshot.documents.iter().enumerate() {
        let key = snapshot.parts[columns.part as usize].key.as_str();
        let ids = columns.backend_node_id.iter().enumerate().filter(|(_, id)| keys.contains(&(key, **id)));
        found.extend(ids.map(|(index, _)| Node::numbered(document as u32, index as u32)));
    }
    found
}

/// Whether a change belongs to an element that changes by itself, or is a move within one, as in a carousel. So is a
/// change of what such an element made, as a ticker does: neither it nor what it stands in was there before.
fn is_by_itself(before: &Snapshot, after: &Snapshot, item: &Item, noise: &HashSet<Node>) -> bool {
    if noise.contains(&item.node) {
        return true;
    }
    let is_inside = after.parent(item.node).is_some_and(|parent| noise.contains(&parent));
    let is_move = || item.change.as_ref().is_some_and(|change| change.field == "position");
    (is_inside && is_move()) || (is_made(before, after, item) && maker(after, before, item.node, noise).is_some())
}

/// Whether another element than before is the one that changed: something made it in the old one's place.
fn is_made(before: &Snapshot, after: &Snapshot, item: &Item) -> bool {
    item.old.is_some_and(|old| before.backend_node_id(old) != after.backend_node_id(item.node))
}

/// The restless element that made `node`, or took it away: the nearest one above, with nothing between the two that the
/// other snapshot has as well.
fn maker(here: &Snapshot, other: &Snapshot, node: Node, noise: &HashSet<Node>) -> Option<Node> {
    let maker = here.ancestors(node).take(MAKERS).find(|above| noise.contains(above))?;
    let key = here.parts[here.document(node).part as usize].key.as_str();
    let mut between = here.ancestors(node).take_while(|above| *above != maker);
    between.all(|above| other.find(key, here.backend_node_id(above)).is_none()).then_some(maker)
}

/// Items that a restless element took away together with one of the same tag that it made.
fn turned(
    before: &Snapshot,
    after: &Snapshot,
    items: &[Item],
    was: &HashSet<Node>,
    is: &HashSet<Node>,
) -> HashSet<usize> {
    let mut gone: HashMap<(u32, String), Vec<usize>> = HashMap::new();
    let place = |here: &Snapshot, other: &Snapshot, node: Node, noise: &HashSet<Node>| {
        let holder = maker(here, other, node, noise)?;
        Some((here.backend_node_id(holder), here.tag_name(node)))
    };
    for (at, item) in items.iter().enumerate().filter(|(_, item)| item.kind == Kind::Disappeared) {
        if let Some(place) = place(before, after, item.node, was) {
            gone.entry(place).or_default().push(at);
        }
    }
    let mut turned = HashSet::new();
    for (at, item) in items.iter().enumerate().filter(|(_, item)| item.kind == Kind::Appeared) {
        let former = place(after, before, item.node, is).and_then(|place| gone.get_mut(&place)?.pop());
        turned.extend(former.into_iter().flat_map(|old| [old, at]));
    }
    turned
}

/// The documents of frames in what turned.
fn frames(snapshot: &Snapshot, items: &[Item], turned: &HashSet<usize>, kind: Kind) -> HashSet<DocumentIndex> {
    let mut inside: HashSet<DocumentIndex> = HashSet::new();
    for &document in &snapshot.order {
        let Some(owner) = snapshot.owner[document] else { continue };
        let holds = |at: &usize| {
            let (side, node) = (items[*at].kind, items[*at].node);
            side == kind && node.document == owner.document && snapshot.document(owner).within(owner.index, node.index)
        };
        if inside.contains(&owner.document) || turned.iter().any(holds) {
            inside.insert(document);
        }
    }
    inside
}
