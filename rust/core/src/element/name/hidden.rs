//! Which elements in a name are hidden.

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::{Node, NodeIndex};
use crate::capture::style::Display;
use crate::element::labels::ABOVE;
use crate::element::name::namer::{Namer, Way};

impl Namer<'_> {
    /// Whether an element inside a name is hidden.
    pub(super) fn is_hidden(&self, at: NodeIndex, way: Way) -> bool {
        let document = &self.snapshot.documents[self.document];
        let node = self.node(at);
        if matches!(self.snapshot.tag(node), Atom::Noscript | Atom::Script | Atom::Style | Atom::Template) {
            return true;
        }
        if way.hidden {
            return false;
        }
        if self.is_aria_hidden(at) || self.attribute(at, Atom::Inert).is_some() {
            return true;
        }
        !document.has(at, flag::RENDERED) && self.snapshot.tag(node) != Atom::Area && !self.is_svg_text(node)
    }

    fn is_svg_text(&self, node: Node) -> bool {
        self.snapshot.tag(node) == Atom::Title && self.is_foreign(node)
    }

    fn is_aria_hidden(&self, at: NodeIndex) -> bool {
        self.attribute(at, Atom::AriaHidden).is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
            && !matches!(self.snapshot.tag(self.node(at)), Atom::Body | Atom::Html | Atom::Option)
    }

    /// Whether an element that names another one is hidden: then all of it counts.
    pub(super) fn is_hidden_root(&self, at: NodeIndex) -> bool {
        let document = &self.snapshot.documents[self.document];
        let unseen = document.display(at) != Display::None && !document.has(at, flag::BOX);
        let mut above = std::iter::successors(Some(at), |&at| document.parent_of(at)).take(ABOVE);
        !document.has(at, flag::RENDERED) || unseen || above.any(|at| self.is_aria_hidden(at))
    }
}
