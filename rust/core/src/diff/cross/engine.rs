//! The two sides, the matches so far, and the work that they took.

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::{NodeIndex, NodePair};
use crate::capture::strings::NONE;
use crate::diff::cross::limits::{Context, Limits};
use crate::diff::cross::side::Side;
use crate::diff::record::Record;
use crate::digest::canonical::{live_value, looks_generated};

/// How two nodes were matched.
pub const EXACT: u8 = 1;
/// By something that is unique on both sides.
pub const ANCHOR: u8 = 2;
/// By what they hold.
pub const VOTE: u8 = 3;
/// By a similar text.
pub const SIMILAR: u8 = 4;
/// By their place alone.
pub const LOOSE: u8 = 5;
/// Because no other node was possible.
pub const ROOT: u8 = 6;

/// State that a node has by itself.
const OWN: u16 = flag::CHECKED | flag::SELECTED | flag::SHADOW | flag::RENDERED | flag::VALUE;

pub struct Engine<'a> {
    pub a: Side<'a>,
    pub b: Side<'a>,
    /// By string of `a`, the string of `b` (plus one) that was last found equal to it.
    equal_strings: Vec<u32>,
    /// Whether `a` is the side after.
    swapped: bool,
    pub work: usize,
    budget: usize,
    pub approximate: bool,
}

impl<'a> Engine<'a> {
    pub fn new(before: Side<'a>, after: Side<'a>, limits: Limits) -> Self {
        let budget = limits.steps.saturating_mul(before.own.len() + after.own.len());
        let swapped = key(&before) > key(&after);
        let (a, b) = if swapped { (after, before) } else { (before, after) };
        let equal_strings = vec![0; a.part.strings.len()];
        Self { a, b, equal_strings, swapped, work: 0, budget, approximate: false }
    }

    /// The sides again: before and after.
    pub fn into_sides(self) -> [Side<'a>; 2] {
        if self.swapped { [self.b, self.a] } else { [self.a, self.b] }
    }

    /// Count steps; false if there are none left.
    pub fn spend(&mut self, steps: usize) -> bool {
        self.work += steps;
        let is_left = self.work <= self.budget;
        self.approximate |= !is_left;
        is_left
    }

    /// The document nodes stand for each other, whatever they hold; false if they are of two kinds.
    pub fn root(&mut self) -> bool {
        let (old, new) = (self.a.document, self.b.document);
        let is_root = old.kind[0] == new.kind[0] && self.is_same_string(old.name[0], new.name[0]);
        if is_root {
            self.pair(NodeIndex::ROOT, NodeIndex::ROOT, ROOT);
        }
        is_root
    }

    /// Parents that are the same by their node ids.
    pub fn enter(&mut self, contexts: &[Context]) {
        for context in contexts {
            let (one, two) = self.oriented(context);
            self.pair(one, two, ROOT);
            self.b.grounded[two] = context.is_grounded;
        }
    }

    /// The parents before and after as nodes of `a` and `b`.
    pub fn oriented(&self, context: &Context) -> (NodeIndex, NodeIndex) {
        let NodePair { old, new } = context.parents;
        if self.swapped { (new, old) } else { (old, new) }
    }

    pub fn pair(&mut self, a: NodeIndex, b: NodeIndex, how: u8) {
        self.a.partner.set(a, b);
        self.b.partner.set(b, a);
        self.a.how[a] = how;
        self.b.how[b] = how;
    }

    pub fn unpair(&mut self, a: NodeIndex, b: NodeIndex) {
        self.a.partner.clear(a);
        self.b.partner.clear(b);
        self.a.how[a] = 0;
        self.b.how[b] = 0;
    }

    /// Whether the parents of two nodes are matched with each other.
    pub fn are_parents_paired(&self, a: NodeIndex, b: NodeIndex) -> bool {
        let parents = (self.a.document.parent_of(a), self.b.document.parent_of(b));
        matches!(parents, (Some(one), Some(two)) if self.b.partner.get(two) == Some(one))
    }

    // -- comparing nodes -------------------------------------------------------------------------------------------

    pub fn is_same_string(&mut self, x: u32, y: u32) -> bool {
        let Some(slot) = self.equal_strings.get_mut(x as usize).filter(|_| y != NONE) else {
            return self.a.part.strings.bytes(x) == self.b.part.strings.bytes(y);
        };
        if *slot != y + 1 && self.a.part.strings.bytes(x) != self.b.part.strings.bytes(y) {
            return false;
        }
        *slot = y + 1;
        true
    }

    /// Same kind and name, and nothing that lasts says that they are two: an id, a name, a type, a role.
    pub fn is_alike(&mut self, a: NodeIndex, b: NodeIndex) -> bool {
        let (one, two) = (a.at(), b.at());
        self.a.document.kind[one] == self.b.document.kind[two]
            && !self.a.is_framed(a)
            && !self.b.is_framed(b)
            && self.is_same_string(self.a.document.name[one], self.b.document.name[two])
            && self.is_allowed(a, b)
    }

