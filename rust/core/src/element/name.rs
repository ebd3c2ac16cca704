//! Accessible names: accname 1.2 with HTML-AAM and SVG-AAM, as Chrome implements them.
//!
//! The one place that makes names; rows, the text of a page, selectors and fingerprints all ask here, and the agent in the
//! page (page/agent/names.js) is tested with the same cases. The algorithm is one machine with a stack of its own: each
//! element is tried source by source until one has said something, and what it says goes straight into one text. So
//! nothing recurses, and a name costs a bounded number of nodes and bytes, far more than anybody shows.

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::page::Node;
use crate::capture::style::Display;
use crate::element::control::{button_value, is_labelable, labels, value};
use crate::element::gather::Gathered;
use crate::element::generated::{generated, pseudo_kind};
use crate::element::ids::namers;
use crate::element::owns::{owns_of, Owns};
use crate::element::role::{
    input_type, is_blank, is_editing_host, is_focusable, is_password, named_attribute, role, title_of,
};
use crate::element::roles::{self, Role};
use crate::element::snapshot::Snapshot;
use crate::element::text::{is_phrasing, rendered_text};
use crate::hash::by_hash::ByHash;

/// Nodes of which one name is made at most: Chrome stops there too, for what holds more is no name.
const NAME_NODES: usize = 100;

/// Nodes that are read where all that an element says is wanted.
const NODES: usize = 2048;

/// Nodes of a label among which its control is looked for, and of a list among which the chosen options are.
pub(super) const LABEL_NODES: u32 = 512;
const LIST_NODES: u32 = 512;

/// Inputs whose value is picked rather than typed: they have no placeholder, and add nothing to other names.
const UNTYPED: [&str; 6] = ["color", "date", "datetime-local", "month", "time", "week"];

/// Pseudo-elements of an element that are looked at.
const PSEUDOS: usize = 16;

/// Ancestors that are looked at for a label, and for what hides an element.
pub(super) const ABOVE: usize = 64;

/// The name of `node`; "" if it has none.
pub fn name(snapshot: &Snapshot, node: Node) -> String {
    name_of(snapshot, node, role(snapshot, node)).0
}

/// The name of an element of this role, and how many nodes were looked at for it.
pub fn name_of(snapshot: &Snapshot, node: Node, role: Role) -> (String, usize) {
    if !snapshot.has_tag(node) || snapshot.document(node).has(node.index, flag::PSEUDO) {
        return (String::new(), 1);
    }
    let mut namer = Namer::new(snapshot, node.document);
    namer.start(node.index, role);
    namer.run()
}

/// The name of an element without its content, for callers that show the content themselves.
pub fn name_without_content(snapshot: &Snapshot, node: Node, role: Role) -> String {
    if !snapshot.has_tag(node) {
        return String::new();
    }
    let mut namer = Namer::new(snapshot, node.document);
    namer.hollow = true;
    namer.start(node.index, role);
    namer.run().0
}

/// Role and name of an element.
pub fn accessible(snapshot: &Snapshot, node: Node) -> (Role, String) {
    let role = role(snapshot, node);
    (role, name_of(snapshot, node, role).0)
}

/// The words in an element, labels and alternative texts in their places, but not what its fields hold; hidden ones too
/// if the element is hidden, as that is how names are hidden.
pub fn content(snapshot: &Snapshot, node: Node) -> String {
    let mut namer = Namer { limit: NODES, unfilled: true, ..Namer::new(snapshot, node.document) };
    let way = Way { hidden: !snapshot.document(node).has(node.index, flag::RENDERED), ..Way::default() };
    namer.visited.insert(u64::from(node.index), ());
    namer.children(node.index, way);
    namer.run().0
}

// -- the machine ---------------------------------------------------------------------------------------------------

/// How an element was reached.
#[derive(Clone, Copy, Default)]
struct Way {
    /// By `aria-labelledby`, which is followed once.
    by_id: bool,
    /// Its root is hidden, so that all of it counts.
    hidden: bool,
}

/// Where a name can come from, in the order in which it is looked for.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    Value,
    References,
    Label,
    Labels,
    Native,
    Content,
    Title,
    Placeholder,
    Over,
}

impl Step {
    fn next(self) -> Self {
        match self {
            Self::Value => Self::References,
            Self::References => Self::Label,
            Self::Label => Self::Labels,
            Self::Labels => Self::Native,
            Self::Native => Self::Content,
            Self::Content => Self::Title,
            Self::Title => Self::Placeholder,
            Self::Placeholder | Self::Over => Self::Over,
        }
    }
}

