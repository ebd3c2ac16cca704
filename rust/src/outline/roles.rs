//! The roles that lines are made of, and what kind of line each makes. Others count as none: a page may write any word.

use crate::capture::atom::Atom;
use crate::capture::columns::ELEMENT;
use crate::capture::snapshot::{Node, Snapshot};
use crate::element::role::implicit;

/// What a role means for the text of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Can be acted on.
    Control,
    /// Speaks up: dialogs, alerts, live regions.
    Urgent,
    /// A part of the page.
    Landmark,
    /// Holds many of a kind.
    List,
    /// One of a list.
    Item,
    /// A cell of a row: texts of neighbouring cells make one line.
    Cell,
    Heading,
    Picture,
    /// Says how much: a meter, a progress bar.
    Gauge,
    /// Kept where it has a name.
    Group,
    Frame,
    /// Says nothing that its content does not say.
    Plain,
}

/// A role by its place in the table of roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role(u8);

macro_rules! roles {
    ($($name:literal $sort:ident),* $(,)?) => {
        /// Sorted by name.
        const ROLES: &[(&str, Sort)] = &[$(($name, Sort::$sort)),*];
    };
}

roles! {
    "alert" Urgent, "alertdialog" Urgent, "article" Item, "banner" Landmark, "button" Control, "cell" Cell,
    "checkbox" Control, "columnheader" Cell, "combobox" Control, "complementary" Landmark, "contentinfo" Landmark,
    "dialog" Urgent, "feed" List, "figure" Group, "form" Landmark, "generic" Plain, "grid" List, "gridcell" Control,
    "group" Group, "heading" Heading, "iframe" Frame, "img" Picture, "link" Control, "list" List, "listbox" Control,
    "listitem" Item, "log" Urgent, "main" Landmark, "menu" List, "menubar" List, "menuitem" Control,
    "menuitemcheckbox" Control, "menuitemradio" Control, "meter" Gauge, "navigation" Landmark, "note" Group,
    "option" Control, "progressbar" Gauge, "radio" Control, "radiogroup" Group, "region" Landmark, "row" Item,
    "rowheader" Cell, "scrollbar" Control, "search" Landmark, "searchbox" Control, "slider" Control,
    "spinbutton" Control, "status" Urgent, "switch" Control, "tab" Control, "table" List, "tablist" List,
    "tabpanel" Group, "text" Plain, "textbox" Control, "toolbar" Group, "tooltip" Group, "tree" List, "treegrid" List,
    "treeitem" Control,
}

impl Role {
    pub fn named(name: &str) -> Option<Self> {
        ROLES.binary_search_by(|role| role.0.cmp(name)).ok().map(|at| Self(at as u8))
    }

    fn known(name: &str) -> Self {
        Self::named(name).unwrap_or(Self(0))
    }

    /// Elements of no role, and texts.
    pub fn generic() -> Self {
        Self::known("generic")
    }

    pub fn text() -> Self {
        Self::known("text")
    }

    pub fn textbox() -> Self {
        Self::known("textbox")
    }

    pub fn name(self) -> &'static str {
        ROLES[self.0 as usize].0
    }

    pub fn sort(self) -> Sort {
        ROLES[self.0 as usize].1
    }

    pub fn is(self, name: &str) -> bool {
        self.name() == name
    }

    pub const COUNT: usize = ROLES.len();

    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub fn at(index: usize) -> Self {
        Self(index as u8)
    }
}

/// The role of an element: the first one of its `role` that is known, else that of its tag.
pub fn role_of(snapshot: &Snapshot, node: Node) -> Role {
    if snapshot.document(node).kind[node.index as usize] != ELEMENT {
        return Role::generic();
    }
    if let Some(given) = snapshot.attribute(node, Atom::Role) {
        let known = |name: &str| match name {
            "none" | "presentation" => Some(Role::generic()),
            "image" => Role::named("img"),
            "text" => None,
            _ if name.bytes().any(|byte| byte.is_ascii_uppercase()) => Role::named(&name.to_ascii_lowercase()),
            _ => Role::named(name),
        };
        // Few: a role may have fall-backs, and a page may write a million of them.
        if let Some(role) = given.split_ascii_whitespace().take(4).find_map(known) {
            return role;
        }
    }
    Role::named(implicit(snapshot, node)).unwrap_or(Role::generic())
}