    fn is_allowed(&self, a: NodeIndex, b: NodeIndex) -> bool {
        if !self.a.document.is_element(a) {
            return true;
        }
        [Atom::Id, Atom::DataTestid, Atom::Name, Atom::Type, Atom::Role].into_iter().all(|atom| {
            let (Some(one), Some(two)) = (self.a.attribute(a, atom), self.b.attribute(b, atom)) else { return true };
            one == two || (atom == Atom::Id && (looks_generated(one) || looks_generated(two)))
        })
    }

    /// Whether the nodes are equal, apart from what they hold.
    fn is_same_node(&mut self, a: NodeIndex, b: NodeIndex) -> bool {
        let (old, new) = (self.a.document, self.b.document);
        let (one, two) = (a.at(), b.at());
        old.kind[one] == new.kind[two]
            && (old.flags[one] ^ new.flags[two]) & OWN == 0
            && self.is_same_string(old.name[one], new.name[two])
            && self.is_same_string(old.value[one], new.value[two])
            && (old.flags[one] & flag::VALUE == 0 || self.is_same_string(live_value(old, a), live_value(new, b)))
            && self.has_same_attributes(a, b)
    }

    fn has_same_attributes(&mut self, a: NodeIndex, b: NodeIndex) -> bool {
        let (ours, theirs) = (self.a.document.attributes(a), self.b.document.attributes(b));
        let in_order = ours.len() == theirs.len()
            && ours.iter().zip(theirs).all(|(x, y)| self.is_same_string(x[0], y[0]) && self.is_same_string(x[1], y[1]));
        if in_order {
            return true;
        }
        // Attributes in another order, class tokens in another order, a nonce.
        self.work += ours.len() + theirs.len();
        let record = |side: &Side, node| Record::of(side.snapshot, side.document, node);
        record(&self.a, a) == record(&self.b, b)
    }

    /// Whether two subtrees are equal, and each node in them free or matched with the one in its place.
    pub fn is_same_tree(&mut self, a: NodeIndex, b: NodeIndex) -> bool {
        let mut steps = 0;
        let mut same = self.a.live[a] == self.b.live[b];
        let (mut one, mut two) = (a, b);
        while same && one < self.a.document.end(a) && two < self.b.document.end(b) {
            let (live, other) = (self.a.live[one], self.b.live[two]);
            if live == 0 {
                one = self.a.document.end(one);
                continue;
            }
            if other == 0 {
                two = self.b.document.end(two);
                continue;
            }
            steps += 1;
            let partner = self.b.partner.get(two);
            same = live == other
                && partner.is_none_or(|partner| partner == one)
                && (partner.is_some() || self.a.partner.get(one).is_none())
                && self.is_same_node(one, two);
            (one, two) = (one + 1, two + 1);
        }
        self.spend(steps);
        same
    }

    /// Match two equal subtrees, node by node.
    pub fn cover(&mut self, a: NodeIndex, b: NodeIndex) {
        let (mut one, mut two) = (a, b);
        while one < self.a.document.end(a) && two < self.b.document.end(b) {
            if !self.a.is_own(one) {
                one = self.a.document.end(one);
            } else if !self.b.is_own(two) {
                two = self.b.document.end(two);
            } else {
                self.pair(one, two, EXACT);
                (one, two) = (one + 1, two + 1);
            }
        }
    }

    /// Take equal subtrees for the same one, if they are.
    pub fn take(&mut self, a: NodeIndex, b: NodeIndex) -> bool {
        let same = self.is_same_tree(a, b);
        if same {
            self.cover(a, b);
        }
        same
    }

    // -- the outcome ----------------------------------------------------------------------------------------------

    /// Topmost equal subtrees, and matched pairs.
    pub fn counts(&self) -> (usize, usize) {
        let (mut equal, mut matched, mut end) = (0, 0, NodeIndex::ROOT);
        for &node in &self.b.own {
            matched += usize::from(self.b.partner.get(node).is_some());
            if self.b.how[node] == EXACT && node >= end {
                equal += 1;
                end = self.b.document.end(node);
            }
        }
        (equal, matched)
    }

    /// How much of what is rendered on the two sides was found again; 1 if nothing is rendered.
    pub fn shared(&self) -> f64 {
        let is_leaf = |&&node: &&NodeIndex| self.b.live[node] == 1 && self.b.document.has(node, flag::RENDERED);
        let found = self.b.own.iter().filter(is_leaf).filter(|&&node| is_evidence(self.b.how[node])).count();
        let all = self.a.leaves[0] + self.b.leaves[0];
        if all == 0 { 1.0 } else { 2.0 * found as f64 / f64::from(all) }
    }
}

/// Whether a leaf matched so speaks for what holds it.
pub fn is_evidence(how: u8) -> bool {
    matches!(how, EXACT | ANCHOR | VOTE | SIMILAR)
}

/// What the sides are ordered by: the same whichever is before.
fn key(side: &Side) -> (usize, u64) {
    let mut end = NodeIndex::ROOT;
    let mut sum = 0u64;
    for &node in &side.own {
        if node >= end {
            end = side.document.end(node);
            sum = sum.rotate_left(7) ^ side.exact(node);
        }
    }
    (side.own.len(), sum)
}
