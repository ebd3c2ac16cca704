//! How one line reads: `- role "name" [state] = "value" [ref=e12]`.

use std::collections::HashMap;
use std::fmt::Write;

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::snapshot::{text_of, Node, Snapshot};
use crate::element::name::value;
use crate::element::role::{input_type, is_password};
use crate::element::text::{Redactor, MASK};
use crate::outline::facts::Facts;
use crate::outline::item::{Item, Kind};
use crate::outline::naming::{collapsed, content, name, run, shorten};
use crate::outline::quote::quote;
use crate::outline::roles::{Role, Sort};

/// What stands where a ref goes: no text of a page holds one, since it is escaped there.
pub const REF: char = '\0';

/// Ancestors that are asked whether they disable a control.
const ABOVE: usize = 32;

/// Options of a list that are looked at, those that are named where it is closed, and characters of each.
const OPTIONS: usize = 10_000;
const NAMED_OPTIONS: usize = 6;
const OPTION: usize = 40;

/// How much of what is said, in characters.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub text: usize,
    pub name: usize,
    pub value: usize,
}

/// Where there is room; and where there is not: a line or two of a text.
pub const LONG: Limits = Limits { text: 1000, name: 200, value: 200 };
pub const SHORT: Limits = Limits { text: 160, name: 100, value: 80 };

pub struct Lines<'a> {
    pub snapshot: &'a Snapshot,
    pub facts: &'a HashMap<u32, Facts>,
    pub redactor: &'a Redactor,
    pub links: bool,
}

