//! The shape that an element takes in the text of a page.

use crate::capture::atom::Atom;
use crate::capture::node::Node;
use crate::element::snapshot::Snapshot;
use crate::outline::facts::Facts;
use crate::outline::naming::{Namer, content, control_of, has_own_name, namer};
use crate::outline::roles::{Role, Sort};
use crate::outline::state::sorted;

/// Nodes of an element whose texts all stand in its own line.
const LEAF_NODES: u32 = 64;

/// What is made of an element.
pub enum Shape {
    /// A line, with all that it holds.
    Leaf,
    /// A line, and below it what it holds; texts are left out if it is named by them.
    Holder {
        hush: bool,
    },
    /// Nothing of its own.
    Through,
    Skip,
}

/// Where the element stands.
pub struct Around {
    /// It was asked for itself, or reading begins inside: even a closed list is opened.
    pub opened: bool,
    /// It is in a list.
    pub listed: bool,
    /// No more levels are shown.
    pub deep: bool,
}

pub fn shape(snapshot: &Snapshot, facts: &Facts, node: Node, role: Role, around: &Around) -> Shape {
    let (quiet, loud) = (Shape::Holder { hush: true }, Shape::Holder { hush: false });
    let (holds, reached) = (facts.holds(node.index), facts.reached(node.index));
    // An element that only takes the focus may hold a whole page of text, which is not a name.
    let leaf = !holds && (facts.clicks(node.index) || facts.moves(node.index)) && fits_in_a_line(snapshot, facts, node);
    let tag = snapshot.tag(node);
    if facts.edits(node.index) || matches!(tag, Atom::Input | Atom::Textarea) {
        return Shape::Leaf;
    }
    if tag == Atom::Select {
        return if around.opened { quiet } else { Shape::Leaf };
    }
    if around.deep && (holds || role.sort() != Sort::Control) {
        return Shape::Through;
    }
    match role.sort() {
        Sort::Control if !holds => Shape::Leaf,
        Sort::Control if is_said_by_name(role) => quiet,
        Sort::Control | Sort::Urgent | Sort::List | Sort::Frame => loud,
        Sort::Heading | Sort::Gauge if !holds => Shape::Leaf,
        Sort::Heading | Sort::Gauge => loud,
        Sort::Picture if holds => loud,
        Sort::Picture if reached || has_own_name(snapshot, node) => Shape::Leaf,
        Sort::Picture => Shape::Skip,
        _ if leaf => Shape::Leaf,
        _ if reached => loud,
        Sort::Cell if sorted(snapshot, node).is_some() => {
            if holds {
                loud
            } else {
                Shape::Leaf
            }
        }
        Sort::Landmark if !role.is("region") || has_own_name(snapshot, node) => loud,
        Sort::Item if around.listed || role.is("article") => loud,
        Sort::Group if namer(snapshot, node) != Namer::Nobody => loud,
        _ => Shape::Through,
    }
}

/// Whether what it holds fits into one line: it is little, and no heading.
fn fits_in_a_line(snapshot: &Snapshot, facts: &Facts, node: Node) -> bool {
    let document = snapshot.document(node);
    let mut inside = document.inside(node.index).nodes();
    document.size[node.index] <= LEAF_NODES
        && !inside.any(|index| facts.shown(index) && facts.role(index).sort() == Sort::Heading)
}

/// Whether the texts of a control that holds others are its name already.
fn is_said_by_name(role: Role) -> bool {
    matches!(role.name(), "link" | "button" | "option" | "tab" | "checkbox" | "radio" | "switch")
}

/// Whether a label gives its control the name, or repeats it, so that its own text would say it twice.
pub fn names_control(snapshot: &Snapshot, label: Node, facts: &Facts) -> bool {
    let given = |control, name| snapshot.attribute(control, name).map(str::trim).filter(|value| !value.is_empty());
    control_of(snapshot, label).is_some_and(|control| {
        facts.shown(control.index)
            && given(control, Atom::AriaLabelledby).is_none()
            && given(control, Atom::AriaLabel).is_none_or(|name| name == content(snapshot, label))
    })
}
