//! The arithmetic of digests: the keys of the three forms, and sums over a node's own data and its children.

use std::sync::OnceLock;

use crate::capture::node::NodeIndex;
use crate::digest::seed::SEED;
use crate::digest::strings::Pair;
use crate::hash::mix::{append, draw, draw_base, fold_multiply, reduced};

/// The secrets of one form: per lane two for mixing and one base for the polynomial.
pub struct Form {
    local: Pair,
    children: Pair,
    base: Pair,
}

impl Form {
    fn new(number: u64) -> Self {
        let lanes = [SEED ^ (2 * number), SEED ^ (2 * number + 1)];
        let key = |at: u64| lanes.map(|lane| draw(lane, at) | 1);
        Self { local: key(0), children: key(1), base: lanes.map(|lane| draw_base(lane, 2)) }
    }

    /// The hash of an element from the sum over what it is and the sum over its children.
    #[inline(always)]
    pub fn element(&self, local: Pair, children: Pair) -> Pair {
        let lane = |at: usize| fold_multiply(local[at] ^ self.local[at], reduced(children[at]) ^ self.children[at]);
        [lane(0), lane(1)]
    }

    #[inline(always)]
    fn append(&self, children: &mut Pair, hash: Pair) {
        children[0] = append(children[0], self.base[0], hash[0]);
        children[1] = append(children[1], self.base[1], hash[1]);
    }
}

pub struct Forms {
    pub exact: Form,
    pub visible: Form,
    pub structure: Form,
    name: Pair,
    value: Pair,
    state: Pair,
}

impl Forms {
    fn new() -> Self {
        let key = |at: u64| [draw(SEED ^ 6, at) | 1, draw(SEED ^ 7, at) | 1];
        Self {
            exact: Form::new(0),
            visible: Form::new(1),
            structure: Form::new(2),
            name: key(0),
            value: key(1),
            state: key(2),
        }
    }

    pub fn published() -> &'static Self {
        static FORMS: OnceLock<Forms> = OnceLock::new();
        FORMS.get_or_init(Self::new)
    }

    /// What the state of a node adds to its local hash.
    #[inline(always)]
    pub fn state(&self, state: u64) -> Pair {
        self.state.map(|key| state.wrapping_mul(key))
    }

    /// The hash of an attribute.
    #[inline(always)]
    pub fn pair(&self, name: Pair, value: Pair) -> Pair {
        let lane = |at: usize| fold_multiply(name[at] ^ self.name[at], value[at] ^ self.value[at]);
        [lane(0), lane(1)]
    }
}

/// The name that the live value of a control has among its attributes: no string hashes to it.
pub const LIVE_VALUE: Pair = [0, 1];
/// The name of a class attribute, however an XML document may write it.
pub const CLASS: Pair = [0, 2];

/// Three hashes of a node, or three sums over what belongs to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Three {
    pub exact: Pair,
    pub visible: Pair,
    pub structure: Pair,
}

/// What the children of a node have come to so far, from the last one on.
#[derive(Clone, Copy)]
pub struct Sums {
    pub children: Three,
    /// The neighbour folded last: an equal one is not folded again.
    neighbour: u64,
}

impl Sums {
    pub const EMPTY: Self =
        Self { children: Three { exact: [1, 1], visible: [1, 1], structure: [1, 1] }, neighbour: 0 };

    #[inline(always)]
    pub fn fold(&mut self, forms: &Forms, child: &Three, visible: bool, element: bool) {
        forms.exact.append(&mut self.children.exact, child.exact);
        if visible {
            forms.visible.append(&mut self.children.visible, child.visible);
        }
        if element && self.neighbour != child.structure[0] {
            self.neighbour = child.structure[0];
            forms.structure.append(&mut self.children.structure, child.structure);
        }
    }
}

/// Ancestors of the node that the scan is at, the nearest last, each with the sums over the children seen.
#[derive(Default)]
pub struct Open(Vec<(NodeIndex, Sums)>);

impl Open {
    /// The sums of `node`, or those of one without children.
    #[inline(always)]
    pub fn at(&self, node: NodeIndex) -> Option<&Sums> {
        self.0.last().filter(|top| top.0 == node).map(|top| &top.1)
    }

    #[inline(always)]
    pub fn close(&mut self, node: NodeIndex) {
        if self.at(node).is_some() {
            self.0.pop();
        }
    }

    /// The sums of `node`, which begin as `sums` if there are none.
    #[inline(always)]
    pub fn open(&mut self, node: NodeIndex, sums: &Sums) -> &mut Sums {
        if self.at(node).is_none() {
            self.0.push((node, *sums));
        }
        let last = self.0.len() - 1;
        &mut self.0[last].1
    }
}

/// What a frame holds: the root of its document, plain and under masks.
#[derive(Clone, Copy)]
pub struct Held {
    pub node: NodeIndex,
    pub plain: Three,
    pub masked: Three,
}

/// What a node is under masks, where that is not what it is without: None if it is left out.
pub type Masked = Option<Three>;
