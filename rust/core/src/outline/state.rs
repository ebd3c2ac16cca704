//! The states in a line: everything about an element besides role and name, in few words.

use std::fmt::Write;

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::Node;
use crate::element::attributes::input_type;
use crate::element::snapshot::Snapshot;
use crate::outline::facts::Facts;
use crate::outline::roles::{Role, Sort};
use crate::outline::scope::Attention;

/// Ancestors that are asked whether they disable a control.
const ABOVE: usize = 32;

/// An element whose states are read.
pub struct States<'a> {
    pub snapshot: &'a Snapshot,
    pub facts: &'a Facts,
    pub node: Node,
    pub role: Role,
    pub attention: &'a Attention,
}

impl States<'_> {
    /// Write ` [state]` for each.
    pub fn write(&self, out: &mut String) {
        self.each(|word| {
            let _ = write!(out, " [{word}]");
        });
    }

    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        self.each(|word| words.push(word.to_owned()));
        words
    }

    fn each(&self, mut state: impl FnMut(&str)) {
        if let Some(level) = self.level() {
            state(&format!("level={level}"));
        }
        if let Some(kind) = self.kind() {
            state(&format!("type={kind}"));
        }
        if let Some(way) = sorted(self.snapshot, self.node) {
            state(&format!("sort={way}"));
        }
        for (word, holds) in self.reached().into_iter().chain(self.chosen()).chain(self.flags()) {
            if holds {
                state(word);
            }
        }
    }

    /// How it can be reached, where its role does not say so.
    fn reached(&self) -> [(&'static str, bool); 4] {
        let (facts, at) = (self.facts, self.node.index);
        // The cells of a grid take the focus and clicks by their role.
        let cell = self.role.is("gridcell");
        let told = facts.clicks(at) || cell;
        [
            ("clickable", facts.clicks(at) && !cell),
            ("focusable", facts.focuses(at) && !told),
            ("draggable", facts.drags(at)),
            ("resizable", facts.resizes(at)),
        ]
    }

    fn chosen(&self) -> [(&'static str, bool); 7] {
        let checked = self.checked();
        let pressed = if self.role.is("button") { self.aria("aria-pressed") } else { None };
        [
            ("checked", checked == Some(true)),
            ("checked=mixed", checked.is_none()),
            ("selected", self.is_selected()),
            ("expanded", self.expanded() == Some(true)),
            ("collapsed", self.expanded() == Some(false)),
            ("pressed", pressed == Some("true")),
            ("pressed=mixed", pressed == Some("mixed")),
        ]
    }

    fn flags(&self) -> [(&'static str, bool); 9] {
        let said = |name: &str| self.aria(name).is_some_and(|value| value != "false" && !value.is_empty());
        [
            ("active", self.attention.active == Some(self.node)),
            ("multiline", self.is_multiline()),
            ("disabled", self.is_disabled()),
            ("required", self.has(Atom::Required) || self.is_true("aria-required")),
            ("readonly", self.has(Atom::Readonly) || self.is_true("aria-readonly")),
            ("invalid", said("aria-invalid")),
            ("current", said("aria-current")),
            ("modal", self.is_true("aria-modal") || self.attention.modals.contains(&self.node)),
            ("busy", self.is_true("aria-busy")),
        ]
    }

    fn has(&self, attribute: Atom) -> bool {
        self.snapshot.attribute(self.node, attribute).is_some()
    }

    fn aria(&self, wanted: &str) -> Option<&str> {
        attribute(self.snapshot, self.node, wanted)
    }

    fn is_true(&self, wanted: &str) -> bool {
        self.aria(wanted) == Some("true")
    }

    fn tag(&self) -> Atom {
        self.snapshot.tag(self.node)
    }

    fn level(&self) -> Option<u32> {
        if self.role.sort() != Sort::Heading {
            return None;
        }
        let given = self.aria("aria-level").and_then(|level| level.parse().ok()).filter(|level| *level < 100);
        given.or(match self.tag() {
            Atom::H1 => Some(1),
            Atom::H2 => Some(2),
            Atom::H3 => Some(3),
            Atom::H4 => Some(4),
            Atom::H5 => Some(5),
            Atom::H6 => Some(6),
            _ => None,
        })
    }

    /// The kind of an input whose role does not say what it takes.
    fn kind(&self) -> Option<&'static str> {
        const TOLD: [&str; 8] = ["color", "date", "datetime-local", "file", "month", "password", "time", "week"];
        if self.tag() != Atom::Input {
            return None;
        }
        let kind = input_type(self.snapshot, self.node);
        TOLD.into_iter().find(|told| *told == kind)
    }

    /// Whether it is checked; None if it is so in part.
    fn checked(&self) -> Option<bool> {
        let checkable = matches!(
            self.role.name(),
            "checkbox" | "radio" | "switch" | "menuitemcheckbox" | "menuitemradio" | "option" | "treeitem" | "gridcell"
        );
        let native = self.snapshot.document(self.node).has(self.node.index, flag::CHECKED);
        match self.aria("aria-checked") {
            // Whether a native box is so in part, captures do not tell: its author does.
            Some("mixed") if checkable && !native => None,
            given => Some(checkable && (native || given == Some("true"))),
        }
    }

    fn is_selected(&self) -> bool {
        let native =
            self.tag() == Atom::Option && self.snapshot.document(self.node).has(self.node.index, flag::SELECTED);
        native || self.is_true("aria-selected")
    }

    /// Whether what can expand is expanded.
    fn expanded(&self) -> Option<bool> {
        if self.tag() == Atom::Summary {
            let details = self.snapshot.parent(self.node)?;
            return Some(self.snapshot.attribute(details, Atom::Open).is_some());
        }
        if !can_expand(self.role) && !self.facts.acts(self.node.index) {
            return None;
        }
        match self.aria("aria-expanded")? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// Whether what is written in it may have lines.
    fn is_multiline(&self) -> bool {
        let given = self.aria("aria-multiline");
        match self.tag() {
            Atom::Textarea => true,
            Atom::Input => false,
            _ if self.role.is("spinbutton") => false,
            _ => given == Some("true") || self.facts.edits(self.node.index) && given != Some("false"),
        }
    }

    fn is_disabled(&self) -> bool {
        if self.is_true("aria-disabled") {
            return true;
        }
        let native = matches!(
            self.tag(),
            Atom::Button | Atom::Input | Atom::Select | Atom::Textarea | Atom::Option | Atom::Optgroup | Atom::Fieldset
        );
        native && (self.has(Atom::Disabled) || self.is_disabled_around())
    }

    fn is_disabled_around(&self) -> bool {
        let above = self.snapshot.ancestors(self.node);
        let mut groups = above.take(ABOVE).filter(|above| self.snapshot.tag(*above) == Atom::Fieldset);
        groups.any(|group| self.snapshot.attribute(group, Atom::Disabled).is_some())
    }
}

/// Roles that can be expanded (ARIA 1.2 §6.6, `aria-expanded`).
fn can_expand(role: Role) -> bool {
    matches!(
        role.name(),
        "application"
            | "button"
            | "checkbox"
            | "columnheader"
            | "combobox"
            | "gridcell"
            | "link"
            | "listbox"
            | "menuitem"
            | "menuitemcheckbox"
            | "menuitemradio"
            | "row"
            | "rowheader"
            | "switch"
            | "tab"
            | "treeitem"
    )
}

/// The value of an attribute by its name, without the white space around it.
pub fn attribute<'a>(snapshot: &'a Snapshot, node: Node, wanted: &str) -> Option<&'a str> {
    let part = snapshot.part_of(node.document);
    let mut pairs = snapshot.document(node).attributes(node.index).iter();
    let found = pairs.find(|pair| part.strings.bytes(pair[0]).eq_ignore_ascii_case(wanted.as_bytes()))?;
    Some(part.strings.get(found[1]).trim())
}

/// Which way a table is sorted by the column of this header.
pub fn sorted(snapshot: &Snapshot, node: Node) -> Option<&'static str> {
    let given = attribute(snapshot, node, "aria-sort")?;
    ["ascending", "descending", "other"].into_iter().find(|way| *way == given)
}

/// Whether a wrapper has a state to tell that the control inside does not have.
pub fn has_own_state(snapshot: &Snapshot, wrapper: Node, inside: Node) -> bool {
    const TOLD: [&str; 6] =
        ["aria-checked", "aria-current", "aria-disabled", "aria-expanded", "aria-selected", "aria-sort"];
    TOLD.into_iter().any(|name| {
        attribute(snapshot, wrapper, name).is_some_and(|value| {
            // What is collapsed can be opened; what is not checked, disabled or selected has nothing to tell.
            (value != "false" || name == "aria-expanded") && attribute(snapshot, inside, name) != Some(value)
        })
    })
}
