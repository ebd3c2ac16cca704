//! What each node of a document means to a reader: one pass down for its own facts, one up for its content's.

use crate::capture::atom::Atom;
use crate::capture::columns::{Document, flag};
use crate::capture::node::{Node, NodeIndex};
use crate::element::role::is_editing_host;
use crate::element::snapshot::Snapshot;
use crate::outline::reach::{is_whole, reach};
use crate::outline::roles::{Role, Sort, role_of};

mod bit {
    pub use crate::outline::reach::bit::*;

    /// Rendered, and not hidden from the accessible tree.
    pub const SHOWN: u16 = 1;
    /// Can be acted on.
    pub const ACTS: u16 = 2;
    /// Something inside can be acted on, or is a frame.
    pub const HOLDS: u16 = 4;
    /// Its content can be edited.
    pub const EDITS: u16 = 16;
    /// Something inside looks as if it took clicks.
    pub const HOLDS_CLICKS: u16 = 2048;
}

/// The facts of one document.
pub struct Facts {
    roles: Vec<Role>,
    bits: Vec<u16>,
}

impl Facts {
    /// O(nodes and attributes of `start..end`); nothing is known of other nodes.
    pub fn new(snapshot: &Snapshot, first: Node, end: NodeIndex, modals: &[Node]) -> Self {
        let Node { document, index: start } = first;
        let columns = &snapshot.documents[document];
        let modals = modals_inside(columns, first, end, modals);
        let mut facts = Self { roles: vec![Role::generic(); columns.len()], bits: vec![0; columns.len()] };
        let mut index = start;
        // The end of the link or button, or of the editable element, that what follows is inside.
        let mut inside = NodeIndex::ROOT;
        while index < end {
            let node = Node { document, index };
            let behind = !modals.is_empty() && !modals.iter().any(|&modal| is_in_line(columns, index, modal));
            if behind || !is_shown(snapshot, columns, node, start) {
                index = columns.end(index);
                continue;
            }
            facts.bits[index] = bit::SHOWN;
            if columns.is_element(index) {
                facts.element(snapshot, node, &mut inside);
            }
            index += 1;
        }
        for index in start.until(end).nodes().rev() {
            facts.settle(columns, index);
        }
        facts
    }

    /// All inside is known: take back what is only there for what it holds, and tell what holds it.
    fn settle(&mut self, columns: &Document, index: NodeIndex) {
        let bits = &mut self.bits[index];
        let for_others = *bits & bit::DELEGATED != 0 && *bits & bit::HOLDS != 0
            || *bits & bit::LISTENS != 0 && *bits & bit::HOLDS_CLICKS != 0;
        if for_others {
            *bits &= !bit::CLICKS;
            if *bits & bit::REACHED == 0 {
                *bits &= !bit::ACTS;
            }
        }
        let looks = *bits & bit::HOLDS_CLICKS != 0 || *bits & bit::CLICKS != 0 && *bits & bit::LISTENS == 0;
        let holds = *bits & (bit::ACTS | bit::HOLDS) != 0;
        if let Some(parent) = columns.parent_of(index) {
            self.bits[parent] |= if holds { bit::HOLDS } else { 0 } | if looks { bit::HOLDS_CLICKS } else { 0 };
        }
    }

    fn element(&mut self, snapshot: &Snapshot, node: Node, inside: &mut NodeIndex) {
        let columns = snapshot.document(node);
        let role = role_of(snapshot, node);
        let mut bits = 0u16;
        match role.sort() {
            Sort::Control => bits |= bit::ACTS,
            Sort::Frame => bits |= bit::HOLDS,
            _ => {}
        }
        if is_editing_host(snapshot, node) {
            bits |= bit::ACTS | bit::EDITS;
            *inside = columns.end(node.index).max(*inside);
        } else if bits == 0 && node.index >= *inside {
            let parent = columns.parent_of(node.index).unwrap_or(NodeIndex::ROOT);
            bits = reach(snapshot, node, role, (self.roles[parent], self.bits[parent]));
            bits |= if bits & bit::REACHED != 0 { bit::ACTS } else { 0 };
        }
        if is_whole(role) {
            *inside = columns.end(node.index).max(*inside);
        }
        self.roles[node.index] = role;
        self.bits[node.index] |= bits;
    }

