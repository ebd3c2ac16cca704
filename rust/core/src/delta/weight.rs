//! The priority of each finding, in the order in which a person would report them, and a weight within it.

use crate::capture::atom::Atom;
use crate::capture::bounds::bounds;
use crate::capture::node::{Node, NodeIndex};
use crate::delta::change::{Change, PARENT};
use crate::delta::classes::{Telling, is_of_message, telling};
use crate::delta::item::{Item, Kind, Priority};
use crate::delta::overlay::Overlays;
use crate::delta::visit::{Visit, path};
use crate::element::name::name;
use crate::element::role::{is_editing_host, is_urgent, role, shown_role, takes_input, worth};
use crate::element::roles::Role;
use crate::element::snapshot::Snapshot;
use crate::element::text::{is_only_words, text_within};

/// Characters of what may still be a message; longer than that it is a part of the page which is called so.
const MESSAGE_CHARACTERS: usize = 600;

/// Nodes of a message, and ancestors that may make one of a text.
const MESSAGE_NODES: u32 = 96;
const ABOVE: usize = 6;

/// What opened over the page: more than any text in it.
const OPENED: u32 = 97;

/// What a field holds: what the caller types is less news than what the page does about it.
const TYPED: u32 = 45;

/// Ancestors among which a landmark is looked for.
const LANDMARK: usize = 32;

/// Nodes whose text is measured; rows may lie in one another, so this bounds the work.
const MEASURED: u32 = 256;

/// Names of fields that say in what state a control is.
const STATES: [&str; 18] = [
    "aria-current",
    "aria-errormessage",
    "aria-invalid",
    "aria-pressed",
    "aria-sort",
    "aria-valuenow",
    "aria-valuetext",
    "checked",
    "disabled",
    "expanded",
    "readonly",
    "required",
    "role",
    "selected",
    "tagName",
    "type",
    "value",
    "inert",
];

/// Attributes that refer to other elements, or repeat what is to be seen anyway.
const BOOKKEEPING: [&str; 21] = [
    "aria-activedescendant",
    "aria-atomic",
    "aria-busy",
    "aria-colindex",
    "aria-controls",
    "aria-describedby",
    "aria-details",
    "aria-flowto",
    "aria-grabbed",
    "aria-haspopup",
    "aria-hidden",
    "aria-labelledby",
    "aria-live",
    "aria-modal",
    "aria-owns",
    "aria-posinset",
    "aria-relevant",
    "aria-rowindex",
    "aria-setsize",
    "contenteditable",
    "position",
];

/// The priority and the worth of an item. On another page of the site, whatever is gone, states of fields, and
/// attributes are not news, and the parts that lead around the site count less than the content.
pub fn weigh(before: &Snapshot, after: &Snapshot, item: &Item, visit: Visit, overlays: &Overlays) -> (Priority, u32) {
    let (priority, worth) = match (item.kind, &item.change) {
        (Kind::Changed, Some(change)) => of_change(after, item.node, change),
        (Kind::Disappeared, _) => gone(before, item.node),
        _ => come(after, item.node),
    };
    let is_around = || item.kind != Kind::Disappeared && is_within(after, item.node, &AROUND);
    match (priority, item.kind) {
        (Priority::Message, _) => (priority, worth),
        (Priority::Attribute, Kind::Changed) if visit.loaded => (Priority::Bookkeeping, worth),
        (priority, Kind::Changed) if visit.elsewhere && priority > Priority::Text => (Priority::Bookkeeping, worth),
        (priority, Kind::Disappeared) if visit.elsewhere => {
            (priority.max(Priority::Attribute), part_worth(role(before, item.node)))
        }
        (Priority::Text, Kind::Changed) if visit.loaded && is_within(after, item.node, &FOOTER) => {
            (Priority::Attribute, worth)
        }
        (Priority::Structure, Kind::Appeared) if !visit.loaded && overlays.has(item.node) => (Priority::Text, OPENED),
        (Priority::Text, _) if !visit.elsewhere && is_around() => (priority, worth.min(20)),
        (priority, _) if visit.elsewhere && is_around() => (priority.max(Priority::Attribute), worth),
        _ => (priority, worth),
    }
}

/// Parts of a page that other pages of the site have too.
pub const AROUND: [Role; 4] = [Role::Navigation, Role::Banner, Role::ContentInfo, Role::Complementary];

/// Where a page that was made again says when, and how long that took.
const FOOTER: [Role; 1] = [Role::ContentInfo];

