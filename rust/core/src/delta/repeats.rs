//! Drops rows when another row reports the same change better.

use std::collections::HashSet;

use crate::capture::atom::Atom;
use crate::capture::node::{DocumentIndex, Node};
use crate::delta::fold::difference;
use crate::delta::item::{Item, Kind, Priority};
use crate::delta::weight::is_words;
use crate::element::name::name;
use crate::element::role::role;
use crate::element::roles::Role;
use crate::element::snapshot::Snapshot;

/// Ancestors that are looked at for a row which says it already.
const ABOVE: usize = 4;
const PARENTS: usize = 2;

/// Nodes of a group in which one element's state explains the looks of another: a box and its label.
const GROUP: u32 = 64;

/// Controls of which the names before and after are compared.
const CONTROLS: usize = 64;

/// Turn into bookkeeping what another item says better: classes of an element whose state has a row, words inside of a
/// text that has a row, a `title` that follows the name, the icon in a button that is pressed now. O(items log items).
pub fn demote(before: &Snapshot, after: &Snapshot, items: &mut [Item]) {
    let reported = Reported::new(after, items);
    let controls = Controls::new(before, after, items);
    let is_said = |item: &Item| item.kind == Kind::Changed && reported.says(after, item) || controls.hold(item);
    let said: Vec<bool> = items.iter().map(is_said).collect();
    for (item, _) in items.iter_mut().zip(said).filter(|(_, said)| *said) {
        item.priority = Priority::Bookkeeping;
    }
}

/// Controls that have a row of their state: if they have the same name as before, what they show inside is their looks.
struct Controls<'a> {
    before: &'a Snapshot,
    after: &'a Snapshot,
    /// (the control before, the control after)
    pairs: Vec<(Node, Node)>,
}

impl<'a> Controls<'a> {
    fn new(before: &'a Snapshot, after: &'a Snapshot, items: &[Item]) -> Self {
        let is_control = |node: Node| {
            let role = role(after, node);
            role.is_control() && role.is_leaf()
        };
        let changed = items.iter().filter(|item| item.priority == Priority::State);
        let pairs = changed.filter_map(|item| Some((item.old?, item.node))).filter(|pair| is_control(pair.1));
        Self { before, after, pairs: pairs.take(CONTROLS).collect() }
    }

    fn hold(&self, item: &Item) -> bool {
        let is_text = item.field() == Some("textContent");
        let is_in = |snapshot: &Snapshot, control: Node| {
            let node = item.node;
            let is_of = node.document == control.document && snapshot.document(node).within(node.index, control.index);
            is_of && (node != control || is_text)
        };
        let has_name = |old: Node, new: Node| name(self.before, old) == name(self.after, new);
        self.pairs.iter().any(|&(old, new)| match item.kind {
            Kind::Disappeared => is_in(self.before, old) && has_name(old, new),
            _ => is_in(self.after, new) && has_name(old, new),
        })
    }
}

struct Reported<'a> {
    /// Elements that have a row which is more than an attribute, sorted.
    nodes: Vec<Node>,
    /// Elements by the field that their row reports.
    fields: HashSet<(Node, &'a str)>,
    /// Roles of which some element got a state.
    taken: HashSet<(Role, DocumentIndex)>,
    /// Parents of which a child got a class.
    classes: HashSet<(Node, String)>,
    any: bool,
}

/// Fields that say nothing beside one of some others of the same element.
const SAID: [(&str, &[&str]); 7] = [
    ("expanded", &["selected", "checked"]),
    ("title", &["textContent", "aria-label", "aria-sort", "value"]),
    ("aria-label", &["textContent", "aria-sort", "selected", "checked", "expanded", "value", "aria-pressed"]),
    ("aria-valuenow", &["value"]),
    ("aria-valuetext", &["value"]),
    ("alt", &["textContent"]),
    (
        "className",
        &["selected", "checked", "expanded", "aria-sort", "aria-current", "aria-pressed", "textContent", "value"],
    ),
];

