//! The lossless form of a diff: a script that turns one canonical tree into the other, and back.
//!
//! The summary does not need it; tests, replay and the length of a delta do. Trees are keyed by node id, or where ids do
//! not tell (two documents that were matched by what they hold) by `Names`.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::capture::columns::{Document, flag};
use crate::capture::node::{DocumentIndex, NodeIndex, NodePair};
use crate::diff::cross::Partners;
use crate::diff::identity::Edits;
use crate::diff::record::{Record, each_own};
use crate::element::snapshot::Snapshot;

/// Where a node stands: its parent, the sibling before it, and its number in pre-order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub parent: u32,
    pub after: Option<u32>,
    pub order: u32,
}

/// What of a node changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    Text,
    Attribute(String),
    Property(&'static str),
}

/// One edit; nodes are named by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    Insert { node: u32, record: Record, to: Place },
    Delete { node: u32, record: Record, from: Place },
    Move { node: u32, from: Place, to: Place },
    Set { node: u32, field: Field, from: Option<String>, to: Option<String> },
}

/// The edits of one document, in no order that matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    pub edits: Vec<Edit>,
}

/// A canonical tree by node id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    pub root: u32,
    pub nodes: HashMap<u32, (Record, Vec<u32>)>,
}

/// What the nodes of two documents are called in a script: the same one has one name.
pub struct Names {
    pub old: Vec<u32>,
    pub new: Vec<u32>,
}

impl Names {
    /// Node ids, which tell within one document.
    pub fn by_id(one: &Document, two: &Document) -> Self {
        Self { old: one.backend_node_id.clone(), new: two.backend_node_id.clone() }
    }

    /// Matched nodes are called by their index before, new ones by numbers behind those.
    pub fn by_match(one: &Document, two: &Document, to_old: &Partners) -> Self {
        let fresh = |node: NodeIndex| one.len() as u32 + node.number();
        let new = two.nodes().map(|node| to_old.get(node).map_or_else(|| fresh(node), NodeIndex::number));
        Self { old: (0..one.len() as u32).collect(), new: new.collect() }
    }
}

impl Tree {
    pub fn of(snapshot: &Snapshot, document: DocumentIndex) -> Self {
        Self::named(snapshot, document, &snapshot.documents[document].backend_node_id)
    }

    /// The tree of a document whose nodes are called `names`.
    pub fn named(snapshot: &Snapshot, document: DocumentIndex, names: &[u32]) -> Self {
        let document = &snapshot.documents[document];
        let live = document.nodes().filter(|&node| !document.has(node, flag::DROPPED));
        let name = |node: NodeIndex| names[node];
        let nodes = live.map(|node| {
            let children = document.children(node).map(name).collect();
            (name(node), (Record::of(snapshot, document, node), children))
        });
        Self { root: names[0], nodes: nodes.collect() }
    }

    /// Apply a script made for this tree. Edits that name nodes that are not there are left out. O(edits, and the
    /// children of nodes whose lists change).
    pub fn apply(&mut self, script: &Script) {
        self.detach(script);
        let mut placed: Vec<(&Place, u32)> = Vec::new();
        for edit in &script.edits {
            match edit {
                Edit::Delete { node, .. } => drop(self.nodes.remove(node)),
                Edit::Set { node, field, to, .. } => self.set(*node, field, to.as_deref()),
                Edit::Move { node, to, .. } => placed.push((to, *node)),
                Edit::Insert { .. } => {}
            }
        }
        // Names of nodes that went may be those of nodes that came.
        for edit in &script.edits {
            if let Edit::Insert { node, record, to } = edit {
                self.nodes.insert(*node, (record.clone(), Vec::new()));
                placed.push((to, *node));
            }
        }
        placed.sort_by_key(|(place, _)| (place.parent, place.order));
        for list in placed.chunk_by(|one, other| one.0.parent == other.0.parent) {
            self.attach(list);
        }
    }

    /// Take what is moved or deleted out of the lists it is in.
    fn detach(&mut self, script: &Script) {
        let mut leaving: HashMap<u32, HashSet<u32>> = HashMap::new();
        for edit in &script.edits {
            if let Edit::Move { node, from, .. } | Edit::Delete { node, from, .. } = edit {
                leaving.entry(from.parent).or_default().insert(*node);
            }
        }
        for (parent, gone) in leaving {
            if let Some((_, children)) = self.nodes.get_mut(&parent) {
                children.retain(|child| !gone.contains(child));
            }
        }
    }

    /// Put nodes into the list of their parent, each behind the sibling it names.
    fn attach(&mut self, list: &[(&Place, u32)]) {
        let Some((_, children)) = self.nodes.get_mut(&list[0].0.parent) else { return };
        let there: HashSet<u32> = children.iter().copied().chain(list.iter().map(|entry| entry.1)).collect();
        let mut behind: HashMap<Option<u32>, Vec<u32>> = HashMap::new();
        for (place, node) in list {
            behind.entry(place.after.filter(|after| there.contains(after))).or_default().push(*node);
        }
        let mut rebuilt = Vec::with_capacity(there.len());
        let mut stack: Vec<u32> = children.iter().rev().copied().collect();
        stack.extend(behind.remove(&None).unwrap_or_default());
        while let Some(node) = stack.pop() {
            rebuilt.push(node);
            stack.extend(behind.remove(&Some(node)).unwrap_or_default());
        }
        *children = rebuilt;
    }

