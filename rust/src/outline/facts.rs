//! What each node of a document is to a reader: one pass down for what it is, one up for what it holds.

use crate::capture::atom::Atom;
use crate::capture::columns::{flag, Document};
use crate::capture::snapshot::{Node, Snapshot};
use crate::outline::roles::{role_of, Role, Sort};

/// Nodes of an element without a role that takes clicks: one that holds more listens for what is inside it.
const CLICKED_NODES: u32 = 64;

mod bit {
    /// Rendered, and not hidden from the accessible tree.
    pub const SHOWN: u8 = 1;
    /// Can be acted on.
    pub const ACTS: u8 = 2;
    /// Something inside can be acted on, or is a frame.
    pub const HOLDS: u8 = 4;
    /// Takes clicks without a role that says so.
    pub const CLICKS: u8 = 8;
    /// Its content can be edited.
    pub const EDITS: u8 = 16;
}

/// The facts of one document.
pub struct Facts {
    roles: Vec<Role>,
    bits: Vec<u8>,
}

impl Facts {
    /// O(nodes and attributes of `start..end`); nothing is known of other nodes.
    pub fn new(snapshot: &Snapshot, document: u32, start: u32, end: u32) -> Self {
        let columns = &snapshot.documents[document as usize];
        let mut facts = Self { roles: vec![Role::generic(); columns.len()], bits: vec![0; columns.len()] };
        let mut index = start;
        // The end of the link or button, or of the editable element, that what follows is inside.
        let mut inside = 0;
        while index < end {
            let node = Node { document, index };
            if !is_shown(snapshot, columns, node, start) {
                index = columns.end(index);
                continue;
            }
            facts.bits[index as usize] = bit::SHOWN;
            if columns.is_element(index) {
                facts.element(snapshot, node, &mut inside);
            }
            index += 1;
        }
        for index in (start + 1..end).rev() {
            if facts.bits[index as usize] & (bit::ACTS | bit::HOLDS) != 0 {
                if let Some(parent) = columns.parent_of(index) {
                    facts.bits[parent as usize] |= bit::HOLDS;
                }
            }
        }
        facts
    }

    fn element(&mut self, snapshot: &Snapshot, node: Node, inside: &mut u32) {
        let columns = snapshot.document(node);
        let role = role_of(snapshot, node);
        let mut bits = 0;
        match role.sort() {
            Sort::Control => bits |= bit::ACTS,
            Sort::Frame => bits |= bit::HOLDS,
            _ => {}
        }
        if is_editable(snapshot, node) {
            bits |= bit::ACTS | bit::EDITS;
            *inside = columns.end(node.index).max(*inside);
        } else if bits == 0 && node.index >= *inside && is_clicked(snapshot, columns, node) {
            bits |= bit::ACTS | bit::CLICKS;
        }
        if role.is("link") || role.is("button") {
            *inside = columns.end(node.index).max(*inside);
        }
        self.roles[node.index as usize] = role;
        self.bits[node.index as usize] |= bits;
    }

    pub fn role(&self, index: u32) -> Role {
        self.roles[index as usize]
    }

    fn has(&self, index: u32, bit: u8) -> bool {
        self.bits[index as usize] & bit != 0
    }

    pub fn shown(&self, index: u32) -> bool {
        self.has(index, bit::SHOWN)
    }

    pub fn acts(&self, index: u32) -> bool {
        self.has(index, bit::ACTS)
    }

    pub fn holds(&self, index: u32) -> bool {
        self.has(index, bit::HOLDS)
    }

    pub fn clicks(&self, index: u32) -> bool {
        self.has(index, bit::CLICKS)
    }

    pub fn edits(&self, index: u32) -> bool {
        self.has(index, bit::EDITS)
    }
}

fn is_shown(snapshot: &Snapshot, columns: &Document, node: Node, start: u32) -> bool {
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
    if element && (is_hidden(snapshot, node) || snapshot.attribute(node, Atom::Inert).is_some()) {
        return false;
    }
    !is_folded(snapshot, node)
}

fn is_hidden(snapshot: &Snapshot, node: Node) -> bool {
    snapshot.attribute(node, Atom::AriaHidden) == Some("true")
}

/// Whether `node` is in a `details` that is closed; those have boxes in some captures.
fn is_folded(snapshot: &Snapshot, node: Node) -> bool {
    snapshot.parent(node).is_some_and(|parent| {
        snapshot.tag(parent) == Atom::Details
            && snapshot.attribute(parent, Atom::Open).is_none()
            && snapshot.tag(node) != Atom::Summary
    })
}

fn is_editable(snapshot: &Snapshot, node: Node) -> bool {
    snapshot.attribute(node, Atom::Contenteditable).is_some_and(|value| !value.eq_ignore_ascii_case("false"))
}

fn is_clicked(snapshot: &Snapshot, columns: &Document, node: Node) -> bool {
    columns.has(node.index, flag::CLICKABLE)
        && columns.size[node.index as usize] <= CLICKED_NODES
        && !matches!(snapshot.tag(node), Atom::Html | Atom::Body | Atom::Label | Atom::Iframe | Atom::Frame)
}
