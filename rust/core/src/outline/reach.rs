//! What a person can use although no role says so: what takes focus, clicks or drags.
//!
//! - `tabindex`: from 0 on; below, where the element has a name or listens, for then a script moves the focus there.
//! - A listener for clicks, unless the element holds so much that it listens for what is inside it.
//! - The cursor: the topmost element at which it becomes a hand, a cross or an arrow; of one that holds much, and of
//!   lists, what they hold.
//! - What says `draggable`.
//! - The items of a list that listens, where they hold nothing else that can be acted on.

use crate::capture::atom::Atom;
use crate::capture::columns::{Document, flag};
use crate::capture::node::Node;
use crate::capture::style::Cursor;
use crate::element::snapshot::Snapshot;
use crate::outline::naming::{control_of, has_own_name};
use crate::outline::roles::{Role, Sort};

/// Nodes of an element that takes clicks itself: one that holds more listens for what is inside it.
const CLICKED_NODES: u32 = 64;

pub mod bit {
    /// Takes clicks without a role that says so.
    pub const CLICKS: u16 = 8;
    /// Takes the focus.
    pub const FOCUS: u16 = 32;
    /// Can be dragged; resizes something when it is.
    pub const DRAGS: u16 = 64;
    pub const SIZES: u16 = 128;
    /// All that a list item takes clicks for is that its list listens: not if something inside is meant.
    pub const DELEGATED: u16 = 256;
    /// It takes clicks by its listener alone, so that it is not meant if something inside looks clickable.
    pub const LISTENS: u16 = 512;
    /// Its cursor is for what it holds.
    pub const SPREAD: u16 = 1024;
    pub const REACHED: u16 = CLICKS | FOCUS | DRAGS | SIZES;
}

/// How `node` can be reached, given what is known of its parent. O(attributes), and O(nodes) of a small label.
pub fn reach(snapshot: &Snapshot, node: Node, role: Role, above: (Role, u16)) -> u16 {
    let columns = snapshot.document(node);
    if matches!(snapshot.tag(node), Atom::Html | Atom::Body | Atom::Iframe | Atom::Frame) {
        return 0;
    }
    let listens = columns.has(node.index, flag::CLICKABLE);
    let label = snapshot.tag(node) == Atom::Label && names_shown_control(snapshot, node);
    let small = columns.size[node.index] <= CLICKED_NODES;
    let mut bits = focus(snapshot, node, role, listens);
    if label {
        return bits;
    }
    let cursor = looks(snapshot, columns, node, above.1);
    let many = role.sort() == Sort::List || !small;
    bits |= match cursor {
        Cursor::Auto => 0,
        Cursor::Pointer if many => bit::SPREAD,
        Cursor::Pointer => bit::CLICKS,
        Cursor::Move => bit::DRAGS,
        Cursor::Resize => bit::SIZES,
    };
    // What is dragged listens too, for the mouse button going down.
    if listens && !many && bits & (bit::CLICKS | bit::DRAGS | bit::SIZES) == 0 && !is_part(role) {
        bits |= bit::CLICKS | bit::LISTENS;
    }
    if bits & bit::CLICKS == 0 && is_delegated(snapshot, node, role, above.0) {
        bits |= bit::CLICKS | bit::DELEGATED;
    }
    if snapshot.attribute(node, Atom::Draggable).is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        bits |= bit::DRAGS;
    }
    bits
}

fn focus(snapshot: &Snapshot, node: Node, role: Role, listens: bool) -> u16 {
    let Some(index) = snapshot.attribute(node, Atom::Tabindex).and_then(|index| index.trim().parse::<i32>().ok())
    else {
        return 0;
    };
    let told = is_part(role) || role.sort() == Sort::Heading;
    if !told && (index >= 0 || listens || role.is("gridcell") || has_own_name(snapshot, node)) { bit::FOCUS } else { 0 }
}

/// Whether it is a part of the page, which scripts focus and listen to for what it holds.
fn is_part(role: Role) -> bool {
    matches!(role.sort(), Sort::Urgent | Sort::Landmark) || matches!(role.name(), "tabpanel" | "toolbar")
}

/// Whether clicks on anything inside are clicks on it.
pub fn is_whole(role: Role) -> bool {
    matches!(
        role.name(),
        "button"
            | "checkbox"
            | "link"
            | "menuitem"
            | "menuitemcheckbox"
            | "menuitemradio"
            | "option"
            | "radio"
            | "scrollbar"
            | "slider"
            | "spinbutton"
            | "switch"
    )
}

/// What the cursor promises of `node`, if that begins here.
fn looks(snapshot: &Snapshot, columns: &Document, node: Node, above: u16) -> Cursor {
    let own = columns.cursor(node.index);
    let Some(parent) = columns.parent_of(node.index) else { return Cursor::Auto };
    let inherited = columns.cursor(parent) == own;
    let whole = matches!(snapshot.tag(Node { index: parent, ..node }), Atom::Html) && inherited;
    if inherited && above & bit::SPREAD == 0 || whole {
        return Cursor::Auto;
    }
    own
}

/// Whether it is one of a list that listens in its place.
fn is_delegated(snapshot: &Snapshot, node: Node, role: Role, above: Role) -> bool {
    let item = role.sort() == Sort::Item || snapshot.tag(node) == Atom::Li;
    item && above.sort() == Sort::List
        && !above.is("table")
        && snapshot.parent(node).is_some_and(|list| snapshot.document(list).has(list.index, flag::CLICKABLE))
}

/// Whether a label is for a control that is shown: that one is what can be reached.
fn names_shown_control(snapshot: &Snapshot, label: Node) -> bool {
    control_of(snapshot, label).is_some_and(|control| snapshot.document(control).has(control.index, flag::RENDERED))
}