/// An element whose sources are tried until the text is longer than `mark`.
#[derive(Clone, Copy)]
struct Try {
    node: u32,
    role: Role,
    step: Step,
    mark: usize,
    way: Way,
    /// It is the element to name.
    top: bool,
}

/// The mark of an element whose turn has yet to come: what is referred to before it may say something.
const LATER: usize = usize::MAX;

enum Task {
    Try(Try),
    /// Go on with the node at `at`, a child of an element that ends at `end`.
    Children {
        at: u32,
        end: u32,
        way: Way,
        folded: bool,
    },
    Owned {
        of: u32,
        next: usize,
        way: Way,
    },
    /// What a stylesheet adds.
    Pseudo(u32),
    /// What follows is a word of its own.
    Part,
}

struct Namer<'a> {
    snapshot: &'a Snapshot,
    document: u32,
    owns: &'a Owns,
    out: Gathered,
    tasks: Vec<Task>,
    visited: ByHash<()>,
    seen: usize,
    limit: usize,
    /// What the element itself holds does not count.
    hollow: bool,
    /// Whether what fields hold is left out.
    unfilled: bool,
}

impl<'a> Namer<'a> {
    fn new(snapshot: &'a Snapshot, document: u32) -> Self {
        let owns = owns_of(snapshot, document);
        Self {
            snapshot,
            document,
            owns,
            out: Gathered::default(),
            tasks: Vec::new(),
            visited: ByHash::default(),
            seen: 0,
            limit: NAME_NODES,
            hollow: false,
            unfilled: false,
        }
    }

    fn start(&mut self, node: u32, role: Role) {
        let first = Try { node, role, step: Step::References, mark: 0, way: Way::default(), top: true };
        self.tasks.push(Task::Try(first));
    }

    fn node(&self, index: u32) -> Node {
        Node { document: self.document, index }
    }

