//! Makes an item of an element once its content is read, and decides the order of lines.

use super::{Kin, Walk};
use crate::capture::node::Node;
use crate::capture::strings::NONE;
use crate::outline::item::{Item, Kind};
use crate::outline::naming::{Namer, name, namer};
use crate::outline::roles::{Role, Sort};
use crate::outline::state::has_own_state;

/// Neighbours of one tag after which a list has become long, and the highest level of that.
const FEW: u32 = 5;
const BANDS: u32 = 15;

impl Walk<'_> {
    /// Nothing comes before what holds it, and what makes no line moves nothing in.
    pub(super) fn settle(&mut self) {
        for at in (0..self.items.len()).rev() {
            let Item { parent, rank, .. } = self.items[at];
            if let Some(parent) = self.items.get_mut(parent as usize) {
                parent.rank = parent.rank.min(rank);
            }
        }
        for at in 0..self.items.len() {
            let holder = self.items.get(self.items[at].parent as usize);
            self.items[at].depth = holder.map_or(0, |holder| holder.depth + u32::from(holder.kind != Kind::Ghost));
        }
    }

    pub(super) fn depth(&self) -> u32 {
        let item = self.opens.last().and_then(|open| self.items.get(open.item as usize));
        item.map_or(0, |item| item.depth + 1)
    }

    pub(super) fn push(&mut self, node: Node, kind: Kind, role: Role, band: u32) -> u32 {
        self.end_run(false);
        self.cells = 0;
        let at = self.items.len() as u32;
        let open = self.opens.last();
        let parent = open.map_or(NONE, |open| open.item);
        let facts = &self.facts[&node.document];
        let acts = kind == Kind::Line && facts.acts(node.index);
        let rank = match role.sort() {
            _ if open.is_some_and(|open| open.urgent) => 0,
            Sort::Urgent => 0,
            Sort::Control | Sort::Heading | Sort::Landmark | Sort::Frame => 1,
            _ if acts => 1,
            Sort::List | Sort::Item | Sort::Group => u8::MAX,
            _ => 3,
        };
        let aside = u8::from(open.is_some_and(|open| open.aside));
        let rank = if rank == u8::MAX { rank } else { rank + aside + 2 * band as u8 };
        let depth = self.depth();
        self.items.push(Item { node, said: (0, 0), parent, end: at + 1, children: 0, depth, kind, role, rank });
        if let Some(parent) = self.items.get_mut(parent as usize) {
            parent.children += 1;
        }
        at
    }

    /// Close an item after everything in it has been read, and make it as short as it can be.
    pub(super) fn seal(&mut self, at: usize) {
        self.items[at].end = self.items.len() as u32;
        let Item { node, role, children, .. } = self.items[at];
        let acts = self.facts[&node.document].acts(node.index);
        if children == 0 && !acts && !matches!(role.sort(), Sort::Frame | Sort::Gauge) {
            self.withdraw(at);
        } else if self.is_told_twice(at) {
            self.items.truncate(at + 1);
            (self.items[at].children, self.items[at].end) = (0, at as u32 + 1);
        } else if self.is_said_by_text(at) {
            self.say(at);
        } else if children == 1 && (role.sort() == Sort::Item && !acts || self.is_wrapper(at)) || self.is_overheard(at)
        {
            self.items[at].kind = Kind::Ghost;
        }
    }

    /// Whether all that a control holds is what takes its clicks, and has its name.
    fn is_told_twice(&self, at: usize) -> bool {
        let Item { node, role, children, .. } = self.items[at];
        let Some(&inside) = self.items.get(at + 1).filter(|_| children == 1 && role.sort() == Sort::Control) else {
            return false;
        };
        let taken = inside.role.sort() == Sort::Plain && inside.children == 0 && inside.kind == Kind::Line;
        taken && inside.node.document == node.document && {
            let own = name(self.snapshot, node, role, true);
            own == name(self.snapshot, inside.node, inside.role, true)
        }
    }

    /// Whether an element that has nothing but a listener holds nothing but controls: it listens for what they get.
    fn is_overheard(&self, at: usize) -> bool {
        let Item { node, role, end, .. } = self.items[at];
        let facts = &self.facts[&node.document];
        role.sort() == Sort::Plain
            && facts.only_listens(node.index)
            && namer(self.snapshot, node) == Namer::Nobody
            && self.directly_in(at, end).all(|inside| {
                let facts = &self.facts[&inside.node.document];
                inside.kind != Kind::Text && (facts.acts(inside.node.index) || inside.role.sort() == Sort::Picture)
            })
    }

    /// The items that an item holds itself.
    fn directly_in(&self, at: usize, end: u32) -> impl Iterator<Item = &Item> {
        let mut next = at + 1;
        std::iter::from_fn(move || {
            let item = self.items.get(next).filter(|_| next < end as usize)?;
            next = item.end as usize;
            Some(item)
        })
    }

    /// Whether an item does nothing but hold one control that has a name: then only the control gets a line.
    pub(super) fn is_wrapper(&self, at: usize) -> bool {
        let Item { node, role, .. } = self.items[at];
        let wraps = matches!(role.sort(), Sort::Plain | Sort::Item | Sort::Cell | Sort::List);
        let inside = self.items[at + 1..].iter().find(|item| item.kind != Kind::Ghost);
        let Some(inside) = inside.filter(|item| item.kind == Kind::Line && item.node.document == node.document) else {
            return false;
        };
        let facts = &self.facts[&node.document];
        let more = has_own_state(self.snapshot, node, inside.node);
        if !wraps || !facts.acts(inside.node.index) || facts.moves(node.index) || more {
            return false;
        }
        let said = name(self.snapshot, inside.node, inside.role, true);
        let own = namer(self.snapshot, node) != Namer::Nobody;
        !said.is_empty() && (!own || name(self.snapshot, node, role, false) == said)
    }

    /// Take back an item that holds nothing.
    pub(super) fn withdraw(&mut self, at: usize) {
        self.items.truncate(at);
        let parent = self.opens.last().map_or(NONE, |open| open.item);
        if let Some(parent) = self.items.get_mut(parent as usize) {
            parent.children -= 1;
        }
    }

    /// Whether the text that an item without a name begins with can stand in the place of one: because there is nothing
    /// else, or because it tells one of a list from the others.
    pub(super) fn is_said_by_text(&self, at: usize) -> bool {
        let Item { node, role, children, .. } = self.items[at];
        let begins = self.items.get(at + 1).is_some_and(|first| first.kind == Kind::Text);
        let sort = role.sort();
        let alone = matches!(sort, Sort::Urgent | Sort::Group | Sort::Landmark)
            || sort != Sort::Control && self.facts[&node.document].reached(node.index);
        let short = sort == Sort::Item || children == 1 && alone;
        begins && short && namer(self.snapshot, node) == Namer::Nobody
    }

    pub(super) fn say(&mut self, at: usize) {
        let text = self.items[at + 1];
        let item = &mut self.items[at];
        (item.kind, item.said) = (Kind::Said, text.said);
        item.rank = item.rank.min(text.rank);
        item.children -= 1;
        if item.children == 0 {
            item.end = at as u32 + 1;
            self.items.truncate(at + 1);
        } else {
            self.items[at + 1].kind = Kind::Ghost;
        }
    }

    /// How far down in a long list the next child of the innermost open element stands: 0 for the first few, then one
    /// more with every doubling; lists in lists add up. Those of one tag and one role are a list.
    pub(super) fn band(&mut self, node: Node, role: Role) -> u32 {
        let name = self.snapshot.document(node).name[node.index];
        let Some(open) = self.opens.last_mut() else { return 0 };
        let slot = match open.kin.iter().position(|kin| (kin.name, kin.role) == (name, role)) {
            Some(slot) => slot,
            None => {
                let slot = usize::from(open.kin[0].count > open.kin[1].count);
                open.kin[slot] = Kin { name, role, count: 0 };
                slot
            }
        };
        let before = open.kin[slot].count;
        open.kin[slot].count += 1;
        let own = if before < FEW { 0 } else { (before / FEW).ilog2() + 1 };
        (open.band + own).min(BANDS)
    }
}
