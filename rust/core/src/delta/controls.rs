//! What can be acted on next: the controls in what came or changed, and where there are none, those nearest to it.

use std::collections::{HashMap, HashSet};

use crate::capture::atom::Atom;
use crate::capture::node::{Node, NodeIndex};
use crate::delta::change::Change;
use crate::delta::result::Delta;
use crate::delta::row_controls::{Controls, Each};
use crate::delta::weight::AROUND;
use crate::element::role::role;
use crate::element::roles::Role;
use crate::element::selector::selector;
use crate::element::snapshot::Snapshot;
use crate::element::text::Redactor;
use crate::outline::acting::Acting;
use crate::outline::control::Control;

/// Rows of which all controls have room, before the room for the whole delta ends.
const FULL_ROWS: usize = 2;

/// In these nothing leads around the site.
const DIALOGS: [Role; 2] = [Role::Dialog, Role::AlertDialog];

/// Controls of each of two elements that show what a row stands for.
const OF_EXAMPLE: usize = 4;

/// Controls near what changed, or near the last action, where no row names any.
const NEAR: usize = 3;

/// Nodes of the largest part, or page, in which controls are looked for: more of them would cost more than the delta.
const NEIGHBOURHOOD: u32 = 2_000;

/// Nodes of the largest element that is taken for a control where only an attribute of it changed.
const CONTROL_NODES: u32 = 200;

/// Ancestors of a control among which a landmark is looked for.
const ABOVE: usize = 32;

/// What is added to a row.
#[derive(Default)]
struct Inside {
    controls: Controls,
    each: Option<Each>,
    /// Whether it names an element to act on next, and not only the one that was acted on.
    is_next: bool,
}

/// The elements that are named already, and the room for more.
struct Taken {
    nodes: HashSet<Node>,
    room: usize,
}

/// An element of a row of `Delta::appeared` or `Delta::changed`.
pub struct Told {
    pub rank: usize,
    pub node: Node,
    /// Whether it came with others like it, for which its row stands too.
    pub is_one_of_many: bool,
    /// The first elements that it stands for, if it is more than one.
    pub alike: Vec<Node>,
    pub news: News,
}

/// What a row says of its element, and of what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    Came,
    /// It says something else, and so may what it holds.
    Words,
    /// What it holds can be acted on now; the element itself was there before.
    Opened,
    /// Nothing of what it holds.
    State,
}

impl News {
    pub fn of(change: Option<&Change>) -> Self {
        let Some(Change { field, to, .. }) = change else { return Self::Came };
        match (field.as_str(), to.as_deref()) {
            ("textContent" | "rows" | "order" | "role", _) => Self::Words,
            ("expanded", Some("true")) => Self::Opened,
            ("disabled" | "hidden" | "inert", to) if to != Some("true") => Self::Opened,
            _ => Self::State,
        }
    }
}

/// Where controls are looked for, and how many may be listed.
pub struct Search<'a> {
    pub after: &'a Snapshot,
    pub before: &'a Snapshot,
    /// Controls per row.
    pub most: usize,
    /// The target of the last action (after), or what is left of its place.
    pub target: Option<Node>,
    pub redactor: &'a Redactor,
}