    fn attribute(&self, index: u32, wanted: Atom) -> Option<&'a str> {
        self.snapshot.attribute(self.node(index), wanted)
    }

    fn run(mut self) -> (String, usize) {
        while let Some(task) = self.tasks.pop() {
            if self.out.is_full() {
                break;
            }
            match task {
                Task::Try(this) => self.step(this),
                Task::Children { at, end, way, folded } => self.child(at, end, way, folded),
                Task::Owned { of, next, way } => self.next_owned(of, next, way),
                Task::Pseudo(at) => self.pseudo(at),
                Task::Part => self.out.part(),
            }
        }
        let name = self.out.done();
        let edge = |letter: char| letter.is_whitespace() || letter == '\u{feff}';
        let trimmed = name.trim_matches(edge);
        (if trimmed.len() == name.len() { name } else { trimmed.to_owned() }, self.seen.max(1))
    }

    /// Say `text`, a word of its own.
    fn say(&mut self, text: &str) {
        if is_blank(text) {
            return;
        }
        self.out.part();
        self.out.text(text);
        self.out.part();
    }

    // -- elements, source by source --------------------------------------------------------------------------------

    /// Add what an element says to the name of another one.
    fn add(&mut self, node: u32, way: Way) {
        self.seen += 1;
        if !way.by_id && self.visited.contains_key(&u64::from(node)) {
            return;
        }
        let role = role(self.snapshot, self.node(node));
        let mark = self.out.len();
        self.tasks.push(Task::Try(Try { node, role, step: Step::Value, mark, way, top: false }));
    }

    fn step(&mut self, this: Try) {
        if self.out.len() > this.mark {
            return;
        }
        // Of what was referred to, the mark is where its turn began.
        let this = Try { mark: this.mark.min(self.out.len()), ..this };
        if this.step == Step::Value && !this.way.by_id && self.visited.contains_key(&u64::from(this.node)) {
            return;
        }
        let place = self.tasks.len();
        self.tasks.push(Task::Try(Try { step: this.step.next(), ..this }));
        let goes_on = match this.step {
            Step::Value => self.value(this),
            Step::References => self.references(this),
            Step::Label => self.label(this),
            Step::Labels => self.labels(this),
            Step::Native => self.native(this),
            Step::Content => self.content(this),
            Step::Title => self.title(this),
            Step::Placeholder => self.placeholder(this),
            Step::Over => {
                self.tasks.pop();
                return;
            }
        };
        if let (false, Some(Task::Try(next))) = (goes_on, self.tasks.get_mut(place)) {
            next.step = Step::Over;
        }
    }

    fn references(&mut self, this: Try) -> bool {
        let again = self.visited.insert(u64::from(this.node), ()).is_some();
        if again || this.way.by_id || self.is_slot(this.node) {
            return true;
        }
        let all: Vec<u32> = namers(self.snapshot, self.node(this.node)).collect();
        for &node in all.iter().rev() {
            let way = Way { by_id: true, hidden: self.is_hidden_root(node) };
            self.refer(node, way);
        }
        true
    }

    /// Add what another element says, as a word of its own.
    fn refer(&mut self, node: u32, way: Way) {
        self.seen += 1;
        let role = role(self.snapshot, self.node(node));
        self.tasks.push(Task::Part);
        self.tasks.push(Task::Try(Try { node, role, step: Step::Value, mark: LATER, way, top: false }));
        self.tasks.push(Task::Part);
    }

    fn is_slot(&self, node: u32) -> bool {
        self.snapshot.tag(self.node(node)) == Atom::Slot
    }

    fn label(&mut self, this: Try) -> bool {
        if let Some(label) = self.attribute(this.node, Atom::AriaLabel) {
            if !is_blank(label) && !self.is_slot(this.node) {
                self.say(label);
            }
        }
        true
    }

    /// Whether there is more to try.
    fn title(&mut self, this: Try) -> bool {
        let Some(title) = self.attribute(this.node, Atom::Title).filter(|title| !is_blank(title)) else { return true };
        let counts = this.way.by_id || !this.role.is_name_prohibited() || self.may_be_titled(this.node);
        if counts && !self.says_the_same(this, title) {
            self.say(title);
        }
        true
    }

    /// Whether a tooltip only repeats what the element shows: it is no name then, to Chrome.
    fn says_the_same(&self, this: Try, title: &str) -> bool {
        this.top && title.trim() == rendered_text(self.snapshot, self.node(this.node))
    }

    /// Whether an element without a role worth the name can still be named by its tooltip.
    fn may_be_titled(&self, node: u32) -> bool {
        use Atom::*;
        let node = self.node(node);
        let tag = self.snapshot.tag(node);
        matches!(tag, Abbr | Audio | Canvas | Dl | Figcaption | Label | Legend | Video)
            || is_focusable(self.snapshot, node)
            || tag == Other && self.snapshot.tag_name(node).contains('-')
    }

    fn placeholder(&mut self, this: Try) -> bool {
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

    // -- what an element says by its tag ---------------------------------------------------------------------------

    fn labels(&mut self, this: Try) -> bool {
        if is_labelable(self.snapshot, self.node(this.node)) {
            for label in labels(self.snapshot, self.node(this.node)).into_iter().rev() {
                // A label that nobody sees names nothing but what nobody sees either.
                let hidden = self.is_hidden_root(label);
                let unseen = hidden && !self.is_hidden_root(this.node);
                if !unseen && !self.visited.contains_key(&u64::from(label)) {
                    self.refer(label, Way { by_id: false, hidden });
                }
            }
        }
        true
    }

    fn native(&mut self, this: Try) -> bool {
        let node = self.node(this.node);
        let attribute = |wanted| self.snapshot.attribute(node, wanted).filter(|value| !is_blank(value));
        match self.snapshot.tag(node) {
            Atom::Option | Atom::Optgroup => {
                if let Some(label) = attribute(Atom::Label) {
                    self.say(label);
                }
            }
            Atom::Img | Atom::Area => {
                let alt = self.snapshot.attribute(node, Atom::Alt);
                if let Some(alt) = alt {
                    self.say(alt);
                }
                // A picture that says nothing on purpose has a title for other ends, unless it is asked for by its id.
                return alt != Some("") || this.way.by_id;
            }
            Atom::Input => return self.input(this),
            Atom::Table => {
                let summary = named_attribute(self.snapshot, node, "summary");
                if !self.child_says(this, Atom::Caption) {
                    self.say(summary.unwrap_or(""));
                }
            }
            Atom::Fieldset => drop(self.child_says(this, Atom::Legend)),
            Atom::Svg | Atom::Other | Atom::A => {
                if let Some(title) = title_of(self.snapshot, node).filter(|_| self.is_foreign(node)) {
                    let text = words_within(self.snapshot, title);
                    self.say(&text);
                } else if let Some(title) = named_attribute(self.snapshot, node, "xlink:title") {
                    self.say(title);
                }
            }
            _ if matches!(this.role, Role::TextBox | Role::SearchBox) && !self.holds_text(node) => {
                self.say(named_attribute(self.snapshot, node, "aria-placeholder").unwrap_or(""));
            }
            _ => {}
        }
        true
    }

    /// Whether an element is one of SVG: its name is not in capitals.
    fn is_foreign(&self, node: Node) -> bool {
        let name = self.snapshot.document(node).name[node.index as usize];
        self.snapshot.strings(node).bytes(name).iter().any(u8::is_ascii_lowercase)
    }

    /// Have the first child with this tag say the name.
    fn child_says(&mut self, this: Try, wanted: Atom) -> bool {
        let document = &self.snapshot.documents[self.document as usize];
        let mut children = document.children(this.node).take(LABEL_NODES as usize);
        let Some(child) = children.find(|&child| self.snapshot.tag(self.node(child)) == wanted) else { return false };
        if self.visited.contains_key(&u64::from(child)) || self.is_hidden(child, this.way) {
            return false;
        }
        self.refer(child, Way { by_id: false, ..this.way });
        true
    }

    fn input(&mut self, this: Try) -> bool {
        let node = self.node(this.node);
        let kind = input_type(self.snapshot, node);
        match kind.as_str() {
            "button" | "submit" | "reset" => {
                let value = button_value(self.snapshot, node);
                let default = match (value, kind.as_str()) {
                    (None, "submit") => "Submit",
                    (None, "reset") => "Reset",
                    _ => "",
                };
                self.say(value.unwrap_or(default));
            }
            "image" => {
                let alt = self.attribute(this.node, Atom::Alt).filter(|alt| !is_blank(alt));
                let title = self.attribute(this.node, Atom::Title).filter(|title| !is_blank(title));
                let value = button_value(self.snapshot, node).filter(|value| !is_blank(value));
                self.say(alt.or(value).or(title).unwrap_or("Submit"));
            }
            "file" => {
                let several = self.attribute(this.node, Atom::Multiple).is_some();
                self.say(if several { "Choose Files" } else { "Choose File" });
            }
            _ => {}
        }
        true
    }

    fn content(&mut self, this: Try) -> bool {
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

    /// Rows are named by their cells where they can be selected.
    fn is_in_grid(&self, node: u32) -> bool {
        let above = self.snapshot.ancestors(self.node(node));
        let mut roles = above.take(ABOVE).map(|above| role(self.snapshot, above));
        let found = roles.find(|role| !matches!(role, Role::Generic | Role::None | Role::Group | Role::RowGroup));
        found.is_some_and(|role| matches!(role, Role::Grid | Role::TreeGrid))
    }

    // -- values of controls inside names ---------------------------------------------------------------------------

    /// Add the value of a control; false if it is one, so that nothing else of it counts.
    fn value(&mut self, this: Try) -> bool {
        if self.visited.contains_key(&u64::from(this.node)) {
            return true;
        }
        let node = self.node(this.node);
        if self.unfilled && matches!(self.snapshot.tag(node), Atom::Input | Atom::Select | Atom::Textarea) {
            return false;
        }
        match this.role {
            Role::TextBox | Role::SearchBox | Role::SpinButton | Role::Combobox if self.holds_text(node) => {
                return !self.held(node);
            }
            Role::TextBox | Role::SearchBox => {
                self.out.part();
                self.tasks.push(Task::Part);
                self.children(this.node, this.way);
            }
            Role::Slider | Role::SpinButton | Role::ScrollBar | Role::Meter | Role::ProgressBar => {
                match self.amount(node, this.role) {
                    Some(amount) => self.say(&amount),
                    None => return true,
                }
            }
            Role::Separator if is_focusable(self.snapshot, node) => match self.amount(node, this.role) {
                Some(amount) => self.say(&amount),
                None => return true,
            },
            Role::Combobox | Role::Listbox => self.chosen(this),
            _ => return true,
        }
        false
    }

    fn holds_text(&self, node: Node) -> bool {
        matches!(self.snapshot.tag(node), Atom::Input | Atom::Textarea)
    }

    /// Say what a field holds, but never a password; whether that is anything.
    fn held(&mut self, node: Node) -> bool {
        let untyped = UNTYPED.contains(&input_type(self.snapshot, node).as_str());
        let held = value(self.snapshot, node).unwrap_or_default();
        let told = !untyped && !held.is_empty();
        if told && !is_password(self.snapshot, node) {
            self.say(&held);
        }
        told
    }

    fn amount(&self, node: Node, role: Role) -> Option<String> {
        let said = |name| named_attribute(self.snapshot, node, name);
        if let Some(text) = said("aria-valuetext") {
            return Some(text.to_owned());
        }
        let live = || value(self.snapshot, node).filter(|value| !value.is_empty());
        let native = || live().or_else(|| self.snapshot.attribute(node, Atom::Value).map(str::to_owned));
        let now = said("aria-valuenow").map(str::to_owned).or_else(native);
        let end = |name| said(name).and_then(|end| end.trim().parse::<f32>().ok()).filter(|end| end.is_finite());
        let (low, high) = (end("aria-valuemin"), end("aria-valuemax"));
        let within = |now: f32| now.max(low.unwrap_or(now)).min(high.unwrap_or(f32::MAX));
        now.and_then(|now| number(&now)).map(|now| within(now).to_string()).or_else(|| {
            // What ARIA 1.2 takes for the value of those that do not say.
            match role {
                Role::Slider | Role::ScrollBar | Role::Separator => Some("50".to_owned()),
                Role::SpinButton | Role::Meter => Some("0".to_owned()),
                _ => None,
            }
        })
    }

    fn chosen(&mut self, this: Try) {
        let chosen = self.chosen_options(this.node);
        if chosen.is_empty() && this.role == Role::Combobox && is_focusable(self.snapshot, self.node(this.node)) {
            self.out.part();
            self.tasks.push(Task::Part);
            return self.children(this.node, this.way);
        }
        for &option in chosen.iter().rev() {
            self.refer(option, this.way);
        }
    }

    /// The options of a list that are selected, those it owns last.
    fn chosen_options(&self, list: u32) -> Vec<u32> {
        let document = &self.snapshot.documents[self.document as usize];
        let owned = self.owns.owned(list).iter().map(|pair| pair.1);
        let parts = std::iter::once(list).chain(owned).flat_map(|part| part..document.end(part));
        let is_chosen = |&option: &u32| {
            let node = self.node(option);
            let given = || named_attribute(self.snapshot, node, "aria-selected");
            document.has_tag(option)
                && (document.has(option, flag::SELECTED) && self.snapshot.tag(node) == Atom::Option
                    || self.attribute(option, Atom::Role).is_some()
                        && given().is_some_and(|value| value.eq_ignore_ascii_case("true"))
                        && role(self.snapshot, node) == Role::Option)
        };
        parts.take(LIST_NODES as usize).filter(is_chosen).collect()
    }

    // -- what elements hold ----------------------------------------------------------------------------------------

    fn children(&mut self, node: u32, way: Way) {
        let document = &self.snapshot.documents[self.document as usize];
        if !self.owns.owned(node).is_empty() {
            self.tasks.push(Task::Owned { of: node, next: 0, way });
        }
        // A capture has all pseudo-elements before the children.
        let pseudo = (node + 1..document.end(node)).take_while(|&at| document.has(at, flag::PSEUDO));
        let after = pseudo.take(PSEUDOS).find(|&at| pseudo_kind(self.snapshot, self.node(at)) == "after");
        self.tasks.extend(after.map(Task::Pseudo));
        let at = self.node(node);
        // What an option or a canvas holds has no boxes of its own.
        let inner = matches!(self.snapshot.tag(at), Atom::Canvas | Atom::Option);
        let way = Way { hidden: way.hidden || inner, ..way };
        let folded = self.snapshot.tag(at) == Atom::Details && self.attribute(node, Atom::Open).is_none();
        self.tasks.push(Task::Children { at: node + 1, end: document.end(node), way, folded });
    }

    fn next_owned(&mut self, of: u32, next: usize, way: Way) {
        let Some(&(_, owned)) = self.owns.owned(of).get(next) else { return };
        self.tasks.push(Task::Owned { of, next: next + 1, way });
        if !self.visited.contains_key(&u64::from(owned)) && !self.is_hidden(owned, way) {
            let document = &self.snapshot.documents[self.document as usize];
            let before = next.checked_sub(1).and_then(|before| self.owns.owned(of).get(before));
            let elsewhere = match before {
                Some(&(_, before)) => document.parent_of(before) != document.parent_of(owned),
                None => !document.within(owned, of),
            };
            if elsewhere || self.is_apart(owned, self.snapshot.tag(self.node(owned))) {
                self.out.part();
                self.tasks.push(Task::Part);
            }
            self.add(owned, way);
        }
    }

    fn child(&mut self, at: u32, end: u32, way: Way, folded: bool) {
        if at >= end || self.seen > self.limit {
            return;
        }
        let document = &self.snapshot.documents[self.document as usize];
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

    fn element(&mut self, at: u32, way: Way, folded: bool) {
        let document = &self.snapshot.documents[self.document as usize];
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
        // What is written above a word to read it by is no part of it.
        if tag == Atom::Other && self.is_tag(at, "rt") {
            return;
        }
        if parts {
            self.out.part();
            self.tasks.push(Task::Part);
        }
        self.add(at, way);
    }

    fn is_tag(&self, at: u32, wanted: &str) -> bool {
        let document = &self.snapshot.documents[self.document as usize];
        let name = self.snapshot.part_of(self.document).strings.bytes(document.name[at as usize]);
        name.eq_ignore_ascii_case(wanted.as_bytes())
    }

    fn pseudo(&mut self, at: u32) {
        self.seen += 1;
        let document = &self.snapshot.documents[self.document as usize];
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

    /// Whether words before and after an element are parted by it: it is no part of a line, or a control.
    fn is_apart(&self, at: u32, tag: Atom) -> bool {
        use Atom::*;
        let document = &self.snapshot.documents[self.document as usize];
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

    /// Whether an element inside a name is hidden.
    fn is_hidden(&self, at: u32, way: Way) -> bool {
        let document = &self.snapshot.documents[self.document as usize];
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

    fn is_aria_hidden(&self, at: u32) -> bool {
        self.attribute(at, Atom::AriaHidden).is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
            && !matches!(self.snapshot.tag(self.node(at)), Atom::Body | Atom::Html | Atom::Option)
    }

    /// Whether an element that names another one is hidden: then all of it counts.
    fn is_hidden_root(&self, at: u32) -> bool {
        let document = &self.snapshot.documents[self.document as usize];
        let unseen = document.display(at) != Display::None && !document.has(at, flag::BOX);
        let mut above = std::iter::successors(Some(at), |&at| document.parent_of(at)).take(ABOVE);
        !document.has(at, flag::RENDERED) || unseen || above.any(|at| self.is_aria_hidden(at))
    }
}

/// A number as it is said: `.5` is 0.5.
fn number(text: &str) -> Option<f32> {
    text.trim().parse::<f32>().ok().filter(|number| number.is_finite())
}

/// Elements in whose place something else than what they hold is shown.
fn holds_nothing(tag: Atom) -> bool {
    use Atom::*;
    matches!(tag, Audio | Embed | Frame | Iframe | Img | Input | Meter | Object | Progress | Select | Textarea | Video)
}

/// Whether a part of a table is of one that only lays out a page: nothing in it says that it has heads or columns.
fn is_layout(snapshot: &Snapshot, part: Node) -> bool {
    let document = snapshot.document(part);
    let mut above = snapshot.inclusive_ancestors(part).take(ABOVE);
    let Some(table) = above.find(|above| snapshot.tag(*above) == Atom::Table) else { return false };
    let said = snapshot.attribute(table, Atom::Role).is_some() || named_attribute(snapshot, table, "summary").is_some();
    let mut inside = table.index + 1..document.end(table.index).min(table.index.saturating_add(LABEL_NODES));
    let tells = |index| {
        use Atom::*;
        let node = Node { index, ..part };
        matches!(snapshot.tag(node), Caption | Col | Colgroup | Tfoot | Th | Thead)
            || snapshot.attribute(node, Scope).is_some()
    };
    !said && !inside.any(tells)
}

/// The texts in an element, shown or not.
pub(super) fn words_within(snapshot: &Snapshot, node: Node) -> String {
    let document = snapshot.document(node);
    let mut gathered = Gathered::default();
    for at in (node.index..document.end(node.index)).take(NODES).filter(|&at| document.is_text(at)) {
        gathered.text(snapshot.strings(node).get(document.value[at as usize]));
    }
    gathered.done()
}