fn is_within(snapshot: &Snapshot, node: Node, landmarks: &[Role]) -> bool {
    snapshot.inclusive_ancestors(node).take(LANDMARK).any(|at| landmarks.contains(&role(snapshot, at)))
}

fn of_change(after: &Snapshot, node: Node, change: &Change) -> (Priority, u32) {
    let (was, is) = (change.from.as_deref().unwrap_or(""), change.to.as_deref().unwrap_or(""));
    match change.field.as_str() {
        "textContent" => text(after, node, was, is),
        "order" | "rows" => (Priority::Text, 90),
        "aria-label" | "alt" => (Priority::State, 15),
        "aria-sort" if matches!(is, "" | "none") => (Priority::State, 10),
        "aria-sort" => (Priority::Text, 85),
        "className" => match telling(was, is) {
            Telling::Nothing | Telling::Style => (Priority::Bookkeeping, 0),
            Telling::Looks => (Priority::Attribute, 10),
            Telling::Validity => (Priority::State, 40),
        },
        "href" | "src" if path(was) == path(is) => (Priority::Bookkeeping, 0),
        PARENT => (Priority::Structure, 10),
        field if BOOKKEEPING.contains(&field) => (Priority::Bookkeeping, 0),
        field if STATES.contains(&field) => match is_same_state(change.from.as_deref(), change.to.as_deref()) {
            true => (Priority::Bookkeeping, 0),
            false if is_hidden(after, node) => (Priority::Bookkeeping, 0),
            false if change.field == "value" => (Priority::State, TYPED),
            // What is on now is more than what is off.
            false => (Priority::State, 50 + worth(after, node) / 10 + 2 * u32::from(is != "false")),
        },
        _ => (Priority::Attribute, 20),
    }
}

/// Whether an element is there for the page's own code alone.
fn is_hidden(snapshot: &Snapshot, node: Node) -> bool {
    snapshot.attribute(node, Atom::AriaHidden) == Some("true")
}

/// Whether a state that is not there means the same as the one that is.
fn is_same_state(from: Option<&str>, to: Option<&str>) -> bool {
    let off = |value: Option<&str>| matches!(value, None | Some("false" | "none" | ""));
    from.is_none() != to.is_none() && off(from) && off(to)
}

fn text(after: &Snapshot, node: Node, was: &str, is: &str) -> (Priority, u32) {
    if is_message(after, node) {
        return (Priority::Message, if is.is_empty() { 10 } else { 80 });
    }
    if is_editing_host(after, node) {
        return (Priority::State, TYPED);
    }
    let own = match role(after, node) {
        Role::Heading => 95,
        Role::Caption => 80,
        Role::Row => 60,
        _ if is_count(was, is) => 75,
        _ => 50,
    };
    (Priority::Text, own)
}

/// Whether two short texts differ in their numbers alone: "3 of 20 selected".
fn is_count(was: &str, is: &str) -> bool {
    let words = |text: &str| -> String { text.chars().filter(|letter| !letter.is_ascii_digit()).collect() };
    let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    was.len() <= 80 && is.len() <= 80 && (has_digit(was) || has_digit(is)) && words(was) == words(is)
}

fn come(after: &Snapshot, node: Node) -> (Priority, u32) {
    if is_empty(after, node) {
        return (Priority::Bookkeeping, 0);
    }
    if is_message(after, node) {
        let spoken = is_urgent(after, node, role(after, node));
        return (Priority::Message, 50 + u32::from(spoken) * 30);
    }
    match role(after, node) {
        // The title of the page before those of its parts.
        Role::Heading => (Priority::Text, 95 + u32::from(after.tag(node) == Atom::H1)),
        Role::Caption => (Priority::Text, 80),
        Role::Row | Role::ListItem | Role::TreeItem | Role::Article => (Priority::Text, 60),
        Role::Option if after.tag(node) == Atom::Option => (Priority::Attribute, 5),
        _ if is_words(after, node) => (Priority::Text, 50),
        _ if is_wordless(after, node) => {
            (if is_icon(after, node) { Priority::Bookkeeping } else { Priority::Attribute }, 0)
        }
        role => (Priority::Structure, part_worth(role) + area_worth(after, node)),
    }
}

/// What is gone comes after what is there now.
fn gone(before: &Snapshot, node: Node) -> (Priority, u32) {
    if is_empty(before, node) {
        return (Priority::Bookkeeping, 0);
    }
    match role(before, node) {
        Role::Dialog | Role::AlertDialog => (Priority::State, 60),
        Role::Row | Role::ListItem | Role::TreeItem | Role::Article | Role::Heading => (Priority::State, 55),
        _ if is_wordless(before, node) && is_icon(before, node) => (Priority::Bookkeeping, 0),
        role => (Priority::Structure, part_worth(role) / 4),
    }
}

