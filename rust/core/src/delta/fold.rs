//! Folds similar changes into one row: twenty-five boxes that become checked are one thing to report.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use crate::capture::node::{Node, NodeIndex};
use crate::delta::change::{Change, PARENT};
use crate::delta::classes::TOKENS;
use crate::delta::item::{Item, Priority};
use crate::delta::limits::DEFAULT_LIMIT;
use crate::delta::region::has_lasting_id;
use crate::digest::canonical::token_set;
use crate::element::role::role;
use crate::element::snapshot::Snapshot;

/// Elements that are named to show what a row stands for.
pub const EXAMPLES: usize = 2;

/// Elements of one row of which the controls are looked for: more of them than a page of results has.
const ALIKE: usize = 24;

/// Like rows that are listed one by one; texts, of which each says something else, more of them.
const FEW: usize = 3;
const FEW_TEXTS: usize = 6;

/// Like elements with ids of their own that have a row each: more of them would fill two lists.
const NUMBERED: usize = 2 * DEFAULT_LIMIT;

/// How far up texts must have a common ancestor to be alike: the week of a day, the row of a card.
const GENERATIONS: usize = 3;

/// Put like items together where there are more than a few of them, or more than `limit` if that is above its default: who
/// asks for more rows wants each. Elements with lasting ids keep a row each, unless they would fill a list: numbered rows
/// must not push out what stands beside them. O(items log items).
pub fn fold(before: &Snapshot, after: &Snapshot, items: Vec<Item>, limit: usize) -> Vec<Item> {
    let single = (0..items.len()).filter(|&at| items[at].count == 1);
    let (named, free): (Vec<usize>, Vec<usize>) =
        single.partition(|&at| is_named(items[at].side(before, after), &items[at]));
    let like = |places: &[usize]| {
        let mut groups: HashMap<u64, Vec<usize>> = HashMap::new();
        for &at in places {
            groups.entry(likeness(items[at].side(before, after), &items[at])).or_default().push(at);
        }
        groups
    };
    let numbered = like(&named).into_values().filter(|group| group.len() > at_least(NUMBERED, limit));
    let groups = like(&free);
    let mut folded: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut dropped = vec![false; items.len()];
    let large = groups.into_values().filter(|group| group.len() > most(&items[group[0]], limit));
    for mut group in large.chain(numbered).chain(repeated(&items, &free)) {
        if group.iter().any(|&at| dropped[at] || folded.contains_key(&at)) {
            continue;
        }
        group.sort_by_key(|&at| items[at].node);
        group[1..].iter().for_each(|&at| dropped[at] = true);
        folded.insert(group[0], group);
    }
    let nodes: Vec<Node> = items.iter().map(|item| item.node).collect();
    let kept = items.into_iter().enumerate().filter(|(at, _)| !dropped[*at]);
    kept.map(|(at, item)| match folded.get(&at) {
        Some(group) => {
            let examples = group.iter().take(ALIKE).map(|&at| nodes[at]).collect();
            Item { count: group.len(), examples, ..item }
        }
        None => item,
    })
    .collect()
}

/// Texts that the page says in several places, and that changed in the same way in each.
fn repeated(items: &[Item], free: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for &at in free {
        let Some(Change { field, from: Some(from), to: Some(to) }) = &items[at].change else { continue };
        if field == "textContent" && to.contains(' ') {
            groups.entry((from, to)).or_default().push(at);
        }
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

/// Whether the element has a lasting id of its own, and its row says more than a state: then it is one worth naming.
fn is_named(snapshot: &Snapshot, item: &Item) -> bool {
    matches!(item.field(), None | Some("textContent")) && has_lasting_id(snapshot, item.node)
}

/// How many rows like this one are listed one by one.
fn most(item: &Item, limit: usize) -> usize {
    let own = match item.priority {
        Priority::Message => DEFAULT_LIMIT,
        Priority::Text => FEW_TEXTS,
        _ => FEW,
    };
    at_least(own, limit)
}

/// How many rows are listed one by one that say nothing of their own.
pub fn few(limit: usize) -> usize {
    at_least(FEW, limit)
}

/// `own`, or more if the caller set a limit above the default.
fn at_least(own: usize, limit: usize) -> usize {
    if limit > DEFAULT_LIMIT { limit } else { own }
}

/// A number that like items share.
fn likeness(snapshot: &Snapshot, item: &Item) -> u64 {
    let node = item.node;
    let mut hasher = DefaultHasher::new();
    (item.kind, item.priority, node.document, snapshot.tag_name(node), role(snapshot, node).name()).hash(&mut hasher);
    match &item.change {
        None => ancestor(snapshot, node, 1).hash(&mut hasher),
        Some(Change { field, from, to }) => {
            field.hash(&mut hasher);
            match field.as_str() {
                "textContent" => ancestor(snapshot, node, GENERATIONS).hash(&mut hasher),
                "className" => difference(from.as_deref(), to.as_deref()).hash(&mut hasher),
                PARENT | "position" | "href" | "src" => ancestor(snapshot, node, 1).hash(&mut hasher),
                _ => (from, to).hash(&mut hasher),
            }
        }
    }
    hasher.finish()
}

fn ancestor(snapshot: &Snapshot, node: Node, generations: usize) -> Option<NodeIndex> {
    snapshot.inclusive_ancestors(node).nth(generations).map(|node| node.index)
}

/// The classes that came and those that went.
pub fn difference(from: Option<&str>, to: Option<&str>) -> (Vec<String>, Vec<String>) {
    let (old, new) = (token_set(from.unwrap_or("").as_bytes()), token_set(to.unwrap_or("").as_bytes()));
    let without = |ours: &[&[u8]], theirs: &[&[u8]]| {
        let own = ours.iter().filter(|token| theirs.binary_search(token).is_err());
        own.take(TOKENS).map(|token| String::from_utf8_lossy(token).into_owned()).collect()
    };
    (without(&new, &old), without(&old, &new))
}