impl Lines<'_> {
    /// The line of an item, without indentation, and whether a text in it was cut.
    pub fn line(&self, item: &Item, limits: &Limits) -> (String, bool) {
        let mut out = format!("- {}", item.role.name());
        let mut cut = false;
        let said = self.said(item);
        if !said.is_empty() {
            let limit = if item.kind == Kind::Line { limits.name } else { limits.text };
            cut |= self.quoted(&mut out, " ", &said, limit);
        } else if item.kind != Kind::Line {
            out.push_str(" \"\"");
        }
        if item.kind != Kind::Text {
            self.states(&mut out, item);
            cut |= self.holds(&mut out, item, limits.value);
            self.address(&mut out, item, limits.value);
            if self.has_ref(item) {
                let _ = write!(out, " [ref={REF}]");
            }
        }
        (out, cut)
    }

    fn quoted(&self, out: &mut String, lead: &str, text: &str, limit: usize) -> bool {
        let (shown, cut) = shorten(self.redactor, text, limit);
        out.push_str(lead);
        quote(out, &shown);
        cut
    }

    /// What an item says: its text, or its name.
    fn said(&self, item: &Item) -> String {
        let facts = &self.facts[&item.node.document];
        let first = Node { index: item.first, ..item.node };
        match item.kind {
            Kind::Text | Kind::Said => run(self.snapshot, facts, first, item.last),
            Kind::Ghost => String::new(),
            Kind::Line => {
                let said_below = item.children > 0 && !matches!(item.role.name(), "link" | "button" | "option" | "tab");
                let leaf = !said_below && !matches!(item.role.sort(), Sort::Frame | Sort::List | Sort::Urgent);
                let edited = facts.edits(item.node.index) || self.is_field(item);
                name(self.snapshot, item.node, item.role, leaf && !edited)
            }
        }
    }

    fn is_field(&self, item: &Item) -> bool {
        matches!(self.snapshot.tag(item.node), Atom::Input | Atom::Textarea | Atom::Select)
    }

    pub fn has_ref(&self, item: &Item) -> bool {
        item.kind != Kind::Text
            && (matches!(item.role.sort(), Sort::Control | Sort::Heading | Sort::Landmark | Sort::Urgent | Sort::Frame)
                || self.facts[&item.node.document].acts(item.node.index))
    }

    // -- states ----------------------------------------------------------------------------------------

    fn states(&self, out: &mut String, item: &Item) {
        let node = item.node;
        let mut state = |word: &str| {
            let _ = write!(out, " [{word}]");
        };
        if let Some(level) = self.level(item) {
            state(&format!("level={level}"));
        }
        if let Some(kind) = self.kind(item) {
            state(&format!("type={kind}"));
        }
        for (word, holds) in [
            ("clickable", self.facts[&node.document].clicks(node.index)),
            ("checked", self.is_checked(item)),
            ("selected", self.is_selected(item)),
            ("expanded", self.expanded(node) == Some(true)),
            ("collapsed", self.expanded(node) == Some(false)),
            ("pressed", self.aria(node, "aria-pressed") == Some("true")),
            ("disabled", self.is_disabled(item)),
            ("required", self.has(node, Atom::Required) || self.aria(node, "aria-required") == Some("true")),
            ("readonly", self.has(node, Atom::Readonly) || self.aria(node, "aria-readonly") == Some("true")),
            ("invalid", self.aria(node, "aria-invalid").is_some_and(|value| value != "false" && !value.is_empty())),
            ("current", self.aria(node, "aria-current").is_some_and(|value| value != "false" && !value.is_empty())),
            ("modal", self.aria(node, "aria-modal") == Some("true")),
            ("busy", self.aria(node, "aria-busy") == Some("true")),
        ] {
            if holds {
                state(word);
            }
        }
    }

    fn has(&self, node: Node, attribute: Atom) -> bool {
        self.snapshot.attribute(node, attribute).is_some()
    }

    fn aria(&self, node: Node, wanted: &str) -> Option<&str> {
        let part = self.snapshot.part_of(node.document);
        let mut pairs = self.snapshot.document(node).attributes(node.index).iter();
        let found = pairs.find(|pair| part.strings.bytes(pair[0]).eq_ignore_ascii_case(wanted.as_bytes()))?;
        Some(part.strings.get(found[1]).trim())
    }

    fn level(&self, item: &Item) -> Option<u32> {
        if item.role.sort() != Sort::Heading {
            return None;
        }
        let given =
            self.aria(item.node, "aria-level").and_then(|level| level.parse().ok()).filter(|level| *level < 100);
        given.or(match self.snapshot.tag(item.node) {
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
    fn kind(&self, item: &Item) -> Option<&'static str> {
        const TOLD: [&str; 8] = ["color", "date", "datetime-local", "file", "month", "password", "time", "week"];
        if self.snapshot.tag(item.node) != Atom::Input {
            return None;
        }
        let kind = input_type(self.snapshot, item.node);
        TOLD.into_iter().find(|told| *told == kind)
    }

    fn is_checked(&self, item: &Item) -> bool {
        let checkable = matches!(
            item.role.name(),
            "checkbox" | "radio" | "switch" | "menuitemcheckbox" | "menuitemradio" | "option" | "treeitem"
        );
        let native = self.snapshot.document(item.node).has(item.node.index, flag::CHECKED);
        checkable && (native || self.aria(item.node, "aria-checked") == Some("true"))
    }

    fn is_selected(&self, item: &Item) -> bool {
        let native = self.snapshot.tag(item.node) == Atom::Option
            && self.snapshot.document(item.node).has(item.node.index, flag::SELECTED);
        native || self.aria(item.node, "aria-selected") == Some("true")
    }

    fn expanded(&self, node: Node) -> Option<bool> {
        if self.snapshot.tag(node) == Atom::Summary {
            let details = self.snapshot.parent(node)?;
            return Some(self.has(details, Atom::Open));
        }
        match self.aria(node, "aria-expanded")? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    fn is_disabled(&self, item: &Item) -> bool {
        if self.aria(item.node, "aria-disabled") == Some("true") {
            return true;
        }
        let native = matches!(
            self.snapshot.tag(item.node),
            Atom::Button | Atom::Input | Atom::Select | Atom::Textarea | Atom::Option | Atom::Optgroup | Atom::Fieldset
        );
        native && (self.has(item.node, Atom::Disabled) || self.is_disabled_around(item.node))
    }

    fn is_disabled_around(&self, node: Node) -> bool {
        let above = std::iter::successors(self.snapshot.parent(node), |node| self.snapshot.parent(*node));
        let mut groups = above.take(ABOVE).filter(|above| matches!(self.snapshot.tag(*above), Atom::Fieldset));
        groups.any(|group| self.has(group, Atom::Disabled))
    }

    // -- what it holds -----------------------------------------------------------------------------------

    /// Write what a control holds; whether that was cut.
    fn holds(&self, out: &mut String, item: &Item, limit: usize) -> bool {
        let node = item.node;
        match self.snapshot.tag(node) {
            Atom::Select => self.options(out, item, limit),
            _ if is_password(self.snapshot, node) => {
                if value(self.snapshot, node).is_some_and(|value| !value.is_empty()) {
                    let _ = write!(out, " = \"{MASK}\"");
                }
                false
            }
            Atom::Input if self.is_shown_by_name(item) => false,
            Atom::Input | Atom::Textarea => {
                let held = value(self.snapshot, node).unwrap_or_default();
                self.value(out, &held, limit)
            }
            _ if self.facts[&node.document].edits(node.index) => {
                let held = content(self.snapshot, node);
                self.value(out, &held, limit)
            }
            _ => {
                let said = self.aria(node, "aria-valuetext").or_else(|| self.aria(node, "aria-valuenow"));
                let native = || self.snapshot.attribute(node, Atom::Value);
                let held = said.or_else(|| (item.role.sort() == Sort::Gauge).then(native).flatten());
                self.value(out, held.unwrap_or_default(), limit)
            }
        }
    }

    fn is_shown_by_name(&self, item: &Item) -> bool {
        matches!(item.role.name(), "button" | "checkbox" | "radio" | "switch")
    }

    fn value(&self, out: &mut String, held: &str, limit: usize) -> bool {
        let held = collapsed(held);
        !held.is_empty() && self.quoted(out, " = ", &held, limit)
    }

    /// What is selected; and, where they have no lines of their own, what can be.
    fn options(&self, out: &mut String, item: &Item, limit: usize) -> bool {
        let document = self.snapshot.document(item.node);
        let inside = (item.node.index + 1..document.end(item.node.index)).take(OPTIONS);
        let all =
            inside.map(|index| Node { index, ..item.node }).filter(|node| self.snapshot.tag(*node) == Atom::Option);
        let (mut chosen, mut named, mut count) = (Vec::new(), Vec::new(), 0);
        for option in all.filter(|option| document.is_element(option.index)) {
            count += 1;
            if document.has(option.index, flag::SELECTED) && chosen.len() < NAMED_OPTIONS {
                chosen.push(self.option(option));
            }
            if named.len() < NAMED_OPTIONS {
                named.push(option);
            }
        }
        let cut = self.value(out, &chosen.join(", "), limit);
        if item.children == 0 && count > 0 {
            out.push_str(" [options: ");
            for (at, option) in named.iter().enumerate() {
                self.quoted(out, if at > 0 { ", " } else { "" }, &self.option(*option), OPTION);
            }
            if count > named.len() {
                let _ = write!(out, ", {} more", count - named.len());
            }
            out.push(']');
        }
        cut
    }

    fn option(&self, node: Node) -> String {
        let label = self.aria(node, "label").filter(|label| !label.is_empty());
        label.map_or_else(|| content(self.snapshot, node), collapsed)
    }

    /// Where a frame's document is from; where a link leads, if that was asked for.
    fn address(&self, out: &mut String, item: &Item, limit: usize) {
        let address = match item.role.sort() {
            Sort::Frame => self.frame_url(item.node),
            Sort::Control if self.links && item.role.is("link") => self.snapshot.attribute(item.node, Atom::Href),
            _ => None,
        };
        if let Some(address) = address.filter(|address| !address.is_empty()) {
            self.quoted(out, " [url=", address, limit);
            out.push(']');
        }
    }

    fn frame_url(&self, frame: Node) -> Option<&str> {
        let document = self.snapshot.owner.iter().position(|owner| *owner == Some(frame))?;
        Some(text_of(self.snapshot.part_of(document as u32), self.snapshot.documents[document].url))
    }
}

/// How items of a role are counted: `1 row`, `2 rows`.
pub fn counted(role: Role, count: usize) -> String {
    let many = match role.name() {
        "checkbox" | "combobox" | "listbox" | "searchbox" | "textbox" | "switch" | "search" => "es",
        _ => "s",
    };
    let name = role.name();
    match count {
        1 => format!("1 {name}"),
        _ if name == "gridcell" || !name.ends_with('y') => format!("{count} {name}{many}"),
        _ => format!("{count} {}ies", &name[..name.len() - 1]),
    }
}