    fn set(&mut self, node: u32, field: &Field, value: Option<&str>) {
        let Some((record, _)) = self.nodes.get_mut(&node) else { return };
        match (field, value) {
            (Field::Text, value) => record.text = value.unwrap_or("").to_owned(),
            (Field::Attribute(name), Some(value)) => drop(record.attributes.insert(name.clone(), value.to_owned())),
            (Field::Attribute(name), None) => drop(record.attributes.remove(name)),
            (Field::Property(name), Some(value)) => drop(record.properties.insert(name, value.to_owned())),
            (Field::Property(name), None) => drop(record.properties.remove(name)),
        }
    }
}

impl Script {
    /// The script of edits that `identity::edits` found between two captures of one document.
    pub fn of(before: &Snapshot, old: DocumentIndex, after: &Snapshot, new: DocumentIndex, edits: &Edits) -> Self {
        let names = Names::by_id(&before.documents[old], &after.documents[new]);
        Self::named(before, old, after, new, edits, &names)
    }

    /// The script of edits between two documents whose nodes are called `names`. O(nodes).
    pub fn named(
        before: &Snapshot,
        old: DocumentIndex,
        after: &Snapshot,
        new: DocumentIndex,
        edits: &Edits,
        names: &Names,
    ) -> Self {
        let (one, other) = (&before.documents[old], &after.documents[new]);
        let (was, is) = (Places::of(one, &names.old), Places::of(other, &names.new));
        let mut script = Self::default();
        let (left, arrived) = moved_nodes(edits);
        for &root in &edits.deleted {
            each_own(one, root, &left, |node| {
                let record = Record::of(before, one, node);
                script.edits.push(Edit::Delete { node: names.old[node], record, from: was.place(node) });
            });
        }
        for &root in &edits.inserted {
            each_own(other, root, &arrived, |node| {
                let record = Record::of(after, other, node);
                script.edits.push(Edit::Insert { node: names.new[node], record, to: is.place(node) });
            });
        }
        let reordered = edits.reordered.iter().flat_map(|reorder| &reorder.moved);
        for &NodePair { old: from, new: to } in edits.moved.iter().chain(reordered) {
            let node = names.old[from];
            script.edits.push(Edit::Move { node, from: was.place(from), to: is.place(to) });
        }
        for &NodePair { old: from, new: to } in &edits.touched {
            let (was, is) = (Record::of(before, one, from), Record::of(after, other, to));
            set_edits(names.old[from], &was, &is, &mut script.edits);
        }
        script
    }

    /// The script that undoes this one.
    pub fn invert(&self) -> Self {
        let invert = |edit: &Edit| match edit.clone() {
            Edit::Insert { node, record, to } => Edit::Delete { node, record, from: to },
            Edit::Delete { node, record, from } => Edit::Insert { node, record, to: from },
            Edit::Move { node, from, to } => Edit::Move { node, from: to, to: from },
            Edit::Set { node, field, from, to } => Edit::Set { node, field, from: to, to: from },
        };
        Self { edits: self.edits.iter().map(invert).collect() }
    }
}

/// Nodes that changed parents, by their index before and after.
fn moved_nodes(edits: &Edits) -> (Vec<NodeIndex>, Vec<NodeIndex>) {
    let mut left: Vec<NodeIndex> = edits.moved.iter().map(|pair| pair.old).collect();
    let mut arrived: Vec<NodeIndex> = edits.moved.iter().map(|pair| pair.new).collect();
    left.sort_unstable();
    arrived.sort_unstable();
    (left, arrived)
}

/// The places of all nodes of a document.
struct Places<'a> {
    document: &'a Document,
    names: &'a [u32],
    /// By node, the sibling before it.
    before: Vec<Option<NodeIndex>>,
}

impl<'a> Places<'a> {
    fn of(document: &'a Document, names: &'a [u32]) -> Self {
        let n = document.len();
        let (mut before, mut last) = (vec![None; n], vec![None; n]);
        let mut node = NodeIndex::ROOT;
        while node.at() < n {
            if document.has(node, flag::DROPPED) {
                node = document.end(node);
                continue;
            }
            if let Some(parent) = document.parent_of(node) {
                before[node] = last[parent].replace(node);
            }
            node += 1;
        }
        Self { document, names, before }
    }

    fn place(&self, node: NodeIndex) -> Place {
        let name = |node: NodeIndex| self.names[node];
        let parent = self.document.parent_of(node).map_or(0, name);
        Place { parent, after: self.before[node].map(name), order: node.number() }
    }
}

fn set_edits(node: u32, was: &Record, is: &Record, edits: &mut Vec<Edit>) {
    if was.text != is.text {
        let (from, to) = (Some(was.text.clone()), Some(is.text.clone()));
        edits.push(Edit::Set { node, field: Field::Text, from, to });
    }
    each_difference(&was.attributes, &is.attributes, |name, from, to| {
        edits.push(Edit::Set { node, field: Field::Attribute(name.clone()), from, to });
    });
    each_difference(&was.properties, &is.properties, |name, from, to| {
        edits.push(Edit::Set { node, field: Field::Property(name), from, to });
    });
}

fn each_difference<K: Ord>(
    was: &BTreeMap<K, String>,
    is: &BTreeMap<K, String>,
    mut visit: impl FnMut(&K, Option<String>, Option<String>),
) {
    for (name, from) in was {
        if is.get(name) != Some(from) {
            visit(name, Some(from.clone()), is.get(name).cloned());
        }
    }
    for (name, to) in is.iter().filter(|entry| !was.contains_key(entry.0)) {
        visit(name, None, Some(to.clone()));
    }
}
