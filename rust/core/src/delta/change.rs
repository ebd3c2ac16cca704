//! What changed of an element that both snapshots contain, in the terms of a row: field, from, to.

use std::collections::HashMap;

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::Node;
use crate::capture::page::PartInfo;
use crate::digest::canonical::{collapse, same_classes};
use crate::element::attributes::input_type;
use crate::element::control::{selected_values, value};
use crate::element::role::is_password;
use crate::element::snapshot::Snapshot;
use crate::element::text::{REDACTED, is_only_words, rendered_text};

/// The field of a move: `from` and `to` are the selectors of the parents, made only for rows that are kept.
pub const PARENT: &str = "parent";

/// Attributes that are looked through for a name sooner than a table of them is made.
const FEW: usize = 16;

/// One field of one element before and after; None where the attribute was not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub field: String,
    pub from: Option<String>,
    pub to: Option<String>,
}

impl Change {
    pub fn new(field: &str, from: Option<String>, to: Option<String>) -> Self {
        Self { field: field.to_owned(), from, to }
    }
}

/// One element on both sides.
#[derive(Clone, Copy)]
pub struct Both<'a> {
    pub before: &'a Snapshot,
    pub old: Node,
    pub after: &'a Snapshot,
    pub new: Node,
}

/// The attributes of an element by name: few are looked through, many looked up. Of equal names the first counts.
struct Named<'a> {
    part: &'a PartInfo,
    pairs: &'a [[u32; 2]],
    places: Option<HashMap<&'a [u8], usize>>,
}

impl<'a> Named<'a> {
    fn new(part: &'a PartInfo, pairs: &'a [[u32; 2]]) -> Self {
        let named = || pairs.iter().enumerate().rev().map(|(at, pair)| (part.strings.bytes(pair[0]), at)).collect();
        Self { part, pairs, places: (pairs.len() > FEW).then(named) }
    }

    fn find(&self, name: &[u8]) -> Option<&'a [u32; 2]> {
        match &self.places {
            Some(places) => places.get(name).map(|&at| &self.pairs[at]),
            None => self.pairs.iter().find(|pair| self.part.strings.bytes(pair[0]) == name),
        }
    }
}

