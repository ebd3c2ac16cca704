//! Stored digests: Merkle hashes over the canonical form, the same on every machine. Not cryptographic.
//!
//! An element's local hash is the sum of its tag, its state and the pairs of its attributes (a set has no order); it
//! folds its children as a polynomial over 2^61 - 1, order-sensitive and associative. Three forms in one pass, 128 bits
//! each with a fixed, published seed:
//!
//! - **exact**: everything.
//! - **visible**: what is rendered, its text and the state of controls, without classes and styles.
//! - **struct**: tags, roles and classes that no program made up; equal neighbours count once; no text.
//!
//! Nodes are in pre-order, so one scan from the end sees every child before its parent, and the sums it has to keep are
//! those of the ancestors of the node it is at: a stack, not a column. O(nodes + bytes of distinct strings).
//!
//! With masks, a second sum is kept for an ancestor from the first child on that differs under them; what holds no
//! masked node costs nothing more.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::capture::atom::Atom;
use crate::capture::columns::{Columns, Document, ELEMENT, FRAGMENT, TEXT, flag};
use crate::capture::node::{DocumentIndex, NodeIndex};
use crate::capture::page::Capture;
use crate::digest::action::Action;
use crate::digest::canonical::live_value;
use crate::digest::seed::SEED;
use crate::digest::strings::{Pair, Table, add};
use crate::digest::sums::{CLASS, Form, Forms, Held, LIVE_VALUE, Masked, Open, Sums, Three};

/// State that belongs to a node's local hash.
const STATE: u16 = flag::CHECKED | flag::SELECTED | flag::SHADOW;

/// The three 128-bit digests of a page, equal on every machine. Not cryptographic.
///
/// ```
/// # const BEFORE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/before.json"));
/// # const AFTER: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/after.json"));
/// use std::sync::Arc;
/// use stillframe_core::{Digests, Snapshot};
///
/// let (before, after) = (Snapshot::from_cdp(Arc::new(BEFORE))?, Snapshot::from_cdp(Arc::new(AFTER))?);
/// let (one, other): (&Digests, &Digests) = (before.digests(), after.digests());
/// assert_ne!(one.visible, other.visible);
/// # Ok::<(), stillframe_core::SnapshotError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digests {
    pub exact: [u8; 16],
    pub visible: [u8; 16],
    pub structure: [u8; 16],
}

/// By document, one 64-bit half of (exact, visible, struct) for every node; 0 where a node has no such hash.
pub type NodeDigests = Vec<Vec<[u64; 3]>>;

/// One document in the course of being hashed. `KEEP`: one half of each hash is kept; `MASKED`: there are masks.
struct Pass<'a, 'b, const KEEP: bool, const MASKED: bool> {
    forms: &'static Forms,
    document: &'a Document,
    table: &'b mut Table<'a>,
    /// What hangs in the frames of the document.
    held: &'b [Held],
    /// What masks do to which nodes, in order.
    actions: &'b [(NodeIndex, Action)],
    open: Open,
    /// The same, for those ancestors that hold something which differs under the masks.
    masked: Open,
    kept: Vec<[u64; 3]>,
}

impl<'a, 'b, const KEEP: bool, const MASKED: bool> Pass<'a, 'b, KEEP, MASKED> {
    fn new(
        document: &'a Document,
        table: &'b mut Table<'a>,
        held: &'b [Held],
        actions: &'b [(NodeIndex, Action)],
    ) -> Self {
        let (open, masked) = (Open::default(), Open::default());
        Self { forms: Forms::published(), document, table, held, actions, open, masked, kept: Vec::new() }
    }

    /// Hash the subtree at `start`; its root's hashes, plain and under masks.
    fn run(&mut self, start: NodeIndex) -> (Three, Three) {
        let columns = Columns::new(self.document, start);
        let n = columns.flags.len();
        if KEEP {
            self.kept = vec![[0; 3]; n];
        }
        for at in (1..n).rev() {
            let bits = columns.flags[at];
            if bits & flag::DROPPED != 0 {
                continue;
            }
            if is_element(columns.kind[at]) {
                self.element_node(&columns, at, bits);
            } else {
                self.text_node(&columns, at, bits);
            }
        }
        if !is_element(columns.kind[0]) {
            let plain = self.text(&columns, 0, columns.flags[0]);
            return (plain, plain);
        }
        let (plain, masked) = self.element(&columns, 0, columns.flags[0]);
        (plain, masked.flatten().unwrap_or(plain))
    }

