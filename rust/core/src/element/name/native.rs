//! What an element says by its tag: the labels of a control, the caption of a table, the value of a button.

use crate::capture::atom::Atom;
use crate::element::attributes::{input_type, named_attribute};
use crate::element::control::button_value;
use crate::element::labels::{LABEL_NODES, is_labelable, labels};
use crate::element::letters::is_blank;
use crate::element::name::namer::{Namer, Try, Way};
use crate::element::role::title_of;
use crate::element::roles::Role;
use crate::element::text::words_within;

impl Namer<'_> {
    pub(super) fn labels(&mut self, this: Try) -> bool {
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

    pub(super) fn native(&mut self, this: Try) -> bool {
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

    /// Have the first child with this tag say the name.
    fn child_says(&mut self, this: Try, wanted: Atom) -> bool {
        let document = &self.snapshot.documents[self.document];
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
}