impl Search<'_> {
    /// Give each row the controls in it; without any, find those nearest to what changed. The best rows come first, and an
    /// element that has a row, or is listed, is not listed again. O(nodes of the rows).
    pub fn fill(&self, delta: &mut Delta, told: &[Told], gone: Option<Node>) {
        let mut taken = Taken { nodes: told.iter().map(|told| told.node).collect(), room: self.most * FULL_ROWS };
        // What came says where its controls are better than what was opened around it.
        let (came, changed): (Vec<&Told>, Vec<&Told>) = told.iter().partition(|told| told.news == News::Came);
        let mut found: HashMap<usize, Inside> =
            came.into_iter().chain(changed).map(|told| (told.rank, self.inside(told, &mut taken))).collect();
        // Of another page the parts that lead on have rows, and nothing of it is unchanged.
        if delta.same_document && !found.values().any(|inside| inside.is_next) {
            let changed = told.first().map(|told| told.node).or_else(|| place_of(self.before, self.after, gone?));
            delta.nearby = self.nearby(changed, &taken.nodes);
        }
        for row in delta.appeared.rows.iter_mut().chain(&mut delta.changed.rows) {
            if let Some(inside) = found.remove(&row.rank) {
                (row.controls, row.each) = (inside.controls, inside.each);
            }
        }
    }

    fn inside(&self, told: &Told, taken: &mut Taken) -> Inside {
        let is_region = told.news != News::State;
        if !is_region && self.size(told.node) > CONTROL_NODES {
            return Inside::default();
        }
        let mut acting = Acting::below(self.after, told.node);
        if !is_region {
            acting.retain(|node| node == told.node);
        }
        let is_target = |node: Node| Some(node) == self.target;
        let leads_on = |node: Node| !is_target(node) && !self.is_option(node);
        // The new state of a control that was there before adds no ref.
        let is_known = |node: Node| node == told.node && matches!(told.news, News::Opened | News::State);
        let is_next = !is_target(told.node) && acting.nodes().any(|node| leads_on(node) && !is_known(node));
        let own = acting.nodes().position(|node| node == told.node).map(|at| acting.word(at, self.redactor));
        acting.retain(|node| !taken.nodes.contains(&node));
        let all = acting.count();
        acting.truncate(if told.is_one_of_many { OF_EXAMPLE.min(taken.room) } else { self.most.min(taken.room) });
        taken.nodes.extend(acting.nodes());
        taken.room -= acting.count();
        let mut shown = acting.words(self.redactor);
        self.add_alike(told, own.as_ref(), &mut shown, taken);
        let each = told.is_one_of_many.then(|| each_of(self.after, told.node, self.redactor)).flatten();
        Inside { controls: Controls { own, shown, omitted: all - acting.count() }, each, is_next }
    }

    /// Add the controls of the other elements that a row stands for, but none that says what a known one says: the names
    /// of results lead on, and the hundredth "Add to cart" does not. O(nodes of those elements).
    fn add_alike(&self, told: &Told, own: Option<&Control>, shown: &mut Vec<Control>, taken: &mut Taken) {
        if told.news == News::State || self.is_option(told.node) {
            return;
        }
        let said = |control: &Control| (control.role, control.name.clone());
        let mut known: HashSet<(&str, String)> = shown.iter().chain(own).map(said).collect();
        for &node in &told.alike {
            let room = self.most.saturating_sub(shown.len()).min(taken.room);
            let mut acting = Acting::below(self.after, node);
            acting.retain(|node| !taken.nodes.contains(&node));
            acting.truncate(OF_EXAMPLE);
            let mut found = acting.words(self.redactor);
            found.retain(|control| known.insert(said(control)));
            found.truncate(room);
            taken.nodes.extend(found.iter().map(|control| control.node));
            taken.room -= found.len();
            shown.append(&mut found);
        }
    }

    /// The controls nearest to what changed, and those nearest to the last action.
    fn nearby(&self, changed: Option<Node>, listed: &HashSet<Node>) -> Vec<Control> {
        let mut anchors: Vec<Node> = changed.into_iter().chain(self.target).collect();
        anchors.dedup();
        let most = NEAR.min(self.most);
        let mut found: Vec<Control> = Vec::new();
        for anchor in anchors {
            let known: HashSet<Node> = listed.iter().copied().chain(found.iter().map(|control| control.node)).collect();
            let mut acting = self.around(anchor, most, &known);
            if acting.is_none() && found.is_empty() {
                acting = self.anywhere(anchor, most, &known);
            }
            found.extend(acting.iter().flat_map(|acting| acting.words(self.redactor)));
        }
        found.sort_by_key(|control| self.after.place(control.node));
        found
    }

    /// The controls nearest to an element, without those of parts that lead around the site.
    fn around(&self, anchor: Node, most: usize, known: &HashSet<Node>) -> Option<Acting<'_>> {
        let mut best = None;
        let mut looked = 0;
        for part in self.with_holders(anchor) {
            let size = self.size(part);
            let is_top = self.holder(part).is_none();
            if size > NEIGHBOURHOOD {
                break;
            }
            if size < 2 * looked && !is_top {
                continue;
            }
            looked = size;
            let mut acting = Acting::below(self.after, part);
            acting.retain(|node| !known.contains(&node) && !self.is_option(node) && !self.is_aside(node, anchor));
            let is_enough = acting.count() >= most;
            if acting.count() > 0 {
                best = Some(acting);
            }
            if is_enough {
                break;
            }
        }
        Some(self.nearest(anchor, best?, most))
    }

    /// The controls nearest to an element, of the parts that lead around the site too.
    fn anywhere(&self, anchor: Node, most: usize, known: &HashSet<Node>) -> Option<Acting<'_>> {
        let page = self.with_holders(anchor).last()?;
        if self.size(page) > NEIGHBOURHOOD {
            return None;
        }
        let mut all = Acting::below(self.after, page);
        all.retain(|node| !known.contains(&node) && !self.is_option(node));
        Some(self.nearest(anchor, all, most))
    }

    /// Those that follow an element in reading order rather than those before it.
    fn nearest<'b>(&self, anchor: Node, mut acting: Acting<'b>, most: usize) -> Acting<'b> {
        let at = self.after.place(anchor);
        let before = acting.nodes().filter(|node| self.after.place(*node) < at).count();
        let following = acting.count() - before;
        let ahead = following.min(most - before.min(most / 3));
        let behind = before.min(most - ahead);
        acting.keep(before - behind..before + ahead);
        acting
    }

    fn size(&self, node: Node) -> u32 {
        self.after.document(node).size[node.index]
    }

    /// Whether an element is an option of a list, through which it is chosen.
    fn is_option(&self, node: Node) -> bool {
        self.after.tag(node) == Atom::Option
    }

    /// Whether a control is in a part that leads around the site, and the anchor is not.
    fn is_aside(&self, control: Node, anchor: Node) -> bool {
        let document = self.after.document(control);
        let holds_anchor = |at: &Node| at.document == anchor.document && document.within(anchor.index, at.index);
        let above: Vec<Node> = self.after.ancestors(control).take(ABOVE).collect();
        // The head and the foot of a dialog are as near as what is between them.
        !above.iter().any(|&at| DIALOGS.contains(&role(self.after, at)))
            && above.iter().take_while(|at| !holds_anchor(at)).any(|&at| AROUND.contains(&role(self.after, at)))
    }

    /// An element and what holds it, also beyond the frame that it is in.
    fn with_holders(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        std::iter::successors(Some(node), |node| self.holder(*node))
    }

    fn holder(&self, node: Node) -> Option<Node> {
        self.after.parent(node).or(self.after.owner[node.document])
    }
}