/// What parts of a page are worth: what opened, then what the page is about, then what else there is.
fn part_worth(role: Role) -> u32 {
    match role {
        Role::Menu | Role::Listbox | Role::Tooltip | Role::Tree => 95,
        Role::Main | Role::TabPanel => 90,
        Role::Table | Role::Grid | Role::TreeGrid | Role::Form | Role::Search | Role::List => 70,
        Role::Banner | Role::Navigation | Role::ContentInfo | Role::Complementary => 5,
        role if role.is_control() => 50,
        _ => 45,
    }
}

/// Whether nothing of the element can be read or acted on, and it shows no picture.
fn is_empty(snapshot: &Snapshot, node: Node) -> bool {
    let document = snapshot.document(node);
    let end = document.end(node.index).min(node.index.saturating_add(MESSAGE_NODES));
    let shows = |index: NodeIndex| {
        let at = Node { index, ..node };
        let role = role(snapshot, at);
        role.is_control()
            || matches!(role, Role::Image | Role::ProgressBar | Role::Meter | Role::Iframe)
            || matches!(snapshot.tag(at), Atom::Canvas | Atom::Video | Atom::Iframe | Atom::Svg | Atom::Img)
    };
    let is_small = end == document.end(node.index);
    is_small
        && text_within(snapshot, node, MEASURED).is_empty()
        && !node
            .index
            .until(end)
            .nodes()
            .any(|index| document.is_shown(index) && document.is_element(index) && shows(index))
}

fn is_wordless(snapshot: &Snapshot, node: Node) -> bool {
    text_within(snapshot, node, MEASURED).is_empty() && name(snapshot, node).is_empty()
}

/// Nodes that a picture made of shapes may have.
const ICON_NODES: u32 = 16;

/// Whether an element without words is a small picture for which no role speaks.
fn is_icon(snapshot: &Snapshot, node: Node) -> bool {
    let is_small = snapshot.document(node).end(node.index) - node.index <= ICON_NODES;
    is_small && shown_role(snapshot, node).is_empty() && area_worth(snapshot, node) == 0
}

/// Whether the element is a text to read, and nothing to act on.
pub fn is_words(snapshot: &Snapshot, node: Node) -> bool {
    is_only_words(snapshot, node) && !takes_input(snapshot, node)
}

/// Whether the element speaks to the user, or lies in what does: by its role, or by what its classes call it.
pub fn is_message(snapshot: &Snapshot, node: Node) -> bool {
    let above = snapshot.inclusive_ancestors(node).take(ABOVE);
    let mut elements = above.filter(|at| snapshot.document(*at).is_element(at.index));
    elements.any(|at| {
        is_urgent(snapshot, at, role(snapshot, at)) && (at == node || !is_dialog(snapshot, at))
            || is_called_message(snapshot, at)
    })
}

fn is_dialog(snapshot: &Snapshot, node: Node) -> bool {
    matches!(role(snapshot, node), Role::Dialog | Role::AlertDialog)
        || snapshot.attribute(node, Atom::AriaModal) == Some("true")
}

/// Whether the classes of the element call it a message, and it has the size of one and takes no input.
fn is_called_message(snapshot: &Snapshot, node: Node) -> bool {
    let is_called = snapshot.attribute(node, Atom::Class).is_some_and(is_of_message);
    let document = snapshot.document(node);
    let is_small = || document.size[node.index] <= MESSAGE_NODES;
    is_called && is_small() && !holds_field(snapshot, node) && is_brief(&text_within(snapshot, node, MEASURED))
}

fn is_brief(text: &str) -> bool {
    !text.is_empty() && text.len() <= MESSAGE_CHARACTERS
}

fn holds_field(snapshot: &Snapshot, node: Node) -> bool {
    let document = snapshot.document(node);
    document.subtree(node.index).nodes().any(|index| {
        let tag = snapshot.tag(Node { index, ..node });
        document.is_element(index) && matches!(tag, Atom::Input | Atom::Select | Atom::Textarea)
    })
}

/// Up to 20 points for the share of the page that the element covers.
fn area_worth(snapshot: &Snapshot, node: Node) -> u32 {
    let [width, height] = snapshot.document(node).content_size;
    let page = width * height;
    let covered = bounds(snapshot, node).map_or(0.0, |[_, _, width, height]| width * height);
    if page > 0.0 && covered > 0.0 { ((covered / page).min(1.0) * 20.0) as u32 } else { 0 }
}