impl Both<'_> {
    /// State and attributes that differ; texts are `text_change`.
    pub fn changes(&self) -> Vec<Change> {
        let mut changes = Vec::new();
        self.attributes(&mut changes);
        self.state(&mut changes);
        changes
    }

    /// The text of the element before and after, if it differs.
    ///
    /// All of its text if it holds nothing but text and words in it; else only the text that stands directly in it,
    /// because what its children hold is theirs to report.
    pub fn text_change(&self) -> Option<Change> {
        let text = if self.is_plain() { rendered_text } else { own_text };
        let (from, to) = (text(self.before, self.old), text(self.after, self.new));
        (from != to).then(|| Change::new("textContent", Some(from), Some(to)))
    }

    /// Whether the element holds nothing but text and words in it, so that its change tells all of its text.
    pub fn is_plain(&self) -> bool {
        is_only_words(self.before, self.old) && is_only_words(self.after, self.new)
    }

    fn attribute(&self, atom: Atom) -> (Option<&str>, Option<&str>) {
        (self.before.attribute(self.old, atom), self.after.attribute(self.new, atom))
    }

    fn attributes(&self, changes: &mut Vec<Change>) {
        let (part, other) = (self.before.part_of(self.old.document), self.after.part_of(self.new.document));
        let old = self.before.document(self.old).attributes(self.old.index);
        let new = self.after.document(self.new).attributes(self.new.index);
        let (ours, theirs) = (Named::new(part, old), Named::new(other, new));
        for pair in old {
            let same = theirs.find(part.strings.bytes(pair[0]));
            let atom = part.atoms.get(pair[0] as usize).copied().unwrap_or(Atom::Other);
            let to = same.map(|pair| other.strings.get(pair[1]));
            self.attribute_change(part.strings.get(pair[0]), atom, Some(part.strings.get(pair[1])), to, changes);
        }
        for pair in new {
            if ours.find(other.strings.bytes(pair[0])).is_none() {
                let atom = other.atoms.get(pair[0] as usize).copied().unwrap_or(Atom::Other);
                let (name, to) = (other.strings.get(pair[0]), other.strings.get(pair[1]));
                self.attribute_change(name, atom, None, Some(to), changes);
            }
        }
    }

    fn attribute_change(
        &self,
        name: &str,
        atom: Atom,
        from: Option<&str>,
        to: Option<&str>,
        changes: &mut Vec<Change>,
    ) {
        if from == to {
            return;
        }
        let owned = |value: Option<&str>| value.map(str::to_owned);
        let change = match atom {
            Atom::Class if same_classes(from.unwrap_or(""), to.unwrap_or("")) => return,
            Atom::Class => {
                Change::new("className", Some(from.unwrap_or("").to_owned()), Some(to.unwrap_or("").to_owned()))
            }
            Atom::AriaExpanded => Change::new("expanded", owned(from), owned(to)),
            Atom::AriaChecked => Change::new("checked", owned(from), owned(to)),
            Atom::AriaSelected => Change::new("selected", owned(from), owned(to)),
            Atom::AriaDisabled => Change::new("disabled", owned(from), owned(to)),
            Atom::Open => presence("expanded", from, to),
            Atom::Disabled | Atom::Readonly | Atom::Required | Atom::Hidden | Atom::Inert | Atom::Multiple => {
                presence(name, from, to)
            }
            Atom::Value if self.shows_value_attribute() => Change::new("value", owned(from), owned(to)),
            Atom::Alt
            | Atom::Contenteditable
            | Atom::Href
            | Atom::Max
            | Atom::Min
            | Atom::Placeholder
            | Atom::Role
            | Atom::Src
            | Atom::Title
            | Atom::Type => Change::new(name, owned(from), owned(to)),
            atom if atom.is_aria() => Change::new(name, owned(from), owned(to)),
            _ if self.is_of_page() && is_theme(name) => Change::new(name, owned(from), owned(to)),
            _ if name.starts_with("data-") => match self.generated_change() {
                Some(change) => change,
                None => return,
            },
            _ => return,
        };
        if change.from != change.to && !changes.iter().any(|other| other.field == change.field) {
            changes.push(change);
        }
    }

    /// The text of the element before and after, if nothing but what CSS adds to it differs: a badge whose number stands
    /// in an attribute.
    fn generated_change(&self) -> Option<Change> {
        let is_same = || own_text(self.before, self.old) == own_text(self.after, self.new);
        if !self.is_plain() || !is_same() {
            return None;
        }
        let (from, to) = (rendered_text(self.before, self.old), rendered_text(self.after, self.new));
        (from != to).then(|| Change::new("textContent", Some(from), Some(to)))
    }

    /// Whether the element is the page as a whole.
    fn is_of_page(&self) -> bool {
        matches!(self.after.tag(self.new), Atom::Html | Atom::Body)
    }

    /// Whether the element shows its `value` attribute, which is not a live value there.
    fn shows_value_attribute(&self) -> bool {
        matches!(self.after.tag(self.new), Atom::Progress | Atom::Meter | Atom::Li | Atom::Button)
    }

    fn state(&self, changes: &mut Vec<Change>) {
        let tag = self.after.tag(self.new);
        if tag == Atom::Select {
            self.value_change(selected_values(self.before, self.old), selected_values(self.after, self.new), changes);
            return;
        }
        let has = |bit| {
            let (old, new) = (self.before.document(self.old), self.after.document(self.new));
            (old.has(self.old.index, bit), new.has(self.new.index, bit))
        };
        let (was, is) = has(flag::CHECKED);
        if was != is {
            changes.retain(|change| change.field != "checked");
            changes.push(Change::new("checked", Some(was.to_string()), Some(is.to_string())));
        }
        let ticked = tag == Atom::Input && matches!(input_type(self.after, self.new).as_str(), "checkbox" | "radio");
        let live = (value(self.before, self.old), value(self.after, self.new));
        if let ((Some(from), Some(to)), false) = (live, ticked) {
            self.value_change(from, to, changes);
        }
    }

    fn value_change(&self, from: String, to: String, changes: &mut Vec<Change>) {
        if from == to {
            return;
        }
        let secret = is_password(self.before, self.old) || is_password(self.after, self.new);
        let mask = |value: String| if secret && !value.is_empty() { REDACTED.to_owned() } else { value };
        changes.retain(|change| change.field != "value");
        changes.push(Change::new("value", Some(mask(from)), Some(mask(to))));
    }

    /// Whether the two stand in a list of options: the list reports for them.
    pub fn is_option(&self) -> bool {
        self.attribute(Atom::Role) == (None, None) && matches!(self.after.tag(self.new), Atom::Option | Atom::Optgroup)
    }
}

/// Whether a page says with this attribute in which colours it is shown: `data-theme`, `data-color-mode`.
fn is_theme(name: &str) -> bool {
    name.starts_with("data-") && name.split('-').any(|word| matches!(word, "theme" | "mode" | "scheme"))
}

/// "true" and "false" for an attribute that only has to be there.
fn presence(field: &str, from: Option<&str>, to: Option<&str>) -> Change {
    let there = |value: Option<&str>| Some(value.is_some().to_string());
    Change::new(field, there(from), there(to))
}

/// The rendered text that stands directly in `node`.
fn own_text(snapshot: &Snapshot, node: Node) -> String {
    let document = snapshot.document(node);
    let mut gathered = Vec::new();
    for child in document.children(node.index) {
        if document.is_text(child) && document.has(child, flag::RENDERED) {
            gathered.extend_from_slice(snapshot.strings(node).bytes(document.shown(child)));
            gathered.push(b' ');
        }
    }
    let mut scratch = Vec::new();
    String::from_utf8_lossy(collapse(&gathered, &mut scratch)).into_owned()
}
