//! The form of one line: `- role "name" [state] = "value" [ref=e12]`.

use std::collections::HashMap;
use std::fmt::Write;

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::{DocumentIndex, Node};
use crate::capture::page::text_of;
use crate::element::control::value;
use crate::element::flow::{generated, pseudo};
use crate::element::gather::GATHERED;
use crate::element::role::is_password;
use crate::element::snapshot::Snapshot;
use crate::element::text::{REDACTED, Redactor, legible, rendered_text};
use crate::outline::control::Control;
use crate::outline::facts::Facts;
use crate::outline::hint::hint;
use crate::outline::item::{Item, Kind};
use crate::outline::naming::{Namer, collapsed, content, edited, name, namer, shorten};
use crate::outline::pieces::{Piece, said};
use crate::outline::quote::quote;
use crate::outline::roles::{Role, Sort};
use crate::outline::scope::Attention;
use crate::outline::state::{States, attribute};

/// What stands where a ref goes: no text of a page holds one, since it is escaped there.
pub const REF: char = '\0';

/// Options of a list that are looked at, those that are named where it is closed, and characters of each.
const OPTIONS: usize = 10_000;
const NAMED_OPTIONS: usize = 6;
const OPTION: usize = 40;

/// Characters of a placeholder.
const PLACEHOLDER: usize = 100;

/// The most characters that a line shows of each part.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub text: usize,
    pub name: usize,
    pub value: usize,
}

/// Where there is room; and where there is not: a line or two of a text.
pub const LONG: Limits = Limits { text: 1000, name: 200, value: 200 };
pub const SHORT: Limits = Limits { text: 160, name: 100, value: 80 };

impl Limits {
    /// For a scope of one element: its texts and values are whole where the budget has room.
    pub fn whole(budget: usize) -> Self {
        Self { text: budget, name: LONG.text, value: budget }
    }
}

pub struct Lines<'a> {
    pub snapshot: &'a Snapshot,
    pub facts: &'a HashMap<DocumentIndex, Facts>,
    pub pieces: &'a [Piece],
    pub redactor: &'a Redactor,
    pub links: bool,
    pub attention: &'a Attention,
}

