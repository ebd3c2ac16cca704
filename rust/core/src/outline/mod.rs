//! A page as text for a model: the accessible tree in reading order, within a budget of characters.
//!
//! Built from the snapshot alone. The capture is the flat tree, so that shadow roots, open and closed, and what is
//! slotted into them come in the order in which they are read; frames are read where they stand. What is not rendered,
//! and what is hidden from the accessible tree (`aria-hidden`, `inert`, a closed `details`, what lies behind a modal
//! dialog), is left out. Elements that
//! say nothing make no line; what gives a name is not said again. Whatever a person can reach has a line and a ref: what
//! takes focus, clicks or a drag, by role, listener, `tabindex` or cursor (`reach`). Page text stands in quotes only,
//! escaped (`quote`), so that it can fake no line, ref or frame. O(nodes + text); what is read of one text is bounded.

pub mod acting;
mod choose;
pub mod control;
mod facts;
mod hint;
mod item;
mod line;
mod naming;
mod pieces;
pub mod quote;
mod reach;
pub mod refind;
mod roles;
mod scope;
mod shape;
mod state;
mod view;
mod walk;

pub use choose::{Budget, Text};
#[cfg(feature = "testing")]
pub use line::REF;
pub use scope::{Attention, Scope};

use crate::element::snapshot::Snapshot;
use crate::element::text::Redactor;
use choose::Choice;
use line::Lines;
use walk::{Read, Walk};

/// How much of a page the text has, and in which form.
pub struct Asked<'a> {
    pub scope: Scope,
    pub budget: Budget,
    /// Whether links say where they lead.
    pub links: bool,
    pub attention: Attention,
    pub redactor: &'a Redactor,
}

/// A text, and whether something of the page could not be put into it at all.
pub struct Outline {
    pub text: Text,
    /// A frame was not captured, or structure is nested too deep to be shown as it is.
    pub approximate: bool,
}

/// The text of a page. O(nodes + text shown).
pub fn outline(snapshot: &Snapshot, asked: &Asked) -> Outline {
    let Read { items, facts, pieces, missed } = Walk::new(snapshot, asked.scope, &asked.attention.modals).read();
    let attention = &asked.attention;
    let lines =
        Lines { snapshot, facts: &facts, pieces: &pieces, redactor: asked.redactor, links: asked.links, attention };
    let root = if let Scope::Below(node) = asked.scope { Some(node) } else { None };
    let in_order = matches!(asked.scope, Scope::From(_));
    let text = Choice { lines: &lines, items: &items, budget: asked.budget, root, in_order }.text();
    Outline { text, approximate: missed > 0 }
}
