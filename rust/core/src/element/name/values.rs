//! The values of controls inside names.

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::{Node, NodeIndex};
use crate::element::attributes::{input_type, named_attribute};
use crate::element::control::value;
use crate::element::name::facts::UNTYPED;
use crate::element::name::namer::{Namer, Task, Try};
use crate::element::role::{is_focusable, is_password, role};
use crate::element::roles::Role;

/// Nodes of a list among which the chosen options are looked for.
const LIST_NODES: u32 = 512;

impl Namer<'_> {
    /// Add the value of a control; false if it is one, so that nothing else of it counts.
    pub(super) fn value(&mut self, this: Try) -> bool {
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

    /// Say what a field holds, but never a password; whether that is anything.
    pub(super) fn held(&mut self, node: Node) -> bool {
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
    fn chosen_options(&self, list: NodeIndex) -> Vec<NodeIndex> {
        let document = &self.snapshot.documents[self.document];
        let owned = self.owns.owned(list).iter().map(|each| each.owned);
        let parts = std::iter::once(list).chain(owned).flat_map(|part| document.subtree(part));
        let is_chosen = |&option: &NodeIndex| {
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
}

/// The number that a text stands for: `.5` is 0.5.
fn number(text: &str) -> Option<f32> {
    text.trim().parse::<f32>().ok().filter(|number| number.is_finite())
}