impl<'a> Reported<'a> {
    fn new(after: &Snapshot, items: &'a [Item]) -> Self {
        let shown = || items.iter().filter(|item| item.kind != Kind::Disappeared);
        let mut nodes: Vec<Node> =
            shown().filter(|item| item.priority < Priority::Attribute).map(|item| item.node).collect();
        nodes.sort_unstable();
        let fields = shown().filter_map(|item| Some((item.node, item.field()?)));
        let on = shown().filter(|item| is_switched(item) && is_on(item));
        let classes = shown().filter(|item| item.field() == Some("className")).flat_map(|item| {
            let parent = after.parent(item.node);
            let (gained, _) = classes_of(item);
            parent.into_iter().flat_map(move |parent| gained.clone().into_iter().map(move |class| (parent, class)))
        });
        Self {
            fields: fields.collect(),
            taken: on.map(|item| (role(after, item.node), item.node.document)).collect(),
            classes: classes.collect(),
            any: items.iter().any(|item| item.priority < Priority::Attribute),
            nodes,
        }
    }

    fn says(&self, after: &Snapshot, item: &Item) -> bool {
        let Some(field) = item.field() else { return false };
        match field {
            "textContent" => after.ancestors(item.node).take(ABOVE).any(|at| self.is_text(after, at)),
            _ if is_switched(item) && self.is_passed_on(after, item) => true,
            "className" if item.priority == Priority::State => {
                !role(after, item.node).is_control() && self.is_about(after, item.node)
            }
            "className" if self.is_class_passed_on(after, item) || self.is_about(after, item.node) => true,
            "aria-label" | "alt" | "title" | "placeholder" if self.any && self.is_about(after, item.node) => true,
            _ => self.is_said(item.node, field),
        }
    }

    /// Whether another field of the element says it.
    fn is_said(&self, node: Node, field: &str) -> bool {
        let sayers = SAID.iter().find(|(said, _)| *said == field).map(|(_, sayers)| *sayers);
        sayers.is_some_and(|sayers| sayers.iter().any(|sayer| self.fields.contains(&(node, sayer))))
    }

    fn is_text(&self, after: &Snapshot, node: Node) -> bool {
        self.fields.contains(&(node, "textContent")) && is_words(after, node)
    }

    /// Whether the state went over to another one of the group, of which one at most has it.
    fn is_passed_on(&self, after: &Snapshot, item: &Item) -> bool {
        const ONE_OF_MANY: [Role; 4] = [Role::Tab, Role::Option, Role::Link, Role::TreeItem];
        let role = role(after, item.node);
        !is_on(item) && ONE_OF_MANY.contains(&role) && self.taken.contains(&(role, item.node.document))
    }

    /// Whether all that the element lost are classes which one beside it got.
    fn is_class_passed_on(&self, after: &Snapshot, item: &Item) -> bool {
        let (gained, lost) = classes_of(item);
        let Some(parent) = after.parent(item.node) else { return false };
        gained.is_empty() && lost.into_iter().all(|class| self.classes.contains(&(parent, class)))
    }

    /// Whether an item is about the element, what holds it, something in it, or something beside it in a small group.
    fn is_about(&self, after: &Snapshot, node: Node) -> bool {
        if matches!(after.tag(node), Atom::Html | Atom::Body) {
            return self.any;
        }
        let is_group = |parent: &Node| after.document(*parent).size[parent.index] <= GROUP;
        let group = after.ancestors(node).take(PARENTS + 1).take_while(is_group).last().unwrap_or(node);
        let end = after.document(group).end(group.index);
        let next = self.nodes.partition_point(|&at| at < group);
        let holds = self.nodes.get(next).is_some_and(|at| at.document == group.document && at.index < end);
        holds || after.ancestors(node).take(PARENTS).any(|at| self.nodes.binary_search(&at).is_ok())
    }
}

/// Whether the field is one that is on or off.
fn is_switched(item: &Item) -> bool {
    matches!(item.field(), Some("checked" | "selected" | "expanded" | "aria-current" | "aria-pressed"))
}

fn is_on(item: &Item) -> bool {
    let is = item.change.as_ref().and_then(|change| change.to.as_deref());
    !matches!(is, None | Some("false"))
}

/// The classes that an element got and those it lost.
fn classes_of(item: &Item) -> (Vec<String>, Vec<String>) {
    match &item.change {
        Some(change) => difference(change.from.as_deref(), change.to.as_deref()),
        None => (Vec::new(), Vec::new()),
    }
}