impl Lines<'_> {
    /// The line of an item, without indentation, and whether a text in it was cut.
    pub fn line(&self, item: &Item, limits: &Limits) -> (String, bool) {
        let mut out = format!("- {}", item.role.name());
        let (said, partial) = self.said(item, limits);
        let mut cut = false;
        if !said.is_empty() {
            let limit = if self.is_named(item) { limits.name } else { limits.text };
            cut |= self.quoted(&mut out, " ", &said, partial, limit);
        } else if item.kind != Kind::Line {
            out.push_str(" \"\"");
        }
        if item.kind == Kind::Text {
            return (out, cut);
        }
        if said.is_empty() && item.children == 0 {
            self.hint(&mut out, item);
        }
        self.states(item).write(&mut out);
        self.placeholder(&mut out, item, &said);
        cut |= self.holds(&mut out, item, &said, limits);
        self.address(&mut out, item, limits.value);
        if self.has_ref(item) {
            let _ = write!(out, " [ref={REF}]");
        }
        (out, cut)
    }

    /// What a line says of an element that can be acted on.
    pub fn control(&self, item: &Item, limits: &Limits) -> Control {
        let choices = self.choices(item);
        let (said, partial) = match self.said(item, limits) {
            // In the text of a page its name has lines of its own, and here it has none; options are not a name.
            (said, _) if said.is_empty() => {
                let named = name(self.snapshot, item.node, item.role, choices.is_none());
                let partial = named.len() >= GATHERED;
                (named, partial)
            }
            said => said,
        };
        let limit = if self.is_named(item) { limits.name } else { limits.text };
        let mut states = self.states(item).words();
        let [mut hint, mut placeholder] = [String::new(), String::new()];
        if said.is_empty() && item.children == 0 {
            self.hint(&mut hint, item);
        }
        self.placeholder(&mut placeholder, item, &said);
        let bare = |told: &String| told.strip_prefix(" [")?.strip_suffix(']').map(str::to_owned);
        states.extend([hint, placeholder].iter().filter_map(bare));
        let held = self.holding(item, choices.as_ref(), &said, limits.value);
        let value = held.map_or_else(String::new, |held| held.shown(self.redactor, limits.value).0);
        let named = choices.filter(|_| item.children == 0).map_or_else(Vec::new, |choices| choices.named);
        let worded = |option: &Node| shorten(self.redactor, &self.option(*option), false, OPTION).0;
        let options = named.iter().map(worded).collect();
        let name = shorten(self.redactor, &said, partial, limit).0;
        let node = item.node;
        let (part, document) = (self.snapshot.part_of(node.document), self.snapshot.document(node));
        Control {
            node,
            frame: part.key.clone(),
            frame_id: text_of(part, document.frame_id).to_owned(),
            backend_node_id: self.snapshot.backend_node_id(node),
            role: item.role.name(),
            name,
            states,
            value,
            options,
        }
    }

    fn states(&self, item: &Item) -> States<'_> {
        let facts = &self.facts[&item.node.document];
        States { snapshot: self.snapshot, facts, node: item.node, role: item.role, attention: self.attention }
    }

    /// Whether what a line says is a name, and not a text that the page shows.
    fn is_named(&self, item: &Item) -> bool {
        let reached = self.facts[&item.node.document].reached(item.node.index) && item.role.sort() != Sort::Control;
        item.kind == Kind::Line && !reached
    }

    fn quoted(&self, out: &mut String, lead: &str, text: &str, partial: bool, limit: usize) -> bool {
        let (shown, cut) = shorten(self.redactor, text, partial, limit);
        out.push_str(lead);
        quote(out, &shown);
        cut
    }

    /// What an item says: its text, or its name; and whether only a part of that was gathered.
    fn said(&self, item: &Item, limits: &Limits) -> (String, bool) {
        match item.kind {
            Kind::Text | Kind::Said => {
                let pieces = &self.pieces[item.said.0 as usize..item.said.1 as usize];
                said(self.snapshot, item.node.document, pieces, self.room(limits.text))
            }
            Kind::Ghost => (String::new(), false),
            Kind::Line => {
                let facts = &self.facts[&item.node.document];
                let said_below = item.children > 0 && !matches!(item.role.name(), "link" | "button" | "option" | "tab");
                let leaf = !said_below && !matches!(item.role.sort(), Sort::Frame | Sort::List | Sort::Urgent);
                let edited = facts.edits(item.node.index) || self.is_field(item);
                let name = name(self.snapshot, item.node, item.role, leaf && !edited);
                let partial = name.len() >= GATHERED;
                (name, partial)
            }
        }
    }

    /// Bytes that are gathered of a text of which `limit` characters are shown: enough that a secret at the cut is whole.
    fn room(&self, limit: usize) -> usize {
        GATHERED.max(limit.saturating_mul(4).saturating_add(self.redactor.longest()).saturating_add(4))
    }

    fn is_field(&self, item: &Item) -> bool {
        matches!(self.snapshot.tag(item.node), Atom::Input | Atom::Textarea | Atom::Select)
    }

    /// What tells a control without a name from others.
    fn hint(&self, out: &mut String, item: &Item) {
        if !self.facts[&item.node.document].acts(item.node.index) {
            return;
        }
        if let Some(hint) = hint(self.snapshot, item.node) {
            self.quoted(out, " [hint=", &hint, false, usize::MAX);
            out.push(']');
        }
    }

    /// What stands in an empty field, unless its name says that already.
    fn placeholder(&self, out: &mut String, item: &Item, name: &str) {
        let facts = &self.facts[&item.node.document];
        let edits = facts.edits(item.node.index);
        if !edits && !matches!(self.snapshot.tag(item.node), Atom::Input | Atom::Textarea) || self.held(item).is_some()
        {
            return;
        }
        let given = self.snapshot.attribute(item.node, Atom::Placeholder);
        let given = given.or_else(|| attribute(self.snapshot, item.node, "aria-placeholder")).unwrap_or("");
        let [before, _] = if edits { pseudo(self.snapshot, item.node) } else { [None; 2] };
        let shown = before.and_then(|index| generated(self.snapshot, Node { index, ..item.node }));
        let text = legible(collapsed(shown.as_ref().map_or(given, |piece| &piece.text)));
        if !text.is_empty() && text != name {
            self.quoted(out, " [placeholder=", &text, text.len() >= GATHERED, PLACEHOLDER);
            out.push(']');
        }
    }

    pub fn has_ref(&self, item: &Item) -> bool {
        item.kind != Kind::Text
            && (matches!(item.role.sort(), Sort::Control | Sort::Heading | Sort::Landmark | Sort::Urgent | Sort::Frame)
                || self.facts[&item.node.document].acts(item.node.index))
    }

    // -- what it holds -----------------------------------------------------------------------------------

    /// Write what a control holds; whether that was cut.
    fn holds(&self, out: &mut String, item: &Item, name: &str, limits: &Limits) -> bool {
        let mut cut = false;
        let choices = self.choices(item);
        if let Some(held) = self.holding(item, choices.as_ref(), name, limits.value) {
            let (shown, is_cut) = held.shown(self.redactor, limits.value);
            out.push_str(" = ");
            quote(out, &shown);
            cut = is_cut;
        }
        if let Some(choices) = choices.filter(|_| item.children == 0) {
            self.options(out, &choices);
        }
        cut
    }

    /// What a control holds; None if that is nothing.
    fn holding(&self, item: &Item, choices: Option<&Choices>, name: &str, limit: usize) -> Option<Held> {
        let node = item.node;
        if let Some(choices) = choices {
            return Held::value(&choices.chosen.join(", "));
        }
        match self.snapshot.tag(node) {
            _ if is_password(self.snapshot, node) => {
                value(self.snapshot, node).filter(|value| !value.is_empty()).map(|_| Held::Hidden)
            }
            Atom::Input if self.is_shown_by_name(item) => None,
            Atom::Input | Atom::Textarea => Held::text(self.held(item).unwrap_or_default(), false),
            _ if self.facts[&node.document].edits(node.index) => {
                let room = self.room(limit);
                let held = edited(self.snapshot, node, room);
                let partial = held.len() >= room;
                Held::text(held, partial)
            }
            _ => {
                let said = self.aria(node, "aria-valuetext").or_else(|| self.aria(node, "aria-valuenow"));
                let native = || self.snapshot.attribute(node, Atom::Value);
                match said.or_else(|| (item.role.sort() == Sort::Gauge).then(native).flatten()) {
                    Some(held) => Held::value(held),
                    None => self.shown(item, name),
                }
            }
        }
    }

    /// What a control shows inside, if that is not part of its name: the choice, the number of new things.
    fn shown(&self, item: &Item, name: &str) -> Option<Held> {
        let named = || namer(self.snapshot, item.node) == Namer::Attribute;
        if item.children > 0 || item.role.sort() != Sort::Control || !(item.role.is("combobox") || named()) {
            return None;
        }
        // What stands for the choice of a list may be kept from those who hear it; of a button that are icons.
        let held = legible(match item.role.is("combobox") {
            true => rendered_text(self.snapshot, item.node),
            false => content(self.snapshot, item.node),
        });
        let said = held.chars().any(char::is_alphanumeric) && !name.to_lowercase().contains(&held.to_lowercase());
        let partial = held.len() >= GATHERED;
        said.then(|| Held::text(held, partial)).flatten()
    }

    /// What a field or an editor holds, as it is; None if that is nothing.
    fn held(&self, item: &Item) -> Option<String> {
        let held = match self.facts[&item.node.document].edits(item.node.index) {
            true => edited(self.snapshot, item.node, 1),
            false => value(self.snapshot, item.node)?.replace("\r\n", "\n"),
        };
        Some(held).filter(|held| !held.is_empty())
    }

    fn is_shown_by_name(&self, item: &Item) -> bool {
        matches!(item.role.name(), "button" | "checkbox" | "radio" | "switch")
    }

    fn aria(&self, node: Node, wanted: &str) -> Option<&str> {
        attribute(self.snapshot, node, wanted)
    }

    /// Write what can be selected.
    fn options(&self, out: &mut String, choices: &Choices) {
        let Choices { named, count, .. } = choices;
        if *count == 0 {
            return;
        }
        out.push_str(" [options: ");
        for (at, option) in named.iter().enumerate() {
            let said = self.option(*option);
            self.quoted(out, if at > 0 { ", " } else { "" }, &said, said.len() >= GATHERED, OPTION);
        }
        if *count > named.len() {
            let _ = write!(out, ", {} more", count - named.len());
        }
        out.push(']');
    }

    /// The options of a list; None for any other element.
    fn choices(&self, item: &Item) -> Option<Choices> {
        if self.snapshot.tag(item.node) != Atom::Select {
            return None;
        }
        let document = self.snapshot.document(item.node);
        let inside = document.inside(item.node.index).nodes().take(OPTIONS);
        let all =
            inside.map(|index| Node { index, ..item.node }).filter(|node| self.snapshot.tag(*node) == Atom::Option);
        let mut found = Choices::default();
        for option in all.filter(|option| document.is_element(option.index)) {
            found.count += 1;
            if document.has(option.index, flag::SELECTED) && found.chosen.len() < NAMED_OPTIONS {
                found.chosen.push(self.option(option));
            }
            if found.named.len() < NAMED_OPTIONS {
                found.named.push(option);
            }
        }
        Some(found)
    }

    fn option(&self, node: Node) -> String {
        let label = self.aria(node, "label").filter(|label| !label.is_empty());
        legible(label.map_or_else(|| content(self.snapshot, node), collapsed))
    }

    /// Where a frame's document is from; where a link leads, if that was asked for.
    fn address(&self, out: &mut String, item: &Item, limit: usize) {
        let address = match item.role.sort() {
            Sort::Frame => self.frame_url(item.node),
            Sort::Control if self.links && item.role.is("link") => self.snapshot.attribute(item.node, Atom::Href),
            _ => None,
        };
        if let Some(address) = address.filter(|address| !address.is_empty()) {
            self.quoted(out, " [url=", address, false, limit);
            out.push(']');
        }
    }

    fn frame_url(&self, frame: Node) -> Option<&str> {
        let document =
            self.snapshot.owner.iter().position(|owner| *owner == Some(frame)).map(DocumentIndex::from_at)?;
        Some(text_of(self.snapshot.part_of(document), self.snapshot.documents[document].url))
    }
}

/// The options of a list: the words of those that are selected, the first ones, and how many there are.
#[derive(Default)]
struct Choices {
    chosen: Vec<String>,
    named: Vec<Node>,
    count: usize,
}

/// What a control holds.
enum Held {
    /// A password.
    Hidden,
    /// A text, and whether only a part of it was gathered.
    Text(String, bool),
}

impl Held {
    fn text(held: String, partial: bool) -> Option<Self> {
        (!held.is_empty()).then_some(Self::Text(held, partial))
    }

    fn value(held: &str) -> Option<Self> {
        let held = legible(collapsed(held));
        let partial = held.len() >= GATHERED;
        Self::text(held, partial)
    }

    /// The text without secrets, and whether it was cut.
    fn shown(&self, redactor: &Redactor, limit: usize) -> (String, bool) {
        match self {
            Self::Hidden => (REDACTED.to_owned(), false),
            Self::Text(held, partial) => shorten(redactor, held, *partial, limit),
        }
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
