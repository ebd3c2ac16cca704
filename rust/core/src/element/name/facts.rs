//! What is asked of the elements in a name, whichever source is tried.

use crate::capture::atom::Atom;
use crate::capture::node::{Node, NodeIndex};
use crate::element::attributes::named_attribute;
use crate::element::labels::{ABOVE, LABEL_NODES};
use crate::element::name::namer::Namer;
use crate::element::role::role;
use crate::element::roles::Role;
use crate::element::snapshot::Snapshot;

/// Inputs whose value is picked rather than typed: they have no placeholder, and add nothing to other names.
pub(super) const UNTYPED: [&str; 6] = ["color", "date", "datetime-local", "month", "time", "week"];

impl Namer<'_> {
    pub(super) fn is_slot(&self, node: NodeIndex) -> bool {
        self.snapshot.tag(self.node(node)) == Atom::Slot
    }

    /// Whether an element is one of SVG: its name is not in capitals.
    pub(super) fn is_foreign(&self, node: Node) -> bool {
        let name = self.snapshot.document(node).name[node.index];
        self.snapshot.strings(node).bytes(name).iter().any(u8::is_ascii_lowercase)
    }

    pub(super) fn is_tag(&self, at: NodeIndex, wanted: &str) -> bool {
        let document = &self.snapshot.documents[self.document];
        let name = self.snapshot.part_of(self.document).strings.bytes(document.name[at]);
        name.eq_ignore_ascii_case(wanted.as_bytes())
    }

    /// Rows are named by their cells where they can be selected.
    pub(super) fn is_in_grid(&self, node: NodeIndex) -> bool {
        let above = self.snapshot.ancestors(self.node(node));
        let mut roles = above.take(ABOVE).map(|above| role(self.snapshot, above));
        let found = roles.find(|role| !matches!(role, Role::Generic | Role::None | Role::Group | Role::RowGroup));
        found.is_some_and(|role| matches!(role, Role::Grid | Role::TreeGrid))
    }

    pub(super) fn holds_text(&self, node: Node) -> bool {
        matches!(self.snapshot.tag(node), Atom::Input | Atom::Textarea)
    }
}

/// Elements in whose place something else than what they hold is shown.
pub(super) fn holds_nothing(tag: Atom) -> bool {
    use Atom::*;
    matches!(tag, Audio | Embed | Frame | Iframe | Img | Input | Meter | Object | Progress | Select | Textarea | Video)
}

/// Whether a part of a table is of one that only lays out a page: nothing in it says that it has heads or columns.
pub(super) fn is_layout(snapshot: &Snapshot, part: Node) -> bool {
    let document = snapshot.document(part);
    let mut above = snapshot.inclusive_ancestors(part).take(ABOVE);
    let Some(table) = above.find(|above| snapshot.tag(*above) == Atom::Table) else { return false };
    let said = snapshot.attribute(table, Atom::Role).is_some() || named_attribute(snapshot, table, "summary").is_some();
    let end = document.end(table.index).min(table.index.saturating_add(LABEL_NODES));
    let mut inside = (table.index + 1).until(end).nodes();
    let tells = |index| {
        use Atom::*;
        let node = Node { index, ..part };
        matches!(snapshot.tag(node), Caption | Col | Colgroup | Tfoot | Th | Thead)
            || snapshot.attribute(node, Scope).is_some()
    };
    !said && !inside.any(tells)
}