    #[inline(always)]
    fn element_node(&mut self, columns: &Columns, at: usize, bits: u16) {
        let (plain, masked) = self.element(columns, at, bits);
        self.fold(NodeIndex::new(columns.parent[at]), &plain, masked, bits & flag::RENDERED != 0, true);
    }

    #[inline(always)]
    fn text_node(&mut self, columns: &Columns, at: usize, bits: u16) {
        let plain = self.text(columns, at, bits);
        self.keep(at, &plain, bits, false);
        let action = if MASKED { self.action(columns.start + at as u32) } else { None };
        let masked = action.map(|action| self.masked_text(columns, at, action));
        self.fold(NodeIndex::new(columns.parent[at]), &plain, masked, bits & flag::RENDERED != 0, false);
    }

    #[inline(always)]
    fn fold(&mut self, parent: NodeIndex, plain: &Three, masked: Option<Masked>, visible: bool, element: bool) {
        let sums = self.open.open(parent, &Sums::EMPTY);
        if MASKED && (masked.is_some() || self.masked.at(parent).is_some()) {
            let other = self.masked.open(parent, sums);
            if let Some(child) = masked.unwrap_or(Some(*plain)) {
                other.fold(self.forms, &child, visible, element);
            }
        }
        sums.fold(self.forms, plain, visible, element);
    }

    /// The hashes of an element whose children have been seen, and those under masks if they are others.
    #[inline(always)]
    fn element(&mut self, columns: &Columns, at: usize, bits: u16) -> (Three, Option<Masked>) {
        let node = columns.start + at as u32;
        let local = self.local(columns, at, bits, None);
        if bits & flag::FRAME != 0 {
            self.fold_frames(node);
        }
        let plain = self.whole(&local, &self.open.at(node).unwrap_or(&Sums::EMPTY).children);
        self.keep(at, &plain, bits, true);
        let masked = if MASKED { self.masked_element(columns, at, bits, &local) } else { None };
        self.open.close(node);
        (plain, masked)
    }

    #[inline(always)]
    fn keep(&mut self, at: usize, hash: &Three, bits: u16, element: bool) {
        if KEEP {
            let visible = if bits & flag::RENDERED != 0 { hash.visible[0] } else { 0 };
            self.kept[at] = [hash.exact[0], visible, if element { hash.structure[0] } else { 0 }];
        }
    }

    /// What the masks do to `node`; callers ask in falling order.
    #[inline(always)]
    fn action(&mut self, node: NodeIndex) -> Option<Action> {
        match self.actions.last() {
            Some(&(at, action)) if at == node => {
                self.actions = &self.actions[..self.actions.len() - 1];
                Some(action)
            }
            Some(&(at, _)) if at > node => self.skip_actions(node),
            _ => None,
        }
    }

    /// Masks of nodes that are not part of the canonical form.
    #[cold]
    fn skip_actions(&mut self, node: NodeIndex) -> Option<Action> {
        let count = self.actions.partition_point(|entry| entry.0 <= node);
        self.actions = &self.actions[..count];
        self.action(node)
    }

    #[inline(always)]
    fn text(&mut self, columns: &Columns, at: usize, bits: u16) -> Three {
        let value = columns.value[at];
        let exact = self.table.plain(value);
        let visible = if bits & flag::PRE != 0 { exact } else { self.table.collapsed(value) };
        self.text_of(exact, visible, u64::from(columns.kind[at] ^ TEXT))
    }

    #[inline(always)]
    fn text_of(&self, exact: Pair, visible: Pair, state: u64) -> Three {
        let mut found = Three { exact, visible, structure: [0, 0] };
        if state != 0 {
            add(&mut found.exact, self.forms.state(state));
            add(&mut found.visible, self.forms.state(state));
        }
        found
    }

    fn masked_text(&mut self, columns: &Columns, at: usize, action: Action) -> Masked {
        if action == Action::Hide {
            return None;
        }
        let text = self.table.without_digits(columns.value[at]);
        Some(self.text_of(text, text, u64::from(columns.kind[at] ^ TEXT) | 1 << 8))
    }