/// What is left of the place where an element (before) was: the innermost of what held it.
fn place_of(before: &Snapshot, after: &Snapshot, gone: Node) -> Option<Node> {
    before.inclusive_ancestors(gone).find_map(|node| {
        let part = &before.part_of(node.document).key;
        after.find(part, before.backend_node_id(node))
    })
}

/// What `find` finds in the later snapshot; where that has gone, what is left of its place.
pub fn found_in(before: &Snapshot, after: &Snapshot, find: impl Fn(&Snapshot) -> Option<Node>) -> Option<Node> {
    find(after).or_else(|| place_of(before, after, find(before)?))
}

/// The elements like `node` beside it: those of its tag that its parent holds.
fn each_of(snapshot: &Snapshot, node: Node, redactor: &Redactor) -> Option<Each> {
    let parent = snapshot.parent(node)?;
    let document = snapshot.document(node);
    let tag = document.name[node.index];
    let alike = |&child: &NodeIndex| document.is_element(child) && document.name[child] == tag;
    let first = document.children(parent.index).filter(alike).position(|child| child == node.index)?;
    if !document.is_element(parent.index) {
        return None;
    }
    let selector = format!("{} > {}", selector(snapshot, parent), snapshot.tag_name(node));
    Some(Each { selector: redactor.redact(&selector).into_owned(), first })
}
