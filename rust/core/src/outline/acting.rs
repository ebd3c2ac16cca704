//! What can be acted on in a part of a page, as values instead of lines.

use crate::capture::node::Node;
use crate::element::snapshot::Snapshot;
use crate::element::text::Redactor;
use crate::outline::control::Control;
use crate::outline::item::{Item, Kind};
use crate::outline::line::{Limits, Lines, SHORT};
use crate::outline::roles::Sort;
use crate::outline::scope::{Attention, Scope};
use crate::outline::walk::{Read, Walk};

/// Characters of a name and of a value: a control is known by fewer than a text of the page.
const LIMITS: Limits = Limits { name: 80, value: 60, ..SHORT };

/// Roles of what is acted on by what it holds.
const HOLDERS: [&str; 10] =
    ["grid", "listbox", "menu", "menubar", "radiogroup", "tablist", "toolbar", "tree", "treegrid", "group"];

/// The elements in a part of a page that can be acted on, in reading order.
pub struct Acting<'a> {
    snapshot: &'a Snapshot,
    read: Read,
    /// Places of the elements among the items.
    found: Vec<usize>,
}

impl<'a> Acting<'a> {
    /// Read the part below `root`, with `root` itself. O(nodes of the part).
    pub fn below(snapshot: &'a Snapshot, root: Node) -> Self {
        let read = Walk::new(snapshot, Scope::Below(root), &[]).read();
        let acts = |item: &Item| {
            let facts = &read.facts[&item.node.document];
            matches!(item.kind, Kind::Line | Kind::Said)
                && !(item.children > 0 && HOLDERS.contains(&item.role.name()))
                && (item.role.sort() == Sort::Control || facts.acts(item.node.index))
        };
        let found = read.items.iter().enumerate().filter(|(_, item)| acts(item)).map(|(at, _)| at).collect();
        Self { snapshot, read, found }
    }

    pub fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        self.found.iter().map(|&at| self.read.items[at].node)
    }

    /// Take away those that `keep` refuses.
    pub fn retain(&mut self, keep: impl Fn(Node) -> bool) {
        let items = &self.read.items;
        self.found.retain(|&at| keep(items[at].node));
    }

    /// Keep the `most` that matter most: of long lists the first ones. They stay in reading order.
    pub fn truncate(&mut self, most: usize) {
        if self.found.len() > most {
            let items = &self.read.items;
            self.found.sort_by_key(|&at| items[at].rank);
            self.found.truncate(most);
            self.found.sort_unstable();
        }
    }

    /// Keep those in the interval of `places` in reading order.
    pub fn keep(&mut self, places: std::ops::Range<usize>) {
        self.found.truncate(places.end);
        self.found.drain(..places.start);
    }

    /// Word what is left.
    pub fn words(&self, redactor: &Redactor) -> Vec<Control> {
        (0..self.found.len()).map(|at| self.word(at, redactor)).collect()
    }

    /// Word one of them.
    pub fn word(&self, at: usize, redactor: &Redactor) -> Control {
        let Read { items, facts, pieces, .. } = &self.read;
        let (snapshot, attention) = (self.snapshot, Attention::default());
        let lines = Lines { snapshot, facts, pieces, redactor, links: false, attention: &attention };
        lines.control(&items[self.found[at]], &LIMITS)
    }

    pub fn count(&self) -> usize {
        self.found.len()
    }
}