    /// The sums over what an element is: tag, state, attributes; less what `action` leaves out.
    #[inline(always)]
    fn local(&mut self, columns: &Columns, at: usize, bits: u16, action: Option<Action>) -> Three {
        let name = self.table.plain(columns.name[at]);
        let mut local = Three { exact: name, visible: name, structure: name };
        for &[key, value] in columns.attributes(at) {
            let atom = self.table.part.atoms.get(key as usize).copied().unwrap_or(Atom::Other);
            if !action.is_some_and(|action| action.hides(atom)) {
                self.add_attribute(&mut local, atom, key, value);
            }
        }
        if bits & (STATE | flag::VALUE) != 0 && action != Some(Action::Attributes) {
            self.add_state(&mut local, columns.start + at as u32, bits);
        }
        local
    }

    fn add_state(&mut self, local: &mut Three, node: NodeIndex, bits: u16) {
        let mut sum = self.forms.state(u64::from(bits & STATE));
        if bits & flag::VALUE != 0 {
            let value = self.table.plain(live_value(self.document, node));
            add(&mut sum, self.forms.pair(LIVE_VALUE, value));
        }
        add(&mut local.exact, sum);
        add(&mut local.visible, sum);
    }

    #[inline(always)]
    fn add_attribute(&mut self, local: &mut Three, atom: Atom, key: u32, value: u32) {
        if atom == Atom::Class {
            let pair = |value| self.forms.pair(CLASS, value);
            let classes = self.table.classes(value, pair);
            add(&mut local.exact, classes.all);
            add(&mut local.structure, classes.lasting);
            return;
        }
        if atom.is_noise() {
            return;
        }
        let pair = self.forms.pair(self.table.plain(key), self.table.plain(value));
        add(&mut local.exact, pair);
        if atom.is_visible_state() {
            add(&mut local.visible, pair);
        }
        if atom == Atom::Role {
            add(&mut local.structure, pair);
        }
    }

    #[inline(always)]
    fn whole(&self, local: &Three, children: &Three) -> Three {
        Three {
            exact: self.forms.exact.element(local.exact, children.exact),
            visible: self.forms.visible.element(local.visible, children.visible),
            structure: self.forms.structure.element(local.structure, children.structure),
        }
    }

    /// What an element is under masks, if that differs.
    #[inline(always)]
    fn masked_element(&mut self, columns: &Columns, at: usize, bits: u16, local: &Three) -> Option<Masked> {
        let node = columns.start + at as u32;
        let action = self.action(node);
        let differs = self.masked.at(node).is_some();
        if action.is_none() && !differs {
            return None;
        }
        let children = self.masked.at(node).or(self.open.at(node)).unwrap_or(&Sums::EMPTY).children;
        self.masked.close(node);
        Some(self.under_mask(columns, at, bits, action, local, &children))
    }

    fn under_mask(
        &mut self,
        columns: &Columns,
        at: usize,
        bits: u16,
        action: Option<Action>,
        local: &Three,
        children: &Three,
    ) -> Masked {
        match action {
            None | Some(Action::Digits) => Some(self.whole(local, children)),
            Some(Action::Hide) => None,
            Some(Action::Style | Action::Attributes) => {
                let less = self.local(columns, at, bits, action);
                Some(self.whole(&less, children))
            }
            Some(Action::Structure) => {
                let bare = self.local(columns, at, bits, Some(Action::Attributes));
                let structure = self.forms.structure.element(local.structure, children.structure);
                let exact = self.forms.exact.element(bare.exact, structure);
                let visible = self.forms.visible.element(bare.visible, structure);
                Some(Three { exact, visible, structure })
            }
        }
    }

    #[cold]
    fn fold_frames(&mut self, node: NodeIndex) {
        let from = self.held.partition_point(|held| held.node > node);
        for held in self.held[from..].iter().take_while(|held| held.node == node) {
            let sums = self.open.open(node, &Sums::EMPTY);
            if MASKED && (held.plain != held.masked || self.masked.at(node).is_some()) {
                self.masked.open(node, sums).fold(self.forms, &held.masked, true, true);
            }
            sums.fold(self.forms, &held.plain, true, true);
        }
    }
}

