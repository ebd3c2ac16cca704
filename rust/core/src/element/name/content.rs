//! Whether what an element holds is its name, or a part of another one's.

use crate::capture::atom::Atom;
use crate::element::name::facts::{holds_nothing, is_layout};
use crate::element::name::namer::{Namer, Try};
use crate::element::role::is_editing_host;
use crate::element::roles::Role;

impl Namer<'_> {
    pub(super) fn content(&mut self, this: Try) -> bool {
        let node = self.node(this.node);
        let tag = self.snapshot.tag(node);
        if holds_nothing(tag) {
            let typed = matches!(this.role, Role::TextBox | Role::SearchBox | Role::Combobox | Role::SpinButton);
            if typed && self.holds_text(node) && this.way.by_id {
                self.held(node);
            }
            return true;
        }
        let counts = if this.top {
            !self.hollow
                && self.is_named_by_content(this)
                && (this.role != Role::Row || self.is_in_grid(this.node))
                && !is_editing_host(self.snapshot, node)
        } else {
            this.way.by_id || self.passes_content(this)
        };
        if counts {
            self.children(this.node, this.way);
        }
        true
    }

    /// Whether what an element holds is its name. Chrome reads `role=math` so, but no formula in MathML.
    fn is_named_by_content(&self, this: Try) -> bool {
        let formula = this.role == Role::Math && self.attribute(this.node, Atom::Role).is_none();
        this.role.is_named_by_content() && !formula
    }

    /// Whether what an element holds counts for the name of the one that holds it.
    fn passes_content(&self, this: Try) -> bool {
        let node = self.node(this.node);
        let tag = self.snapshot.tag(node);
        if this.role == Role::Row && !self.is_in_grid(this.node) {
            return tag == Atom::Tr && is_layout(self.snapshot, node);
        }
        if self.is_named_by_content(this) || this.role.passes_content() {
            return true;
        }
        let plain = self.attribute(this.node, Atom::Role).is_none();
        plain
            && match tag {
                Atom::Address | Atom::Details | Atom::Footer => true,
                Atom::Table | Atom::Tbody => is_layout(self.snapshot, node),
                _ => self.is_foreign(node) && this.role != Role::Math,
            }
    }
}