    pub fn role(&self, index: NodeIndex) -> Role {
        self.roles[index]
    }

    fn has(&self, index: NodeIndex, bit: u16) -> bool {
        self.bits[index] & bit != 0
    }

    pub fn shown(&self, index: NodeIndex) -> bool {
        self.has(index, bit::SHOWN)
    }

    pub fn acts(&self, index: NodeIndex) -> bool {
        self.has(index, bit::ACTS)
    }

    pub fn holds(&self, index: NodeIndex) -> bool {
        self.has(index, bit::HOLDS)
    }

    pub fn clicks(&self, index: NodeIndex) -> bool {
        self.has(index, bit::CLICKS)
    }

    pub fn focuses(&self, index: NodeIndex) -> bool {
        self.has(index, bit::FOCUS)
    }

    pub fn drags(&self, index: NodeIndex) -> bool {
        self.has(index, bit::DRAGS)
    }

    pub fn resizes(&self, index: NodeIndex) -> bool {
        self.has(index, bit::SIZES)
    }

    /// Whether it is moved by the mouse.
    pub fn moves(&self, index: NodeIndex) -> bool {
        self.has(index, bit::DRAGS | bit::SIZES)
    }

    /// Whether nothing but a listener says that it can be acted on.
    pub fn only_listens(&self, index: NodeIndex) -> bool {
        self.bits[index] & (bit::REACHED | bit::LISTENS) == bit::CLICKS | bit::LISTENS
    }

    /// Whether nothing but a listener, or the cursor of a handle, says that it can be acted on.
    pub fn is_handle(&self, index: NodeIndex) -> bool {
        self.only_listens(index) || self.bits[index] & bit::REACHED == bit::SIZES
    }

    /// Whether it can be acted on though its role does not say so.
    pub fn reached(&self, index: NodeIndex) -> bool {
        self.has(index, bit::REACHED)
    }

    pub fn edits(&self, index: NodeIndex) -> bool {
        self.has(index, bit::EDITS)
    }
}

/// The modal dialogs of a document from `first` on that hold no other one: only they, and what they stand in, can be used.
/// What was asked for by its ref is shown even if it is behind one.
fn modals_inside(columns: &Document, first: Node, end: NodeIndex, modals: &[Node]) -> Vec<NodeIndex> {
    let here = modals.iter().filter(|modal| modal.document == first.document).map(|modal| modal.index);
    let here: Vec<NodeIndex> = here.filter(|modal| (first.index + 1).until(end).contains(*modal)).collect();
    let holds_another = |modal: &NodeIndex| here.iter().any(|&other| other != *modal && columns.within(other, *modal));
    here.iter().copied().filter(|modal| !holds_another(modal)).collect()
}

/// Whether one of two nodes holds the other one.
fn is_in_line(columns: &Document, one: NodeIndex, other: NodeIndex) -> bool {
    columns.within(one, other) || columns.within(other, one)
}

fn is_shown(snapshot: &Snapshot, columns: &Document, node: Node, start: NodeIndex) -> bool {
    if !columns.has(node.index, flag::RENDERED) || columns.has(node.index, flag::DROPPED) {
        return false;
    }
    let element = columns.is_element(node.index);
    if element && snapshot.tag(node) == Atom::Head {
        return false;
    }
    // What was asked for by its ref is shown even if it is hidden from the accessible tree.
    if node.index == start {
        return true;
    }
    !(element && (is_hidden(snapshot, node) || snapshot.attribute(node, Atom::Inert).is_some()))
}

fn is_hidden(snapshot: &Snapshot, node: Node) -> bool {
    snapshot.attribute(node, Atom::AriaHidden) == Some("true")
}