/// Whether a node may have children and attributes: an element, a document or a fragment.
#[inline(always)]
fn is_element(kind: u8) -> bool {
    kind == ELEMENT || (9..=FRAGMENT).contains(&kind)
}

/// The digests of a whole page.
pub fn digests(snapshot: &Capture) -> Digests {
    page::<false, false>(snapshot, &[], |_, _| {}).0
}

/// The digests of every node of a page.
pub fn node_digests(snapshot: &Capture) -> NodeDigests {
    let mut nodes = vec![Vec::new(); snapshot.documents.len()];
    page::<true, false>(snapshot, &[], |document, kept| nodes[document] = kept);
    nodes
}

/// One half of each digest for the nodes of the subtrees at `roots`, of a page without frames. O(their nodes).
pub(super) fn subtree_digests(
    snapshot: &Capture,
    document: DocumentIndex,
    roots: &[NodeIndex],
) -> HashMap<NodeIndex, [u64; 3]> {
    let columns = &snapshot.documents[document];
    let mut table = Table::new(snapshot.part_of(document), false);
    let mut pass = Pass::<true, false>::new(columns, &mut table, &[], &[]);
    let mut found = HashMap::new();
    for &root in roots {
        pass.run(root);
        found.extend(columns.subtree(root).nodes().zip(pass.kept.drain(..)));
    }
    found
}

/// The digests of a page, plain and under masks. `actions`: by document, what is done to which nodes, in their order.
pub fn masked_digests(snapshot: &Capture, actions: &[Vec<(NodeIndex, Action)>]) -> (Digests, Digests) {
    page::<false, true>(snapshot, actions, |_, _| {})
}

fn page<const KEEP: bool, const MASKED: bool>(
    snapshot: &Capture,
    actions: &[Vec<(NodeIndex, Action)>],
    mut keep: impl FnMut(DocumentIndex, Vec<[u64; 3]>),
) -> (Digests, Digests) {
    let forms = Forms::published();
    let mut tables: Vec<Table> = snapshot.parts.iter().map(|part| Table::new(part, true)).collect();
    let (mut plain, mut masked) = (Vec::new(), Vec::new());
    // Documents that frames hold, by the document they are in and last frame first, waiting for its turn.
    let mut waiting: Vec<Vec<Held>> = vec![Vec::new(); snapshot.documents.len()];
    for &at in snapshot.order.iter().rev() {
        let document = &snapshot.documents[at];
        let held = std::mem::take(&mut waiting[at]);
        let table = &mut tables[document.part as usize];
        let mut pass =
            Pass::<KEEP, MASKED>::new(document, table, &held, actions.get(at.at()).map_or(&[], Vec::as_slice));
        let root = pass.run(NodeIndex::ROOT);
        keep(at, pass.kept);
        match snapshot.owner[at] {
            Some(owner) => {
                waiting[owner.document].push(Held { node: owner.index, plain: root.0, masked: root.1 });
            }
            None => {
                plain.push(root.0);
                masked.push(root.1);
            }
        }
    }
    (digests_of(forms, plain), digests_of(forms, masked))
}

/// The digests of a page from those of the documents that no frame holds, the page's own last.
///
/// The others are in frames that stand in no place of the page (below a shadow host, in no slot); a capture lists them
/// as they were made, which says nothing of the page.
fn digests_of(forms: &Forms, mut roots: Vec<Three>) -> Digests {
    if let Some((_, others)) = roots.split_last_mut() {
        others.sort_unstable_by_key(|root| root.exact);
    }
    let mut sums = Sums::EMPTY;
    for root in &roots {
        sums.fold(forms, root, true, true);
    }
    let bytes = |form: &Form, children: Pair| {
        let [high, low] = form.element([0, 0], children);
        (u128::from(high) << 64 | u128::from(low)).to_be_bytes()
    };
    let Three { exact, visible, structure } = sums.children;
    Digests {
        exact: bytes(&forms.exact, exact),
        visible: bytes(&forms.visible, visible),
        structure: bytes(&forms.structure, structure),
    }
}

/// The XXH3-128 of raw bytes: two captures of an idle page are equal byte for byte.
pub fn raw_digest(bytes: &[u8]) -> [u8; 16] {
    xxh3_128_with_seed(bytes, SEED).to_be_bytes()
}
