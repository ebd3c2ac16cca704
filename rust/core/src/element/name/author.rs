//! What an author says of an element for its name: references, labels, tooltips and placeholders.

use crate::capture::atom::Atom;
use crate::capture::node::NodeIndex;
use crate::element::attributes::{input_type, named_attribute};
use crate::element::ids::namers;
use crate::element::letters::is_blank;
use crate::element::name::facts::UNTYPED;
use crate::element::name::namer::{Namer, Try, Way};
use crate::element::role::is_focusable;
use crate::element::roles::Role;
use crate::element::text::rendered_text;

impl Namer<'_> {
    pub(super) fn references(&mut self, this: Try) -> bool {
        let again = self.visited.insert(u64::from(this.node), ()).is_some();
        if again || this.way.by_id || self.is_slot(this.node) {
            return true;
        }
        let all: Vec<NodeIndex> = namers(self.snapshot, self.node(this.node)).collect();
        for &node in all.iter().rev() {
            let way = Way { by_id: true, hidden: self.is_hidden_root(node) };
            self.refer(node, way);
        }
        true
    }

    pub(super) fn label(&mut self, this: Try) -> bool {
        if let Some(label) = self.attribute(this.node, Atom::AriaLabel)
            && !is_blank(label)
            && !self.is_slot(this.node)
        {
            self.say(label);
        }
        true
    }

    /// Whether there is more to try.
    pub(super) fn title(&mut self, this: Try) -> bool {
        let Some(title) = self.attribute(this.node, Atom::Title).filter(|title| !is_blank(title)) else { return true };
        let counts = this.way.by_id || !this.role.is_name_prohibited() || self.may_be_titled(this.node);
        if counts && !self.says_the_same(this, title) {
            self.say(title);
        }
        true
    }

    /// Whether a tooltip only repeats what the element shows: Chrome does not take it for a name then.
    fn says_the_same(&self, this: Try, title: &str) -> bool {
        this.top && title.trim() == rendered_text(self.snapshot, self.node(this.node))
    }

    /// Whether an element without a role worth the name can still be named by its tooltip.
    fn may_be_titled(&self, node: NodeIndex) -> bool {
        use Atom::*;
        let node = self.node(node);
        let tag = self.snapshot.tag(node);
        matches!(tag, Abbr | Audio | Canvas | Dl | Figcaption | Label | Legend | Video)
            || is_focusable(self.snapshot, node)
            || tag == Other && self.snapshot.tag_name(node).contains('-')
    }

    pub(super) fn placeholder(&mut self, this: Try) -> bool {
        if !matches!(this.role, Role::TextBox | Role::SearchBox | Role::Combobox | Role::SpinButton) {
            return false;
        }
        let node = self.node(this.node);
        let native = match self.snapshot.tag(node) {
            Atom::Input => !UNTYPED.contains(&input_type(self.snapshot, node).as_str()),
            tag => tag == Atom::Textarea,
        };
        let shown = native.then(|| self.attribute(this.node, Atom::Placeholder)).flatten();
        let shown = shown.or_else(|| named_attribute(self.snapshot, self.node(this.node), "aria-placeholder"));
        if let Some(shown) = shown {
            self.say(shown);
        }
        false
    }
}
