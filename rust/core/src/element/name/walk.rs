//! Walks what an element holds, node by node, and parts the words of it.

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::NodeIndex;
use crate::capture::style::Display;
use crate::element::flow::is_phrasing;
use crate::element::generated::{generated, pseudo_kind};
use crate::element::name::facts::holds_nothing;
use crate::element::name::namer::{Namer, Task, Way};
use crate::element::owns::Owned;
use crate::element::role::role;
use crate::element::roles;

impl Namer<'_> {
    pub(super) fn next_owned(&mut self, of: NodeIndex, next: usize, way: Way) {
        let Some(&Owned { owned, .. }) = self.owns.owned(of).get(next) else { return };
        self.tasks.push(Task::Owned { of, next: next + 1, way });
        if !self.visited.contains_key(&u64::from(owned)) && !self.is_hidden(owned, way) {
            let document = &self.snapshot.documents[self.document];
            let before = next.checked_sub(1).and_then(|before| self.owns.owned(of).get(before));
            let elsewhere = match before {
                Some(before) => document.parent_of(before.owned) != document.parent_of(owned),
                None => !document.within(owned, of),
            };
            if elsewhere || self.is_apart(owned, self.snapshot.tag(self.node(owned))) {
                self.out.part();
                self.tasks.push(Task::Part);
            }
            self.add(owned, way);
        }
    }

    pub(super) fn child(&mut self, at: NodeIndex, end: NodeIndex, way: Way, folded: bool) {
        if at >= end || self.seen > self.limit {
            return;
        }
        let document = &self.snapshot.documents[self.document];
        self.tasks.push(Task::Children { at: document.end(at), end, way, folded });
        if document.is_text(at) {
            self.seen += 1;
            if way.hidden || document.has(at, flag::RENDERED) {
                self.out.text(self.snapshot.part_of(self.document).strings.get(document.shown(at)));
            } else if document.has(at, flag::BOX) {
                self.out.part();
            }
        } else if !document.has_tag(at) {
            // The root of a shadow tree, or a comment.
            if !document.has(at, flag::DROPPED) {
                self.children(at, way);
            }
        } else if document.has(at, flag::PSEUDO) {
            if pseudo_kind(self.snapshot, self.node(at)) == "before" {
                self.pseudo(at);
            }
        } else {
            self.element(at, way, folded);
        }
    }

    fn element(&mut self, at: NodeIndex, way: Way, folded: bool) {
        let document = &self.snapshot.documents[self.document];
        let tag = self.snapshot.tag(self.node(at));
        let parts = self.is_apart(at, tag);
        if document.has(at, flag::DROPPED)
            || folded && tag != Atom::Summary
            || !self.owns.is_empty() && self.owns.owner(at).is_some()
            || self.is_hidden(at, way)
        {
            if parts && document.has(at, flag::RENDERED) {
                self.out.part();
            }
            return;
        }
        if tag == Atom::Br {
            return self.out.part();
        }
        // The reading written above a word (ruby) is not part of it.
        if tag == Atom::Other && self.is_tag(at, "rt") {
            return;
        }
        if parts {
            self.out.part();
            self.tasks.push(Task::Part);
        }
        self.add(at, way);
    }

    pub(super) fn pseudo(&mut self, at: NodeIndex) {
        self.seen += 1;
        let document = &self.snapshot.documents[self.document];
        if !document.has(at, flag::BOX) {
            return;
        }
        let (text, apart) = generated(self.snapshot, self.node(at));
        let apart = apart || !matches!(document.display(at), Display::Inline | Display::Unknown | Display::None);
        if apart {
            self.out.part();
        }
        self.out.text(&text);
        if apart {
            self.out.part();
        }
    }

    /// Whether an element separates the words before and after it: it is not part of a line, or it is a control.
    fn is_apart(&self, at: NodeIndex, tag: Atom) -> bool {
        use Atom::*;
        let document = &self.snapshot.documents[self.document];
        if matches!(tag, Button | Canvas | Fieldset | Output | Svg | Wbr) || holds_nothing(tag) {
            // A picture that says nothing is nothing between words either.
            return tag != Img || role(self.snapshot, self.node(at)) != roles::Role::None;
        }
        let apart = match document.display(at) {
            Display::Inline => false,
            Display::Unknown => tag != Other && !is_phrasing(tag),
            // Nobody has laid it out, so nothing says that it is in one line with what is beside it.
            Display::None => tag != Area,
            Display::InlineBlock => !self.is_tag(at, "ruby"),
            _ => true,
        };
        apart || self.attribute(at, Role).is_some() && role(self.snapshot, self.node(at)).is_worked()
    }
}
